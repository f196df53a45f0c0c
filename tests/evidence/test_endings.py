"""What common runners print at their end, and what a declared count may be of it: skipped tests have not passed."""

from __future__ import annotations

import pytest
from bg.evidence.endings import Tally

# What a runner printed, the numbers that it says have passed, the numbers that it says there are.
GOOD = [
    ("pytest", "..s\n2 passed, 1 skipped in 0.03s", 2, 3),
    ("pytest xfail", "..x\n2 passed, 1 xfailed in 0.03s", 2, 3),
    ("pytest long", "===== 18 passed, 3 warnings in 2.10s =====", 18, 18),
    ("pytest thousands", "1204 passed in 9.1s", 1204, 1204),
    ("pytest subtests", "5 passed, 3 subtests passed in 0.12s", 5, 5),
    ("pytest deselected", "3 passed, 5 deselected in 0.1s", 3, 3),
    ("unittest", "Ran 12 tests in 0.010s\n\nOK", 12, 12),
    ("unittest skipped", "Ran 12 tests in 0.010s\n\nOK (skipped=2)", 10, 12),
    ("unittest expected failures", "Ran 12 tests in 0.010s\n\nOK (skipped=1, expected failures=2)", 9, 12),
    ("jest", "Test Suites: 3 passed, 3 total\nTests:       9 passed, 9 total\nSnapshots:   0 total\nTime: 1.2 s", 9, 9),
    ("jest skipped", "Test Suites: 3 passed, 3 total\nTests:       3 skipped, 9 passed, 12 total", 9, 12),
    ("jest todo", "Tests:       2 todo, 9 passed, 11 total", 9, 11),
    ("vitest", " Test Files  2 passed (2)\n      Tests  9 passed (9)\n   Duration  377ms", 9, 9),
    ("vitest skipped", " ✓ geo.test.ts (12 tests | 3 skipped)\n Test Files  1 passed (1)\n      Tests  9 passed | 3 skipped (12)", 9, 12),
    ("pnpm", "packages/b-2 test:  Test Files  1 passed (1)\npackages/b-2 test:       Tests  5 passed (5)", 5, 5),
    ("lerna", "@x/a: Test Suites: 1 passed, 1 total\n@x/a: Tests:       2 skipped, 5 passed, 7 total", 5, 7),
    ("turbo sums", "@x/a:test:       Tests  5 passed (5)\n@x/b:test:       Tests  7 passed (7)", 12, 12),
    ("mocha", "  12 passing (30ms)\n  2 pending", 12, 14),
    ("mocha of a workspace", "packages/a test:   5 passing (30ms)", 5, 5),
    ("node", "# tests 12\n# suites 2\n# pass 9\n# fail 0\n# cancelled 0\n# skipped 3\n# todo 0", 9, 12),
    ("node spec", "ℹ tests 12\nℹ suites 2\nℹ pass 12\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0", 12, 12),
    ("bun", " 12 pass\n 0 fail\n 30 expect() calls\nRan 12 tests across 3 files. [41.00ms]", 12, 12),
    ("deno", "ok | 12 passed | 0 failed (30ms)", 12, 12),
    ("tap", "ok 1 - a\nok 2 - b\n1..2\n# tests 2\n# pass  2\n\n# ok", 2, 2),
    ("cargo", "running 9 tests\ntest a ... ok\n\ntest result: ok. 9 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out", 9, 12),
    ("cargo sums", "test result: ok. 4 passed; 0 failed; 0 ignored\ntest result: ok. 3 passed; 0 failed; 0 ignored", 7, 7),
    ("maven", "[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 1\n[INFO] BUILD SUCCESS", 11, 12),
    ("maven sums", "[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0", 7, 7),
    ("gradle", "12 tests completed, 2 skipped\n\nBUILD SUCCESSFUL in 3s", 10, 12),
    ("phpunit", "OK (12 tests, 30 assertions)", 12, 12),
    ("phpunit skipped", "OK, but incomplete, skipped, or risky tests!\nTests: 12, Assertions: 30, Skipped: 2.", 10, 12),
    ("pest", "  Tests:    2 skipped, 10 passed (30 assertions)\n  Duration: 0.2s", 10, 12),
    ("rspec", "12 examples, 0 failures, 2 pending", 10, 12),
    ("minitest", "12 runs, 30 assertions, 0 failures, 0 errors, 2 skips", 10, 12),
    ("dotnet", "Passed!  - Failed:     0, Passed:     9, Skipped:     3, Total:    12, Duration: 31 ms - Shop.Tests.dll", 9, 12),
    ("dotnet long", "Total tests: 12\n     Passed: 12\n Total time: 1.2 Seconds", 12, 12),
    ("ctest", "100% tests passed, 0 tests failed out of 12\n\nTotal Test time (real) =   0.31 sec", 12, 12),
    ("bats pretty", "12 tests, 0 failures, 2 skipped", 10, 12),
    ("exunit", "12 tests, 0 failures, 2 skipped", 10, 12),
    ("exunit kinds", "1 doctest, 2 properties, 3 tests, 0 failures", 6, 6),
    ("exunit kinds skipped", "1 doctest, 3 tests, 0 failures, 1 skipped", 3, 4),
    ("prove", "All tests successful.\nFiles=2, Tests=12,  0 wallclock secs\nResult: PASS", 12, 12),
    ("playwright", "Running 12 tests using 2 workers\n  2 skipped\n  10 passed (3.2s)", 10, 12),
]  # fmt: skip


