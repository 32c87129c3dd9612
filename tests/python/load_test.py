"""Loading: files that are missing or damaged, reports, and what a thousand loads leave."""

import gc
import os
import random
import unittest
from pathlib import Path

import numpy
import nnvk
import onnx_writer as onnx
from package_case import DEVICE, DIGITS, DIGITS_FLOAT, PackageCase, open_files, resident_kilobytes


class Files(PackageCase):
    def test_missing_files_are_as_open_reports_them(self):
        for name in ("missing.onnx", "missing.tflite"):
            with self.assertRaises(FileNotFoundError) as caught:
                nnvk.load(self.folder / name)
            self.assertIn(name, str(caught.exception))
        with self.assertRaisesRegex(nnvk.Error, "folder|directory"):
            nnvk.load(self.folder)
        self.assertRaises(TypeError, nnvk.load, 3.5)
        self.assertRaises(ValueError, nnvk.load, "a\0b")

    def test_paths_have_every_form_of_python(self):
        for path in (str(DIGITS), Path(DIGITS), os.fsencode(DIGITS)):
            self.assertEqual(nnvk.load(path, device=DEVICE).path, str(DIGITS))
        strange = self.folder / os.fsdecode(b"caf\xe9.onnx")
        strange.write_bytes(onnx.add_one([2]))
        self.assertEqual(nnvk.load(strange, device=DEVICE).inputs[0].name, "x")

    def test_damaged_files_are_errors_that_name_the_file(self):
        whole = {"digits.tflite": DIGITS.read_bytes(), "adder.onnx": onnx.add_one([2, 3])}
        numbers = random.Random(1)
        for name, content in whole.items():
            for length in {0, 1, 3, 7, *(numbers.randrange(len(content)) for _ in range(40))}:
                with self.subTest(name=name, length=length):
                    path = self.file(content[:length], name)
                    try:
                        nnvk.load(path, device=DEVICE)
                    except nnvk.Error as error:
                        self.assertIn(name, str(error))
            for _ in range(100):
                changed = bytearray(content)
                changed[numbers.randrange(len(changed))] = numbers.randrange(256)
                path = self.file(changed, name)
                try:
                    nnvk.load(path, device=DEVICE)
                except nnvk.Error:
                    pass

    def test_names_that_are_no_text_become_text(self):
        content = onnx.add_one([2]).replace(b"\x0a\x01x", b"\x0a\x01\xff")
        model = self.load(content)
        self.assertEqual(model.inputs[0].name, "\ufffd")
        self.assertIn("\ufffd", repr(model))
        self.assert_input_error(lambda: model.run(numpy.zeros(3, "float32")), "\ufffd")

    def test_operators_that_nnapi_lacks_are_listed(self):
        with self.assertRaisesRegex(nnvk.Error, "(?s)model.onnx.*Unique"):
            self.load(onnx.one_operator("Unique", onnx.FLOAT, [2]))

    def test_a_thousand_loads_leave_nothing(self):
        def load():
            model = nnvk.load(DIGITS_FLOAT, device=DEVICE)
            model.run(numpy.zeros((1, 8, 8, 1), "float32"))
            model.run_async(numpy.zeros((1, 8, 8, 1), "float32")).result()

        for _ in range(200):
            load()
        gc.collect()
        files, kilobytes = open_files(), resident_kilobytes()
        for _ in range(1000):
            load()
        gc.collect()
        self.assertEqual(open_files(), files)
        self.assertLess(resident_kilobytes() - kilobytes, 3000)


class Reports(PackageCase):
    def test_devices(self):
        devices = nnvk.devices()
        by_name = {device.name: device for device in devices}
        self.assertEqual(by_name["nnvk-cpu"].type, "CPU")
        self.assertEqual(by_name["nnvk-cpu"].feature_level, 8)
        self.assertTrue(all(device.version for device in devices))

    def test_a_profile_has_every_operation(self):
        profile = nnvk.load(DIGITS, device=DEVICE).profile()
        self.assertEqual([entry.name for entry in profile.operations][:2], ["CONV_2D", "CONV_2D"])
        self.assertTrue(all(entry.seconds > 0 for entry in profile.operations))
        self.assertIn("CONV_2D", str(profile))

    def test_an_explanation_says_where_operations_run(self):
        explanation = nnvk.load(DIGITS, device=DEVICE).explain()
        self.assertEqual(explanation.operations[0].device, DEVICE)
        self.assertIn("CONV_2D", explanation.operations[0].origin)
        self.assertGreater(explanation.operations[0].predicted_seconds, 0)
        self.assertGreater(explanation.measured_seconds, 0)
        self.assertEqual([part.device for part in explanation.partitions], [DEVICE])
        self.assertIn("whole model: predicted", str(explanation))


if __name__ == "__main__":
    unittest.main()
