"""perf/peers/ncnn reads what both benchmark programs print, runs them in turns, and says what is missing. The programs are made up."""
import contextlib
import importlib.machinery
import importlib.util
import io
import stat
import sys
import tempfile
import unittest
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "perf/peers/ncnn"
LOADER = importlib.machinery.SourceFileLoader("ncnn_peer", str(PATH))
sys.dont_write_bytecode = True
ncnn_peer = importlib.util.module_from_spec(importlib.util.spec_from_loader("ncnn_peer", LOADER))
LOADER.exec_module(ncnn_peer)

# What benchncnn prints of several networks, on standard error.
BENCHNCNN = """#!/bin/sh
echo "$@" >>calls
cat >&2 <<LINES
loop_count = 3
        mobilenet_v2  min =   90.10  max =  130.00  avg =  100.50
            resnet18  min =  200.00  max =  400.00  avg =  300.00
LINES
"""
NNVK = """#!/bin/sh
case $2 in *resnet18*) echo '{"median_seconds": 0.1}' ;; *) echo '{"median_seconds": 0.02}' ;; esac
"""


class Ncnn(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def run_peer(self, benchncnn, nnvk, *words):
        """(exit code, what it prints) with made-up models."""
        models = [word for name in ncnn_peer.NETWORKS for word in ("--model", f"{name}=/models/{name}.tflite")]
        text = io.StringIO()
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
            code = ncnn_peer.main(["--benchncnn", benchncnn, "--nnvk", nnvk, "--rounds", "3", *models, *words])
        return code, text.getvalue()

    def test_ratios_are_printed_of_both_networks(self):
        code, text = self.run_peer(self.program("benchncnn", BENCHNCNN), self.program("nnvk", NNVK))
        self.assertEqual(code, 0)
        self.assertIn("mobilenet_v2: ncnn 100.50 ms, nnvk 20.00 ms, ncnn / nnvk 5.03", text)
        self.assertIn("resnet18: ncnn 300.00 ms, nnvk 100.00 ms, ncnn / nnvk 3.00", text)

    def test_a_network_is_asked_for_alone_and_on_the_gpu_without_pauses(self):
        self.run_peer(self.program("benchncnn", BENCHNCNN), self.program("nnvk", NNVK), "--gpu", "1", "--runs", "7")
        calls = (self.folder / "calls").read_text().splitlines()
        self.assertEqual(calls[0], "7 2 0 1 0 param=mobilenet_v2.param shape=[224,224,3]")
        self.assertEqual(len(calls), 2 * 3)

    def test_lines_that_name_the_file_count_for_its_network(self):
        self.assertEqual(ncnn_peer.averages_of("  nets/resnet18.param  min =   1.00  max =   3.00  avg =   2.00\n"), {"resnet18": 2.0})

    def test_a_network_without_a_time_is_an_error_that_names_its_file(self):
        code, text = self.run_peer(self.program("benchncnn", "#!/bin/sh\necho loop_count = 3 >&2\n"), self.program("nnvk", NNVK))
        self.assertEqual(code, 1)
        self.assertIn(f"printed no time of mobilenet_v2; is {self.folder}/mobilenet_v2.param there?", text)

    def test_a_program_that_fails_or_is_not_there_is_an_error(self):
        code, text = self.run_peer(self.program("benchncnn", BENCHNCNN), self.program("nnvk", "#!/bin/sh\necho no GPU >&2\nexit 3\n"))
        self.assertEqual(code, 1)
        self.assertIn("nnvk ended with 3: no GPU", text)
        code, text = self.run_peer(str(self.folder / "gone"), "/bin/true")
        self.assertEqual(code, 1)
        self.assertIn("gone cannot be started: No such file or directory", text)

    def test_a_model_of_an_unknown_network_is_refused(self):
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
            ncnn_peer.main(["--benchncnn", "x", "--model", "vgg16=x.tflite"])


if __name__ == "__main__":
    unittest.main()
