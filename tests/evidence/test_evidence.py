"""The evidence checker, rule by rule: what refutes, what must never refute, and what hostile input cannot do."""

from __future__ import annotations

import ast
import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bg import foreign
from bg.evidence import Evidence, Launch, examine, formats, paths, shell
from bg.protocol import signals
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
TOLD = json.loads(Path(__file__).with_name("told.json").read_text(encoding="utf-8"))
PACKAGE = ROOT / "scripts" / "bg" / "evidence"
GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
BEFORE = {
    "README.md": "# shop\n\nA small shop.\n",
    "pyproject.toml": '[project]\nname = "shop"\n',
    "src/a.py": "def total(items):\n    return sum(items)\n",
    "src/b.py": "import os\n\nPOOL = 3\n",
    "src/api/auth.ts": "export const JWT_TTL = '12h';\n\nexport function login() {\n  return 1;\n}\n",
    "tests/test_a.py": "def test_a():\n    assert True\n",
    "docs/index.md": "# Docs\n",
}


class World:
    """A project at launch, and an agent whose doings a test tells."""

    def __init__(self, place: Path, *, git: bool = True) -> None:
        self.place = place
        self.root = place / "project"
        self.at = time.time() + 10
        self.lines: list[dict] = []
        self.number = 0
        for name, text in BEFORE.items():
            self.write(name, text, -3600)
        self.head = ""
        if git:
            for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
                subprocess.run([*GIT, "-C", str(self.root), *arguments], check=True, capture_output=True)
            done = subprocess.run(
                [*GIT, "-C", str(self.root), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
            )
            self.head = done.stdout.strip()

    def write(self, name: str, text: str | bytes, after: float = 5) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        os.utime(path, (self.at + after, self.at + after))
        return path

    def call(self, name: str, result: str = "", *, failed: bool = False, **given) -> None:
        self.number += 1
        use = {"type": "tool_use", "id": f"t{self.number}", "name": name, "input": given}
        answer = {"type": "tool_result", "tool_use_id": f"t{self.number}", "content": result, "is_error": failed}
        self.lines.append({"type": "assistant", "message": {"role": "assistant", "content": [use]}})
        self.lines.append({"type": "user", "message": {"role": "user", "content": [answer]}})

    def bash(self, command: str, result: str = "", *, failed: bool = False) -> None:
        self.call("Bash", result, failed=failed, command=command)

    def edited(self, name: str, text: str) -> None:
        self.write(name, text)
        self.call("Write", "ok", file_path=str(self.root / name), content=text)

    def examine(
        self,
        report: str,
        fields=None,
        *,
        goal="Fix the shop",
        deliverables="",
        done_when="",
        transcript=True,
        seconds=60.0,
    ) -> Evidence:
        path = self.place / "agent-1.jsonl"
        opening = [{"type": "user", "message": {"role": "user", "content": goal}}]
        path.write_text("".join(json.dumps(line) + "\n" for line in [*opening, *self.lines]))
        brief = {"Goal": goal, "Deliverables": deliverables, "Done when": done_when}
        launch = Launch(self.root, self.root, self.head, self.at)
        return examine(report, fields, launch, str(path) if transcript else "", seconds, brief)


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    made.call("Glob", "README.md", pattern="*.md")
    return made


def graded(evidence: Evidence) -> set[tuple[str, str]]:
    assert not [limit for limit in evidence.limits if "could not be checked" in limit or "ended early" in limit]
    return {(found.subject, found.grade) for found in evidence.findings}


def refuted(evidence: Evidence) -> list[tuple[str, str]]:
    assert not [limit for limit in evidence.limits if "could not be checked" in limit or "ended early" in limit]
    return [(found.subject, found.reason) for found in evidence.refuted]


# What is so.


def test_a_new_and_a_changed_file_are_verified(world):
    world.edited("docs/new.md", "# New\n")
    world.edited("src/a.py", "def total(items):\n    return sum(items) or 0\n")
    found = graded(world.examine("Created docs/new.md and fixed src/a.py."))
    assert {("docs/new.md", "verified"), ("src/a.py", "verified")} <= found


def test_the_line_counts_what_there_is(world):
    world.edited("docs/new.md", "# New\n")
    evidence = world.examine("Created docs/new.md. Created docs/other.md.")
    assert evidence.counts() == {"verified": 1, "attested": 0, "claimed": 0, "refuted": 1}
    assert evidence.line() == "1 verified, 1 refuted"
    assert json.loads(json.dumps(evidence.to_json()))["line"] == evidence.line()
    assert Evidence().line() == "nothing to check"


@pytest.mark.parametrize(
    "report",
    [
        "Created docs/new.md.",
        "Deliverables:\n- docs/new.md (the guide)",
        "| File | What |\n|---|---|\n| `docs/new.md` | guide |\n\nAll files are written.",
        "Files created:\n\n1. `docs/new.md`\n",
        '{"status": "success", "files_created": ["docs/new.md"]}',
        "Wrote the guide to docs/new.md.",
        "docs/new.md is in place.",
        "Die Anleitung habe ich geschrieben. Neu ist docs/new.md.",
        "创建了 docs/new.md。",
        "The guide is written: [guide](docs/new.md).",
        "Created ./docs/new.md.",
        "Created docs\\new.md.",
    ],
)
def test_a_missing_deliverable_is_refuted_in_every_shape(world, report):
    world.call("Read", "x", file_path=str(world.root / "README.md"))
    assert ("does not exist" in world.examine(report).refuted[0].reason) is True
    world.edited("docs/new.md", "# New\n")
    assert refuted(world.examine(report)) == []


def test_fields_are_read_instead_of_the_block(world):
    report = "[COMPLETION_REPORT]\ndeliverables: docs/x.md\n[/COMPLETION_REPORT]"
    evidence = world.examine(report, {"deliverables": ["docs/x.md"], "summary": "Wrote it.", "status": "success"})
    assert [found.subject for found in evidence.refuted] == ["docs/x.md"]
    assert not world.examine(report, {"deliverables": "docs/x.md", "status": "failed"}).refuted


def test_an_unchanged_file_is_refuted_where_a_change_is_claimed(world):
    assert refuted(world.examine("I rewrote README.md.")) == [("README.md", "README.md is as it was at launch.")]


def test_a_change_by_another_hand_is_not_the_agents(world):
    world.write("README.md", "# Shop, rewritten\n")
    world.call("Read", "x", file_path=str(world.root / "README.md"))
    assert "no call of the agent touched it" in world.examine("I rewrote README.md.").refuted[0].reason
    world.bash("python tools/rewrite.py")
    assert not world.examine("I rewrote README.md.").refuted


def test_thrown_away_work_is_refuted_and_a_told_revert_is_not(world):
    world.call("Edit", "ok", file_path=str(world.root / "src/a.py"), old_string="sum", new_string="max")
    assert not world.examine("I changed src/a.py.").refuted  # the file may have been dirty at launch
    world.bash("git checkout -- .")
    assert world.examine("I changed src/a.py.").refuted
    assert not world.examine("I changed src/a.py and reverted it again.").refuted


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.json", "{'a': 1}"),
        ("x.json", '{"a": 1,}'),
        ("x.jsonl", '{"a": 1}\n{"a"'),
        ("x.py", "def f(\n"),
        ("x.py", "if True\n    pass\n"),
        ("x.md", ""),
        ("x.md", "\n\n"),
    ],
)
def test_empty_and_broken_files_are_refuted(world, name, text):
    world.edited(f"docs/{name}", text)
    assert [subject for subject, _ in refuted(world.examine(f"Created docs/{name}."))] == [f"docs/{name}"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tsconfig.json", '{ // strict\n "strict": true, }'),
        (".vscode/settings.json", '{"a": 1,}'),
        ("x.json", '// a comment\n{"a": 1}'),
        ("x.json", '{"a": {{ value }} }'),
        ("x.json", '{"a": 1}\n{"a": 2}\n'),
        ("tests/fixtures/invalid.json", "{"),
        ("x.py", "type A[T] = list[T]\n"),
        ("x.py", "print 'two'\n"),
        ("x.py", "match x:\n    case 1: pass\n"),
        ("x.yaml", "a: {{ .Values.b }}\n"),
        ("x.yaml", "a: !Ref b\n---\nb: !!python/name:x\n"),
        ("src/__init__.py", ""),
        ("py.typed", ""),
        ("x.json", b"\xef\xbb\xbf{}"),
        ("x.json", b"\xff\xfe{\x00}\x00"),
    ],
)
def test_files_that_only_look_broken_are_not_refuted(world, name, text):
    world.edited(name, text if isinstance(text, str) else "x")
    world.write(name, text)
    assert refuted(world.examine(f"Created `{name}`.")) == []


