"""What the runners of tests print at their end, and what a declared count may be of it: skipped tests have not passed."""

from __future__ import annotations

import pytest
from bg.evidence import summaries

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
    ("ava", "  ✔ a\n  ─\n\n  12 tests passed", 12, 12),
    ("tap", "ok 1 - a\nok 2 - b\n1..2\n# tests 2\n# pass  2\n\n# ok", 2, 2),
    ("go verbose", "--- PASS: TestA (0.00s)\n--- PASS: TestB (0.00s)\n--- SKIP: TestC (0.00s)\nPASS\nok  \tx/a\t0.1s", 2, 3),
    ("gotestsum", "DONE 12 tests, 2 skipped in 0.31s", 10, 12),
    ("cargo", "running 9 tests\ntest a ... ok\n\ntest result: ok. 9 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out", 9, 12),
    ("cargo sums", "test result: ok. 4 passed; 0 failed; 0 ignored\ntest result: ok. 3 passed; 0 failed; 0 ignored", 7, 7),
    ("nextest", "     Summary [   0.1s] 12 tests run: 12 passed, 3 skipped", 12, 15),
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
    ("bats", "1..3\nok 1 a\nok 2 b\nok 3 c # skip no network", 2, 3),
    ("bats pretty", "12 tests, 0 failures, 2 skipped", 10, 12),
    ("exunit", "12 tests, 0 failures, 2 skipped", 10, 12),
    ("exunit kinds", "1 doctest, 2 properties, 3 tests, 0 failures", 6, 6),
    ("exunit kinds skipped", "1 doctest, 3 tests, 0 failures, 1 skipped", 3, 4),
    ("flutter", "00:02 +12 ~2: All tests passed!", 12, 14),
    ("swift", "Executed 12 tests, with 2 tests skipped and 0 failures (0 unexpected) in 0.3 seconds", 10, 12),
    ("sbt", "[info] Passed: Total 12, Failed 0, Errors 0, Passed 10, Skipped 2", 10, 12),
    ("googletest", "[==========] 12 tests from 2 test suites ran. (3 ms total)\n[  PASSED  ] 12 tests.", 12, 12),
    ("catch2", "All tests passed (30 assertions in 12 test cases)", 12, 12),
    ("prove", "All tests successful.\nFiles=2, Tests=12,  0 wallclock secs\nResult: PASS", 12, 12),
    ("playwright", "Running 12 tests using 2 workers\n  2 skipped\n  10 passed (3.2s)", 10, 12),
    ("testthat", "[ FAIL 0 | WARN 0 | SKIP 2 | PASS 10 ]", 10, 12),
    ("zig", "All 12 tests passed.", 12, 12),
    ("busted", "12 successes / 0 failures / 0 errors / 0 pending : 0.01 seconds", 12, 12),
    ("lein", "Ran 12 tests containing 30 assertions.\n0 failures, 0 errors.", 12, 12),
]  # fmt: skip


@pytest.mark.parametrize(("output", "passed", "total"), [each[1:] for each in GOOD], ids=[each[0] for each in GOOD])
def test_a_good_end_and_its_numbers(output, passed, total):
    summary = summaries.read(output)
    assert (summary.good, summary.bad, summary.empty) == (True, False, False)
    assert passed in summary.passed
    assert total in summary.totals
    assert total == passed or total not in summary.passed


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
    ("rustc", "error[E0308]: mismatched types\n --> src/main.rs:3:5\nerror: could not compile `shop`"),
    ("maven", "[ERROR] Tests run: 12, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE"),
    ("maven build", "[ERROR] COMPILATION ERROR :\n[ERROR] /src/A.java:[3,5] cannot find symbol"),
    ("gradle", "> Task :compileJava FAILED\nsrc/main/java/A.java:2: error: cannot find symbol"),
    ("phpunit", "FAILURES!\nTests: 12, Assertions: 30, Failures: 1."),
    ("rspec", "12 examples, 1 failure"),
    ("minitest", "12 runs, 30 assertions, 1 failures, 0 errors, 0 skips"),
    ("dotnet", "Failed!  - Failed:     1, Passed:     9, Skipped:     0, Total:    10"),
    ("ctest", "92% tests passed, 1 tests failed out of 12"),
    ("bats", "1..2\nok 1 a\nnot ok 2 b"),
    ("exunit", "12 tests, 1 failure"),
    ("googletest", "[  PASSED  ] 11 tests.\n[  FAILED  ] 1 test, listed below:"),
    ("prove", "Failed 1/12 subtests\nResult: FAIL"),
    ("npm", "npm ERR! Test failed.  See above for more details."),
    ("make", "make: *** [Makefile:3: test] Error 1"),
    ("tsc", "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'."),
]  # fmt: skip


@pytest.mark.parametrize("output", [each[1] for each in BAD], ids=[each[0] for each in BAD])
def test_a_bad_end(output):
    assert summaries.read(output).bad


EMPTY = [
    ("pytest", "no tests ran in 0.01s"),
    ("pytest skipped", "sss\n3 skipped in 0.02s"),
    ("jest", "No tests found, exiting with code 0"),
    ("vitest", "No test files found, exiting with code 0"),
    ("mocha", "  0 passing (2ms)"),
    ("node", "# tests 0\n# pass 0\n# fail 0"),
    ("go", "?   \tx/a\t[no test files]"),
    ("go of one package", "testing: warning: no tests to run"),
    ("cargo", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 4 filtered out"),
    ("maven", "[INFO] No tests to run.\n[INFO] BUILD SUCCESS"),
    ("maven skipped", "[INFO] Tests are skipped.\n[INFO] BUILD SUCCESS"),
    ("gradle", "> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s"),
    ("phpunit", "No tests executed!"),
    ("rspec", "0 examples, 0 failures"),
    ("unittest", "Ran 0 tests in 0.000s\n\nNO TESTS RAN"),
    ("ctest", "No tests were found!!!"),
    ("bats", "1..0"),
    ("dotnet", "No test is available in Shop.Tests.dll."),
    ("npm", "Error: no test specified"),
]  # fmt: skip


@pytest.mark.parametrize("output", [each[1] for each in EMPTY], ids=[each[0] for each in EMPTY])
def test_nothing_was_run(output):
    assert summaries.read(output).empty
