"""Files against JSON Schemas: what `bgctl check --schema` says, what a hook says, and what hostile files cannot do."""

from __future__ import annotations

import http.server
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import yaml
from bg import durations, machine
from bg.desk import cli
from bg.evidence import Launch, examine, schemas
from drive import Drive, block, context
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from recordings import VERSIONS

SCHEMA = json.dumps(
    {
        "type": "object",
        "required": ["summary"],
        "additionalProperties": False,
        "properties": {
            "summary": {"type": "string"},
            "date": {"type": "string"},
            "findings": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "required": ["severity", "line"],
                    "properties": {"severity": {"enum": ["low", "high"]}, "line": {"type": "integer", "minimum": 1}},
                },
            },
        },
    }
)
GOOD = '{"summary": "One hole.", "findings": [{"severity": "low", "line": 3}]}'
BAD = '{"summary": "One hole.",\n "findings": [\n  {"severity": "hihg",\n   "line": 0}]}'
# What stands in no file: each goes on longer, deeper or farther than a check may.
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join(['*' + old] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi")
)
SLOW = '{"properties": {"summary": {"pattern": "^(a+)+$"}}}', json.dumps({"summary": "a" * 60 + "!"})


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """No test but those about time fails because the machine is busy."""
    monkeypatch.setattr(durations, "SCHEMA", 60)


def check(document, schema=SCHEMA, names=("a.json", "s.json"), seconds=60):
    return schemas.check(document, schema, names, sys.executable, [], seconds=seconds, most=9, values=True)


def told(document, schema=SCHEMA, names=("a.json", "s.json")):
    fit = check(document, schema, names)
    assert fit.why == ""
    assert fit.total == len(fit.problems)
    return [tuple(problem) for problem in fit.problems]


# What is found, and where.


def test_each_problem_with_its_line_and_its_place():
    assert told(GOOD) == []
    assert told(BAD) == [
        (4, "findings[0].line", "found 0, expected minimum 1"),
        (3, "findings[0].severity", 'found "hihg", expected one of "low", "high"'),
    ]
    assert told('{"findings": [],\n "x y": {}}') == [
        (1, "", '"summary" is missing'),
        (1, "", '"x y" is not allowed'),
        (1, "findings", "found a list of 0, expected minItems 1"),
    ]


def test_yaml_has_lines_too_and_its_dates_are_text():
    document = (
        "summary: x\ndate: 2026-01-11\nfindings:\n- severity: low\n  line: 1\n- &a\n  severity: bad\n  line: 2\n- *a\n"
    )
    wrong = 'found "bad", expected one of "low", "high"'
    names = ("a.yml", "s.json")
    assert told(document, names=names) == [(7, "findings[1].severity", wrong), (7, "findings[2].severity", wrong)]
    assert told("summary: x\n", yaml.safe_dump(json.loads(SCHEMA)), ("a.yaml", "s.yaml")) == []
    assert told("1: x\n", names=names)[1] == (1, "", '"1" is not allowed')


@pytest.mark.parametrize(
    ("document", "schema", "text"),
    [
        ("1", '{"type": ["string", "null"]}', "found 1, expected string or null"),
        ("[1, 2]", '{"const": 3}', "found a list of 2, expected 3"),
        (
            '{"a": 1}',
            '{"anyOf": [{"required": ["b"]}, {"type": "string"}]}',
            "found an object, expected one of 2 forms",
        ),
        ("1", '{"oneOf": [{"type": "integer"}, {"type": "number"}]}', "found 1, expected only one of the forms"),
        ("{}", '{"required": ["a", "b"]}', '"a", "b" are missing'),
        ("1", "false", "found 1, expected nothing"),
        (json.dumps("x" * 500), '{"maxLength": 3}', f'found "{"x" * 38}…, expected maxLength 3'),
    ],
)
def test_the_words_are_short(document, schema, text):
    assert [problem[2] for problem in told(document, schema)] == [text]


def test_a_path_with_blanks_is_spelled_so_that_it_can_be_read():
    schema = '{"properties": {"a": {"properties": {"b c": {"items": {"type": "string"}}}}}}'
    assert told('{"a": {"b c": [0]}}', schema) == [(1, 'a["b c"][0]', "found 0, expected string")]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab "\\\n:', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc :", max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 1, "\t"]))
