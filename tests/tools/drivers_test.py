"""tools/test_drivers reads what programs print, counts it, and says when something is wrong."""
import contextlib
import importlib.machinery
import importlib.util
import io
import sys
import unittest
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "tools/test_drivers"
LOADER = importlib.machinery.SourceFileLoader("test_drivers", str(PATH))
sys.dont_write_bytecode = True
test_drivers = importlib.util.module_from_spec(importlib.util.spec_from_loader("test_drivers", LOADER))
LOADER.exec_module(test_drivers)


class FakeDriver:
    """Says the same whatever it runs."""

    name, version = "fake", "Fake 1"

    def __init__(self, code, text):
        self.answer = code, text
        self.commands = []

    def run(self, _log, command, _extra=None):
        self.commands.append(command)
        return self.answer


class Rows(unittest.TestCase):
    def test_cases_are_counted_by_the_last_line(self):
        driver = FakeDriver(1, "skipped    2  NotSupported: ADD\n5 cases on vulkan-x\n2 passed, 1 failed, 2 skipped\n")
        row = test_drivers.conformance(driver, "own vectors", ["--generated"], ["--fraction", "1/8"])
        self.assertEqual(row.cells()[2:7], ["own vectors", "5", "2", "1", "2"])
        self.assertEqual(row.reasons, ["2  NotSupported: ADD"])
        self.assertEqual(row.broken, "")
        self.assertIn("all", driver.commands[0])

    def test_a_run_without_a_result_is_broken(self):
        self.assertEqual(test_drivers.conformance(FakeDriver(-11, ""), "own vectors", [], []).broken, "ended with -11")
        self.assertEqual(test_drivers.program(FakeDriver(-6, "[ RUN      ] A.B\n"), Path("test_x")).broken, "ended with -6")
        self.assertEqual(test_drivers.conformance(FakeDriver(4, "1 passed, 0 failed, 0 skipped\n"), "x", [], []).broken, "ended with 4")

    def test_programs_are_counted_with_the_reasons_of_skipped_tests(self):
        text = ("a.cpp:1: Skipped\nno SYNC_FD\n\n[  PASSED  ] 7 tests.\n[  SKIPPED ] 2 tests, listed below:\n"
                "[  FAILED  ] 1 test, listed below:\n")
        row = test_drivers.program(FakeDriver(1, text), Path("test_vulkan_memory"))
        self.assertEqual(row.cells()[3:7], ["10", "7", "1", "2"])
        self.assertEqual(row.reasons, ["no SYNC_FD"])

    def test_the_table_names_drivers_that_could_not_be_had(self):
        row = test_drivers.Row("mesa-26", "-", "all")
        row.reasons = ["no network"]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            test_drivers.table([row])
        self.assertIn("skipped on mesa-26, all: no network", out.getvalue())

    def test_parts_go_on_until_the_time_is_over_and_are_added_up(self):
        driver = FakeDriver(0, "3 passed, 0 failed, 0 skipped\n")
        row = test_drivers.parts_until(driver, "1/4", 60)
        self.assertEqual(row.passed, 12)
        self.assertEqual([command[-1] for command in driver.commands], ["1/4", "2/4", "3/4", "4/4"])


if __name__ == "__main__":
    unittest.main()
