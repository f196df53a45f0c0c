"""The files and commands that plain text names, as the launch's lines and a report's deliverables do."""

from __future__ import annotations

import re
import unicodedata

from bg.evidence import pieces
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = 20_000
_ENDINGS = (
    r"md|mdx|rst|txt|adoc|json|jsonl|ndjson|ya?ml|toml|ini|cfg|conf|env|csv|tsv|xml|html?|s?css|less|svg|png|jpe?g|gif|pdf|py|pyi|"
    r"ipynb|[cm]?[jt]sx?|vue|svelte|go|rs|java|kts?|scala|rb|php|cs|fs|swift|c|h|cc|cpp|hpp|exs?|erl|hs|lua|pl|sh|bash|sql|dart|"
    r"zig|gradle|proto|tf|lock|patch|diff|log|bats|r|jl|graphql|prisma"
)
_PATH = pattern(rf"(?<![\w@:/.~`-])(?:~?/|\.{{1,2}}/)?(?:[\w@.+-]+/)*[\w@+-][\w@.+-]*\.(?:{_ENDINGS})(?![\w/-]|\.\w)")
_MORE_ENDINGS = (
    r"mk|cmake|properties|plist|wasm|editorconfig|groovy|clj[sc]?|mli?|nix|bat|cmd|ps1|psm1|jsonc|json5|po|pot|ejs|hbs|j2|tmpl|tpl|webp|ico|"
    r"woff2?|ttf|zip|gz|tgz|whl|jar|sqlite3?|parquet|pem|crt|csproj|fsproj|vbproj|sln|gemspec|fsx|kt|mm|hh|cxx|sol|vim|"
    r"fish|zsh|example|sample|snap|graphqls|astro|mjml|rake|ru|razor|cshtml|xlsx?|docx?|pptx?|sum|mod|gitkeep|feature"
)
# The endings of files that names in code may have too.
_AS_CODE = r"log|env|lock|conf|r|diff|patch|fs|h|c|sql|mod|sum|example|sample|feature"
_FILE = pattern(rf"[^/]*\.(?P<ending>{_ENDINGS}|{_MORE_ENDINGS})", re.IGNORECASE)
_KNOWN = pattern(
    r"(?:.*/)?(?:Makefile|GNUmakefile|VERSION|Dockerfile|Containerfile|LICENSE|NOTICE|Gemfile|Rakefile|Procfile|Vagrantfile|"
    r"Jenkinsfile|CODEOWNERS|justfile|Justfile|gradlew|mvnw|Pipfile|\.[A-Za-z][\w.-]*)"
)
_TICKED = pattern(r"`([^`\n]{1,300})`")
_PRODUCT = pattern(r"(?:[A-Z]\w*|node|next|vue|express|three|d3|p5|chart)\.js|ASP\.net|(?:v?\d+\.)+\w*", re.IGNORECASE)
_PLACE = pattern(
    rf"(?<![\w@:/.~-])(?P<path>(?:\.{{0,2}}/)?(?:[\w@.+-]+/)*[\w@+-][\w@.+-]*\.(?:{_ENDINGS})):(?P<line>\d{{1,6}})(?![\w:])"
)
_PASSES = pattern(
    r"(?P<line>(?:[A-Z_]+=\S+\s+)?(?:npm|yarn|pnpm|bun|pytest|cargo|go|make|ruff|mypy|tox|mvn|gradle|\./gradlew|eslint|tsc|npx|uv|"
    r"bundle|rake|rspec|dotnet|mix|composer|phpunit|swift|bats|shellcheck|python3?|node)(?:\s+[\w./:@=-]+){0,5}?)\s+"
    r"(?:pass(?:es|ed)?|is|are|succeeds?|exits?|runs?|stays?|green|clean|läuft|ist|passe|pasa|通过|成功)(?!\w)"
)


def composed(name: str) -> str:
    """A name with each accented letter as one character: a file system may have split them in two."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def is_file(name: str) -> bool:
    """Whether a name can only mean a file or folder, unlike `os.path`, `types/node` and `Node.js`."""
    name = name.rstrip("*")
    if name.endswith("/") or _KNOWN.fullmatch(name):
        return True
    if "/" in name:
        *folders, last = name.split("/")
        return bool(re.search(r"\.[A-Za-z]\w{0,11}$", last)) and not any(map(_FILE.fullmatch, folders))
    found = _FILE.fullmatch(name)
    if found is None or _PRODUCT.fullmatch(name):
        return False
    return not re.fullmatch(_AS_CODE, found["ending"], re.IGNORECASE)


def paths(text: str) -> list[str]:
    """The files that a text names, each once: in backticks, or with an ending that only files have."""
    text = text[:LONG]
    found = []
    for match in _TICKED.finditer(text):
        name = re.sub(r":\d+(?:-\d+)?$", "", match[1].strip())
        if " " not in name and (_PATH.fullmatch(name) or ("/" in name and re.fullmatch(r"[\w@.+/-]+\.\w{1,8}", name))):
            found.append(name)
    plain = re.sub(r"https?://\S+", " ", _TICKED.sub(" ", text))
    found += [match[0] for match in _PATH.finditer(plain) if not ("/" not in match[0] and _PRODUCT.fullmatch(match[0]))]
    return list(dict.fromkeys(found))


def places(text: str) -> Iterator[tuple[str, int]]:
    """Each `file:line` that a text points at."""
    for match in _PLACE.finditer(re.sub(r"https?://\S+", " ", text[:LONG])):
        yield match["path"], int(match["line"])


def commands(text: str) -> list[str]:
    """The commands that a `Done when` names: in backticks, or before a word that says they pass."""
    text = text[:LONG]
    found = [match[1].strip() for match in _TICKED.finditer(text) if pieces.is_command(match[1].strip())]
    found += [match["line"].strip() for match in _PASSES.finditer(_TICKED.sub(" ", text))]
    return list(dict.fromkeys(found))