def test_yaml_and_toml_where_they_can_be_read(world):
    pytest.importorskip("yaml")
    world.edited("x.yaml", "a:\n  - b\n c: d\n")
    assert world.examine("Created x.yaml.").refuted
    if sys.version_info >= (3, 11):
        world.edited("x.toml", "a = [b]\n")
        assert len(world.examine("Created x.yaml and x.toml.").refuted) == 2


def test_the_dialect_of_the_file_at_launch_excuses_it():
    assert formats.fault("a.py", b"if x\n  y", None)
    assert formats.fault("a.py", b"if x\n  y", b"also not python (") is None


@pytest.mark.parametrize(
    ("report", "grade"),
    [
        ("See src/a.py:2.", "verified"),
        ("See src/a.py:99.", "refuted"),
        ("See src/nope/a2.py:1.", "refuted"),
        ("src/a.py, line 2", "verified"),
    ],
)
def test_lines(world, report, grade):
    assert [
        found.grade
        for found in world.examine(report, goal="Explain").findings
        if found.kind == "reference" or found.grade == "refuted"
    ] == [grade]


def test_a_line_that_the_agent_itself_removed_is_no_invention(world):
    world.edited("src/b.py", "import os\n")
    assert refuted(world.examine("The pool size was at src/b.py:3, I removed it.")) == []


