"""Shell command lines taken apart: which programs ran, which of them are tests or checks, and which can hide others."""

from __future__ import annotations

import re
from typing import NamedTuple

MOST = 6000
PARTS = 60
ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
WRAPPERS = {
    "sudo", "env", "time", "nice", "nohup", "command", "exec", "npx", "bunx", "pnpx", "xvfb-run", "doas", "stdbuf", "unbuffer",
    "winpty", "caffeinate", "dotenv", "cross-env", "nix-shell", "faketime", "gtimeout", "timeout", "ionice", "chronic", "then", "do",
    "else", "if", "while", "until", "!", "{", "(",
}  # fmt: skip
RUN_WITH = {"uv": {"run"}, "poetry": {"run"}, "pipenv": {"run"}, "hatch": {"run"}, "pdm": {"run"}, "rye": {"run"}, "pnpm": {"exec", "dlx"},
            "yarn": {"exec", "dlx"}, "npm": {"exec", "x"}, "bundle": {"exec"}, "mise": {"exec", "x"}, "direnv": {"exec"}, "conda": {"run"},
            "devbox": {"run"}, "bun": {"x"}}  # fmt: skip
CONTAINERS = {"docker", "podman", "docker-compose", "kubectl", "ssh", "vagrant", "lima", "nerdctl", "wsl", "su", "runuser", "chroot"}
SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "fish", "pwsh", "powershell", "ash"}
TESTS = set(
    "pytest py.test unittest nose nose2 nosetests tox nox jest vitest mocha ava karma cypress rspec phpunit pest bats ctest tap tape qunit "
    "busted prove nextest gotestsum ward testem jasmine minitest behave robot newman artillery uvu trial stestr green".split()
)
CHECKS = set(
    "eslint ruff flake8 pylint mypy pyright pytype tsc vue-tsc prettier black isort golangci-lint gofmt staticcheck shellcheck yamllint "
    "cfn-lint ansible-lint markdownlint markdownlint-cli2 hadolint stylelint biome rubocop kubeconform kubeval actionlint tflint ktlint "
    "detekt checkstyle semgrep bandit clippy standard xo oxlint jshint htmlhint pyflakes pycodestyle pydocstyle vulture sqlfluff buf spectral "
    "swiftlint clang-tidy clang-format cppcheck rustfmt codespell vale luacheck promtool typos dmypy basedpyright ty".split()
)
VERBS = {
    "npm": {"test", "t", "tst"}, "yarn": {"test"}, "pnpm": {"test", "t"}, "bun": {"test"}, "go": {"test"}, "cargo": {"test", "nextest", "t"},
    "make": {"test", "tests", "check"}, "just": {"test", "tests", "check"}, "task": {"test"}, "gradle": {"test", "check", "build"},
    "gradlew": {"test", "check", "build"}, "mvn": {"test", "verify", "package", "install"}, "mvnw": {"test", "verify", "package", "install"},
    "dotnet": {"test"}, "rake": {"test", "spec"}, "mix": {"test"}, "swift": {"test"}, "xcodebuild": {"test"}, "flutter": {"test"},
    "dart": {"test"}, "deno": {"test"}, "bazel": {"test"}, "sbt": {"test"}, "lein": {"test"}, "zig": {"test", "build"}, "rails": {"test"},
    "hatch": {"test"}, "cabal": {"test"}, "stack": {"test"}, "playwright": {"test"}, "ng": {"test"}, "nx": {"test", "run-many", "affected"},
    "turbo": {"test", "run"}, "composer": {"test"}, "terraform": {"test"}, "molecule": {"test"}, "forge": {"test"}, "hardhat": {"test"},
    "meson": {"test"}, "ninja": {"test"}, "lerna": {"test"}, "artisan": {"test"}, "manage.py": {"test"}, "manage": {"test"}, "ctest": set(),
    "node": {"--test"}, "crystal": {"spec"}, "gleam": {"test"}, "elm-test": set(), "pants": {"test"}, "buck2": {"test"}, "tsx": {"--test"},
    "react-scripts": {"test"}, "vue-cli-service": {"test:unit"},
}  # fmt: skip
CHECK_VERBS = {"go": {"vet", "fmt"}, "cargo": {"clippy", "check", "fmt"}, "helm": {"lint"}, "terraform": {"validate", "fmt"}, "deno": {"lint", "check"},
               "ansible-playbook": {"--syntax-check"}, "npm": {"audit"}, "dotnet": {"format"}, "buf": {"lint"}, "zig": {"fmt"},
               "nginx": {"-t"}, "docker-compose": {"config"}, "python": {"py_compile", "compileall"}, "node": {"--check"}}  # fmt: skip
