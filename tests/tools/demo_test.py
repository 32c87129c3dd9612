#!/usr/bin/env python3
"""tools/demo builds little, is never silent for long, says first what it will cost, and answers as nnvk does. Usage: demo_test.py BUILD"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv.pop(1)).resolve()
LONGEST_SILENCE = 10

# In the place of cmake: a build whose only step says nothing for longer than anybody waits, and a program that names its commands.
FAKE_CMAKE = """#!/bin/bash
if [[ $1 != --build ]]; then touch build/release/CMakeCache.txt; exit 0; fi
echo '[7/12] Building CXX object some_object'
sleep 13
if [[ -n ${FAKE_ERROR:-} ]]; then echo 'line 1: error: made up'; exit 1; fi
mkdir -p build/release/bin
printf '#!/bin/bash\\necho "ran $*"\\n' > build/release/bin/nnvk_demo
chmod +x build/release/bin/nnvk_demo
"""


def timed_lines(command, **options):
    """Runs a command. Returns its exit code and its lines, each with the seconds since the start; the last one is its end."""
    start = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options) as process:
        lines = [(time.monotonic() - start, line.rstrip("\n")) for line in process.stdout]
    return process.returncode, [*lines, (time.monotonic() - start, "")]


def longest_silence(lines):
    """The most seconds between two lines, or before the first one."""
    times = [0, *(seconds for seconds, _ in lines)]
    return max(later - earlier for earlier, later in zip(times, times[1:]))


def run_checkout_of_scripts(**environment):
    """Runs tools/demo in a folder that has the scripts, a setup that installs nothing, and a fake cmake."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "tools").mkdir()
        for name in ("demo", "common.sh"):
            shutil.copy(ROOT / "tools" / name, root / "tools")
        for name, text in (("tools/setup", "#!/bin/bash\necho setup \"$@\"\n"), ("cmake", FAKE_CMAKE)):
            (root / name).write_text(text)
            (root / name).chmod(0o755)
        environment = os.environ | {"PATH": f"{root}:{os.environ['PATH']}", "XDG_CACHE_HOME": folder} | environment
        return timed_lines([root / "tools/demo"], cwd=root, env=environment)


def compiled_for(target):
    """The objects that ninja has to make for a target."""
    listing = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", target], capture_output=True, text=True, check=True)
    return set(re.findall(r" -o (\S+\.o) -c ", listing.stdout))


class Demo(unittest.TestCase):
    def test_tells_its_cost_then_answers_then_measures_and_is_never_silent(self):
        code, lines = run_checkout_of_scripts()
        text = "\n".join(line for _, line in lines)
        self.assertEqual(code, 0, text)
        self.assertLess(longest_silence(lines), LONGEST_SILENCE, lines)
        self.assertIn("[7/12] Building CXX object some_object", text)
        order = ["from nothing: ", "setup --for-demo", "ran run", "digits_quant", "ran devices --calibrate"]
        places = [text.find(part) for part in order]
        self.assertEqual(places, sorted(places), text)
        self.assertGreaterEqual(places[0], 0, text)

    def test_prints_what_the_compiler_says(self):
        code, lines = run_checkout_of_scripts(FAKE_ERROR="1")
        text = "\n".join(line for _, line in lines)
        self.assertEqual(code, 1, text)
        self.assertIn("line 1: error: made up", text)
        self.assertIn("error: building nnvk_demo failed", text)

    def test_the_readme_has_the_same_cost(self):
        script = (ROOT / "tools/demo").read_text()
        readme = re.sub(r"\s+", " ", (ROOT / "README.md").read_text())
        for cost in (r"\d+ MB to fetch", r"about \d+ minutes on two cores", r"\d+ GB of disk, of which the build takes \d+ MB"):
            self.assertIn(re.search(cost, script).group(0), readme)

    def test_builds_no_other_command_and_no_other_importer(self):
        # None of what takes longest to compile, and less than two thirds of all.
        objects = compiled_for("nnvk_demo")
        for other in ("nnvk_conformance", "nnvk_tools", "nnvk_importers", "nnvk_onnx_files", "nnvk_reports", "nnvk_driver_table"):
            self.assertFalse([name for name in objects if f"/{other}.dir/" in name])
        self.assertLess(len(objects), 0.75 * len(compiled_for("nnvk_installed")))

    def test_answers_as_nnvk_does(self):
        # Its kernels for one instruction set are those that nnvk chooses at run time: floats are the same to the bit.
        models = ROOT / "models"
        for model in ("digits_float", "digits_quant"):
            outputs = []
            for program in ("nnvk_demo", "nnvk"):
                with tempfile.TemporaryDirectory() as folder:
                    command = [BUILD / "bin" / program, "run", models / f"{model}.tflite", "--input", models / "digit_7.png", "--labels",
                               models / "digits_labels.txt", "--device", "nnvk-cpu", "--output", f"{folder}/raw"]
                    run = subprocess.run(command, capture_output=True, text=True)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertRegex(run.stdout, r"output .*\n +7 .* seven")
                    outputs.append(Path(f"{folder}/raw").read_bytes())
            self.assertEqual(outputs[0], outputs[1], model)

    def test_explains_what_it_cannot_do(self):
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "model.onnx"
            model.touch()
            for words, expected in ((["run", model], "nnvk_demo reads no .onnx files; nnvk does"), (["explain"], "commands are devices, run")):
                run = subprocess.run([BUILD / "bin/nnvk_demo", *words], capture_output=True, text=True)
                self.assertNotEqual(run.returncode, 0)
                self.assertIn(expected, run.stderr)


if __name__ == "__main__":
    unittest.main()
