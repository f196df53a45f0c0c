"""What an agent may not read stays closed to its report: rules of the settings files, links, files of nobody's run."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bg import durations
from bg.desk import cli
from bg.evidence import Launch, access, baseline, calls, schemas
from bg.host import permissions
from drive import Drive, block
from world import GIT, World

HIDDEN = "xyzzy-4711-plugh"
BODY = {
    ".json": f'{{"TOKEN": "{HIDDEN}", "{HIDDEN}": 1, "properties": {{"TOKEN": {{"const": "{HIDDEN}"}}}}}}\n',
    ".yaml": f"TOKEN: *{HIDDEN}\n",
    ".py": f'TOKEN = "x"\nprint "{HIDDEN}"\n',
    ".md": f"# Results\n\nTOKEN={HIDDEN}\n",
    ".jsonl": f'{{"TOKEN": "{HIDDEN}"}}\n',
}
OTHER = f"TOKEN={HIDDEN}\n"
USER, PROJECT, LOCAL, SERVER, MANAGED, PART = "user", "project", "local", "server", "managed", "part"
#: A rule, the file that it denies, and whose settings have it. `{root}` is the project, `{home}` the user's home.
RULES = [
    ("Read(./.env)", ".env", USER),
    ("Read(./.env)", ".env", PROJECT),
    ("Read(./.env)", ".env", LOCAL),
    ("Read(./.env)", ".env", SERVER),
    ("Read(./.env)", ".env", MANAGED),
    ("Read(./.env)", ".env", PART),
    ("Read(.env)", "app/.env", PROJECT),
    ("Read(./.env)", "app/.env", PROJECT),
    ("Read(.env*)", ".env.local", LOCAL),
    ("Read(.env.*)", "app/.env.production", USER),
    ("Read(**/.env)", "a/b/.env", PROJECT),
    ("Read(/.env)", ".env", PROJECT),
    ("Read(//{root}/.env)", ".env", USER),
    ("Read(//{root}/**)", "conf/db.json", USER),
    ("Read(//**/db.json)", "conf/db.json", USER),
    ("Read(~/shop/.env)", ".env", USER),
    ("Read(~/shop/**)", "conf/db.json", USER),
    ("Read", "conf/db.json", PROJECT),
    ("*", "conf/db.json", PROJECT),
    ("R*", "conf/db.json", PROJECT),
    ("Read()", "conf/db.json", PROJECT),
    ("Read(*)", "conf/db.json", PROJECT),
    ("Read(**)", "conf/db.json", PROJECT),
    ("Read(./**)", "conf/db.json", PROJECT),
    (" Read( ./conf/db.json ) ", "conf/db.json", PROJECT),
    ("Read(secrets/**)", "secrets/key.json", PROJECT),
    ("Read(./secrets/**)", "secrets/deep/er/key.yaml", PROJECT),
    ("Read(secrets)", "deep/secrets/key.json", PROJECT),
    ("Read(secrets/)", "deep/secrets/key.json", PROJECT),
    ("Read(/secrets/)", "secrets/key.py", PROJECT),
    ("Read(**/secrets/**)", "a/secrets/key.json", LOCAL),
    ("Read(a/**/b.json)", "a/b.json", PROJECT),
    ("Read(a/**/b.json)", "a/x/y/b.json", PROJECT),
    ("Read(a/*/b.json)", "a/x/b.json", PROJECT),
    ("Read(*.yaml)", "conf/db.yaml", PROJECT),
    ("Read(**/*.pem)", "tls/server.pem", PROJECT),
    ("Read(*secret*)", "my-secret-plan.md", PROJECT),
    ("Read(conf/d?.json)", "conf/db.json", PROJECT),
    ("Read(conf[0-9].json)", "conf7.json", PROJECT),
    ("Read(conf[!a-m].json)", "confz.json", PROJECT),
    ("Read(conf[^a-m].json)", "confz.json", PROJECT),
    ("Read([Dd]b.json)", "conf/db.json", PROJECT),
    ("Read(CONF/DB.JSON)", "conf/db.json", PROJECT),
    ("Read(conf/db.json)", "Conf/DB.json", PROJECT),
    ("Read(\\*.json)", "*.json", PROJECT),
    ("Read(a\\(1\\).json)", "a(1).json", PROJECT),
    ("Read(two words.json)", "two words.json", PROJECT),
    ("Read(caf\N{LATIN SMALL LETTER E WITH ACUTE}.json)", "cafe\N{COMBINING ACUTE ACCENT}.json", PROJECT),
    ("Read(#notes.md)", "#notes.md", PROJECT),
    ("Read(\\!notes.md)", "!notes.md", PROJECT),
    ("Read(conf/real.json)", "link.json -> conf/real.json", PROJECT),
    ("Read(link.json)", "link.json -> conf/real.json", PROJECT),
    ("Read(hop.json)", "link.json -> hop.json -> conf/real.json", PROJECT),
    ("Read(./secrets/**)", "open/ -> secrets/key.json", PROJECT),
    ("Read(../*.json)\nRead(./results.jsonl)", "results.jsonl", PROJECT),
]


class Denied:
    """A project with a file that holds the secret, rules in some settings file, and a task of the plugin's."""

    def __init__(self, home: Path, file: str) -> None:
        self.home, self.root = home, home / "shop"
        self.root.mkdir()
        names = file.split(" -> ")
        self.name, self.real = names[0], names[-1]
        self._write(self.real, BODY.get(Path(self.real).suffix, OTHER))
        if self.name.endswith("/"):
            (self.root / self.name).symlink_to(Path(self.real).parent, target_is_directory=True)
            self.name += Path(self.real).name
        for link, target in list(zip(names, names[1:]))[::-1] if not file.startswith("open/") else ():
            (self.root / link).symlink_to(target)
        self._write("doc.json", '{"TOKEN": 5}\n')
        self._write("s.json", json.dumps(
            {"required": ["id"], "additionalProperties": False, "properties": {"TOKEN": {"enum": ["a", "b"], "maxLength": 2, "pattern": "^z"}}}
        ))  # fmt: skip
        subprocess.run([*GIT, "-C", str(self.root), "init", "-q"], check=True)
        subprocess.run([*GIT, "-C", str(self.root), "add", "-Af"], check=True)
        subprocess.run([*GIT, "-C", str(self.root), "commit", "-qm", "before"], check=True)

    def _write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (1e9, 1e9))

    def rule(self, rules: str, whose: str) -> None:
        deny = [each.format(root=str(self.root).lstrip("/"), home=self.home) for each in rules.split("\n")]
        path = {
            USER: self.home / ".claude" / "settings.json",
            SERVER: self.home / ".claude" / "remote-settings.json",
            PROJECT: self.root / ".claude" / "settings.json",
            LOCAL: self.root / ".claude" / "settings.local.json",
            MANAGED: self.home / "etc" / "managed-settings.json",
            PART: self.home / "etc" / "managed-settings.d" / "10-ours.json",
        }[whose]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"permissions": {"deny": ["Bash(rm:*)", *deny, 7]}}))

    def lines(self) -> list[str]:
        """Every form of the list that says something of a file's content, with a right guess and a wrong one."""
        name = self.name
        return [
            *(f'{kind} `{name}`{at} "{guess}"' for kind in ("saw",) for at in ("", ":1") for guess in ("TOKEN", "NOPE")),
            f"saw `{name}`:1", f"saw `{name}`:99",
            *(f'{kind} `{name}` contains "{guess}"' for kind in ("wrote", "changed") for guess in ("TOKEN", "NOPE", "token")),
            *(f'{kind} `{name[:-1]}?` contains "{guess}"' for kind in ("wrote",) for guess in ("TOKEN", "NOPE")),
            f"wrote `{name}`", f"changed `{name}`", f"removed `{name}`", f"moved `{name}` -> `doc.json`", f"moved `doc.json` -> `{name}`",
            f"fits s.json: {name}", f"fits {name}: doc.json", f"fits {name}: {name}", f"fits s.json: `{name}`",
            f"ran `bash {name}` -> pass", f"ran `python {name}` -> pass, 4711 passed",
        ]  # fmt: skip


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Everything that this test's agents and settings have is below one folder."""
    found = tmp_path / "home"
    found.mkdir()
    monkeypatch.setenv("HOME", str(found))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(found / ".claude"))
    monkeypatch.setattr(permissions, "MANAGED", (str(found / "etc"),), raising=False)
    return found


