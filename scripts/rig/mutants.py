"""Small faults put into the plugin, one at a time: which of them the tests of their room notice.

`scripts/test --mutants` draws them by a seed and prints a line for each: killed or survived, the place and the change.
The tests run in a copy of the repository. First they run without a fault, which shows the functions that each test
enters. Each mutant is then tried on the tests that enter its function, the quickest first, and on those that start
processes of their own; a mutant outside every function is tried on all tests of its room.
"""

from __future__ import annotations

import argparse
import ast
import faulthandler
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple, Optional

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])  # instead of this folder, whose modules would hide others

from rig import tree

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("host", "protocol", "ledger", "signals", "loop", "words", "evidence", "results", "desk")
DROPPED, TURNED, EMPTIED, CHANGED, SILENT = KINDS = (
    "statement dropped",
    "comparison turned",
    "return emptied",
    "constant changed",
    "call dropped",
)
PLAY = "--play"
BROKEN, NO_TEST = (2, 3, 4), 5  # pytest's exit statuses if tests cannot be collected, and if none were
PATIENCE = 60.0  # seconds that a test gets besides ten times its usual duration
TURNS = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
EMPTY = {"str": '""', "int": "0", "float": "0.0", "list": "[]", "dict": "{}", "tuple": "()", "set": "set()"}
DROPPABLE = (ast.AugAssign, ast.Assign, ast.Raise, ast.Continue, ast.Break, ast.If, ast.Delete)

Order = dict[str, tuple[bool, float]]  # the sort key of each test: False if it enters the function, then its duration


class Mutant(NamedTuple):
    """One fault: the bytes from `start` to `end` of a file are replaced."""

    path: str
    line: int
    kind: str
    start: int
    end: int
    old: str
    new: str
    function: int  # the line on which the innermost function around it begins, 0 if it is in none

    @property
    def room(self) -> str:
        """The room of its file."""
        return self.path.split("/")[2]

    def put_into(self, source: bytes) -> bytes:
        """The file with the fault."""
        return source[: self.start] + self.new.encode() + source[self.end :]

    @property
    def told(self) -> str:
        """A line about the mutant."""
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{self.path}:{self.line}  {self.kind}: {old[:90]} -> {new[:90]}"


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Draw mutants, try them, print the results; return 0 even if some survive, as a person must judge each."""
    parser = argparse.ArgumentParser(prog="test --mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--draw", action="store_true", help="print the mutants without trying them")
    parser.add_argument("--notes", type=Path, help="a folder for what the tests enter, so that the next draw knows it")
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(ROOMS)}; without one, all")
    given = parser.parse_args(argv)
    rooms = given.rooms or list(ROOMS)
    unknown = [room for room in rooms if room not in ROOMS]
    if unknown:
        parser.error(f"no room: {', '.join(unknown)}")
    mutants = drawn(ROOT, rooms, given.seed, given.count)
    if given.draw:
        for mutant in mutants:
            _tell(mutant.told)
        return 0
    survived = run(ROOT, mutants, given.notes)
    killed = len(mutants) - len(survived)
    low, high = interval(killed, len(mutants))
    share = f"{killed / max(1, len(mutants)):.0%}, 95% interval {low:.0%} to {high:.0%}"
    _tell(f"seed {given.seed}: {killed} of {len(mutants)} mutants killed ({share})")
    for mutant in survived:
        _tell(f"  not killed  {mutant.told}")
    return 0


def drawn(root: Path, rooms: Sequence[str], seed: int, count: int) -> list[Mutant]:
    """Draw `count` mutants, each by its kind and then by its place; in the order of their files."""
    sites: dict[str, list[Mutant]] = {kind: [] for kind in KINDS}
    sources = {}
    for path in sorted(path for room in rooms for path in (root / "scripts/bg" / room).rglob("*.py")):
        name = path.relative_to(root).as_posix()
        sources[name] = path.read_bytes()
        for mutant in mutants_of(name, sources[name]):
            sites[mutant.kind].append(mutant)
    chance = random.Random(seed)  # noqa: S311 (the same seed is to draw the same mutants)
    found: list[Mutant] = []
    while len(found) < count and any(sites.values()):
        left = sites[chance.choice(KINDS)]
        if left:
            mutant = left.pop(chance.randrange(len(left)))
            if differs(sources[mutant.path], mutant):
                found.append(mutant)
    return sorted(found)


def differs(source: bytes, mutant: Mutant) -> bool:
    """Whether the changed file can be compiled, and is another program."""
    try:
        changed = ast.parse(mutant.put_into(source))
    except SyntaxError:
        return False
    return ast.dump(changed) != ast.dump(ast.parse(source))


def mutants_of(path: str, source: bytes) -> Iterator[Mutant]:
    """Every mutant of a file."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def visit(node: ast.AST, function: int, returns: str) -> Iterator[Mutant]:
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            # The code object of a decorated function begins at its first decorator.
            function = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
            returns = ast.unparse(node.returns) if getattr(node, "returns", None) else ""  # type: ignore[union-attr,arg-type]
        for target, kind, new in _changes(node, returns):
            start = starts[target.lineno - 1] + target.col_offset
            end = starts[target.end_lineno - 1] + target.end_col_offset
            old = source[start:end].decode()
            yield Mutant(path, target.lineno, kind, start, end, old, new, function)
        for child in _children(node):
            yield from visit(child, function, returns)

    yield from visit(ast.parse(source), 0, "")


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """The children of a node, without annotations, docstrings and code for type checkers."""
    if _only_typed(node):
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns") or isinstance(node, ast.JoinedStr):
            continue
        for child in value if isinstance(value, list) else [value]:
            spoken = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if isinstance(child, ast.AST) and not spoken:
                yield child


