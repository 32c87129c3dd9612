#!/usr/bin/python3
"""Exports torchvision's networks with Debian's PyTorch as .onnx files, with an input and PyTorch's own result for each.

Usage: perf/frameworks/export_models.py FOLDER [--only NAME,...] [--again] [--list]

Nothing is downloaded: the weights are random, with a fixed seed. Each network becomes FOLDER/NAME.onnx, NAME.input and NAME.output
(raw floats). calibration_SIDE.input holds pictures for quantize_models.py, which makes the 8-bit versions. Files that are there stay,
unless --again is given.
"""
import argparse
import contextlib
import pathlib
import sys
import warnings

import numpy
import torch
import torchvision

# Name, side of the input picture, opset. The opsets vary, because exporters write the same layer differently in each.
NETWORKS = [
    ("alexnet", 224, 13),
    ("convnext_tiny", 224, 17),
    ("deeplabv3_mobilenet_v3_large", 256, 13),
    ("densenet121", 224, 13),
    ("efficientnet_b0", 224, 14),
    ("efficientnet_v2_s", 224, 15),
    ("googlenet", 224, 13),
    ("inception_v3", 299, 14),
    ("lraspp_mobilenet_v3_large", 256, 16),
    ("mnasnet1_0", 224, 13),
    ("mobilenet_v2", 224, 13),
    ("mobilenet_v3_large", 224, 15),
    ("mobilenet_v3_small", 224, 13),
    ("regnet_x_400mf", 224, 14),
    ("regnet_y_400mf", 224, 13),
    ("resnet18", 224, 13),
    ("resnet50", 224, 16),
    ("resnext50_32x4d", 224, 13),
    ("shufflenet_v2_x1_0", 224, 13),
    ("squeezenet1_0", 224, 13),
    ("squeezenet1_1", 224, 17),
    ("swin_t", 224, 16),
    ("vgg11", 224, 13),
    ("vit_b_16", 224, 17),
    ("wide_resnet50_2", 224, 13),
]
SEED = 20261128


def constructor(name):
    for module in (torchvision.models, torchvision.models.segmentation):
        if hasattr(module, name):
            return getattr(module, name)
    raise SystemExit(f"torchvision {torchvision.__version__} has no network {name}")


def picture(side, seed):
    """Random, but smooth like a photograph: noise of several sizes, with a mean of 0 and a deviation of 1."""
    generator = torch.Generator().manual_seed(seed)
    total = torch.zeros(1, 3, side, side)
    for cells in (4, 16, 64, side):
        noise = torch.randn(1, 3, cells, cells, generator=generator)
        total += torch.nn.functional.interpolate(noise, (side, side), mode="bilinear", align_corners=False)
    return (total - total.mean()) / total.std()


def give_statistics(network, side):
    """Batch normalisations get random factors, and the statistics of a few pictures: activations then keep their range."""
    layers = [m for m in network.modules() if isinstance(m, torch.nn.modules.batchnorm._BatchNorm)]
    for layer in layers:
        torch.nn.init.uniform_(layer.weight, 0.5, 1.2)
        torch.nn.init.normal_(layer.bias, 0, 0.1)
        layer.momentum = None  # an average over all batches
        layer.reset_running_stats()
        layer.train()
    if not layers:
        return
    with torch.no_grad():
        for seed in range(2):
            network(torch.cat([picture(side, 100 + 4 * seed + i) for i in range(4)]))
    for layer in layers:
        layer.running_var.clamp_(min=1e-3)
        layer.eval()


class Plain(torch.nn.Module):
    """The network with one tensor as its result: segmentation networks give a dictionary."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, tensor):
        result = self.network(tensor)
        return result["out"] if isinstance(result, dict) else result


@contextlib.contextmanager
def attention_of_single_operators():
    """The attention layer's fused operator has no form in ONNX; PyTorch avoids it where gradients are wanted."""
    wanted = torch.is_grad_enabled
    torch.is_grad_enabled = lambda: True
    try:
        yield
    finally:
        torch.is_grad_enabled = wanted


def make(name):
    torch.manual_seed(SEED)
    arguments = {"weights": None}
    if hasattr(torchvision.models.segmentation, name):
        arguments["weights_backbone"] = None
    if name in ("googlenet", "inception_v3"):
        arguments.update(aux_logits=False, init_weights=True)
    network = constructor(name)(**arguments).eval()
    with torch.no_grad():
        # Training starts with heads of zeros, and with branches that count for a millionth: neither shows differences.
        for parameter_name, parameter in network.named_parameters():
            if parameter.dim() > 1 and not parameter.any():
                parameter.normal_(0, 0.05)
            if parameter_name.endswith("layer_scale"):
                parameter.fill_(0.3)
    return network


def export(folder, name, side, opset):
    network = make(name)
    give_statistics(network, side)
    plain = Plain(network).eval()
    given = picture(side, 1)
    with torch.no_grad(), attention_of_single_operators():
        expected = plain(given)
        torch.onnx.export(plain, given, folder / f"{name}.part", opset_version=opset, input_names=["input"],
                          output_names=["output"], do_constant_folding=True)
    given.numpy().astype(numpy.float32).tofile(folder / f"{name}.input")
    expected.numpy().astype(numpy.float32).tofile(folder / f"{name}.output")
    (folder / f"{name}.part").rename(folder / f"{name}.onnx")
    print(f"{name}: opset {opset}, {sum(p.numel() for p in network.parameters()) / 1e6:.1f} million parameters, "
          f"results {expected.min():.3g} to {expected.max():.3g}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", help="names, separated by commas")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--list", action="store_true", help="print the names and nothing else")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",") if arguments.only else [name for name, _, _ in NETWORKS]
    unknown = set(chosen) - {name for name, _, _ in NETWORKS}
    if unknown:
        sys.exit(f"error: unknown networks {', '.join(sorted(unknown))}; --list prints the known ones")
    if arguments.list:
        print("\n".join(chosen))
        return
    warnings.filterwarnings("ignore")
    torch.set_num_threads(2)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for side in sorted({side for _, side, _ in NETWORKS}):
        pictures = torch.cat([picture(side, 10 + i) for i in range(4)])
        pictures.numpy().tofile(arguments.folder / f"calibration_{side}.input")
    for name, side, opset in NETWORKS:
        if name in chosen and (arguments.again or not (arguments.folder / f"{name}.onnx").exists()):
            export(arguments.folder, name, side, opset)


if __name__ == "__main__":
    main()