def _outputs(drive: Drive, capsys) -> str:
    """What `bgctl` shows of the tasks, and the ledger as it is on disk."""
    capsys.readouterr()
    for words in (
        ["status", "--all"],
        ["status", "bg-1"],
        ["status", "--json", "--all"],
        ["export"],
        ["board", "--output", "-"],
        ["report", "bg-1"],
    ):
        cli.main(words)
    shown = capsys.readouterr()
    book = sqlite3.connect(os.environ["BG_DATA"] + "/ledger.db")
    try:
        dumped = "\n".join(book.iterdump())
    finally:
        book.close()
    assert "bg-1" in shown.out and "deny" not in shown.err
    return f"{shown.out}\n{shown.err}\n{dumped}"


def _told(drive: Drive, denied: Denied, **fields: str) -> str:
    """A whole task: launch, report, the same report again, and what the parent hears; every word of the hooks."""
    drive.prompt("/bg Look")
    name = denied.name
    named = f"{name} (schema: s.json)\nDeliverables: {name}, doc.json (schema: {name}), {name} (schema: {name})"
    token = drive.launch(f"Look.\nGoal: look\nDeliverables: {named}\nDone when: `{name}` is there", "a1")
    drive.stop()
    text = block("COMPLETION_REPORT", token, status="success", summary=f"See {name}:99 and {name}:1.", **fields)
    answers = [drive.ends("a1", text), drive.ends("a1", text), drive.announced("a1"), drive.prompt("/bg-status bg-1")]
    return json.dumps(answers, ensure_ascii=False)