@pytest.mark.parametrize(("output", "passed", "total"), [each[1:] for each in GOOD], ids=[each[0] for each in GOOD])
def test_a_good_end_and_its_numbers(output, passed, total):
    tally = Tally(output)
    assert (tally.good, tally.bad, tally.empty) == (True, False, False)
    assert passed in tally.passes
    assert total in tally.counts
    assert total == passed or total not in tally.passes


BAD = [
    ("pytest", "1 failed, 17 passed in 1.2s"),
    ("pytest error", "17 passed, 1 error in 1.2s"),
    ("unittest", "Ran 12 tests in 0.01s\n\nFAILED (failures=1, errors=1)"),
    ("jest", "FAIL src/a.test.js\nTests:       1 failed, 9 passed, 10 total"),
    ("vitest", " Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 9 passed (10)"),
    ("mocha", "  11 passing (30ms)\n  1 failing"),
    ("node", "# tests 12\n# pass 11\n# fail 1"),
    ("go", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx/a\t0.1s"),
    ("go build", "# x/a\n./a.go:3:5: undefined: y\nFAIL\tx/a [build failed]"),
    ("cargo", "test result: FAILED. 4 passed; 1 failed; 0 ignored"),
    ("maven", "[ERROR] Tests run: 12, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE"),
    ("phpunit", "FAILURES!\nTests: 12, Assertions: 30, Failures: 1."),
    ("rspec", "12 examples, 1 failure"),
    ("minitest", "12 runs, 30 assertions, 1 failures, 0 errors, 0 skips"),
    ("dotnet", "Failed!  - Failed:     1, Passed:     9, Skipped:     0, Total:    10"),
    ("ctest", "92% tests passed, 1 tests failed out of 12"),
    ("bats", "1..2\nok 1 a\nnot ok 2 b"),
    ("exunit", "12 tests, 1 failure"),
]  # fmt: skip


@pytest.mark.parametrize("output", [each[1] for each in BAD], ids=[each[0] for each in BAD])
def test_a_runners_bad_end_is_seen(output):
    assert Tally(output).bad


EMPTY = [
    ("pytest", "no tests ran in 0.01s"),
    ("pytest skipped", "sss\n3 skipped in 0.02s"),
    ("jest", "No tests found, exiting with code 0"),
    ("vitest", "No test files found, exiting with code 0"),
    ("mocha", "  0 passing (2ms)"),
    ("node", "# tests 0\n# pass 0\n# fail 0"),
    ("go", "?   \tx/a\t[no test files]"),
    ("cargo", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 4 filtered out"),
    ("maven", "[INFO] No tests to run.\n[INFO] BUILD SUCCESS"),
    ("maven skipped", "[INFO] Tests are skipped.\n[INFO] BUILD SUCCESS"),
    ("phpunit", "No tests executed!"),
    ("rspec", "0 examples, 0 failures"),
    ("unittest", "Ran 0 tests in 0.000s\n\nNO TESTS RAN"),
    ("ctest", "No tests were found!!!"),
    ("bats", "1..0"),
]  # fmt: skip


@pytest.mark.parametrize("output", [each[1] for each in EMPTY], ids=[each[0] for each in EMPTY])
def test_a_run_of_no_tests_is_seen(output):
    assert Tally(output).empty


@pytest.mark.parametrize("output", ["", "2 failed", "all 18 tests passed, says a log", "Attempt 1 failed, retrying"])
def test_what_is_no_runners_own_line_says_nothing(output):
    tally = Tally(output)
    assert (tally.good, tally.bad, tally.empty, tally.counts) == (False, False, False, frozenset())