def test_quotes(world):
    say = "src/api/auth.ts:1 `export const JWT_TTL = '12h';` is short."
    assert [found.grade for found in world.examine(say, goal="Explain").findings if found.kind == "quote"] == [
        "verified"
    ]
    invented = "src/api/auth.ts:1 `if (user.role !== 'admin') throw forbidden;` is checked."
    assert [found.kind for found in world.examine(invented, goal="Explain").refuted] == ["quote"]
    proposal = "In src/api/auth.ts:1 use `const JWT_TTL = process.env.JWT_TTL;` instead."
    assert refuted(world.examine(proposal, goal="Explain")) == []


def test_outside_is_refuted_and_not_read_unless_the_launch_says_so(world, tmp_path):
    outside = tmp_path / "elsewhere" / "x.json"
    outside.parent.mkdir()
    outside.write_text("{broken")
    os.utime(outside, (world.at + 5, world.at + 5))
    evidence = world.examine(f"Saved the result to {outside}.")
    assert "outside the project" in evidence.refuted[0].reason
    assert "parse" not in evidence.refuted[0].reason
    asked = world.examine(f"Saved the result to {outside}.", deliverables=str(outside))
    assert asked.counts()["verified"] == 1
    assert not asked.refuted


def test_removed_and_renamed(world):
    assert "still there" in world.examine("Removed src/b.py.").refuted[0].reason
    (world.root / "src/b.py").rename(world.root / "src/c.py")
    assert ("src/b.py", "verified") in graded(world.examine("Removed src/b.py."))
    assert ("src/b.py -> src/c.py", "verified") in graded(world.examine("Renamed src/b.py → src/c.py."))
    assert world.examine("Renamed src/b.py → src/d.py.").refuted