def test_the_line_of_each_part_is_where_it_begins(value, indent):
    """Judged by PyYAML, which knows the line of each node; what it does not read as JSON does is left out."""
    from bg.evidence import fitting  # noqa: PLC0415 - a program of its own, imported for its parts only here

    text = json.dumps(value, indent=indent, ensure_ascii=True)
    _, line = fitting.read(text, yaml=False, values=True)

    def walk(part, path):
        yield path
        for key, each in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
            yield from walk(each, (*path, key))

    paths = list(walk(value, ()))
    lines = [line(path) for path in paths]
    assert all(lines)
    assert lines == sorted(lines)  # the paths are in the order of the text
    if indent == 1:
        _, of_nodes = fitting.read(text, yaml=True, values=True)
        assert lines == [of_nodes(path) for path in paths]


@given(
    VALUES,
    st.sampled_from([{"type": "object"}, {"items": {"type": "string"}}, {"maxItems": 1}, {"required": ["a"]}, True]),
)
def test_jsonschema_judges_equally(value, schema):
    from bg.evidence import fitting  # noqa: PLC0415 - as above

    assert bool(fitting.problems(schema, value, fitting.Words(schema, values=True))) == (
        not Draft202012Validator(schema).is_valid(value)
    )


# What is hostile, or cannot be used.


@pytest.mark.parametrize(
    ("document", "schema", "names", "why"),
    [
        ("[" * 2000 + "]" * 2000, "{}", "a.json", "it is nested more than 200 levels deep"),
        ("[" * 2000 + "]" * 2000, "{}", "a.yaml", "it is nested more than 200 levels deep"),
        ("[" * 201 + "]" * 201, "{}", "a.json", "it is nested more than 200 levels deep"),
        ("{}", '{"not":' * 2000 + "{}" + "}" * 2000, "a.json", "it is nested more than 200 levels deep"),
        (BOMB, "{}", "a.yaml", "its aliases stand for more than 1000000 values"),
        ("a: &a [*a]", "{}", "a.yaml", "it contains itself"),
        ("a: &a {x: 1}\nb: &b {<<: [*a, *b]}", "{}", "a.yaml", "it contains itself"),
        ("!!python/object/apply:os.system ['true']", "{}", "a.yaml", "it is not valid YAML: could not determine a constructor"),
        ("{}", '{"$ref": "file:///etc/passwd"}', "a.json", "the schema cannot be used: it refers to file:///etc/passwd, which is not within it"),
        ("{}", '{"$ref": "other.json#/a"}', "a.json", "the schema cannot be used: it refers to other.json"),
        ("{}", '{"$id": "file:///etc/", "$ref": "passwd"}', "a.json", "the schema cannot be used: it refers to "),
        ("{}", '{"$ref": "#/$defs/none"}', "a.json", "the schema cannot be used: it refers to "),
        ("{}", '{"type": "nonsense"}', "a.json", "the schema cannot be used: type: "),
        ("{}", '{"pattern": "("}', "a.json", "the schema cannot be used: pattern: "),
        ("{}", "3", "a.json", "the schema cannot be used: it is neither an object nor true or false"),
        ("{}", "{", "a.json", "the schema cannot be used: it is not valid JSON"),
        ('{"a": 1', "{}", "a.json", "it is not valid JSON: Expecting ',' delimiter"),
        ("a: [", "{}", "a.yaml", "it is not valid YAML"),
        ("a: \0", "{}", "a.yaml", "it is not valid YAML"),
        ("--- 1\n--- 2\n", "{}", "a.yaml", "it is not valid YAML: but found another document"),
    ],
)  # fmt: skip
def test_what_cannot_be_checked_says_why(document, schema, names, why):
    begun = time.monotonic()
    fit = check(document, schema, (names, "s.json"))
    assert (fit.problems, fit.missing) == ((), False)
    assert fit.why.startswith(why)
    assert time.monotonic() - begun < 30


def test_half_a_surrogate_pair_can_be_stored():
    [problem] = check('["\\ud800"]', '{"items": {"type": "integer"}}').problems
    problem.text.encode()