def _findings(drive: Drive) -> dict[str, str]:
    kept = json.loads(drive.rows("SELECT evidence FROM runs")[-1]["evidence"])
    assert kept["limits"] in ([], ["calls"])
    return {each["line"].removeprefix("- "): each["reason"] for each in [*kept["findings"], *kept["asked"]]}


@pytest.mark.parametrize("version", ["2.1.327"])
@pytest.mark.parametrize(("rules", "file", "whose"), RULES)
def test_nothing_of_a_denied_file_is_in_any_output(home, capsys, rules, file, whose, version):
    denied = Denied(home, file)
    drive = Drive(version, denied.root)
    denied.rule(rules, whose)
    lines = denied.lines()
    evidence = "\n".join(f"- {line}" for line in lines)
    deliverables = f"{denied.name} (schema: s.json), doc.json (schema: {denied.name})"
    told = _told(drive, denied, evidence=evidence, deliverables=deliverables)
    assert HIDDEN not in told
    assert HIDDEN not in _outputs(drive, capsys)
    found = _findings(drive)
    assert len(set(lines) & set(found)) >= 16
    for line in lines:
        right, wrong = found.get(line, ""), found.get(line.replace("TOKEN", "NOPE").replace("token", "NOPE"), "")
        assert right == wrong, (line, right, wrong)
    seen = {found[line] for line in lines if line.startswith("saw ") and line in found} - {"prose"}
    assert seen == ({"denied"} if "*" not in file else {"several files"})  # that name is a pattern, which opens nothing
    assert {found[line] for line in lines if line.startswith("fits ") and line in found} <= {
        "not checked",
        "not asked",
        "prose",
    }
    assert {"contains", "lacks the text", "not word for word", "has the line", "no such line", "fits"}.isdisjoint(
        found.values()
    )
    assert drive.rows("SELECT * FROM errors") == []


# Files that no rule speaks of: git tracks them, or the agent's own calls opened or wrote them.


@pytest.fixture
def world(home):
    made = World(home)
    made.write("notes.txt", "POOL = 4\n", -3600)
    made.write("fresh.txt", "POOL = 4\n")
    return made


def _nothing(world: World) -> None:
    world.call("Glob", "notes.txt", pattern="*")


OPENED = [
    (_nothing, "not its own"),
    (lambda world: world.call("Read", "1\tPOOL = 4", file_path=str(world.root / "{name}")), "quoted"),
    (lambda world: world.call("Read", "denied", failed=True, file_path=str(world.root / "{name}")), "not its own"),
    (
        lambda world: world.call("Edit", "ok", file_path=str(world.root / "{name}"), old_string="a", new_string="b"),
        "quoted",
    ),
    (lambda world: world.bash("cat {name}", "POOL"), "quoted"),
    (lambda world: world.bash("cat ./{name} | head -3", "POOL"), "quoted"),
    (lambda world: world.bash("cat {name} missing", "Exit code 1\nPOOL", failed=True), "quoted"),
    (lambda world: world.bash("cat {name}", "Permission to use Bash has been denied.", failed=True), "not its own"),
    (lambda world: world.bash("cd docs && cat ../{name}", "POOL"), "quoted"),
    (lambda world: world.bash("cd docs && cat {name}", ""), "not its own"),
    (lambda world: world.bash(f"sed -n 1p {world.root}/{{name}}", "POOL"), "quoted"),
    (lambda world: world.bash("make > {name}"), "quoted"),
    (lambda world: world.bash("make | tee {name}"), "quoted"),
    (
        lambda world: world.bash(
            "echo {name}; ls -la {name}; test -s {name}; git status {name}; touch {name}", "{name}"
        ),
        "not its own",
    ),
]