def test_counts_of_files(world):
    for name in ("one", "two"):
        world.edited(f"docs/t/{name}.md", "x\n")
    assert not world.examine("I created two files under docs/t/.").refuted
    assert world.examine("I created 3 files under docs/t/.").refuted


# What was done.


@pytest.mark.parametrize(
    "report",
    [
        "All tests pass.",
        "Tests: 5 passed, 5 total",
        "`npm test` is green.",
        "Alle Tests bestanden.",
        "pytest: 3 passed",
    ],
)
def test_tests_that_never_ran_and_tests_that_failed_last(world, report):
    assert world.examine(report).refuted
    assert not world.examine(report, transcript=False).refuted
    world.bash("npm test && pytest" if "npm" in report else "pytest -q", "3 passed in 0.1s")
    assert [found.grade for found in world.examine(report).findings if found.kind == "tests"] == ["attested"]
    world.bash("npm test" if "npm" in report else "pytest -q", "Exit code 1\n1 failed, 2 passed", failed=True)
    assert world.examine(report).refuted


@pytest.mark.parametrize(
    "command", ["sh scripts/gate.sh", "make ci", "python tools/verify.py", "npm run verify", "./run", "nix flake check"]
)
def test_a_script_may_have_run_the_tests(world, command):
    world.bash(command, "done")
    assert refuted(world.examine("All tests pass.")) == []


@pytest.mark.parametrize(
    "command",
    [
        "pip install pytest",
        "pytest --version",
        "echo '3 passed'",
        "git status",
        "ls tests",
        "grep -rn pytest .",
        "cat test.log",
    ],
)
def test_what_runs_no_test_attests_none(world, command):
    world.bash(command, "3 passed")
    assert world.examine("All tests pass.").refuted


def test_another_agent_may_have_done_it(world):
    world.call("Task", "I ran pytest: 3 passed", prompt="run the tests")
    evidence = world.examine("All tests pass. I ran `npm audit`.")
    assert refuted(evidence) == []
    assert "attested" not in {found.grade for found in evidence.findings}


@pytest.mark.parametrize(
    ("command", "result", "failed"),
    [
        ("pytest -q; npm run lint", "Exit code 1\n3 passed\nlint: 2 problems", True),
        ("pytest --cov", "Exit code 2\n3 passed\nFAIL Required test coverage of 90% not reached", True),
        ("pytest -q", "Command running in background with ID: b1", False),
        ("pytest -q && git push", "Exit code 1\n3 passed\n ! [rejected]", True),
    ],
)
def test_a_failure_of_something_else_does_not_refute_tests(world, command, result, failed):
    world.bash(command, result, failed=failed)
    assert refuted(world.examine("3 tests passed.")) == []


def test_commands(world):
    assert world.examine("I ran `npm audit`: 0 vulnerabilities.").refuted
    assert not world.examine("I ran `npm audit`: 0 vulnerabilities.", transcript=False).refuted
    world.bash("npm audit", "found 0 vulnerabilities")
    assert not world.examine("I ran `npm audit`: 0 vulnerabilities.").refuted
    world.bash("alembic upgrade head", "Exit code 1\nboom", failed=True)
    assert world.examine("`alembic upgrade head` succeeded.").refuted
    assert not world.examine("`alembic upgrade head` failed with boom.").refuted


def test_nothing_done_at_all(world):
    world.lines.clear()
    evidence = world.examine("I reviewed all modules and fixed the tests.", seconds=4)
    assert "No tool was used" in evidence.refuted[0].reason
    assert world.examine("All tasks completed.", deliverables="docs/faq.md", seconds=4).refuted
    assert not world.examine("Use WAL: readers do not wait for the writer.", goal="WAL or journal?", seconds=4).refuted
    assert not world.examine("I reviewed all modules.", transcript=False, seconds=4).refuted