def _changes(node: ast.AST, returns: str) -> Iterator[tuple[Any, str, str]]:
    """The possible changes of a node: the part that is replaced, the kind, and the new text."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield node, SILENT, "pass"
    elif isinstance(node, DROPPABLE) and not _only_names(node):
        yield node, DROPPED, "pass"
    elif isinstance(node, ast.Return) and node.value is not None:
        yield node.value, EMPTIED, _emptied(node.value, returns)
    elif isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
        yield from ((node, TURNED, new) for new in _turned(node))
    elif isinstance(node, (ast.Tuple, ast.List, ast.Set)) and len(node.elts) > 1 and not _stored(node):
        yield from ((node, CHANGED, _without(node, place)) for place in range(len(node.elts)))
    elif isinstance(node, ast.Constant):
        yield from ((node, CHANGED, new) for new in _other(node.value))


def _only_names(node: ast.AST) -> bool:
    """Whether a statement should not be dropped: it only defines names, has an `else` to lose, or never runs."""
    if isinstance(node, ast.Assign):
        return all(isinstance(target, (ast.Name, ast.Tuple)) for target in node.targets)
    return isinstance(node, ast.If) and (bool(node.orelse) or _only_typed(node))


def _only_typed(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _stored(node: Any) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store)


def _emptied(value: ast.expr, returns: str) -> str:
    if returns == "bool":
        return f"not ({ast.unparse(value)})"
    return EMPTY.get(returns.partition("[")[0], "None")


def _turned(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        yield f"({left} {TURNS[type(node.ops[0])]} {right})"
    elif isinstance(node, ast.BoolOp):
        word = " or " if isinstance(node.op, ast.And) else " and "
        yield f"({word.join(f'({ast.unparse(value)})' for value in node.values)})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"bool({ast.unparse(node.operand)})"


def _without(node: Any, place: int) -> str:
    kept = [ast.unparse(each) for number, each in enumerate(node.elts) if number != place]
    begin, end = {ast.Tuple: "()", ast.List: "[]", ast.Set: "{}"}[type(node)]
    return f"{begin}{', '.join(kept)}{',' if len(kept) == 1 else ''}{end}"


def _other(value: object) -> Iterator[str]:
    if isinstance(value, bool):
        yield str(not value)
    elif isinstance(value, (int, float)):
        yield repr(value + 1)
    elif isinstance(value, str) and value:
        yield '""'


def interval(part: int, whole: int, z: float = 1.96) -> tuple[float, float]:
    """The Wilson interval of a proportion."""
    if not whole:
        return 0.0, 1.0
    share, square = part / whole, z * z / whole
    middle, half = share + square / 2, z * ((share * (1 - share) + square / 4) / whole) ** 0.5
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))


# Trying them


def run(root: Path, mutants: list[Mutant], kept: Optional[Path] = None) -> list[Mutant]:
    """Try each mutant on a copy; return those that were not killed. `kept` is a folder for the notes on tests."""
    survived = []
    with tempfile.TemporaryDirectory(prefix="bg-mutants-") as folder:
        copy = tree.snapshot(root, Path(folder) / "copy")
        for room in sorted({mutant.room for mutant in mutants}, key=ROOMS.index):
            notes = _noted(copy, room, kept / f"{room}.json" if kept else None)
            for mutant in [mutant for mutant in mutants if mutant.room == room]:
                if not _killed(copy, mutant, notes):
                    survived.append(mutant)
    return survived


def _noted(copy: Path, room: str, file: Optional[Path]) -> dict[str, Any]:
    """Notes on each test of a room without a fault: its outcome, its duration, and the functions that it enters."""
    began = time.monotonic()
    kept = file is not None and file.exists()
    notes = json.loads(file.read_text(encoding="utf-8")) if file and kept else _played(copy, room, {})["tests"]
    if file and not kept:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(notes), encoding="utf-8")
    passed = sum(note["outcome"] == "passed" for note in notes.values())
    _tell(f"{room}: {passed} of {len(notes)} tests pass as they are, {time.monotonic() - began:.0f} s")
    return notes


def _killed(copy: Path, mutant: Mutant, notes: dict[str, Any]) -> bool:
    """Whether a test notices the mutant; prints a line with both."""
    place = [mutant.path, mutant.function]
    chosen = {
        name: (place not in note["entered"], note["seconds"])
        for name, note in notes.items()
        if note["outcome"] == "passed" and (not mutant.function or note["processes"] or place in note["entered"])
    }
    path, began = copy / mutant.path, time.monotonic()
    source = path.read_bytes()
    path.write_bytes(mutant.put_into(source))
    found = _played(copy, mutant.room, chosen, sorted(notes))
    path.write_bytes(source)
    by = next((name for name, note in found["tests"].items() if note["outcome"] == "failed"), "")
    # A run that was ended from outside, or at its bound on a busy machine, has shown nothing.
    word = "killed  " if by or found["code"] in BROKEN else "survived" if found["code"] in (0, NO_TEST) else "no end  "
    _tell(f"{word}  {mutant.told}  [{by or len(found['tests'])}, {time.monotonic() - began:.0f} s]")
    return word == "killed  "


def _played(copy: Path, room: str, chosen: Order, known: Sequence[str] = ()) -> dict[str, Any]:
    """Run the tests of a room in a process of its own; return its exit status, and the notes on each test.

    If some tests are known, only the chosen ones of these and new ones run, up to the first that fails.
    """
    task, told = copy.parent / "task.json", copy.parent / "told.json"
    task.write_text(json.dumps({"room": room, "chosen": chosen, "known": known, "told": str(told)}), encoding="utf-8")
    told.write_text("{}", encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-B", str(copy / "scripts/rig/mutants.py"), PLAY, str(task)],
        cwd=copy,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # else bytecode of the file without the fault might run
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        code = process.wait()
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, 9)
    return {"code": code, "tests": json.loads(told.read_text(encoding="utf-8"))}


def play(task: Path) -> int:
    """Run the tests that this file names; called in a process of its own."""
    import pytest  # noqa: PLC0415 (only here)

    given = json.loads(task.read_text(encoding="utf-8"))
    player = Player(Path.cwd(), given["chosen"], set(given["known"]), Path(given["told"]))
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not long and not host"]
    options += ["-x"] if given["known"] else []
    faulthandler.dump_traceback_later(5 * PATIENCE, exit=True)
    return int(pytest.main([*options, f"tests/{given['room']}"], plugins=[player]))


class Player:
    """A pytest plugin: runs the chosen tests, the quickest first, or notes what each test enters and starts."""

    def __init__(self, root: Path, chosen: Order, known: set[str], told: Path) -> None:
        self._source, self._chosen, self._known, self._told = f"{root / 'scripts/bg'}{os.sep}", chosen, known, told
        self._root = len(str(root)) + 1
        self._entered: set[CodeType] = set()
        self._processes = False
        self.notes: dict[str, dict[str, Any]] = {}
        if not known:
            sys.addaudithook(self._audit)

    def _audit(self, event: str, given: tuple[Any, ...]) -> None:
        if event == "subprocess.Popen":
            self._processes |= os.path.basename(str(given[0])) != "git"  # noqa: PTH119 (no path of ours)
        elif event in ("os.fork", "os.exec", "os.posix_spawn"):
            self._processes = True

    def _enter(self, frame: FrameType, _event: str, _given: object) -> None:
        self._entered.add(frame.f_code)

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        """Keep new tests and chosen ones, in their order."""
        left = [item for item in items if item.nodeid in self._known and item.nodeid not in self._chosen]
        if self._known:
            config.hook.pytest_deselected(items=left)
            stay = set(items) - set(left)
            items[:] = sorted(stay, key=lambda item: (*self._chosen.get(item.nodeid, (False, 0.0)), item.nodeid))

    def pytest_runtest_logstart(self, nodeid: str, location: object) -> None:
        """Begin the notes on a test."""
        del location
        self._entered, self._processes = set(), False
        self.notes[nodeid] = {"outcome": "passed", "seconds": 0.0}
        faulthandler.dump_traceback_later(10 * self._chosen.get(nodeid, (0, 0.0))[1] + PATIENCE, exit=bool(self._known))
        if not self._known:
            sys.settrace(self._enter)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note the outcome and the time of one phase of a test."""
        note = self.notes[report.nodeid]
        note["seconds"] += report.duration
        if report.outcome != "passed":
            note["outcome"] = report.outcome

    def pytest_runtest_logfinish(self, nodeid: str, location: object) -> None:
        """Note the functions that a test has entered."""
        del location
        sys.settrace(None)
        faulthandler.cancel_dump_traceback_later()
        ours = (code for code in self._entered if code.co_filename.startswith(self._source))
        entered = sorted({(code.co_filename[self._root :], code.co_firstlineno) for code in ours})
        self.notes[nodeid].update(entered=entered, processes=self._processes)

    def pytest_sessionfinish(self) -> None:
        """Write the notes to the file."""
        self._told.write_text(json.dumps(self.notes), encoding="utf-8")


def _tell(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(play(Path(sys.argv[2])) if sys.argv[1:2] == [PLAY] else main())
