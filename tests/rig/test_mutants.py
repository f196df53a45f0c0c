"""Mutants: what is drawn, that each is a fault, and that a room's tests are run on a copy until one notices it."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest
from rig import mutants

ROOT = Path(__file__).resolve().parents[2]
SOURCE = '''"""Says what is small."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

SMALL: tuple[int, ...] = (1, 2)


def smaller(number: int, than: Optional[int] = None) -> bool:
    """Whether it is; never compared with nothing."""
    if than is None:
        return False
    return number < than and not number == 0


def told(found: list[str], words: str) -> str:
    found.append(words)
    return f"{words}, äö" + "!"
'''
TEST = """import pytest
from bg.words import small


def test_it_is_smaller():
    assert small.smaller(1, 2)
    assert not small.smaller(2, 1)
    assert not small.smaller(1)
    assert small.SMALL == (1, 2)


@pytest.mark.long
def test_what_is_too_long_to_be_run():
    raise AssertionError
"""


@pytest.fixture
def root(tmp_path):
    """A repository with one room, one module and one test, and what runs them."""
    files = {
        "scripts/bg/__init__.py": "",
        "scripts/bg/words/__init__.py": "",
        "scripts/bg/words/small.py": SOURCE,
        "tests/words/test_small.py": TEST,
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["scripts"]\nmarkers = ["long", "host"]\n',
        ".gitignore": "__pycache__/\n",
    }
    for name, text in files.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    shutil.copytree(ROOT / "scripts/rig", tmp_path / "tree/scripts/rig", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "tree"


def test_every_change_is_another_program_and_no_document_or_annotation_is_changed():
    found = {
        (each.line, each.kind, each.new) for each in mutants.mutants_of("scripts/bg/words/small.py", SOURCE.encode())
    }
    assert found == {
        (5, "constant changed", "True"),
        (9, "constant changed", "(2,)"),
        (9, "constant changed", "(1,)"),
        (9, "constant changed", "2"),
        (9, "constant changed", "3"),
        (14, "statement dropped", "pass"),
        (14, "comparison turned", "(than is not None)"),
        (15, "return emptied", "not (False)"),
        (15, "constant changed", "True"),
        (16, "return emptied", "not (number < than and (not number == 0))"),
        (16, "comparison turned", "((number < than) or (not number == 0))"),
        (16, "comparison turned", "(number <= than)"),
        (16, "comparison turned", "bool(number == 0)"),
        (16, "comparison turned", "(number != 0)"),
        (16, "constant changed", "1"),
        (20, "call dropped", "pass"),
        (21, "return emptied", '""'),
        (21, "constant changed", '""'),
    }


def test_a_seed_draws_the_same_mutants_again_and_each_compiles_and_differs():
    found = mutants.drawn(ROOT, mutants.ROOMS, 5, 20)
    assert found == mutants.drawn(ROOT, mutants.ROOMS, 5, 20)
    assert 20 == len(set(found))
    assert set(found) != set(mutants.drawn(ROOT, mutants.ROOMS, 6, 20))
    for mutant in found:
        source = (ROOT / mutant.path).read_bytes()
        assert source[mutant.start : mutant.end].decode() == mutant.old
        assert ast.dump(ast.parse(mutant.put_into(source))) != ast.dump(ast.parse(source))


def test_what_a_test_notices_is_killed_and_what_none_enters_survives(root, capsys):
    small = list(mutants.mutants_of("scripts/bg/words/small.py", SOURCE.encode()))
    tried = [
        each for each in small if each.new in ("(2,)", "(number <= than)", "(than is not None)") or each.line == 20
    ]
    survived = mutants.run(root, tried)
    assert [(each.line, each.new) for each in survived] == [(16, "(number <= than)"), (20, "pass")]
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("words: 1 of 1 tests pass as they are")
    assert told[1].startswith("killed    scripts/bg/words/small.py:9  constant changed: (1, 2) -> (2,)  [tests/words/")
    assert told[-1].startswith("survived  scripts/bg/words/small.py:20  call dropped: found.append(words) -> pass  [0,")
    assert SOURCE == (root / "scripts/bg/words/small.py").read_text()


def test_the_share_has_its_interval():
    low, high = mutants.interval(26, 34)
    assert (0.60, 0.88) == (round(low, 2), round(high, 2))
    assert (0.0, 1.0) == mutants.interval(0, 0)
