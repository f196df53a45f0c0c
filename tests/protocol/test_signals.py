"""Decoding signals: the corpus, the judgement of jsonschema and PyYAML on it, and what holds for any text."""

from __future__ import annotations

import ast
import json
import lzma
import time
from pathlib import Path

import jsonschema
import pytest
import yaml
from bg.protocol import blocks, fields, marks, problems, questions, signals
from bg.words import texts
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

SIGNALS = cases("protocol/signals")
OUTPUTS = cases("protocol/outputs.json")
MARKERS = tuple(signals.schemas())
REQUIRED = [(marker, name) for marker in MARKERS for name in signals.schema(marker)["required"]]
ENUMS = [
    (marker, name)
    for marker in MARKERS
    for name, each in signals.schema(marker)["properties"].items()
    if "enum" in each
]


def example(marker):
    return json.loads(json.dumps(signals.schema(marker)["examples"][0]))


def decoded(marker, fields):
    [block] = blocks.find(signals.render(marker, fields))
    return signals.decode(block)


def judged(fields, spec):
    """What jsonschema finds, in the validator's form."""
    found = []
    for error in jsonschema.Draft202012Validator(spec).iter_errors(fields):
        path = tuple(error.absolute_path)
        if error.validator == "required":
            found += [((*path, name), "missing") for name in error.validator_value if name not in error.instance]
        else:
            found.append((path, error.validator))
    return set(found)


def assert_judged_equally(fields, marker):
    spec = signals.schema(marker)
    assert judged(fields, spec) == set(problems.violations(fields, spec))


def name_of(case):
    return f"{case['file']}/{case['name']}"


def test_every_signal_has_valid_and_invalid_cases_and_nothing_else_does():
    assert {(marker.lower(), invalid) for marker in MARKERS for invalid in (False, True)} == {
        (case["file"], bool(case["problems"])) for case in SIGNALS
    }


def test_there_are_outputs():
    assert len({output["name"] for output in OUTPUTS}) == len(OUTPUTS) >= 60


@pytest.mark.parametrize("case", SIGNALS, ids=name_of)
def test_a_signal_has_the_problems_that_its_case_names(case):
    [block] = blocks.find(case["text"])
    signal = signals.decode(block)
    assert case["file"].upper() == signal.marker
    assert case["problems"] == [problem._asdict() for problem in signal.problems]


@pytest.mark.parametrize("output", OUTPUTS, ids=name_of)
def test_an_agents_output_is_read_as_its_case_says(output):
    """`text` is what an agent wrote, `expected` what is read in it."""
    reading = signals.read(output["text"])
    found = [signals.as_json_object(signal) for signal in reading.signals]
    deciding = None if reading.deciding is None else reading.signals.index(reading.deciding)
    assert output["expected"] == {"signals": found, "deciding": deciding, "notes": list(reading.notes)}


REPORTS = [
    {"file": path.name, "name": each["name"], "text": each["report"]}
    for path in sorted((Path(__file__).parents[1] / "evidence").glob("*/*.json*"))
    for each in json.loads(lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes())
]


@pytest.mark.parametrize("case", [*SIGNALS, *OUTPUTS, *REPORTS], ids=name_of)
def test_jsonschema_judges_the_whole_corpus_equally(case):
    for signal in map(signals.decode, blocks.find(case["text"])):
        assert_judged_equally(signal.fields, signal.marker)