def test_a_slow_schema_is_ended():
    begun = time.monotonic()
    fit = check(SLOW[1], SLOW[0], seconds=2)
    assert fit.why == "it took more than 2 seconds"
    assert time.monotonic() - begun < 20


def test_memory_is_bounded():
    program = "import sys; sys.path.append(sys.argv[1]); import fitting; fitting.MEMORY = 200 << 20; fitting.main()"
    given = {
        "document": "[" + "[]," * 340_000 + "]",
        "document_yaml": True,
        "schema": "{}",
        "schema_yaml": False,
        "values": True,
    }
    done = subprocess.run(
        [sys.executable, "-c", program, str(Path(schemas.__file__).parent)],
        input=json.dumps({**given, "path": sys.path, "seconds": 60, "most": 1}).encode(),
        capture_output=True,
    )
    assert json.loads(done.stdout)["why"] == "it needs too much memory"


def test_nothing_is_fetched_and_no_other_file_is_read(tmp_path):
    asked = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_):
            pass

    (tmp_path / "open.json").write_text("{}")
    with http.server.HTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        there = f"http://127.0.0.1:{server.server_port}/open.json"
        for reference in (there, (tmp_path / "open.json").as_uri()):
            for schema in ({"$ref": reference}, {"$schema": reference, "$ref": reference}, {"$dynamicRef": reference}):
                why = check("{}", json.dumps(schema)).why  # a long reference is cut
                assert why.startswith(f"the schema cannot be used: it refers to {reference[:40]}")
                assert why.endswith(", which is not within it")
        server.shutdown()
    assert asked == []


def test_a_schema_may_refer_to_itself_and_to_json_schemas_own():
    assert (
        told(
            "[[[1]]]",
            '{"type": "array", "items": {"anyOf": [{"$ref": "#"}, {"$ref": "#/$defs/n"}]}, "$defs": {"n": {"type": "integer"}}}',
        )
        == []
    )
    assert told('{"type": "x"}', '{"$ref": "https://json-schema.org/draft/2020-12/schema"}') != []


# On the command line.


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("s.json", SCHEMA),
        ("good.json", GOOD),
        ("bad.json", BAD),
        ("good.yaml", "summary: x\n"),
        ("half.json", '{\n"a"'),
    ):
        Path(name).write_text(text)
    return tmp_path


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """An interpreter without the two packages."""
    folder = tmp_path_factory.mktemp("bare") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=60)
    return str(folder / "bin" / "python3")


def test_a_file_that_fits_is_0(files, capsys):
    assert cli.main(["check", "good.json", "--schema", "s.json"]) == 0
    assert capsys.readouterr() == ("good.json: fits s.json\n", "")
    assert cli.main(["check", "good.yaml", "--schema", "s.json"]) == 0
    assert cli.main(["check", "--json", "good.json", "--schema", "s.json"]) == 0
    assert '"valid": true,\n  "problems": []' in capsys.readouterr().out