@pytest.mark.parametrize("number", range(len(OPENED)))
@pytest.mark.parametrize("name", ["notes.txt", "fresh.txt"])
def test_a_file_that_git_does_not_track_is_opened_where_a_call_has(world, number, name):
    does, reason = OPENED[number]
    does(world)
    world.lines = json.loads(json.dumps(world.lines).replace("{name}", name))
    assert world.reason(f'saw {name}:1 "POOL = 4"') == reason
    assert world.reason(f'saw {name}:1 "NOPE"') in ({"quoted": ("other words",)}.get(reason, (reason,)))


@pytest.mark.parametrize(("name", "reason"), [("notes.txt", "not its own"), ("fresh.txt", "quoted")])
@pytest.mark.parametrize(
    "command",
    [
        "node build.js --out={name}",
        "python3 - <<'EOF'\nopen('{name}', 'w').write('POOL = 4')\nEOF",
        "python3 -c \"open('{name}', 'w').write('POOL = 4')\"",
    ],
)
def test_a_file_that_a_program_was_told_of_is_opened_where_it_is_new(world, command, name, reason):
    """Whether the program wrote it, or has only heard its name, is seen by the file's time."""
    world.bash(command.replace("{name}", name))
    assert world.reason(f'saw {name}:1 "POOL = 4"') == reason


def test_a_file_that_may_not_be_opened_is_still_seen_to_be_there(world):
    """Its existence and its time are no content."""
    _nothing(world)
    assert world.declared(
        "wrote fresh.txt", "wrote gone.txt", "changed notes.txt", 'wrote fresh.txt contains "POOL"'
    ) == [
        ("only said", "by another hand", ""),
        ("does not match", "not found", ""),
        ("does not match", "unchanged", ""),
        ("only said", "not its own", ""),
    ]


def test_a_link_is_judged_by_both_of_its_names(world):
    (world.root / "open.txt").symlink_to("notes.txt")
    (world.root / "out.txt").symlink_to(world.place / "outside.txt")
    (world.place / "outside.txt").write_text("POOL = 4\n")
    world.git("add", "open.txt", "out.txt")
    assert world.reason('saw open.txt:1 "POOL = 4"') == "not its own"
    assert world.reason('saw out.txt:1 "POOL = 4"') == "outside"
    world.call("Read", "1\tPOOL = 4", file_path=str(world.root / "open.txt"))
    assert world.reason('saw open.txt:1 "POOL = 4"') == "quoted"


def test_settings_that_cannot_be_read_open_nothing(world):
    path = world.root / ".claude" / "settings.json"
    path.parent.mkdir()
    for text in ('{"permissions": {"deny": ["Read(./x)"]}', "[" * 5000):
        path.write_text(text)
        assert world.reason('saw README.md:1 "# shop"') == "settings unclear"
    path.write_text(
        json.dumps({"permissions": {"deny": [f"Read(./x{number})" for number in range(permissions.RULES + 1)]}})
    )
    assert world.reason('saw README.md:1 "# shop"') == "settings unclear"
    for other in (
        "",
        " \n\t\n",
        "\ufeff",
        "[]",
        '{"permissions": []}',
        '{"permissions": {"deny": {"Read": 1}}}',
        '{"permissions": {"deny": ["Edit", "Reader(x)", "Bash(cat:*)"]}}',
    ):
        path.write_text(other)
        assert world.reason('saw README.md:1 "# shop"') == "quoted"


def test_the_rules_are_asked_before_git(world):
    path = world.root / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"permissions": {"deny": ["Read(README.md)"]}}')
    asked: list[Path] = []
    launch = Launch(world.root, world.root, world.head, world.at)
    found = access.Access(launch, [world.root], calls.read(""), asked.append)
    assert (found.refusal(world.root / "README.md"), asked) == ("denied", [])


