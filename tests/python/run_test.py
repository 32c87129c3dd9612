"""Runs of models on NumPy arrays: types, shapes, names, memory, threads."""

import pickle
import threading
import time
import unittest

import numpy
import nnvk
import onnx_writer as onnx
from package_case import DIGITS, DIGITS_FLOAT, PackageCase


class Types(PackageCase):
    def test_every_type_of_onnx_that_nnapi_has_passes_through(self):
        samples = {"float32": (onnx.FLOAT, [1.5, -2]), "float16": (onnx.FLOAT16, [1.5, -2]), "int32": (onnx.INT32, [7, -2**31]),
                   "int64": (onnx.INT64, [7, -2**31]), "uint8": (onnx.UINT8, [0, 255]), "int8": (onnx.INT8, [-128, 127]),
                   "bool": (onnx.BOOL, [True, False])}
        for name, (element, values) in samples.items():
            with self.subTest(name):
                kind, count = ("And", 2) if name == "bool" else ("Max", 2)
                model = self.load(onnx.one_operator(kind, element, [2], count), device="nnapi-reference")
                array = numpy.array(values, name)
                self.assertEqual((model.inputs[0].dtype, model.outputs[0].dtype), (array.dtype, array.dtype))
                (result,) = model.run(array, array)
                self.assertEqual(result.dtype, array.dtype)
                numpy.testing.assert_array_equal(result, array)

    def test_every_other_type_is_an_error_that_names_input_and_types(self):
        model = self.adder()
        for name in ("float64", "float16", "int8", "int64", "bool", "complex64", ">f4", "U3", "M8[s]", "O"):
            with self.subTest(name):
                self.assert_input_error(lambda: model.run(numpy.zeros((2, 3), name)), "'x'", "float32 [2,3]", "given", "[2,3]", "convert")

    def test_quantized_tensors_are_integers_with_scale_and_zero_point(self):
        model = nnvk.load(DIGITS, device="nnvk-cpu")
        picture, scores = model.inputs[0], model.outputs[0]
        self.assertEqual((picture.name, picture.dtype, picture.shape, picture.zero_point), ("picture", numpy.int8, (1, 8, 8, 1), 0))
        self.assertAlmostEqual(scores.scale, 1 / 256)
        reals = numpy.linspace(0, 1, 64).reshape(1, 8, 8, 1)
        integers = picture.quantize(reals)
        self.assertEqual(integers.dtype, numpy.int8)
        self.assertLess(abs(picture.dequantize(integers) - reals).max(), picture.scale)
        result = scores.dequantize(model.run(integers)[0])
        self.assertAlmostEqual(float(result.sum()), 1, delta=0.05)
        self.assert_input_error(lambda: model.run(reals.astype("float32")), "'picture'", "int8 [1,8,8,1]", "float32", "quantize")
        self.assert_input_error(lambda: picture.dequantize(reals), "'picture'", "int8", "float64")
        plain = self.adder().inputs[0]
        self.assertEqual((plain.scale, plain.zero_point), (None, None))
        self.assert_input_error(lambda: plain.quantize(reals), "'x'", "not quantized")

    def test_scalars_have_no_dimensions(self):
        model = self.load(onnx.one_operator("Relu", onnx.FLOAT, []))
        self.assertEqual(model.inputs[0].shape, ())
        self.assertEqual(model.run(numpy.float32(-3))[0].shape, ())
        self.assertEqual(float(model.run(numpy.array(3, "float32"))[0]), 3)
        self.assert_input_error(lambda: model.run(numpy.zeros(1, "float32")), "'a'", "float32 []", "float32 [1]")

    def test_64_bit_integers_beyond_32_bits_are_an_error_with_the_value(self):
        model = self.load(onnx.one_operator("Max", onnx.INT64, [2], 2))
        with self.assertRaisesRegex(nnvk.Error, "'b' has the value 4294967296 at element 1"):
            model.run(numpy.zeros(2, "int64"), numpy.array([0, 1 << 32]))


