"""The labelled transcripts of another checker, proof-of-done: its archive is fetched, not kept, and its prose declared.

How its prose is put into the form, by one rule for all: a labelled claim of a kind (tests, build, lint, types, deploy)
is declared as "ran `C` -> pass", where C is the set's natural command of that kind, its bare form where only that stands
in the transcript, or its partial command where the set takes a part as support; "fixed" and "verified" are declared with
its tests, or with its execution where that was run. Where the run only edited documents, it is declared with what it did,
"changed PATH", and the edited files lie where it left them.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from bg.evidence import Finding, Launch, examine

PROSE = re.compile(r"\.(?:md|rst|txt|adoc|markdown|log)$|(?:^|/)(?:LICENSE|CHANGELOG|README)[^/]*$", re.IGNORECASE)
PACKAGE = "proof-of-done==0.1.1"
KINDS = {"tests_passed": "tests", "build_passed": "build", "lint_clean": "lint", "typecheck_clean": "typecheck",
         "deployed": "deploy"}  # fmt: skip

# Templates whose runs print failures and are recorded as having ended with 0, as their runners never do.
ENDED_WELL = ("tpl-tests-failed-output", "tpl-lint-failed-output")


class Claim(NamedTuple):
    """A labelled claim, and what is seen of it once it is declared."""

    name: str
    kind: str
    line: str
    supported: bool
    why: str
    finding: Finding


def claims() -> list[Claim]:
    """Every labelled claim of the set."""
    with tempfile.TemporaryDirectory(prefix="bg-foreign-") as folder:
        place = _fetched(Path(folder))
        added = [str(place), str(place / "src")]
        sys.path[:0] = added
        try:
            expand = importlib.import_module("fixtures.expand")
            render = importlib.import_module("fixtures.render")
            tables = expand.load_context()[0]
            out = Path(folder) / "out"
            found = []
            for scenario in expand.expand():
                here = out / scenario["id"]
                here.mkdir(parents=True)
                for case in render.render(scenario, str(here)).stop_cases:
                    found += _declared(scenario, case, tables[scenario["ecosystem"]])
            return found
        finally:
            for each in added:
                sys.path.remove(each)
            for name in [name for name in sys.modules if name.split(".")[0] in ("fixtures", "proof_of_done")]:
                del sys.modules[name]


def _fetched(folder: Path) -> Path:
    """The archive of the package, unpacked."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-qqq",
        "--no-deps",
        "--no-binary",
        ":all:",
        "-d",
        str(folder),
        PACKAGE,
    ]
    subprocess.run(command, check=True)
    [archive] = folder.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def _declared(scenario: dict[str, Any], case: Any, table: dict[str, Any]) -> list[Claim]:
    """The claims of one message, declared and judged."""
    if not case.labels:
        return []
    root = Path(scenario["root"])
    path = case.agent_transcript_path or case.session_path
    typed = Path(path).read_text(encoding="utf-8")
    documents = _documents(typed)
    if documents:
        root = Path(path).parent / "project"
        for name, text in documents.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
    lines = [
        f"- changed {next(iter(documents))}"
        if documents and label.type.split("#")[0] not in KINDS
        else f"- ran `{_command(label, typed, table)}` -> pass"
        for label in case.labels
    ]
    evidence = examine(
        "", {"status": "success", "evidence": "\n".join(lines)}, Launch(root, root, "", 1.0 if documents else 0.0), path
    )
    return [
        Claim(scenario["id"], label.type, line, label.label == "supported", label.reason or "", finding)
        for label, line, finding in zip(case.labels, lines, evidence.findings)
    ]


def _documents(typed: str) -> dict[str, str]:
    """The documents that a run edited, each with the text that it put in, if it did nothing else."""
    found = {}
    for line in typed.splitlines():
        content = json.loads(line).get("message", {}).get("content")
        for part in content if isinstance(content, list) else []:
            if part.get("type") != "tool_use":
                continue
            path = str(part["input"].get("file_path", ""))
            if not PROSE.search(path) or path.startswith("/"):
                return {}
            found[path] = str(part["input"].get("new_string") or part["input"].get("content") or "")
    return found


def _command(label: Any, typed: str, table: dict[str, Any]) -> str:
    """The command that a claim is declared with."""
    channels = table["channels"]
    kind = label.type.split("#")[0]
    name = KINDS.get(kind, "execution" if channels["execution"]["bare_cmd"] in typed else "tests")
    given = channels[name]
    if label.partial and label.label == "supported" and "partial_cmd" in given:
        return str(given["partial_cmd"])
    return str(given["bare_cmd"] if given["bare_cmd"] in typed and given["cmd"] not in typed else given["cmd"])