INERT = set(
    "echo printf cat ls grep egrep fgrep rg ag find fd head tail wc sed awk mkdir touch cp mv rm rmdir cd pwd which type whereis whoami "
    "true false sleep date curl wget tree stat file du df ps export source . test [ [[ chmod chown ln diff sort uniq cut tr tee git gh glab "
    "pip pip3 pipx apt apt-get brew apk yum dnf less more readlink realpath basename dirname set unset alias jq yq id uname hostname kill "
    "tar zip unzip gzip gunzip md5sum sha256sum cmp comm column nl od xxd strings read exit return wait history clear fi done esac for case "
    "function pushd popd umask ulimit hash trap printenv rsync scp dos2unix iconv lsof netstat ss top free cal seq yes rev tac expr bc".split()
)
READING = INERT - set("mkdir touch cp mv rm rmdir sed awk find tee git gh glab pip pip3 pipx apt apt-get brew apk yum dnf curl wget ln tar zip unzip "
                      "gzip gunzip rsync scp dos2unix iconv chmod chown source .".split())  # fmt: skip
GIT_READING = {"status", "log", "diff", "show", "blame", "branch", "ls-files", "rev-parse", "grep", "remote", "describe", "shortlog", "reflog"}
ASKING = {"--version", "-v", "-V", "--help", "-h", "version", "help"}


class Part(NamedTuple):
    """One simple command: its program without path and wrappers, and its words."""

    program: str
    words: tuple[str, ...]

    @property
    def asks_only(self) -> bool:
        """Whether it only prints a version or help."""
        return bool(self.words) and self.words[0] in ASKING and len(self.words) <= 2

    @property
    def verb(self) -> str:
        """The first word that is no option: what the program is to do."""
        return next((word for word in self.words if not word.startswith("-")), "")


def parts(command: str, depth: int = 0) -> list[Part]:
    """The simple commands of a line, those inside `sh -c` and containers too."""
    found: list[Part] = []
    for words in _split(_without_heredocs(command[:MOST])):
        found += _unwrapped(words, depth)
        if len(found) > PARTS:
            break
    return found[:PARTS]


def _without_heredocs(command: str) -> str:
    lines, kept, until = command.split("\n"), [], ""
    for line in lines:
        if until:
            until = "" if line.strip() == until else until
            continue
        kept.append(line)
        mark = re.search(r"<<-?\s*['\"]?(\w+)['\"]?", line)
        until = mark[1] if mark else ""
    return "\n".join(kept)


def _split(command: str) -> list[list[str]]:
    """Words by simple command; quotes are honoured, what they do not close goes to the end."""
    commands: list[list[str]] = [[]]
    word, quote, has = "", "", False
    at = 0
    while at < len(command):
        sign = command[at]
        at += 1
        if quote:
            if sign == quote:
                quote = ""
            elif sign == "\\" and quote == '"' and at < len(command):
                word, at = word + command[at], at + 1
            else:
                word += sign
        elif sign in "'\"":
            quote, has = sign, True
        elif sign == "\\" and at < len(command):
            word, at, has = word + command[at].strip("\n"), at + 1, True
        elif sign in ";|&\n()" and not (sign == "&" and word[-1:] in (">", "<")) and command[at - 2 : at] != ">&":
            commands[-1] += [word] if has or word else []
            commands.append([])
            word, has = "", False
        elif sign.isspace():
            commands[-1] += [word] if has or word else []
            word, has = "", False
        elif sign == "#" and not word and not has:
            end = command.find("\n", at)
            at = len(command) if end < 0 else end
        else:
            word += sign
    commands[-1] += [word] if has or word else []
    return [words for words in commands if words]