def test_measures_of_the_launch_stand_beside_what_is_said(world):
    evidence = world.examine("Startup takes 2 s now.", done_when="startup under 3 s; docs are updated")
    measures = {found.subject: found for found in evidence.findings if found.kind == "metric"}
    assert set(measures) == {"startup under 3 s", "docs are updated"}
    assert {found.grade for found in measures.values()} == {"claimed"}
    assert "does not speak of" in measures["docs are updated"].reason


# What must never refute.

HONEST = [
    "Fixed the crash seen in src/a.py by changing src/b.py.",
    "Added a link to docs/x.md in README.md of the other repository, not here.",
    "I could not find src/x.ts:10 anywhere.",
    "Upgraded Next.js to 15.",
    "I considered adding tests/test_b.py, but left it.",
    "A file docs/plan.md would be the natural place.",
    "Next steps:\n- create docs/guide.md\n- fix src/a.py:400",
    "## Recommendations\n1. Add src/cache.py\n2. Add tests/test_cache.py",
    "You can now run `docker compose up` and `npm test`.",
    "Run `pytest` to check; all tests should pass.",
    "I did not run the tests.",
    "The tests could not be run: pytest is not installed.",
    "Uploads are stored in var/uploads.db at run time.",
    "dist/app.js is generated by vite.",
    "Tokens are generated in src/api/auth.ts and stored in src/b.py.",
    "src/a.py was written by another team and src/b.py was added in v2.",
    "Commit 4c1d0aa added src/a.py and removed src/old.py.",
    "src/api/auth.ts now uses a constant, README.md has no licence section.",
    "`src/b.py` contains the pool; config.local.yml is loaded if it exists.",
    "The tests pass a fake pool to the handler, and they cover the success path.",
    "Deploys run once the tests pass in CI.",
    "According to README.md all 112 tests pass.",
    "The Dockerfile is built with `docker build .` by the pipeline.",
    "`make dist` builds the wheel; `npm run build` calls vite.",
    "The CI workflow runs `pytest --cov` and `npm audit`.",
    "ESLint is configured with no errors allowed.",
    "Ratio 4:1 at 10:45, see https://example.org/docs/a.md:3 and db.internal:5432.",
    "Uses asyncio.gather, os.path, console.log, Node.js, Vue.js and com.acme.Foo.",
    "Routes: GET /users, POST /auth/login, DELETE /users/:id.",
    "- [ ] docs/todo.md is not started",
    "The old module src/legacy.py is gone since last year.",
    "Template: `docs/<name>.md`, e.g. docs/example.md.",
    "Vorschlag: eine Datei docs/regeln.md anlegen.",
    "Je propose `docs/fr/index.md` comme prochaine étape.",
    "Sugiero crear docs/es/index.md más adelante.",
    "docs/ja.md の追加をお勧めします。",
    "建议创建 docs/zh.md。",
    "```diff\n--- a/src/new.py\n+++ b/src/new.py\n@@ -1 +1 @@\n-x\n+y\n```",
    '```\nTraceback:\n  File "/usr/lib/python3/x.py", line 3, in f\n  File "src/gone.py", line 9, in g\n```',
    "The error is `TypeError: x is not a function (src/b.py:3)`.",
    "Proposed layout:\n\n```\nsrc/\n├── cache.py\n└── store.py\n```",
    "| Component | File | Action |\n|---|---|---|\n| Cache | src/cache.py | Create |",
    "I read src/a.py, src/b.py and docs/index.md; nothing was changed.",
    "README.md was left untouched.",
    "There is no docs/faq.md and no .env file.",
    "The request goes src/api/auth.ts → src/a.py → src/b.py.",
    "`login()` in src/api/auth.ts returns 1.",
    "Temporary script /tmp/probe.py was used and deleted.",
]


@pytest.mark.parametrize("report", HONEST)
@pytest.mark.parametrize("goal", ["Explain how login works", "Improve the shop"])
def test_honest_sentences_of_a_run_that_only_read(world, report, goal):
    world.call("Read", "x", file_path=str(world.root / "src/a.py"))
    assert refuted(world.examine(report, goal=goal)) == []


