#!/usr/bin/env python3
"""What `nnvk COMMAND --json` prints is what docs/reference/output.schema.json says, for every command. Usage: json_output_test.py NNVK

The schema allows further members, as later versions may have them. Here every member must be in it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed (tools/setup)")
    sys.exit(77)

ROOT = Path(__file__).resolve().parents[2]
NNVK = Path(sys.argv.pop(1)).resolve()
SCHEMA = json.loads((ROOT / "docs/reference/output.schema.json").read_text())
MODELS = ROOT / "models"
FLOAT = MODELS / "digits_float.tflite"
DIGIT = MODELS / "digit_7.png"


def closed(schema):
    """The schema without room for members that it does not name."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: closed(value) for name, value in schema.items()}
    if isinstance(result.get("properties"), dict) and result.get("type") == "object" and "additionalProperties" not in result:
        result["additionalProperties"] = False
    return result


STRICT = closed({"$defs": SCHEMA["$defs"]})
# Their figures depend on the model, the driver or the stage.
for OPEN in ("measurement", "command_kernels"):
    STRICT["$defs"][OPEN] = SCHEMA["$defs"][OPEN]


def run(*words, code=0):
    ran = subprocess.run([NNVK, *map(str, words)], text=True, capture_output=True, check=False)
    assert ran.returncode == code, f"nnvk {' '.join(map(str, words))} ended with {ran.returncode}:\n{ran.stdout}{ran.stderr}"
    return ran.stdout


def has_vulkan():
    return any(name.startswith("vulkan") for name in run("devices", "--names").split())


class JsonOutput(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def check_document(self, text, command):
        document = json.loads(text)
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
        self.assertEqual(document.pop("command"), command)
        program = document.pop("nnvk")
        self.assertEqual(run("--version").split()[1], program["version"])
        strict = dict(STRICT, **{"$ref": f"#/$defs/command_{command}"})
        errors = sorted(jsonschema.Draft202012Validator(strict).iter_errors(document), key=lambda error: -len(error.path))
        self.assertEqual([(list(error.path), error.message[:300]) for error in errors[:3]], [], f"nnvk {command}")
        return document

    def check(self, command, *words, code=0):
        return self.check_document(run(command, *words, "--json", code=code), command)

    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        wrong = {"command": "upscale", "nnvk": {"version": "1", "commit": "2"}, "device": 3}
        self.assertFalse(jsonschema.Draft202012Validator(SCHEMA).is_valid(wrong))

    def test_every_command_has_json_and_a_schema(self):
        document = self.check("completion")
        commands = [command for command in document["commands"] if command["name"]]
        self.assertEqual(sorted(command["name"] for command in commands), sorted(SCHEMA["properties"]["command"]["enum"]))
        for command in commands:
            self.assertIn("--json", [option["name"] for option in command["options"]], command["name"])

    def test_devices(self):
        self.check("devices")
        self.check("devices", "--measure")
        if has_vulkan():
            self.check("devices", "--snapshot", self.folder / "gpu.json")

    def test_calibration(self):
        os.environ["XDG_CACHE_HOME"], before = str(self.folder), os.environ.get("XDG_CACHE_HOME")
        (self.folder).chmod(0o700)
        try:
            self.check("devices", "--calibrate")
        finally:
            os.environ.pop("XDG_CACHE_HOME")
            if before is not None:
                os.environ["XDG_CACHE_HOME"] = before

    def test_models(self):
        chosen = self.check("run", FLOAT, "--input", DIGIT, "--profile")["choice"]
        self.assertEqual(chosen["by"], "library")
        self.assertEqual(self.check("run", FLOAT, "--device", "cpu")["choice"]["by"], "user")
        self.check("bench", FLOAT, "--runs", 2)
        self.assertNotIn("ceilings", self.check("bench", FLOAT, "--runs", 2, "--device", "cpu,nnapi-reference"))
        self.check("explain", FLOAT)
        self.check("explain", FLOAT, "--device", "all")
        self.check("soak", FLOAT, "--seconds", 1)
        self.check("soak", "--mode", "burst", "--executions", 2000)
        self.check("benchmark", FLOAT, "--runs", 3, "--seconds", 0.1, "--device", "nnvk-cpu")

    def test_pictures(self):
        self.check("upscale", DIGIT, self.folder / "large.png")
        self.check("upscale", DIGIT, "--measure")
        stream = self.folder / "in.y4m"
        stream.write_bytes(b"YUV4MPEG2 W8 H8 F25:1\n" + 2 * (b"FRAME\n" + bytes(96)))
        self.check("filter", "--model", MODELS / "upscaler_quant.tflite", "--input", stream, "--output", self.folder / "out.y4m")

    def test_each_watched_picture_is_a_line(self):
        folder = self.folder / "watched"
        folder.mkdir()
        command = [NNVK, "run", FLOAT, "--watch", folder, "--device", "cpu", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
            try:
                self.assertIn("watching", watching.stderr.readline())
                for name in ("one.png", "two.png"):
                    shutil.copy(DIGIT, self.folder / name)
                    os.rename(self.folder / name, folder / name)
                    document = self.check_document(watching.stdout.readline(), "run")
                    self.assertEqual(Path(document["picture"]["file"]).name, name)
            finally:
                watching.send_signal(signal.SIGINT)
                watching.communicate(timeout=60)

    def test_kernels(self):
        if not has_vulkan():
            self.skipTest("no Vulkan device")
        self.check("kernels", FLOAT)
        (self.folder / "list.json").write_text(run("kernels", FLOAT, "--json"))
        (self.folder / "other.json").write_text(run("kernels", FLOAT, "--variant", "words", "--json"))
        self.check("kernels", "--compare", self.folder / "list.json", self.folder / "other.json")

    def test_traces(self):
        os.environ["NNVK_TRACE"] = str(self.folder / "trace.json")
        try:
            run("run", FLOAT, "--device", "cpu")
        finally:
            del os.environ["NNVK_TRACE"]
        self.check("trace", self.folder / "trace.json")

    def test_conformance(self):
        cases = ("conformance", "--generated", "--op", "ABS")
        self.check(*cases, "--list")
        self.check(*cases, "--device", "cpu", "--results", self.folder / "one")
        self.check(*cases, "--device", "cpu", "--baseline", self.folder / "one")
        self.check("conformance", "--compare", self.folder / "one", self.folder / "one")

    def test_tables(self):
        if not has_vulkan():
            self.skipTest("no Vulkan device")
        self.check("operations")
        report = self.folder / "check"
        text = run("gpu-check", "--json", "--minutes", 0.1, "--report", report)
        self.check_document(text, "gpu-check")
        self.check_document((report / "report.json").read_text(), "gpu-check")


if __name__ == "__main__":
    unittest.main()
