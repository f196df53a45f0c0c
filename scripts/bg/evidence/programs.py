"""The programs of command lines, from programs.json: what tests, what checks, what only looks, what runs others."""

from __future__ import annotations

import json
from pathlib import Path

_TABLES = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


def _verbs(name: str) -> dict[str, frozenset[str]]:
    return {program: frozenset(verbs) for program, verbs in _TABLES[name].items()}


WRAPPERS = frozenset(_TABLES["wrappers"])  # run the command that follows them
RUN_WITH = _verbs("run_with")  # do so with one of these words
CONTAINERS = frozenset(_TABLES["containers"])  # run a command somewhere else
SHELLS = frozenset(_TABLES["shells"])
TESTS = frozenset(_TABLES["tests"])
CHECKS = frozenset(_TABLES["checks"])
VERBS = _verbs("test_verbs")  # run tests with one of these words
CHECK_VERBS = _verbs("check_verbs")
READING = frozenset(_TABLES["looking"])  # change nothing
INERT = READING | frozenset(_TABLES["plain"])  # run no tests, whatever else they do
GIT_READING = frozenset(_TABLES["git_looking"])
ASKING = frozenset(_TABLES["asking"])  # only print a version or help
COMMON = frozenset(_TABLES["commands"]) | TESTS | CHECKS  # are commands when they stand in code
NO_PROSE = COMMON - frozenset(_TABLES["words_too"])  # and in a sentence too
VALUED = frozenset(_TABLES["valued_options"])  # take the next word, which is no target then
NARROW = frozenset(_TABLES["narrowing_options"])  # make a run a part of the whole
VALUED_OF = _verbs("valued_of")  # and others that do with one program
# Change how a command works, not what it shows.
HARMLESS = frozenset(_TABLES["harmless_options"]) | VALUED - {"--max-warnings", "-W"}
NARROW_OF = _verbs("narrowing_of")  # and others that do with one program
NARROW_ALONE = frozenset(_TABLES["narrowing_alone"])  # those that take no value
WIDE_OF = _verbs("widening_of")  # do not, though they do with others
NOT_A_RUN = frozenset(_TABLES["not_a_run"])
ONLY_SHOWS_OF = _verbs("only_shows_of")
ANSWERS = frozenset(_TABLES["answers_by_exit"])  # an exit of 1 is their answer, not a failure
SCRIPTS: dict[str, list[str]] = _TABLES["scripts"]  # the files that say what a program runs
SAME: dict[str, str] = _TABLES["same"]  # other names of a program
LANGUAGES = _verbs("languages")  # endings of the files that a program speaks for
DOCUMENTS = frozenset(_TABLES["documents"])  # programs that speak for prose
FILTERED = frozenset(_TABLES["filtered_by_words"])  # a bare word chooses among the tests
WHOLE_FOLDERS = frozenset(_TABLES["whole_folders"])  # unless it is the folder of all of them
REFUSALS: dict[str, str] = _TABLES["refusals"]  # what a check prints of what it refuses