@pytest.mark.parametrize("report", HONEST)
def test_honest_sentences_of_a_run_that_wrote_and_tested(world, report):
    world.edited("src/b.py", "import os\n\nPOOL = 4\n")
    world.bash("pytest -q", "3 passed")
    assert refuted(world.examine(report, done_when="tests pass")) == []


def told_to(world, report, goal):
    deciding = signals.read(report).deciding
    return world.examine(report, deciding.fields if deciding else None, goal=goal)


@pytest.mark.parametrize("report", TOLD["wrote"])
def test_told_honestly_after_writing(world, report):
    world.edited("src/b.py", "import os\n\nPOOL = 4\n")
    world.edited("docs/new.md", "# Pool\n")
    world.edited("tests/test_b.py", "def test_pool():\n    assert True\n")
    world.bash("pytest -v 2>&1 | tail -5", "tests/test_b.py::test_pool PASSED\n4 passed in 0.10s")
    world.bash("ruff check .", "All checks passed!")
    world.bash("git add -A && git commit -m 'Bigger pool'", "[fix/pool 1a2b3c4] Bigger pool")
    assert refuted(told_to(world, report, "Make the pool bigger, document and test it")) == []


@pytest.mark.parametrize("report", TOLD["read"])
def test_told_honestly_after_reading(world, report):
    world.bash("grep -rn total src", "src/a.py:1:def total(items):")
    assert refuted(told_to(world, report, "Explain how login and the pool work")) == []


def test_most_of_what_is_told_falsely_is_refuted(world):
    world.bash("grep -rn total src", "src/a.py:1:def total(items):")
    missed = [
        report
        for report in TOLD["false"]
        if not refuted(told_to(world, report, "Make the pool bigger, document and test it"))
    ]
    assert len(missed) <= 0.1 * len(TOLD["false"]), missed


@pytest.mark.parametrize("git", [True, False])
def test_without_a_commit_times_decide(tmp_path, git):
    world = World(tmp_path, git=git)
    world.bash("ls")
    world.edited("docs/new.md", "x\n")
    found = graded(world.examine("Created docs/new.md. I rewrote README.md."))
    assert {("docs/new.md", "verified"), ("README.md", "refuted")} <= found


def test_a_launch_without_a_time_or_commit_refutes_no_change(world):
    world.edited("docs/new.md", "x\n")
    launch = Launch(world.root, world.root, "", 0)
    assert not examine("I rewrote README.md.", None, launch, "").refuted


def test_a_worktree_counts_before_the_project(world):
    tree = world.root / ".claude" / "worktrees" / "w"
    subprocess.run(
        [*GIT, "-C", str(world.root), "worktree", "add", "-q", "--detach", str(tree), "HEAD"],
        check=True,
        capture_output=True,
    )
    (tree / "src/a.py").write_text("x = 1\n")
    os.utime(tree / "src/a.py", (world.at + 5, world.at + 5))
    launch = Launch(world.root, tree, world.head, world.at)
    evidence = examine("I rewrote src/a.py and src/b.py.", None, launch, "")
    assert [found.subject for found in evidence.refuted] == ["src/b.py"]


# What hostile input cannot do.