@given(st.text(max_size=300), st.sampled_from(MARKERS))
def test_jsonschema_judges_any_body_equally(body, marker):
    for block in blocks.find(f"[{marker}]\nquestions:\n{body}\n[/{marker}]"):
        assert_judged_equally(signals.decode(block).fields, marker)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["success", "blocker", "Q1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["question_id", "text", "context"]) | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=300)
@given(st.data(), st.sampled_from(MARKERS))
def test_jsonschema_judges_any_fields_equally(data, marker):
    """Also what no reader of ours would bring about: the validator is one for any value."""
    fields = example(marker)
    for name in data.draw(st.lists(st.sampled_from(sorted(fields)), max_size=4)):
        if data.draw(st.booleans()):
            fields[name] = data.draw(VALUES)
        else:
            fields.pop(name, None)
    assert_judged_equally(fields, marker)


def test_the_schemas_use_no_keyword_that_the_validator_does_not_know():
    source = ast.parse(Path(problems.__file__).read_text(encoding="utf-8"))
    known = {node.value for node in ast.walk(source) if isinstance(node, ast.Constant)}
    says_nothing = {"$schema", "description", "examples", "title"}

    def used(spec):
        inner = [*spec.get("properties", {}).values(), *([spec["items"]] if "items" in spec else [])]
        return {key for key in spec if not key.startswith("x-")}.union(*map(used, inner))

    for marker in MARKERS:
        assert used(signals.schema(marker)) - says_nothing <= known


LINE = st.text("abz 01-_.,;/()", min_size=1, max_size=30).map(str.strip).filter(bool)


@given(st.lists(LINE, min_size=2, max_size=4), st.sampled_from(["plain", "literal", "quoted"]))
def test_plain_yaml_reads_equally_what_yaml_can_read(lines, how):
    """Where a block is a YAML mapping of strings, PyYAML and the line reader see the same values."""
    words = {"plain": lines[0], "literal": "|\n  " + "\n  ".join(lines), "quoted": f'"{lines[0]}"'}[how]
    body = f"agent_id: bg-1-a\nsummary: {words}\nstatus: success\n"
    try:
        wanted = yaml.load(body, Loader=yaml.BaseLoader)  # noqa: S506 - it makes strings only
    except yaml.YAMLError:
        return
    [block] = blocks.find(f"[COMPLETION_REPORT]\n{body}[/COMPLETION_REPORT]")
    if isinstance(wanted["summary"], str):
        assert {**wanted, "summary": wanted["summary"].rstrip("\n")} == signals.decode(block).fields


FLOWING = st.recursive(
    st.text("abz 01", min_size=1, max_size=8).map(lambda text: " ".join(text.split())).filter(bool),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abz", min_size=1, max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(FLOWING)
def test_plain_yaml_reads_a_flow_collection_equally(value):
    text = yaml.dump([value], default_flow_style=True, width=10_000)
    own = questions.value(text)
    assert yaml.load(text, Loader=yaml.BaseLoader) == own  # noqa: S506 - as above


@pytest.mark.parametrize(
    "case", [case for case in SIGNALS if case["name"].startswith("seed_") and not case["problems"]], ids=name_of
)
def test_the_protocols_own_examples_need_no_repair(case):
    [signal] = signals.read(case["text"]).signals
    assert ((), (), ()) == (signal.problems, signal.repairs, signal.notes)


@pytest.mark.parametrize("name", ["seed_error", "seed_timeout"])
def test_the_protocols_abbreviated_examples_are_read_without_complaint(name):
    [case] = [case for case in SIGNALS if (case["file"], case["name"]) == ("stop_work", name)]
    [signal] = signals.read(case["text"]).signals
    assert ((), ()) == (signal.problems, signal.repairs)


def test_the_protocols_abbreviated_json_is_read_without_complaint():
    asks = [{"question_id": "Q1", "text": "OAuth2 or JWT?", "context": "Both are there"}]
    payload = {"blocked_at": "auth", "reason": "two", "questions": asks, "can_resume_with": "one"}
    given = {"signal_type": "CLARIFICATION_NEEDED", "agent_id": "bg-1-x", "timestamp": "2026-01-11T08:45:00-05:00"}
    [signal] = signals.read(json.dumps({**given, "payload": payload})).signals
    assert ((), ()) == (signal.problems, signal.repairs)


@pytest.mark.parametrize("marker", MARKERS)
def test_a_schema_is_complete(marker):
    spec = signals.schema(marker)
    assert marker == spec["title"]
    assert all(each["description"] for each in spec["properties"].values())
    assert set(spec["properties"]) >= {*spec["required"], *spec["x-readable"], *spec["x-act-on"], spec["x-main"]}
    asked = [name for name, each in spec["properties"].items() if not each.get("x-extra")]
    assert [name for name in asked if not spec["properties"][name].get("x-optional")] == spec["required"]


@pytest.mark.parametrize("marker", MARKERS)
def test_jsonschema_accepts_the_schema_itself(marker):
    jsonschema.Draft202012Validator.check_schema(signals.schema(marker))


@pytest.mark.parametrize("marker", MARKERS)
def test_the_worked_example_reads_back_as_it_is(marker):
    signal = decoded(marker, example(marker))
    assert (example(marker), (), (), ()) == (signal.fields, signal.problems, signal.repairs, signal.notes)


@pytest.mark.parametrize("marker", MARKERS)
@pytest.mark.parametrize("agent_id", [None, "bg-3-12ab"])
def test_a_template_is_no_signal(marker, agent_id):
    text = signals.template(marker, agent_id)
    assert marker == blocks.find(text)[0].marker
    assert agent_id is None or f"agent_id: {agent_id}\n" in text
    assert signals.read(text).signals == []


def test_a_report_with_one_slot_left_is_a_signal():
    report = signals.render("COMPLETION_REPORT", {**example("COMPLETION_REPORT"), "agent_id": "<agent-id>"})
    assert ["agent_id is still the placeholder <agent-id>"] == list(signals.read(report).signals[0].notes)


@pytest.mark.parametrize(("marker", "name"), REQUIRED)
@pytest.mark.parametrize("how", ["gone", "empty"])
def test_each_required_field_is_one_problem_when_missing(marker, name, how):
    fields = example(marker)
    if how == "gone":
        del fields[name]
    else:
        fields[name] = [] if isinstance(fields[name], list) else ""
    signal = decoded(marker, fields)
    assert [name] == [problem.field for problem in signal.problems]
    [problem] = signal.problems
    assert f"{marker}, line {problem.line}: {name} is {'missing' if how == 'gone' else 'empty'}" in problem.text
    assert problem.expected in problem.text


@pytest.mark.parametrize(("marker", "name"), ENUMS)
def test_each_wrong_choice_is_one_problem_worth_a_correction(marker, name):
    signal = decoded(marker, {**example(marker), name: "banana"})
    assert [name] == [problem.field for problem in signal.problems]
    assert signals.worth_correcting(signal)


@pytest.mark.parametrize(("marker", "name"), ENUMS)
@pytest.mark.parametrize(
    "spell", [str.upper, str.title, lambda text: text.replace("_", " "), lambda text: f"**{text}**"]
)
def test_each_choice_may_be_spelled_otherwise(marker, name, spell):
    for choice in signals.schema(marker)["properties"][name]["enum"]:
        signal = decoded(marker, {**example(marker), name: spell(choice)})
        assert choice == signal.fields[name]
        assert (spell(choice) != choice) == bool(signal.repairs)


@pytest.mark.parametrize("marker", MARKERS)
def test_a_wrong_timestamp_is_a_note_and_no_reason_to_ask(marker):
    signal = decoded(marker, {**example(marker), "timestamp": "this morning"})
    assert (True, ("timestamp 'this morning' is no ISO-8601-timestamp",)) == (signal.valid, signal.notes)
    missing = decoded(marker, {name: each for name, each in example(marker).items() if name != "timestamp"})
    assert (True, ()) == (missing.valid, missing.notes), "the hook knows when it was said"


@pytest.mark.parametrize(
    "timestamp",
    ["2026-01-11T08:45:00-05:00", "2026-01-11T08:45:00Z", "2026-01-11T08:45:00.123+0100", "2026-01-11 08:45"],
)
def test_what_a_timestamp_may_be(timestamp):
    assert () == decoded("STOP_WORK", {**example("STOP_WORK"), "timestamp": timestamp}).notes


@pytest.mark.parametrize(
    ("independence", "terminal"),
    [("can_proceed_parallel", False), ("optional", False), ("blocks_current_work", True), ("banana", False)],
)
def test_only_a_blocking_delegation_ends_a_run(independence, terminal):
    fields = {**example("DELEGATE_WORK"), "independence": independence}
    assert terminal == decoded("DELEGATE_WORK", fields).terminal


def test_the_last_terminal_signal_decides():
    written = ["DELEGATE_WORK", "CLARIFICATION_NEEDED", "STOP_WORK", "COMPLETION_REPORT", "DELEGATE_WORK"]
    reading = signals.read("\n".join(signals.render(marker, example(marker)) for marker in written))
    assert written == [signal.marker for signal in reading.signals]
    assert reading.deciding is reading.signals[3]
    assert 1 == len(reading.notes)


@pytest.mark.parametrize("marker", MARKERS)
def test_a_block_with_nothing_to_act_on_is_not_readable(marker):
    signal = decoded(marker, {"agent_id": "x", "timestamp": "2026-01-11T08:45:00Z"})
    assert not signal.readable
    assert signals.worth_correcting(signal)
    assert decoded(marker, example(marker)).readable


def test_json_names_everything_a_reader_needs():
    answer = signals.as_json_object(
        decoded("STOP_WORK", {**example("STOP_WORK"), "stop_reason": "Blocker", "own_key": "1"})
    )
    payload = {name: text for name, text in example("STOP_WORK").items() if name not in ("agent_id", "timestamp")}
    assert {
        "signal_type": "STOP_WORK",
        "agent_id": "bg-task-91b2d7",
        "timestamp": "2026-02-03T15:05:00+01:00",
        "payload": {**payload, "own_key": "1"},
        "problems": [],
        "repairs": ["stop_reason 'Blocker' was read as blocker"],
        "notes": [],
        "line": 1,
        "closed": True,
    } == answer


@pytest.mark.parametrize("marker", MARKERS)
def test_the_json_form_reads_back(marker):
    answer = signals.as_json_object(decoded(marker, example(marker)))
    form = {name: answer[name] for name in ("signal_type", "agent_id", "timestamp", "payload")}
    for text in (json.dumps(form), json.dumps(form, indent=2), f"Done.\n```json\n{json.dumps(form, indent=1)}\n```\n"):
        [signal] = signals.read(text).signals
        assert (example(marker), (), ()) == (signal.fields, signal.problems, signal.repairs)


def test_the_table_has_a_row_for_each_signal():
    assert [f"| `{marker}` " for marker in MARKERS] == [
        row[: len(f"| `{marker}` ")] for marker, row in zip(MARKERS, signals.table().splitlines()[2:])
    ]


def test_the_fields_that_each_signal_asks_for():
    """With the meaning of each, or the values that it takes; what the hook knows is not asked for."""
    told = signals.explained("bg-1-x")
    for marker in MARKERS:
        spec, block = signals.schema(marker), signals.template(marker, "bg-1-x")
        assert f"{spec['description']} Not when " in told
        assert block in told
        assert [name for name in spec["required"] if f"{name}: " not in block and name != "questions"] == []
    assert not any(name in told for name in ("timestamp", "total_duration"))
    assert "status: <success|partial_success|failed>" in told
    assert "blocked_work: <what could not be started, the failed step first>" in told
    assert "CLARIFICATION_NEEDED, STOP_WORK, DELEGATE_WORK or COMPLETION_REPORT" == signals.markers()
    assert [marker for marker in MARKERS if f": {marker}." not in texts.named()["missing_block"]] == []


def allowed(text):
    return text.strip() != "" and not any(marks.is_marker(line) for line in text.split("\n"))


TEXT = st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]), min_size=1).filter(allowed)
LINES = (
    st.lists(
        st.sampled_from(
            ["", "  ", "- a", "key: value", "details: x", "```", "~~~", "> q", "'", '"x"', "|", "#", "\t", "Q1: x", "{"]
        ),
        min_size=1,
        max_size=8,
    )
    .map("\n".join)
    .filter(allowed)
)
ANY = TEXT | LINES


