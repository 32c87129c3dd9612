#!/usr/bin/env python3
"""tools/docs builds the site, its check finds what is wrong with a site, and a wrong link in a document stops it."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools/docs.d"))
import api_reference  # noqa: E402
import check_site  # noqa: E402
import mermaid  # noqa: E402

PAGE = '<html><head><link rel="stylesheet" href="site.css"></head><body><h1 id="there">x</h1>%s</body></html>'


def build(root, site):
    return subprocess.run([root / "tools/docs", site], capture_output=True, text=True, check=False)


class Site(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def faults_of(self, body, style=""):
        site = self.folder / "small"
        site.mkdir(exist_ok=True)
        (site / "index.html").write_text(PAGE % body)
        (site / "site.css").write_text(style)
        return list(check_site.faults(site))

    def test_the_site_is_built_without_faults(self):
        for program in ("mkdocs", "dot"):
            if shutil.which(program) is None:
                self.skipTest(f"{program} is not installed (tools/setup --with-docs)")
        site = self.folder / "site"
        done = build(ROOT, site)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for page, text in (("index.html", "libneuralnetworks.so"), ("reference/operations/softmax.html", "LOG_SOFTMAX"),
                           ("reference/headers/nnvk_picture.html", "nnvk_Execution_setInputPicture"), ("reference/command_line.html", "nnvk gpu-check"),
                           ("performance.html", "ONNX Runtime 1.30"), ("architecture.html", "<svg"), ("inside/core/plan/index.html", "memory_planner"),
                           ("guide/examples.html", 'src="../pictures/camera.png"'), ("guide/examples.html", "examples/renderer.cpp</summary>"),
                           ("reference/headers/nnvk_devices.html", "nnvk_findDevice"), ("search/offline.js", "LOG_SOFTMAX")):
            self.assertIn(text, (site / page).read_text(), page)

    def test_a_dead_link_in_a_document_stops_it(self):
        if shutil.which("mkdocs") is None:
            self.skipTest("mkdocs is not installed (tools/setup --with-docs)")
        root = self.folder / "sources"
        root.mkdir()
        for path in ROOT.iterdir():
            if path.name not in ("docs", "build", ".git"):
                (root / path.name).symlink_to(path)
        shutil.copytree(ROOT / "docs", root / "docs")
        with open(root / "docs/glossary.md", "a", encoding="utf-8") as page:
            page.write("\n[nothing](nowhere.md)\n")
        done = build(root, self.folder / "site")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("nowhere.md", done.stderr)

    def test_a_folder_with_other_files_is_left_alone(self):
        (self.folder / "precious").write_text("x")
        done = build(ROOT, self.folder)
        self.assertIn("holds something else than a site", done.stderr)
        self.assertTrue((self.folder / "precious").exists())

    def test_the_check_accepts_links_that_lead_somewhere(self):
        self.assertEqual(self.faults_of('<a href="index.html#there">a</a><a href="#there">b</a><a href="https://example.org">c</a>'), [])

    def test_the_check_finds_dead_links(self):
        self.assertEqual(self.faults_of('<a href="gone.html">a</a>'), ["index.html links to gone.html, which is not there"])
        self.assertEqual(self.faults_of('<a href="#gone">a</a>'), ["index.html links to #gone, but there is no such heading"])
        self.assertEqual(self.faults_of('<img src="gone.png">'), ["index.html links to gone.png, which is not there"])

    def test_the_check_finds_everything_that_comes_from_a_network(self):
        for body in ('<img src="https://example.org/a.png">', '<script src="//example.org/a.js"></script>', '<p style="background: url(http://example.org/a)">',
                     '<style>@import "https://example.org/a.css";</style>', '<img srcset="https://example.org/a.png 2x">'):
            self.assertEqual(len(self.faults_of(body)), 1, body)
        self.assertEqual(len(self.faults_of("", "body { background: url('https://example.org/a.png'); }")), 1)

    def test_diagrams_for_mermaid_are_drawn_or_refused(self):
        text = "x\n```mermaid\nsequenceDiagram\n  participant A as program\n  participant B as queue\n  A->>B: submit\n```\n"
        self.assertRegex(mermaid.drawn(text), r"(?s)^x\n<div.*>program</text>.*>submit</text>.*</div>\n$")
        with self.assertRaisesRegex(SystemExit, "cannot draw this line of a diagram for Mermaid: A-xB: lost"):
            mermaid.drawn(text.replace("A->>B: submit", "A-xB: lost"))

    def test_the_reference_has_every_function_of_the_headers(self):
        text = "/* Two things.\n * `{\"a\": {\"b\": 1}}` */\nint nnvk_one(int a,\n             int b);\nvoid nnvk_two(void);\n\nenum nnvk_Kind {\n  NNVK_A = 1 /* a */\n};\n"
        declarations = [entry for entry in api_reference.entries("/* Header. */\n" + text) if entry.kind == "declaration"]
        self.assertEqual([entry.names for entry in declarations], [["nnvk_one", "nnvk_two"], ["nnvk_Kind"]])
        self.assertIn('```json\n{"a": {"b": 1}}\n```', api_reference.markdown(declarations[0].text, {}))


if __name__ == "__main__":
    unittest.main()