def test_where_git_gave_no_answer_it_is_asked_again(world, monkeypatch):
    world.write("new.txt", "x\n")
    world.git("add", "new.txt")
    known = baseline.Baseline(world.root, world.head)
    monkeypatch.setattr(durations, "GIT", 0)
    assert known.tracks("new.txt") is False
    monkeypatch.undo()
    assert known.tracks("new.txt") is True


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("Read(./.env)", "src/env.py"), ("Read(.env)", ".envrc"), ("Read(/a.py)", "src/a.py"), ("Read(src)", "lib/src.py"), ("Read(a/*/b)", "a/b"),
        ("Read(a/*/b)", "a/x/y/b"), ("Read(a?.py)", "a.py"), ("Read([!a].py)", "a.py"), ("Read(*.p)", "a.py"), ("Read(a/**/b)", "xa/b"),
        ("Read(~/shop/x)", "x"), ("Read(//x)", "x"), ("Read(!x)", "x"), ("Edit*", "x"), ("Read[", "x"), ("*(x)", "x"), ("Read([)", "x"), ("Read(x\\)", "y"),
    ],
)  # fmt: skip
def test_a_rule_denies_no_other_file(tmp_path, rule, name):
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps({"permissions": {"deny": [rule]}}))
    assert permissions.Denials("", [str(tmp_path)]).denies(str(tmp_path / name)) is False


def test_rules_of_many_stars_take_no_time(tmp_path):
    rules = [f"Read({'**/' * 60}{'*a' * 200}b)"] * 3 + [f"Read({'*a' * number}*b)" for number in range(2, 60)]
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps({"permissions": {"deny": rules}}))
    denials = permissions.Denials("", [str(tmp_path)])
    begun = time.process_time()
    assert denials.denies(str(tmp_path / "/".join(["a" * 200] * 10))) is False
    assert time.process_time() - begun < 2


# What may be opened: the place, what was expected, and the kind of what was found, never a value.


@pytest.mark.parametrize(
    ("schema", "document"),
    [
        ({"properties": {"a": rule}}, {"a": value})
        for rule in (
            {"const": 1}, {"enum": [1, HIDDEN]}, {"const": HIDDEN}, {"type": "integer"}, {"pattern": f"^{HIDDEN}$"}, {"maxLength": 3},
            {"format": HIDDEN, "minLength": 99}, {"not": {}}, {"anyOf": [{"const": HIDDEN}]}, {"allOf": [{"enum": [HIDDEN[:-1]]}]},
            {"$ref": f"#/{HIDDEN}"}, {"$ref": f"{HIDDEN}.json"}, {"$ref": f"http://127.0.0.1:9/{HIDDEN}"}, {"type": HIDDEN}, {"pattern": f"({HIDDEN}"},
            False, HIDDEN, {"required": ["b"]}, {"additionalProperties": False}, {"propertyNames": {"maxLength": 2}},
            {"additionalProperties": {"type": "null"}}, {"patternProperties": {"^x": {"maxLength": 1}}}, {"items": {"const": 1}}, {"uniqueItems": True},
        )
        for value in (HIDDEN, [HIDDEN, HIDDEN], {HIDDEN: HIDDEN})
    ],
)  # fmt: skip
def test_a_misfit_is_told_without_a_value(schema, document):
    fit = schemas.check(
        json.dumps(document), json.dumps(schema), ("d.json", "s.json"), sys.executable, sys.path, seconds=60, most=9
    )
    assert HIDDEN not in repr(fit)
    assert HIDDEN[:7] not in repr(fit)


@pytest.mark.parametrize("name", ["d.json", "d.yaml"])
@pytest.mark.parametrize(
    "text",
    [
        f"a: *{HIDDEN}",
        f"a: !{HIDDEN} 1",
        f"%{HIDDEN}",
        f"a: 'x' {HIDDEN}",
        f'{{"a": {HIDDEN}}}',
        f'{{"a": "\\{HIDDEN}"}}',
        "a: " + "9" * 5000,
    ],
)
def test_a_text_that_does_not_parse_is_told_without_its_words(name, text):
    for document, schema in ((text, "{}"), ("{}", text)):
        fit = schemas.check(document, schema, (name, name), sys.executable, sys.path, seconds=60, most=9)
        assert HIDDEN not in repr(fit)
    assert HIDDEN not in schemas.fault_of(name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", f"[{HIDDEN}]"), ("a.json", f'{{"a":\n {HIDDEN}}}'),
    ],
)  # fmt: skip
def test_a_fault_of_a_file_names_its_line_only(name, text):
    said = schemas.fault_of(name, text)
    assert HIDDEN not in said
    assert "it is not valid" in said