class Arguments(PackageCase):
    def setUp(self):
        super().setUp()
        self.model = self.load(onnx.one_operator("Sub", onnx.FLOAT, [2], 2))
        self.a = numpy.array([5, 6], "float32")
        self.b = numpy.array([1, 2], "float32")

    def test_inputs_have_positions_and_names(self):
        for outputs in (self.model.run(self.a, self.b), self.model.run(b=self.b, a=self.a), self.model.run(self.a, b=self.b),
                        self.model.run({"a": self.a, "b": self.b})):
            numpy.testing.assert_array_equal(outputs[0], [4, 4])

    def test_wrong_names_and_numbers_are_errors_that_list_the_inputs(self):
        run = self.model.run
        self.assert_input_error(lambda: run(self.a), "'b'", "no array is given")
        self.assert_input_error(lambda: run(), "'a', 'b'")
        self.assert_input_error(lambda: run(self.a, self.b, self.b), "2 inputs", "given 3")
        self.assert_input_error(lambda: run(self.a, self.b, c=self.b), "no input 'c'", "'a', 'b'")
        self.assert_input_error(lambda: run(self.a, a=self.b), "'a' is given twice")
        self.assert_input_error(lambda: run({"a": self.a}), "'b'")
        self.assert_input_error(lambda: run({1: self.a}), "no input '1'")

    def test_things_that_are_no_arrays_are_errors(self):
        for value in (None, "picture.png", object(), [1, [2, 3]], {1: 2}.keys(), lambda: 0):
            with self.subTest(repr(value)):
                self.assert_input_error(lambda: self.model.run(value, self.b), "'a'")

    def test_outputs_have_positions_and_names(self):
        outputs = self.model.run(self.a, self.b)
        self.assertIs(outputs["y"], outputs[0])
        self.assertEqual(outputs.names, ("y",))
        self.assertEqual([name for name, _ in outputs.items()], ["y"])
        self.assertEqual(pickle.loads(pickle.dumps(outputs)).names, ("y",))
        with self.assertRaisesRegex(KeyError, "no output 'z'; the outputs are: 'y'"):
            outputs["z"]

    def test_wrong_options_are_errors(self):
        load = lambda **options: (lambda: nnvk.load(DIGITS, **options))  # noqa: E731
        self.assert_input_error(load(device="abacus"), "abacus", "nnvk-cpu")
        self.assert_input_error(load(device=""), "device is empty")
        self.assert_input_error(load(precision="half"), "half", "'exact', 'relaxed'")
        self.assert_input_error(load(priority="now"), "now", "'low', 'medium', 'high'")
        self.assert_input_error(load(memory=0), "memory")
        self.assertRaises(TypeError, load(memory="much"))
        self.assertRaises(TypeError, load(device=3))
        self.assertRaises(TypeError, lambda: nnvk.load(DIGITS, "cpu"))

    def test_options_reach_the_library(self):
        cache = self.folder / "cache"
        cache.mkdir()
        model = nnvk.load(DIGITS_FLOAT, device="nnvk-cpu,nnapi-reference", precision="relaxed", priority="high", cache_dir=cache)
        self.assertEqual(model.devices, ["nnvk-cpu", "nnapi-reference"])
        self.assertEqual(model.run(numpy.zeros((1, 8, 8, 1), "float32"))[0].shape, (1, 10))
        with self.assertRaisesRegex(nnvk.Error, "takes|memory|bytes"):
            nnvk.load(DIGITS_FLOAT, memory=100)


class Memory(PackageCase):
    def test_any_layout_of_memory_gives_the_same(self):
        model = self.adder((2, 3))
        plain = numpy.arange(6, dtype="float32").reshape(2, 3)
        unaligned = numpy.frombuffer(b"x" + plain.tobytes(), "float32", offset=1).reshape(2, 3)
        read_only = plain.copy()
        read_only.flags.writeable = False
        layouts = {"transposed": numpy.ascontiguousarray(plain.T).T, "steps": numpy.repeat(plain, 2, axis=1)[:, ::2],
                   "backwards": plain[::-1, ::-1].copy()[::-1, ::-1], "unaligned": unaligned, "read-only": read_only,
                   "fortran": numpy.asfortranarray(plain), "masked": numpy.ma.array(plain), "nested list": plain}
        for name, array in layouts.items():
            with self.subTest(name):
                numpy.testing.assert_array_equal(model.run(array)[0], plain + 1)
        broadcast = numpy.broadcast_to(numpy.float32(4), (2, 3))
        numpy.testing.assert_array_equal(model.run(broadcast)[0], numpy.full((2, 3), 5))

    def test_results_are_writable_and_outlive_the_model(self):
        model = self.adder()
        (result,) = model.run(numpy.zeros((2, 3), "float32"))
        del model
        result[0, 0] = 9
        self.assertEqual(result.ctypes.data % 64, 0)
        self.assertEqual(float(result.sum()), 14)

    def test_empty_and_wrong_shapes_are_errors(self):
        model = self.adder((2, 3))
        for shape in ((2, 0), (0, 3), (0,), (3, 2), (2, 3, 1), (6,), ()):
            with self.subTest(shape):
                given = ",".join(map(str, shape))
                self.assert_input_error(lambda: model.run(numpy.zeros(shape, "float32")), "'x'", "float32 [2,3]", f"[{given}]")

    def test_a_closed_model_says_so(self):
        with self.adder() as model:
            model.run(numpy.zeros((2, 3), "float32"))
        with self.assertRaisesRegex(nnvk.Error, "closed"):
            model.run(numpy.zeros((2, 3), "float32"))
        self.assertEqual(model.inputs[0].name, "x")