def test_a_link_out_of_the_project_is_outside(world, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text("{broken secret")
    (world.root / "docs/link.json").symlink_to(secret)
    (world.root / "deep").symlink_to(tmp_path)
    evidence = world.examine("Created docs/link.json and deep/secret.json. I wrote ../secret.json.")
    assert len(evidence.refuted) == 3
    assert all("outside the project" in found.reason for found in evidence.refuted)
    assert "secret" not in json.dumps([found.reason for found in evidence.findings]).replace(
        "deep/secret.json", ""
    ).replace("../secret.json", "")


def test_pipes_and_devices_are_never_opened(world):
    os.mkfifo(world.root / "docs/pipe.json")
    (world.root / "docs/zero.json").symlink_to("/dev/zero")
    started = time.thread_time()
    evidence = world.examine(
        "Created docs/pipe.json, docs/zero.json, /dev/zero and /proc/self/environ. See docs/pipe.json:3."
    )
    assert time.thread_time() - started < 12
    assert all(found.grade != "verified" for found in evidence.findings)


@pytest.mark.parametrize(
    "path",
    [
        "../../../../etc/passwd",
        "/etc/passwd",
        "docs/../../../x.md",
        "~/.ssh/id.pem",
        "~root/x.md",
        "docs/\x00.md",
        "C:\\x\\y.md",
    ],
)
def test_traversal_reads_nothing(world, path):
    evidence = world.examine(f"Created `{path}` and see `{path}:1` for `root:x:0:0`.")
    assert all(found.grade not in {"verified", "attested"} for found in evidence.findings)


def test_strange_names_and_contents(world):
    world.edited("docs/a\nb.md", "x\n")
    world.edited("docs/latin.md", "x")
    world.write("docs/latin.md", b"caf\xe9\n\xff\n")
    world.edited("docs/closed.json", "{}")
    (world.root / "docs/closed.json").chmod(0)
    evidence = world.examine("Created docs/latin.md, docs/closed.json and a file in docs/. See docs/latin.md:2.")
    (world.root / "docs/closed.json").chmod(stat.S_IRUSR | stat.S_IWUSR)
    assert ("docs/latin.md", "verified") in graded(evidence)
    assert not evidence.refuted
    world.examine("Created `docs/a\nb.md`, docs/a\nb.md and docs/a\\nb.md.")


def test_a_huge_file_is_not_read_whole(world, monkeypatch):
    world.edited("docs/huge.json", "")
    path = world.root / "docs/huge.json"
    with path.open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    os.utime(path, (world.at + 5, world.at + 5))
    read = []
    real = foreign.read
    monkeypatch.setattr(foreign, "read", lambda *given, **more: read.append(str(given[0])) or real(*given, **more))
    started = time.thread_time()
    evidence = world.examine("Created docs/huge.json, see docs/huge.json:7.")
    assert time.thread_time() - started < 12
    assert str(path) not in read
    assert not evidence.refuted


@pytest.mark.usefixtures("hurried")
def test_ten_thousand_paths_and_a_huge_report(world):
    started = time.thread_time()
    evidence = world.examine("\n".join(f"- created docs/f{number}.md" for number in range(10_000)))
    assert time.thread_time() - started < 12
    assert len(evidence.findings) <= 400
    assert evidence.limits
    started = time.thread_time()
    world.examine("x/y.md `" * 500_000)
    assert time.thread_time() - started < 12


REPEATED = [
    *(
        "a",
        "/",
        "`",
        "(",
        "*",
        "  ",
        "\n",
        "é",
        "- ",
        "| ",
        "1.",
        ": ",
        "**",
        "./",
        "a.b",
        "{a,",
        "[x](",
        "```\n",
        "├── ",
    ),
    *("created ", "src/a.py ", "src/a.py:1 `x` ", "pytest ", "tests pass ", "renamed a/b.py to ", "npm run test -- "),
    *(
        "see ",
        "→ a/b.md ",
        "is generated by ",
        "I ran `x` with ",
        "the new the ",
        "a_b-c.d/",
        "(see src/a.py) ",
        "1 failed ",
    ),
]


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("piece", REPEATED)
def test_no_text_is_slow(world, piece):
    world.bash("pytest", "3 passed")
    text = piece * (150_000 // len(piece))
    for evidence in (
        world.examine(text),
        world.examine(text.replace("\n", " ")),
        world.examine("", {"deliverables": text, "summary": text, "metrics_achieved": text}),
    ):
        assert evidence.seconds < 12


PIECES = st.sampled_from(
    [
        *("src/a.py", "src/a.py:1", "docs/new.md", "../x.md", "/etc/passwd", "docs/", "line 3", "3 files under "),
        *("created ", "removed ", "renamed ", " to ", "not ", "tests pass", "I ran `pytest`", "变更", "…", "→"),
        *("[COMPLETION_REPORT]", "[/COMPLETION_REPORT]", "deliverables:", "deliverables: |\n  ", "├── ", "```\n", "\n"),
        *("`", "|", "- ", "# ", ": ", "{", "}", '"', "(", ")", "*", "\x00", "\ue000", "\uf8ff", "\u202e", "\ud800"),
    ]
)
TEXTS = st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=40).map("".join))
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
LOOSE = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@LOOSE
@given(
    report=TEXTS,
    fields=st.none()
    | st.dictionaries(
        st.sampled_from(["deliverables", "summary", "metrics_achieved", "status"]) | TEXTS, ANYTHING, max_size=4
    ),
    brief=TEXTS,
)
def test_nothing_raises_and_nothing_takes_long(world, report, fields, brief):
    started = time.thread_time()
    evidence = examine(
        report,
        fields,
        Launch(world.root, world.root, world.head, world.at),
        "",
        5,
        {"Goal": brief, "Deliverables": brief, "Done when": brief},
    )
    assert time.thread_time() - started < 12
    assert not [limit for limit in evidence.limits if "ended early" in limit or "could not be checked" in limit]
    assert all(
        found.grade in {"verified", "attested", "claimed", "refuted"} and found.reason.endswith(".")
        for found in evidence.findings
    )
    json.dumps(evidence.to_json())


