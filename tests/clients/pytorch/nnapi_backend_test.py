"""PyTorch's NNAPI backend as a client: networks converted with torch.backends._nnapi run on this library and agree with PyTorch.

Usage: nnapi_backend_test.py LIBRARY [unittest options]; LIBRARY is the libneuralnetworks.so to test. Which devices it offers is
chosen with the library's environment (NNVK_CPU_ONLY, NNVK_DEVICES). PyTorch opens "libneuralnetworks.so" by that name: the library
is loaded before, so that its SONAME answers.
"""

import ctypes
import gc
import sys
import unittest

import torch
from torch.backends._nnapi.prepare import convert_model_to_nnapi

FLOAT_TOLERANCE = 1e-5


def nnapi_nhwc(tensor):
    """The same numbers, declared to PyTorch's converter as laid out with channels last."""
    tensor = tensor.contiguous(memory_format=torch.channels_last)
    tensor.nnapi_nhwc = True
    return tensor


def quantized(values, scale=0.0235, zero_point=128):
    return torch.quantize_per_tensor(values, scale, zero_point, torch.quint8)


class SmallConvNet(torch.nn.Module):
    """Every kind of layer of a small image classifier."""

    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.depthwise = torch.nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.pointwise = torch.nn.Conv2d(8, 16, 1)
        self.relu = torch.nn.ReLU()
        self.relu6 = torch.nn.ReLU6()
        self.pool = torch.nn.MaxPool2d(2)
        self.mean = torch.nn.AdaptiveAvgPool2d(1)
        self.classifier = torch.nn.Linear(16, 10)

    def forward(self, x):
        x = self.relu6(self.stem(x))
        x = self.relu(self.pointwise(self.relu6(self.depthwise(x))))
        x = self.mean(self.pool(x)).flatten(1)
        return torch.softmax(self.classifier(x), 1)


class QuantizableConvNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.quantize = torch.ao.quantization.QuantStub()
        self.dequantize = torch.ao.quantization.DeQuantStub()
        self.stem = torch.nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.stem_relu = torch.nn.ReLU()
        self.depthwise = torch.nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.left = torch.nn.Conv2d(8, 8, 1)
        self.add = torch.ao.nn.quantized.FloatFunctional()
        self.mean = torch.nn.AvgPool2d(8)
        self.classifier = torch.nn.Linear(8, 10)

    def forward(self, x):
        x = self.stem_relu(self.stem(self.quantize(x)))
        x = self.add.add(self.left(x), self.depthwise(x))
        return self.dequantize(self.classifier(self.mean(x).flatten(1)))


def statically_quantized(model, calibration):
    """8-bit weights and activations with per-tensor weights, the form that the converter takes."""
    torch.backends.quantized.engine = "qnnpack"
    model.qconfig = torch.ao.quantization.QConfig(
        activation=torch.ao.quantization.HistogramObserver.with_args(reduce_range=False),
        weight=torch.ao.quantization.default_weight_observer,
    )
    torch.ao.quantization.fuse_modules(model, [["stem", "stem_relu"]], inplace=True)
    torch.ao.quantization.prepare(model, inplace=True)
    for batch in calibration:
        model(batch)
    return torch.ao.quantization.convert(model)


class NnapiBackendTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(7)

    def converted(self, module, inputs, trace_inputs=None):
        with torch.no_grad():
            traced = torch.jit.trace(module.eval(), inputs if trace_inputs is None else trace_inputs)
            return convert_model_to_nnapi(traced, inputs)

    def check(self, module, inputs, tolerance=FLOAT_TOLERANCE, steps=1):
        """The converted module gives PyTorch's result: floats within `tolerance`, quantized values within `steps` steps."""
        inputs = inputs if isinstance(inputs, (list, tuple)) else [inputs]
        with torch.no_grad():
            converted = self.converted(module, inputs)
            expected = module(*inputs)
            for _ in range(2):  # the second run uses the same compilation
                self.assert_close(converted(*inputs), expected, tolerance, steps)

    def assert_close(self, actual, expected, tolerance, steps):
        if isinstance(expected, (list, tuple)):
            self.assertEqual(len(actual), len(expected))
            for a, e in zip(actual, expected):
                self.assert_close(a, e, tolerance, steps)
            return
        self.assertEqual(actual.shape, expected.shape)
        self.assertEqual(actual.dtype, expected.dtype)
        if expected.is_quantized:
            self.assertEqual((actual.q_scale(), actual.q_zero_point()), (expected.q_scale(), expected.q_zero_point()))
            difference = (actual.int_repr().int() - expected.int_repr().int()).abs().max().item()
            self.assertLessEqual(difference, steps)
        else:
            difference = (actual - expected).abs().max().item()
            self.assertLessEqual(difference, tolerance * max(1.0, expected.abs().max().item()))

    # Whole networks.

    def test_a_float_network_in_both_layouts(self):
        picture = torch.randn(1, 3, 32, 32)
        for layout in (lambda t: t, nnapi_nhwc):
            with self.subTest(layout=layout.__name__):
                self.check(SmallConvNet(), layout(picture))

    def test_a_network_for_any_batch_and_size(self):
        module = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(4, 2, 1))
        for channels_last in (False, True):
            with self.subTest(channels_last=channels_last), torch.no_grad():
                wrap = nnapi_nhwc if channels_last else lambda t: t
                flexible = torch.zeros(0, 3, 0, 0)
                if channels_last:
                    flexible = flexible.contiguous(memory_format=torch.channels_last)
                    flexible.nnapi_nhwc = True
                for batch, height, width in ((1, 8, 8), (3, 5, 7)):
                    x = torch.randn(batch, 3, height, width)
                    # The converter fixes a compilation's shapes at its first run.
                    converted = self.converted(module, [flexible], trace_inputs=[x])
                    self.assert_close(converted(wrap(x)), module(x), FLOAT_TOLERANCE, 0)

    def test_a_quantized_network(self):
        pictures = [torch.randn(1, 3, 16, 16) for _ in range(8)]
        network = statically_quantized(QuantizableConvNet().eval(), pictures)
        with torch.no_grad():
            converted = self.converted(network, [nnapi_nhwc(pictures[0])])
            for picture in map(nnapi_nhwc, pictures):
                # A tie that the average rounds the other way is one step of the average, which is worth several of the result's.
                difference = (converted(picture) - network(picture)).abs().max().item()
                self.assertLessEqual(difference, 1.01 * network.add.scale)

    # One operation each.

    def test_elementwise_operations(self):
        a, b = torch.randn(1, 5, 6), torch.randn(1, 5, 6) + 3
        class Binary(torch.nn.Module):
            def __init__(self, f):
                super().__init__()
                self.f = f

            def forward(self, x, y):
                return self.f(x, y)

        for name in ("add", "sub", "mul", "div"):
            with self.subTest(name):
                self.check(Binary(getattr(torch, name)), [a, b])
                self.check(Binary(getattr(torch, name)), [a, b[:, :1]])
        for unary in (torch.nn.ReLU(), torch.nn.ReLU6(), torch.nn.Sigmoid(), torch.nn.Hardtanh(), torch.nn.Softmax(2),
                      torch.nn.LogSoftmax(2)):
            with self.subTest(type(unary).__name__):
                self.check(unary, a)

    def test_prelu(self):
        self.check(torch.nn.PReLU(), torch.randn(1, 6, 3, 3))
        # A slope per channel, for which the converter wants channels last.
        per_channel = torch.nn.PReLU(6)
        per_channel.weight.data = torch.rand(6)
        self.check(per_channel, nnapi_nhwc(torch.randn(1, 6, 3, 3)))

    def test_pooling_and_resizing_in_both_layouts(self):
        modules = [
            torch.nn.MaxPool2d(2),
            torch.nn.MaxPool2d(3, 2, 1),
            torch.nn.AvgPool2d(2, count_include_pad=True),
            torch.nn.AdaptiveAvgPool2d(1),
            torch.nn.UpsamplingNearest2d(size=(12, 14)),
            torch.nn.UpsamplingNearest2d(scale_factor=2),
        ]
        x = torch.randn(2, 4, 6, 8)
        for module in modules:
            for layout in (lambda t: t, nnapi_nhwc):
                with self.subTest(module=str(module), layout=layout.__name__):
                    self.check(module, layout(x))

    def test_convolutions(self):
        x = torch.randn(2, 4, 9, 7)
        modules = [
            torch.nn.Conv2d(4, 6, 3),
            torch.nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=(1, 0), bias=False),
            torch.nn.Conv2d(4, 4, 3, groups=4),
        ]
        for module in modules:
            for layout in (lambda t: t, nnapi_nhwc):
                with self.subTest(module=str(module), layout=layout.__name__):
                    self.check(module, layout(x))

    def test_shapes_and_reductions(self):
        class Cat(torch.nn.Module):
            def forward(self, x, y):
                return torch.cat((x, y), dim=1)

        class Function(torch.nn.Module):
            def __init__(self, f):
                super().__init__()
                self.f = f

            def forward(self, x):
                return self.f(x)

        x = torch.randn(2, 3, 4, 5)
        self.check(Cat(), [x, torch.randn(2, 2, 4, 5)])
        self.check(Cat(), [nnapi_nhwc(x), nnapi_nhwc(torch.randn(2, 2, 4, 5))])
        functions = {
            "flatten": lambda t: torch.flatten(t, 1),
            "reshape": lambda t: t.reshape((2, -1, 10)),
            "unsqueeze": lambda t: torch.unsqueeze(t.reshape((2, 60)), 1),
            "slice": lambda t: t[:, :, 1:3, :],
            "slice with a step": lambda t: t[:, :, 0:4:2, :],
            "mean": lambda t: t.mean((2, 3), keepdim=True),
            "mean without its dimensions": lambda t: t.mean((2, 3)),
        }
        for name, function in functions.items():
            with self.subTest(name):
                self.check(Function(function), x)

    def test_linear_layers(self):
        self.check(torch.nn.Linear(6, 4), torch.randn(3, 6))

        class AddMm(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.bias, self.weight = torch.nn.Parameter(torch.randn(4)), torch.nn.Parameter(torch.randn(6, 4))

            def forward(self, x):
                return torch.addmm(self.bias, x, self.weight)

        self.check(AddMm(), torch.randn(3, 6))

    def test_quantized_operations(self):
        class QuantizeAndBack(torch.nn.Module):
            def forward(self, x):
                return torch.quantize_per_tensor(x, 0.02, 120, torch.quint8).dequantize()

        self.check(QuantizeAndBack(), nnapi_nhwc(torch.randn(1, 3, 4, 4)), tolerance=0.0201)

        for name in ("add", "mul", "add_relu"):
            class Functional(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.functional = torch.ao.nn.quantized.QFunctional()
                    self.functional.scale, self.functional.zero_point = 0.05, 120

                def forward(self, x, y):
                    return getattr(self.functional, name)(x, y)

            with self.subTest(name):
                self.check(Functional(), [nnapi_nhwc(quantized(torch.randn(1, 4, 3, 3))), nnapi_nhwc(quantized(torch.randn(1, 4, 3, 3), 0.03, 118))])
        self.check(torch.nn.MaxPool2d(2), nnapi_nhwc(quantized(torch.randn(1, 4, 6, 6))))
        self.check(torch.nn.Sigmoid(), nnapi_nhwc(quantized(torch.randn(1, 4, 6, 6))), steps=1)

    def test_several_results(self):
        class Two(torch.nn.Module):
            def forward(self, x):
                return torch.relu(x), torch.sigmoid(x)

        self.check(Two(), torch.randn(1, 4, 4))

    def test_compilations_are_freed(self):
        for _ in range(50):
            self.check(torch.nn.ReLU(), torch.randn(1, 8))
            gc.collect()


if __name__ == "__main__":
    library = ctypes.CDLL(sys.argv.pop(1), mode=ctypes.RTLD_GLOBAL)
    unittest.main()