@settings(max_examples=300)
@given(st.data(), st.sampled_from(MARKERS))
def test_any_value_survives_rendering_and_reading(data, marker):
    spec = signals.schema(marker)["properties"]
    fields = {}
    for name, each in spec.items():
        if "items" in each:
            item = st.fixed_dictionaries({"text": ANY, "context": ANY})
            items = data.draw(st.lists(item, min_size=1, max_size=3))
            fields[name] = [{"question_id": f"Q{place}", **given} for place, given in enumerate(items, 1)]
        elif "enum" in each:
            fields[name] = data.draw(st.sampled_from(each["enum"]))
        elif name in ("agent_id", "timestamp"):
            fields[name] = example(marker)[name]
        else:
            fields[name] = data.draw(ANY)
    signal = decoded(marker, fields)
    assert (fields, (), ()) == (signal.fields, signal.problems, signal.repairs)


def test_a_marker_in_a_value_is_quoted_when_rendered():
    text = signals.render("STOP_WORK", {**example("STOP_WORK"), "details": "It said:\n[/STOP_WORK]"})
    [signal] = signals.read(text).signals
    assert "It said:\n> [/STOP_WORK]" == signal.fields["details"]


@given(st.text(), st.sampled_from(MARKERS))
def test_never_raises(text, marker):
    signals.read(text)
    signals.read(f"[{marker}]\n{text}\n[/{marker}]")


