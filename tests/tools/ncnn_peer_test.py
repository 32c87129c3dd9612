"""perf/peers/ncnn reads what both benchmark programs print, runs them in turns, and says what is missing. The programs are made up."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "perf/peers/ncnn"
LOADER = importlib.machinery.SourceFileLoader("ncnn_peer", str(PATH))
sys.dont_write_bytecode = True
ncnn_peer = importlib.util.module_from_spec(importlib.util.spec_from_loader("ncnn_peer", LOADER))
LOADER.exec_module(ncnn_peer)

# What benchncnn prints of several networks, on standard error. One that is not there it measures as nothing, and ends with 0.
BENCHNCNN = """#!/bin/sh
echo "$@" >>"$(dirname "$0")/calls"
cat >&2 <<LINES
loop_count = 3
fopen squeezenet.param failed
network graph not ready
          squeezenet  min =    0.00  max =    0.00  avg =    0.00
        mobilenet_v2  min =   90.10  max =  130.00  avg =  100.50
            resnet18  min =  200.00  max =  400.00  avg =  300.00
LINES
"""
NOT_FOUND = """#!/bin/sh
cat >&2 <<LINES
fopen mobilenet_v2.param failed
network graph not ready
        mobilenet_v2  min =    0.02  max =    0.02  avg =    0.02
LINES
"""
NNVK = """#!/bin/sh
case $2 in *resnet18*) echo '{"minimum_seconds": 0.1}' ;; *) echo '{"minimum_seconds": 0.02}' ;; esac
"""


class Ncnn(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.networks = self.folder / "models"
        self.networks.mkdir()
        for name in ncnn_peer.NETWORKS:
            (self.networks / f"{name}.param").touch()

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

    def test_the_minima_of_both_networks_are_compared(self):
        code, text = self.run_peer(self.program("benchncnn", BENCHNCNN), self.program("nnvk", NNVK))
        self.assertEqual(code, 0)
        self.assertIn("mobilenet_v2: minima: ncnn 90.10 ms, nnvk 20.00 ms, ncnn / nnvk 4.50", text)
        self.assertIn("resnet18: minima: ncnn 200.00 ms, nnvk 100.00 ms, ncnn / nnvk 2.00", text)

    def test_a_network_is_asked_for_alone_and_on_the_gpu_without_pauses(self):
        self.run_peer(self.program("benchncnn", BENCHNCNN), self.program("nnvk", NNVK), "--gpu", "1", "--runs", "7")
        calls = (self.folder / "calls").read_text().splitlines()
        self.assertEqual(calls[0], "7 2 0 1 0 param=mobilenet_v2.param shape=[224,224,3]")
        self.assertEqual(len(calls), 2 * 3)

    def test_lines_that_name_the_file_count_for_its_network(self):
        text = "  nets/resnet18.param  min =   1.00  max =   3.00  avg =   2.00\n"
        self.assertEqual(ncnn_peer.minimum_of(text, "resnet18"), 1.0)

    def test_networks_lie_in_the_folder_or_in_its_folder_models(self):
        for folder in (self.folder, self.networks):
            arguments, _ = ncnn_peer.parse(["--benchncnn", "/bin/benchncnn", "--networks", str(folder)])
            self.assertEqual(ncnn_peer.folder_of(arguments, "resnet18"), self.networks.resolve())

    def test_a_network_without_a_file_is_an_error_that_says_where_it_was_looked_for(self):
        (self.networks / "resnet18.param").unlink()
        code, text = self.run_peer(self.program("benchncnn", BENCHNCNN), self.program("nnvk", NNVK))
        self.assertEqual(code, 1)
        self.assertIn(f"error: neither {self.folder} nor its folder models has resnet18.param; name its folder with --networks", text)

    def test_a_network_that_benchncnn_does_not_load_is_an_error_with_its_words(self):
        code, text = self.run_peer(self.program("benchncnn", NOT_FOUND), self.program("nnvk", NNVK))
        self.assertEqual(code, 1)
        self.assertIn("error: benchncnn did not run mobilenet_v2: fopen mobilenet_v2.param failed; network graph not ready", text)
        self.assertNotIn("0.02", text)

    def test_a_time_of_zero_is_an_error(self):
        zero = '#!/bin/sh\necho "  mobilenet_v2  min =    0.00  max =    0.00  avg =    0.00" >&2\n'
        code, text = self.run_peer(self.program("benchncnn", zero), self.program("nnvk", NNVK))
        self.assertEqual(code, 1)
        self.assertIn("benchncnn did not run mobilenet_v2: it printed a time of 0", text)

    def test_a_network_without_a_time_is_an_error(self):
        code, text = self.run_peer(self.program("benchncnn", "#!/bin/sh\necho loop_count = 3 >&2\n"), self.program("nnvk", NNVK))
        self.assertEqual(code, 1)
        self.assertIn("benchncnn printed no time of mobilenet_v2", text)

    def test_the_system_s_python_runs_it_and_makes_networks_whatever_is_first_on_the_path(self):
        for name in ("python3", "python", "env"):
            self.program(name, "#!/bin/sh\necho another python >&2\nexit 9\n")
        path = f"{self.folder}:{os.environ['PATH']}"
        done = subprocess.run([PATH, "--help"], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        made = []
        self.addCleanup(setattr, ncnn_peer, "run", ncnn_peer.run)
        ncnn_peer.run = lambda command, **_: made.append(command)
        ncnn_peer.model_of("resnet18", {}, self.folder)
        self.assertEqual(made, [["/usr/bin/python3", ncnn_peer.MAKE_NETWORK, "resnet18", self.folder / "resnet18.tflite"]])

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