def _unwrapped(words: list[str], depth: int) -> list[Part]:
    while words:
        first = _bare(words[0])
        if ASSIGNED.match(words[0]) or re.match(r"^\d*[<>]", words[0]):
            words = words[1:]
        elif first in WRAPPERS:
            words = words[1:]
            while words and (words[0].startswith("-") or re.fullmatch(r"\d+(?:\.\d+)?[smhd]?", words[0])):
                words = words[1:]
        elif first in RUN_WITH and len(words) > 1 and words[1] in RUN_WITH[first]:
            words = words[2:]
            while words and words[0].startswith("-"):
                words = words[1:]
        elif re.fullmatch(r"python[\d.]*|py", first) and "-m" in words[1:4]:
            words = words[words.index("-m") + 1 :]
        else:
            break
    if not words:
        return []
    program = _bare(words[0])
    part = Part(program, tuple(words[1:]))
    inner: list[Part] = []
    if depth < 3 and program in SHELLS | CONTAINERS:
        if "-c" in words or "-lc" in words:
            at = words.index("-c") if "-c" in words else words.index("-lc")
            inner = parts(words[at + 1], depth + 1) if at + 1 < len(words) else []
        elif program in CONTAINERS:
            known = next((at for at, word in enumerate(words) if at and _known(word, words[at + 1 : at + 2])), 0)
            inner = _unwrapped(words[known:], depth + 1) if known else []
    return [part, *inner]


def _known(word: str, follows: list[str]) -> bool:
    name = _bare(word)
    return name in TESTS or name in CHECKS or (name in VERBS and bool(follows) and follows[0] in VERBS[name])


def _bare(word: str) -> str:
    name = re.split(r"[/\\]", word)[-1].split("@")[0] if not word.startswith("@") else word
    return re.sub(r"\.(?:exe|cmd|bat|ps1)$", "", name) or word


def is_test(part: Part) -> bool:
    """Whether a command runs tests, as far as its name says."""
    if part.asks_only or part.program in INERT:
        return False
    if part.program in TESTS:
        return not (part.program in {"playwright", "cypress"} and part.verb in {"install", "open"})
    if any(word in VERBS.get(part.program, ()) for word in part.words[:6]):
        return not ({"-n", "--dry-run"} & set(part.words))
    script = part.verb if part.program in {"npm", "yarn", "pnpm", "bun"} else ""
    name = part.words[1] if script == "run" and len(part.words) > 1 else ""
    return bool(re.match(r"(?:test|spec|e2e|unit|it)\b", name))


def is_check(part: Part) -> bool:
    """Whether a command runs a linter, a type check or the like."""
    if part.asks_only:
        return False
    if part.program in CHECKS or any(word in CHECK_VERBS.get(part.program, ()) for word in part.words[:4]):
        return True
    return part.program in {"npm", "yarn", "pnpm", "bun", "make", "just", "task"} and bool(
        re.search(r"lint|typecheck|type-check|types|format|fmt|check|tsc", " ".join(part.words[:2]))
    )


def hides(part: Part) -> bool:
    """Whether a command can run others that its words do not show: a script, a make target, an unknown program."""
    if part.asks_only or part.program in INERT or part.program in CHECKS or part.program in CONTAINERS | {"terraform", "helm", "alembic"}:
        return part.program == "git" and part.verb in {"commit", "push", "rebase", "bisect"} and "--no-verify" not in part.words
    if part.program in SHELLS:
        return "-c" not in part.words and "-lc" not in part.words
    if part.program in {"npm", "yarn", "pnpm", "bun"}:
        return part.verb not in {"install", "i", "ci", "audit", "outdated", "ls", "list", "view", "add", "remove", "version", "init", "why", "config", "pack"}
    return part.program not in {"go", "cargo", "python-config", "node-gyp", "rustc", "gcc", "javac"} or part.verb in {"run", "generate"}


def only_reads(command: str) -> bool:
    """Whether a command line can be seen to change nothing."""
    if re.search(r"(?<![0-9&])>(?!\s*(?:/dev/null|&))|\btee\b|<<", command):
        return False
    for part in parts(command):
        if part.program == "git" and part.verb in GIT_READING:
            continue
        if part.program == "find" and not {"-exec", "-delete", "-execdir", "-ok"} & set(part.words):
            continue
        if part.program == "sed" and not any(word.startswith("-i") or word == "--in-place" for word in part.words):
            continue
        if part.program not in READING and not part.asks_only:
            return False
    return True
