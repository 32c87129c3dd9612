"""docs/results/make_table.py writes a line for each result file, and finds a table that is not current."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "docs/results/make_table.py"
MARKS = "<!-- Made from docs/results by docs/results/make_table.py. -->\n<!-- End of what is made. -->\n"
RUN = {"device": "gpu", "driver": "driver | 1", "variant": "texel", "nnvk": "0.1.0", "commit": "abc", "started": "2026-11-28T10:00:00Z",
       "properties": [{"group": "device", "name": "name", "value": "Made-up GPU"}]}


class Table(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.document = self.folder / "conformance.md"
        self.document.write_text("before\n" + MARKS + "after\n")

    def write(self, **changes):
        summary = {"runs": [RUN, {**RUN, "variant": "words"}], "complete": True, "passed": 7, "failed": 0, "skipped": 2, **changes}
        (self.folder / "gpu.json").write_text(json.dumps(summary))

    def run_script(self, *arguments):
        command = [sys.executable, SCRIPT, "--folder", self.folder, "--document", self.document, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_has_a_line_for_each_file(self):
        self.write()
        self.assertEqual(self.run_script("--check").returncode, 1)
        self.assertEqual(self.run_script().returncode, 0)
        self.assertEqual(self.run_script("--check").returncode, 0)
        text = self.document.read_text()
        self.assertIn("| Made-up GPU | driver \\| 1 | texel, words | 7 | 0 | 2 | 0.1.0 (abc) | 2026-11-28 | [conformant](results/gpu.json) |",
                      text)
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))

    def test_tells_failed_from_incomplete_runs(self):
        for changes, verdict in (({"failed": 1, "complete": False}, "[failed]"), ({"complete": False}, "[incomplete]")):
            self.write(**changes)
            self.run_script()
            self.assertIn(verdict, self.document.read_text())

    def test_names_a_file_that_is_no_summary(self):
        (self.folder / "gpu.json").write_text('{"passed": 1}')
        self.assertIn("gpu.json: no summary.json of a report", self.run_script().stderr)


if __name__ == "__main__":
    unittest.main()