def test_a_file_that_does_not_fit_is_1_with_lines(files, capsys):
    assert cli.main(["check", "bad.json", "--schema", "s.json"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert out.splitlines() == [
        "bad.json:4: findings[0].line: found 0, expected minimum 1",
        'bad.json:3: findings[0].severity: found "hihg", expected one of "low", "high"',
    ]
    assert cli.main(["check", "--json", "half.json", "--schema", "s.json"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "file": "half.json",
        "schema": "s.json",
        "valid": False,
        "problems": [{"line": 2, "path": "", "text": "it is not valid JSON: Expecting ':' delimiter"}],
    }


def test_what_cannot_be_checked_is_2(files, capsys):
    for name in ("none.json", ".", "nul\0"):
        for argv in (["good.json", "--schema", name], [name, "--schema", "s.json"]):
            assert cli.main(["check", *argv]) == 2
            out, err = capsys.readouterr()
            assert (out, err.startswith("bgctl check: cannot read ")) == ("", True)
    Path("large.json").write_text(" " * schemas.LARGEST + "{}")
    assert cli.main(["check", "large.json", "--schema", "s.json"]) == 2
    assert f"Larger than {schemas.LARGEST} bytes" in capsys.readouterr().err
    assert cli.main(["check", "good.json", "--schema", "half.json"]) == 2
    assert capsys.readouterr().err.startswith(
        "bgctl check: good.json was not checked: the schema cannot be used: it is not valid JSON"
    )


def test_missing_packages_are_2_with_the_command_that_gets_them(files, bare, capsys, monkeypatch):
    monkeypatch.setattr(sys, "executable", bare)
    for name, missing in (("good.json", "jsonschema"), ("good.yaml", "PyYAML")):
        assert cli.main(["check", name, "--schema", "s.json"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert re.fullmatch(
            rf'bgctl check: {name} was not checked: {missing} is missing\nremedy: run ".*/bgctl" install-packages, .*\n',
            err,
        )


def test_the_interpreter_of_the_hooks_will_do(files, bare, elsewhere, capsys, monkeypatch):
    (elsewhere / "bg-data").mkdir()
    (elsewhere / "bg-data" / "python").write_text(f"{sys.executable}\n")
    monkeypatch.setattr(sys, "executable", bare)
    assert cli.main(["check", "good.json", "--schema", "s.json"]) == 0


def test_packages_in_the_data_directory_will_do(files, bare, elsewhere, monkeypatch):
    (elsewhere / "bg-data").mkdir()
    (elsewhere / "bg-data" / "packages").symlink_to(Path(yaml.__file__).parents[1])
    monkeypatch.setattr(sys, "executable", bare)
    assert cli.main(["check", "good.json", "--schema", "s.json"]) == 0


# In a report and at the launch.


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("findings.json (schema: schemas/findings.json)", [("findings.json", "schemas/findings.json")]),
        (
            "`out/a.yaml` (fits schema `s.yml`), and b.json (fits the schema: t.json)",
            [("out/a.yaml", "s.yml"), ("b.json", "t.json")],
        ),
        ("- a.json, the list of findings (Schema: s.json)\n- b.json", [("a.json", "s.json")]),
        ("a.json\n(schema: s.json)", []),
        ("a.json (schema to follow)", []),
        ("a.json (schema: prose, not a path)", []),
        ("the tables (schema: s.json)", []),
    ],
)
def test_what_names_a_schema(text, pairs):
    assert list(schemas.pairs_in(text)) == pairs


def tracked(folder: Path) -> None:
    """Git knows what is there, so that it may be opened."""
    for words in (["init", "-q"], ["add", "-A", "-f"]):
        subprocess.run(["git", "-C", str(folder), *words], check=False, capture_output=True)


class Place:
    """A project with a schema that was there at the launch, and what a report of it is worth."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        (self.root / "schemas").mkdir(parents=True)
        (self.root / "schemas" / "findings.json").write_text(SCHEMA)
        self.at = time.time() - 3600
        self.before("schemas/findings.json")

    def before(self, name):
        os.utime(self.root / name, (self.at - 60, self.at - 60))

    def findings(self, deliverables="The list", brief="", evidence=""):
        fields = {"deliverables": deliverables, "summary": "One hole.", "status": "success", "evidence": evidence}
        tracked(self.root)
        launch = Launch(self.root, self.root, "", self.at)
        evidence = examine("", fields, launch, "", {"Goal": "Look", "Deliverables": brief})
        assert [each for each in evidence.limits if not each.endswith(": findings.json")] == ["calls"]
        return [
            (each.subject, each.reason, each.detail)
            for each in [*evidence.findings, *evidence.asked]
            if each.kind == "fits"
        ]


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


PAIR = "findings.json (schema: schemas/findings.json)"
HIHG = "line 4, findings[0].line: found a number, expected minimum 1; line 3, findings[0].severity: found a text, expected one of the 2 values in the schema"


@pytest.mark.parametrize("who", ["launch", "report", "list"])
@pytest.mark.parametrize(
    ("text", "reason", "detail"),
    [
        (GOOD, "fits", ""),
        (BAD, "does not fit", HIHG),
        ('{"a":1,\n"findings":[{},{},{},{}]}', "does not fit", 'line 1: "summary" is missing; line 1: 1 name is not allowed; line 2, findings[0]: "severity", "line" are missing; and 3 more'),
        ("[" * 2000 + "]" * 2000, "not checked", "it is nested more than 200 levels deep"),
        (" " * schemas.LARGEST + "{}", "not checked", "findings.json is too large"),
        (None, "not checked", "findings.json not found"),
    ],
)  # fmt: skip
def test_a_named_schema_is_checked(place, who, text, reason, detail):
    if text is not None:
        (place.root / "findings.json").write_text(text)
    words = {
        "launch": {"brief": PAIR},
        "report": {"brief": PAIR, "deliverables": "findings.json (fits schema schemas/findings.json)"},
        "list": {"brief": PAIR, "evidence": "- fits schemas/findings.json"},
    }
    assert place.findings(**words[who]) == [(PAIR, reason, detail)]


def test_a_schema_that_only_the_report_names_opens_nothing(place):
    (place.root / "findings.json").write_text(BAD)
    declared = place.findings(
        deliverables="findings.json (schema: schemas/findings.json)",
        evidence="- fits schemas/findings.json: findings.json",
    )
    assert declared == [(PAIR, "not asked", "")]


def test_a_schema_that_changed_since_the_launch_proves_nothing(place):
    (place.root / "findings.json").write_text(BAD)
    (place.root / "schemas" / "findings.json").write_text("{}")
    why = "it fits schemas/findings.json, which is not as it was at launch"
    assert place.findings(brief=PAIR) == [(PAIR, "not checked", why)]


def test_only_regular_files_of_the_project_are_opened(place, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text('{"a": "hunter2"}')
    (place.root / "findings.json").symlink_to(secret)
    assert place.findings(brief=PAIR) == [(PAIR, "not checked", "findings.json lies outside the project")]
    (place.root / "findings.json").unlink()
    (place.root / "findings.json").mkdir()
    assert place.findings(brief=PAIR)[0][2] == "findings.json is no regular file"
    (place.root / "mine.json").write_text("{}")
    for schema, why in (
        (str(secret), f"schema lies outside the project ({secret})"),
        ("none.json", "schema not found (none.json)"),
    ):
        assert place.findings(brief=f"mine.json (schema: {schema})")[0][1:] == ("not checked", why)


def test_all_checks_of_a_report_have_one_bound(place, monkeypatch):
    monkeypatch.setattr(durations, "SCHEMA", 2)
    (place.root / "s.json").write_text(SLOW[0])
    for name in "abcd":
        (place.root / f"{name}.json").write_text(SLOW[1])
    begun = time.monotonic()
    reasons = [
        reason for _, _, reason in place.findings(brief="\n".join(f"- {name}.json (schema: s.json)" for name in "abcd"))
    ]
    assert time.monotonic() - begun < 15
    assert reasons[0] == "it took more than 2 seconds"
    assert reasons[1:] == ["the time for such checks was used up"] * 3


# Through the hooks.


DECLARED = "findings.json (schema: schemas/findings.json)"


def reported(drive: Drive, agent: str = "a1", *, pair: str = PAIR, **fields: str):
    """A task whose launch names a schema, its agent's report, and what the hook answers to that."""
    tracked(drive.folder)
    assert "label: bg-1" in context(drive.prompt("/bg Audit the shop"))
    drive.token = drive.launch(f"Audit.\nGoal: find holes\nDeliverables: {pair}\nDone when: the file is there", agent)
    drive.stop()
    return drive.ends(agent, block("COMPLETION_REPORT", drive.token, **{"status": "success", **fields}))


@pytest.fixture(params=["2.1.7", VERSIONS[-1]])
def drive(request, tmp_path):
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "findings.json").write_text(SCHEMA)
    os.utime(tmp_path / "schemas" / "findings.json", (1e9, 1e9))
    made = Drive(request.param, tmp_path)
    yield made
    assert made.rows("SELECT * FROM errors") == []


def evidence(drive: Drive) -> dict[str, str]:
    row = drive.rows("SELECT evidence FROM runs ORDER BY run")[-1]
    kept = json.loads(row["evidence"])
    [found] = [each for each in kept["findings"] + kept["asked"] if each["subject"] == PAIR]
    return {"reason": found["reason"], "detail": found["detail"]}


def test_a_deliverable_that_fits_is_told_as_seen(drive):
    (drive.folder / "findings.json").write_text(GOOD)
    assert reported(drive) == {}
    assert evidence(drive) == {"reason": "fits", "detail": ""}
    assert "schemas/findings.json)” — the file fits" in context(drive.announced("a1"))


def test_a_deliverable_that_does_not_fit_is_asked_for_again_then_told(drive):
    (drive.folder / "findings.json").write_text(BAD)
    said = reported(drive, deliverables=DECLARED)
    assert said["decision"] == "block"
    assert HIHG[:60] in said["reason"]
    (drive.folder / "findings.json").write_text(GOOD)
    assert drive.ends("a1", block("COMPLETION_REPORT", drive.token, status="success", summary="Put right.")) == {}
    assert evidence(drive)["reason"] == "fits"


def test_a_misfit_that_stays_is_told_to_the_parent(drive):
    (drive.folder / "findings.json").write_text(BAD)
    fields = {"status": "success", "deliverables": DECLARED}
    assert reported(drive, **fields)["decision"] == "block"
    assert drive.ends("a1", block("COMPLETION_REPORT", drive.token, **fields)) == {}
    assert evidence(drive) == {"reason": "does not fit", "detail": HIHG}
    said = drive.announced("a1")
    assert "Does not match:\n- “findings.json (schema: schemas/findings.json)” — “line 4" in context(said)
    assert "bg-1 disputed: “findings.json (schema: schemas/findings.json)” does not fit" in said["systemMessage"]


def test_a_misfit_with_what_only_the_launch_named_is_told_and_asks_nothing(drive):
    (drive.folder / "findings.json").write_text(BAD)
    assert reported(drive) == {}
    assert (
        "bg-1 done, but does not fit: “findings.json (schema: schemas/findings.json)”"
        in drive.announced("a1")["systemMessage"]
    )


def test_without_the_packages_the_report_goes_on_unchecked(drive, bare, monkeypatch):
    (drive.folder / "findings.json").write_text(BAD)
    monkeypatch.setattr(sys, "executable", bare)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if "site-packages" not in each])
    assert reported(drive) == {}
    assert evidence(drive) == {"reason": "not checked", "detail": "jsonschema is missing"}


