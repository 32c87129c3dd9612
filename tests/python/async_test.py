"""Runs that are started: futures, fences, dependencies."""

import asyncio
import gc
import os
import select
import time
import unittest

import numpy
import nnvk
from package_case import DIGITS, PackageCase, open_files

ZEROS = numpy.zeros((2, 3), "float32")


class Futures(PackageCase):
    def test_every_device_gives_the_same_as_run(self):
        for device in nnvk.devices():
            with self.subTest(device.name):
                model = nnvk.load(DIGITS, device=device.name)
                picture = numpy.arange(64, dtype="int8").reshape(1, 8, 8, 1)
                future = model.run_async(picture)
                numpy.testing.assert_array_equal(future.result(10)["probabilities"], model.run(picture)[0])
                self.assertTrue(future.done())
                self.assertTrue(future.wait(0))
                self.assertIs(future.result()[0], future.result()[0])

    def test_fences_poll_readable(self):
        future = self.adder().run_async(ZEROS)
        self.assertEqual(select.select([future], [], [], 10)[0], [future])
        self.assertTrue(future.done())
        with self.assertRaisesRegex(nnvk.Error, "no fence"):
            self.adder(device="nnapi-reference").run_async(ZEROS).fileno()

    def test_a_run_waits_for_fences(self):
        for device in ("nnvk-cpu", "nnapi-reference"):
            with self.subTest(device):
                fence = os.eventfd(0)
                self.addCleanup(os.close, fence)
                future = self.adder(device=device).run_async(ZEROS, wait_for=[fence])
                self.assertFalse(future.done())
                self.assertFalse(future.wait(0.05))
                begin = time.monotonic()
                with self.assertRaisesRegex(TimeoutError, "0.2 seconds"):
                    future.result(timeout=0.2)
                self.assertLess(time.monotonic() - begin, 5)
                os.eventfd_write(fence, 1)
                self.assertEqual(float(future.result(10)[0].sum()), 6)

    def test_runs_form_a_chain(self):
        model = self.adder()
        fence = os.eventfd(0)
        self.addCleanup(os.close, fence)
        first = model.run_async(ZEROS, wait_for=[fence])
        second = model.run_async(first.outputs[0], wait_for=[first])
        third = model.run_async(x=second.outputs["y"], wait_for=[second])
        os.eventfd_write(fence, 1)
        numpy.testing.assert_array_equal(third.result()[0], ZEROS + 3)

    def test_wrong_dependencies_are_errors(self):
        model = self.adder()
        for wrong in (None, "fence", model, 1.5):
            with self.subTest(repr(wrong)):
                self.assert_input_error(lambda: model.run_async(ZEROS, wait_for=[wrong]), "wait_for", "fences")
        with self.assertRaisesRegex(nnvk.Error, "descriptor 99999"):
            model.run_async(ZEROS, wait_for=[99999])
        self.assertRaises(TypeError, lambda: model.run_async(ZEROS, wait_for=3))
        self.assert_input_error(lambda: model.run_async(ZEROS).wait(float("nan")), "timeout")
        self.assert_input_error(lambda: model.run_async(), "'x'")

    def test_a_future_outlives_its_model_and_arrays(self):
        fence = os.eventfd(0)
        self.addCleanup(os.close, fence)
        model = self.adder()
        future = model.run_async(numpy.zeros((2, 3), "float32"), wait_for=[fence])
        model.close()
        del model
        gc.collect()
        os.eventfd_write(fence, 1)
        self.assertEqual(float(future.result()[0].sum()), 6)

    def test_a_forgotten_future_leaves_nothing(self):
        model = self.adder()
        model.run_async(ZEROS).result()
        before = open_files()
        for _ in range(200):
            model.run_async(ZEROS)
        gc.collect()
        self.assertLessEqual(open_files(), before + 2)

    def test_asyncio_awaits_futures(self):
        for device in ("nnvk-cpu", "nnapi-reference"):
            with self.subTest(device):
                model = self.adder(device=device)
                fence = os.eventfd(0)
                self.addCleanup(os.close, fence)

                async def main():
                    future = model.run_async(ZEROS, wait_for=[fence])
                    asyncio.get_running_loop().call_later(0.05, os.eventfd_write, fence, 1)
                    return await future

                self.assertEqual(float(asyncio.run(main())[0].sum()), 6)


if __name__ == "__main__":
    unittest.main()