@pytest.mark.parametrize("piece", ["[", "{", '{"a":', "- ", "  - ", "- {"])
@pytest.mark.parametrize("depth", [10, 400, 900, 50_000])
def test_depth_exhausts_nothing(piece, depth):
    closing = {"[": "]", "{": "}", '{"a":': "1}"}.get(piece, "")
    nested = piece * depth + closing[:1] + closing[-1:] * (depth - 1)
    for text in (f"questions: {nested}", f'{{"questions": {nested}}}', f'{{"details": {nested}}}'):
        signals.read(f"[CLARIFICATION_NEEDED]\n{text}\n[/CLARIFICATION_NEEDED]")
    signals.read(f'{{"signal_type": "STOP_WORK", "payload": {{"details": {nested}}}}}')


FLOW = st.text("abc ,:[]{}'\"?", max_size=30)


@given(FLOW)
def test_a_flow_collection_never_raises(text):
    questions.value("[" + text)
    questions.value("{" + text)


@pytest.mark.parametrize(
    "body",
    [
        "a_b: x\n" * 30_000,
        "reason: x\n" * 30_000,
        "questions:\n" + "- text: a?\n" * 30_000,
        "questions:\n" + "- question_id: Q1\n  text: a?\n" * 30_000,
        "Reason: x\n" * 30_000,
        "  text\n" * 30_000 + "Blocked work: x\n" * 30_000,
        '{"a": "' + '\\"' * 100_000,
        "questions: [" + "{" * 100_000,
    ],
)
def test_reading_fields_is_linear(body):
    def seconds(part):
        begun = time.thread_time()
        signals.read(f"[CLARIFICATION_NEEDED]\n{part}\n[/CLARIFICATION_NEEDED]")
        return time.thread_time() - begun

    assert seconds(body) < 40 * max(seconds(body[: len(body) // 10]), 0.005)


def test_a_value_in_json_or_yaml_reads_as_a_person_would_have_written_it():
    value = {"steps": ["one\nand a half", "two"], "done": True, "more": None, "deep": {"a": 1}, "text": "as\nit is"}
    assert fields.as_text(value).splitlines() == [
        "steps:", "  - one", "    and a half", "  - two", "done: true", "more: ", "deep: a: 1", "text:", "  as", "  it is",
    ]  # fmt: skip