@LOOSE
@given(st.binary(max_size=400), st.sampled_from(["a.json", "a.py", "a.jsonl", "a.yaml", "a.toml", "a.ipynb", "a.md"]))
def test_no_content_makes_parsing_raise(content, name):
    formats.fault(name, content, None)


@LOOSE
@given(TEXTS)
def test_commands_are_taken_apart_without_raising(text):
    shell.parts(text)
    shell.only_reads(text)
    for mention in paths.mentions(text):
        assert text[mention.start : mention.end]


@pytest.mark.parametrize("given", [None, 7, b"x", ["x"]])
def test_arguments_of_the_wrong_kind_do_not_raise(world, given):
    launch = Launch(world.root, world.root, world.head, world.at)
    assert examine(given, given, launch, given, given, given).counts()["refuted"] == 0
    assert examine(
        "Created x.md", None, Launch(Path("/nonexistent"), Path("/"), "--help", float("nan")), "/dev/zero"
    ).limits


@pytest.mark.usefixtures("hurried")
def test_git_is_given_no_words_of_the_report(world, monkeypatch):
    asked = []
    real = subprocess.run
    monkeypatch.setattr(
        subprocess, "run", lambda arguments, **more: asked.append((arguments, more)) or real(arguments, **more)
    )
    world.examine("I rewrote `--upload-pack=x.py`, src/a.py and `-rf.md`.")
    assert asked
    for arguments, more in asked:
        assert arguments[0] == "git"
        assert "core.fsmonitor=" in arguments
        assert "core.hooksPath=/dev/null" in arguments
        assert arguments[-4:] == ["-r", "-z", world.head, "--"] or (
            arguments[-3:-2] == ["cat-file"] and arguments[-2] in ("-s", "blob")
        )
        assert more["timeout"] <= 2
        assert "shell" not in more


def test_the_package_imports_how_to_read_and_nothing_else_of_bg():
    found = set()
    for file in PACKAGE.glob("*.py"):
        assert ast.get_docstring(ast.parse(file.read_text())), file
        assert len(file.read_text().splitlines()) <= 250, file
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "bg":
                names = [f"{node.module}.{name.name}" for name in node.names] if node.module == "bg" else [node.module]
                found |= {name for name in names if not name.startswith("bg.evidence")}
    assert found == {"bg.foreign", "bg.host", "bg.machine", "bg.pattern", "bg.record"}