def test_a_check_that_uses_up_its_processor_time_says_so():
    """Not only one whose time by the clock is over: which of the two comes first is the machine's luck."""
    schema, document = SLOW
    asked = {"document": document, "document_yaml": False, "schema": schema, "schema_yaml": False, "values": False}
    program = str(Path(schemas.__file__).with_name("fitting.py"))
    given = json.dumps({**asked, "path": sys.path, "seconds": 1, "most": 9}).encode()
    assert -signal.SIGXCPU == machine.python(sys.executable, program, seconds=60, given=given).code


@pytest.mark.parametrize(
    ("schema", "document", "why"),
    [
        ('{"$ref": "file:///etc/passwd"}', GOOD, "the schema cannot be used: it refers to something, which is not within it"),
        ('{"$ref": "http://127.0.0.1:9/s.json"}', GOOD, "the schema cannot be used: it refers to something, which is not within it"),
        (*SLOW, "it took more than 2 seconds"),
        ("{}", "[" * 2000 + "]" * 2000, "it is nested more than 200 levels deep"),
        ("{}", "{" + BOMB.replace("\n", "#\n") + "}", "it is not valid JSON (line 1)"),
    ],
    ids=["file", "http", "regex", "deep", "no JSON"],
)  # fmt: skip
def test_a_hostile_schema_or_document_costs_no_report(drive, monkeypatch, schema, document, why):
    if schema == SLOW[0]:
        monkeypatch.setattr(durations, "SCHEMA", 2)
    (drive.folder / "schemas" / "findings.json").write_text(schema)
    (drive.folder / "findings.json").write_text(document)
    said = reported(drive)
    assert evidence(drive) == {"reason": "not checked", "detail": why}
    assert said == {}


def test_an_alias_bomb_costs_no_report(drive):
    (drive.folder / "list.yaml").write_text(BOMB)
    assert reported(drive, pair="list.yaml (fits schema schemas/findings.json)") == {}
    [row] = drive.rows("SELECT evidence FROM runs")
    [found] = [each for each in json.loads(row["evidence"])["asked"] if each["subject"].startswith("list.yaml (")]
    assert found["detail"] == "its aliases stand for more than 1000000 values"