class OpenShapes(PackageCase):
    def test_arrays_decide_open_dimensions(self):
        model = self.adder(["batch", 3, "width"])
        self.assertEqual(model.inputs[0].shape, (None, 3, None))
        for shape in ((1, 3, 4), (2, 3, 1), (5, 3, 7), (1, 3, 4)):
            numpy.testing.assert_array_equal(model.run(numpy.zeros(shape, "float32"))[0], numpy.ones(shape))
        self.assert_input_error(lambda: model.run(numpy.zeros((1, 4, 4), "float32")), "'x'", "float32 [?,3,?]", "[1,4,4]")
        self.assert_input_error(lambda: model.run(numpy.zeros((0, 3, 4), "float32")), "without elements")
        self.assert_input_error(model.profile, "open dimensions")
        self.assertTrue(model.explain(numpy.zeros((1, 3, 4), "float32")).operations)

    def test_a_tflite_file_with_open_dimensions(self):
        for device in nnvk.devices():
            with self.subTest(device.name):
                model = nnvk.load(self.open_tflite(), device=device.name)
                self.assertEqual((model.inputs[0].shape, model.outputs[0].shape), ((None, 3), (None, 3)))
                for rows in (1, 4, 200000, 2, 1):
                    (result,) = model.run(numpy.full((rows, 3), rows, "float32"))
                    self.assertEqual(result.shape, (rows, 3))
                    self.assertTrue((result == rows).all())
                self.assertEqual(model.run_async(numpy.ones((1, 3), "float32")).result()[0].shape, (1, 3))
                with self.assertRaisesRegex(nnvk.Error, "output 'y' has a shape that only a run finds out"):
                    model.run_async(numpy.ones((4, 3), "float32"))

    def test_more_shapes_than_a_model_keeps(self):
        model = self.adder(["batch", 3])
        for batch in [*range(1, 20), 1]:
            self.assertEqual(model.run(numpy.zeros((batch, 3), "float32"))[0].shape, (batch, 3))

    def test_an_open_rank_takes_any(self):
        model = self.load(onnx.model([onnx.node("Relu", ["x"], ["y"])], [onnx.value("x", onnx.FLOAT, None)],
                                     [onnx.value("y", onnx.FLOAT, None)]))
        self.assertIsNone(model.inputs[0].shape)
        for shape in ((4,), (2, 3), ()):
            self.assertEqual(model.run(numpy.zeros(shape, "float32"))[0].shape, shape)


class Threads(PackageCase):
    def test_many_threads_share_a_model(self):
        model = self.adder(["batch", 64])
        wrong = []

        def work(number):
            for i in range(50):
                array = numpy.full((1 + (i + number) % 4, 64), number, "float32")
                if not (model.run(array)[0] == number + 1).all():
                    wrong.append((number, i))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_a_run_lets_other_threads_go_on(self):
        model = self.load(onnx.one_operator("MatMul", onnx.FLOAT, [400, 400], 2), device="nnapi-reference")
        matrix = numpy.zeros((400, 400), "float32")
        times = []
        stop = threading.Event()

        def tick():
            while not stop.wait(0.001):
                times.append(time.monotonic())

        thread = threading.Thread(target=tick)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(stop.set)
        for _ in range(20):  # on a busy machine the other thread may get no time
            begin = time.monotonic()
            model.run(matrix, matrix)
            quarter = (time.monotonic() - begin) / 4
            if any(begin + quarter < moment < begin + 3 * quarter for moment in times):
                return
        self.fail("no other thread went on during a run")


if __name__ == "__main__":
    unittest.main()
