#!/usr/bin/env python3
"""What bash completes of nnvk's command line, with the script that is installed. Usage: completion_test.py NNVK

zsh and fish read their scripts as well, where they are installed."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NNVK = Path(sys.argv.pop(1)).resolve()
ENVIRONMENT = dict(os.environ, PATH=f"{NNVK.parent}:{os.environ['PATH']}", NNVK_CPU_ONLY="1", LC_ALL="C.UTF-8")
SCRIPTS = ROOT / "tools/completion"

# Calls the function as bash does when the user presses Tab behind the last word.
PRESS_TAB = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
"$(complete -p nnvk | sed 's/.*-F \\([^ ]*\\) .*/\\1/')" nnvk
printf '%s\\n' "${COMPREPLY[@]}"
"""


def output(*command, folder=None):
    return subprocess.run([str(word) for word in command], env=ENVIRONMENT, cwd=folder, text=True, capture_output=True, check=True).stdout


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        for name in ("net.tflite", "net.onnx", "notes.txt", "two words.tflite"):
            (cls.folder / name).write_text("")
        (cls.folder / "models").mkdir()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def completed(self, *words):
        text = output("bash", "--norc", "-c", PRESS_TAB, "bash", SCRIPTS / "nnvk.bash", "nnvk", *words, folder=self.folder)
        return sorted(line for line in text.split("\n") if line)

    def test_commands(self):
        self.assertEqual(self.completed("be"), ["bench", "benchmark"])
        commands = [command["name"] for command in json.loads(output(NNVK, "completion", "--json"))["commands"]]
        self.assertEqual(self.completed(""), sorted(name for name in commands if name))

    def test_options_are_those_of_the_command(self):
        self.assertEqual(self.completed("run", "--m"), ["--mean", "--memory", "--min-score"])
        self.assertEqual(self.completed("upscale", "--m"), ["--measure", "--model"])
        self.assertEqual(self.completed("filter", "--e"), ["--effect"])
        self.assertEqual(self.completed("--vers"), ["--version"])

    def test_every_option_of_the_help_is_completed(self):
        for command in json.loads(output(NNVK, "completion", "--json"))["commands"]:
            name = [command["name"]] if command["name"] else []
            self.assertEqual(self.completed(*name, "--"), sorted(option["name"] for option in command["options"]), command["name"])

    def test_models_are_files(self):
        self.assertEqual(self.completed("run", "n"), ["net.onnx", "net.tflite"])
        self.assertEqual(self.completed("run", ""), ["models", "net.onnx", "net.tflite", "two words.tflite"])
        self.assertEqual(self.completed("trace", "no"), ["notes.txt"])

    def test_values_are_what_the_option_takes(self):
        self.assertEqual(self.completed("run", "net.tflite", "--labels", "no"), ["notes.txt"])
        self.assertEqual(self.completed("run", "net.tflite", "--watch", ""), ["models"])
        self.assertEqual(self.completed("soak", "--mode", "b"), ["burst"])
        self.assertEqual(self.completed("conformance", "--mode", "re"), ["reusable"])
        self.assertEqual(self.completed("completion", "z"), ["zsh"])
        self.assertEqual(self.completed("run", "net.tflite", "--runs", ""), [], "a number")

    def test_devices_are_those_of_this_machine(self):
        self.assertEqual(output(NNVK, "devices", "--names").split(), ["nnvk-cpu", "nnapi-reference"])
        self.assertEqual(self.completed("run", "net.tflite", "--device", "nn"), ["nnapi-reference", "nnvk-cpu"])
        self.assertEqual(self.completed("run", "net.tflite", "--device", "cpu,nnv"), ["cpu,nnvk-cpu"])
        self.assertEqual(self.completed("run", "net.tflite", "--device", "=", "nnv"), ["nnvk-cpu"], "--device=nnv")

    def test_zsh_reads_its_script(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed")
        script = self.folder / "script.zsh"
        script.write_text(output(NNVK, "completion", "zsh"))
        output("zsh", "-n", script)
        loaded = output("zsh", "-f", "-c", f"autoload -U compinit; compinit -D; source {script}; print $_comps[nnvk]")
        self.assertEqual(loaded.strip(), "_nnvk")

    def test_fish_completes(self):
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")

        def completed(line):
            text = output("fish", "--no-config", "-c", f"source {SCRIPTS}/nnvk.fish; complete -C '{line}'", folder=self.folder)
            return sorted(line.split("\t")[0] for line in text.split("\n") if line)

        self.assertEqual(completed("nnvk be"), ["bench", "benchmark"])
        self.assertEqual(completed("nnvk run --mea"), ["--mean"])
        self.assertEqual(completed("nnvk soak --mode b"), ["burst"])
        self.assertEqual(completed("nnvk run --device nnv"), ["nnvk-cpu"])
        self.assertIn("net.tflite", completed("nnvk run ne"))


if __name__ == "__main__":
    unittest.main()
