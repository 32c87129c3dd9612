#!/usr/bin/python3
"""Trains the 2x upscaler in models/: five 3x3 convolutions on the small picture, added to the picture repeated, rearranged.

Pictures come from Debian packages (downloaded into PICTURES on the first run) and are drawn (upscaler_pictures.py). The mean PSNR of
held-out pictures, of the network and of PIL's bicubic filter, is printed; the network must be 1 dB above. It runs on one thread, for
some minutes of one core, and goes on from its last checkpoint when it is started again.

Needs Debian's python3-torch, python3-pil, fonts-dejavu-core and python3-flatbuffers.
Usage: tools/training/train_upscaler.py PICTURES [--steps N] [--checkpoint FILE] [--output FOLDER]
"""

import argparse
import os
import time

os.environ.setdefault('OMP_NUM_THREADS', '1')

import numpy as np
import torch
from torch import nn

import upscaler_pictures as pictures
from tflite_writer import write_upscaler
from upscaler_quantize import PICTURE_SCALE, PICTURE_ZERO, QuantizedUpscaler

SEED = 20261122
CHANNELS, MIDDLE_LAYERS = 32, 3
STEPS, BATCH, PATCH = 1500, 16, 48  # PATCH: side of the small picture's piece
BORDER_WEIGHT = 0.15  # in the loss, of pixels that see the piece's edge, which is seldom the picture's
RATE = 2e-3
FINE_STEPS = 0.25  # this part of the steps, at the end, minimises the squared error (which PSNR measures), the others the absolute one
PHOTOGRAPH_SHARE = 0.65
SIDES = (768, 1152, 1600)  # photographs are learnt from at these sizes (longer side)
HELD_OUT_SIDE = 768
REQUIRED_GAIN = 1.0  # dB
CALIBRATION_BATCHES = 8
FILE_SIZE = (180, 320)  # height and width that the files speak of; tools change it


class Upscaler(nn.Module):
    """[n, 3, h, w] from -1 to 1 -> [n, 12, h, w], whose channel (2 dy + dx) * 3 + c is colour c of the pixel (2 y + dy, 2 x + dx)."""

    def __init__(self):
        super().__init__()
        widths = [3] + [CHANNELS] * (MIDDLE_LAYERS + 1) + [12]
        self.convolutions = nn.ModuleList(nn.Conv2d(a, b, 3, padding=1) for a, b in zip(widths, widths[1:]))
        for layer in self.convolutions:
            nn.init.kaiming_normal_(layer.weight, nonlinearity='relu')
            nn.init.zeros_(layer.bias)
        self.begin_bilinear()

    @torch.no_grad()
    def begin_bilinear(self):
        """Three channels carry the picture (plus 1, so that ReLU keeps it) to the last layer, which interpolates it bilinearly."""
        for layer in self.convolutions[:-1]:
            layer.weight[:3] = 0
            for c in range(3):
                layer.weight[c, c, 1, 1] = 1
        self.convolutions[0].bias[:3] = 1
        last = self.convolutions[-1].weight
        last *= 0.1
        last[:, :3] = 0
        for dy in range(2):
            for dx in range(2):
                rows, columns = torch.zeros(3), torch.zeros(3)
                rows[1], rows[2 * dy], columns[1], columns[2 * dx] = 0.75, 0.25, 0.75, 0.25
                kernel = torch.outer(rows, columns)
                kernel[1, 1] -= 1  # the repeated picture is added
                for c in range(3):
                    last[(2 * dy + dx) * 3 + c, c] = kernel

    def forward(self, x):
        features = x
        for layer in self.convolutions[:-1]:
            features = torch.relu(layer(features))
        return self.convolutions[-1](features) + x.repeat(1, 4, 1, 1)


def as_values(pixels):
    """0 to 255 -> -1 to 1, as `nnvk run` does it."""
    return (pixels.astype(np.float32) - 127.5) / 127.5


def space_to_depth(large):
    """[n, 2h, 2w, 3] -> [n, 12, h, w] in the order of Upscaler's channels."""
    n, h, w, _ = large.shape
    cells = large.reshape(n, h // 2, 2, w // 2, 2, 3)
    return np.ascontiguousarray(cells.transpose(0, 2, 4, 5, 1, 3)).reshape(n, 12, h // 2, w // 2)


def upscale(network, small):
    """uint8 [h, w, 3] -> uint8 [2h, 2w, 3]."""
    h, w, _ = small.shape
    with torch.no_grad():
        x = torch.from_numpy(as_values(small)).permute(2, 0, 1)[None]
        y = network(x.contiguous(memory_format=torch.channels_last))[0].numpy()
    large = y.reshape(2, 2, 3, h, w).transpose(3, 0, 4, 1, 2).reshape(2 * h, 2 * w, 3)
    return ((large.clip(-1, 1) + 1) * 127.5 + 0.5).astype(np.uint8)


class Patches:
    """Random pieces (small, large) of training pictures, mirrored and turned; of two candidates the one with more detail."""

    def __init__(self, folder):
        prepared = os.path.join(folder, 'prepared.npz')
        if not os.path.exists(prepared):
            paths, _ = pictures.photographs(folder)
            photographs = [pictures.reduced(path, side) for path in paths for side in SIDES]
            drawings = pictures.drawings(SEED, 240, 320)
            np.savez(prepared, *photographs, drawings=np.stack(drawings))
        with np.load(prepared) as arrays:
            self.photographs = [self.pair(arrays[name]) for name in arrays.files if name != 'drawings']
            self.drawings = [self.pair(p) for p in arrays['drawings']]

    @staticmethod
    def pair(large):
        return pictures.halved(large), large

    def one(self, rng):
        source = self.photographs if rng.uniform() < PHOTOGRAPH_SHARE else self.drawings
        best = None
        for _ in range(2):
            small, large = source[rng.integers(len(source))]
            y, x = (rng.integers(0, side - PATCH + 1) for side in small.shape[:2])
            piece = small[y:y + PATCH, x:x + PATCH]
            detail = np.abs(np.diff(piece[:, :, 1].astype(np.int16), axis=0)).mean()
            if best is None or detail > best[0]:
                best = detail, piece, large[2 * y:2 * (y + PATCH), 2 * x:2 * (x + PATCH)]
        flip_y, flip_x, turn = rng.integers(0, 2, 3)
        pieces = [p[::1 - 2 * flip_y, ::1 - 2 * flip_x] for p in best[1:]]
        return [p.transpose(1, 0, 2) if turn else p for p in pieces]

    def batch(self, rng):
        small, large = (as_values(np.stack(p)) for p in zip(*(self.one(rng) for _ in range(BATCH))))
        x = torch.from_numpy(small).permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)
        return x, torch.from_numpy(space_to_depth(large)).contiguous(memory_format=torch.channels_last)


def train(network, patches, steps, checkpoint):
    optimiser = torch.optim.Adam(network.parameters(), lr=RATE)
    step, total = 0, 0.0
    weights = torch.full((1, 1, PATCH, PATCH), BORDER_WEIGHT)
    reach = MIDDLE_LAYERS + 2
    weights[:, :, reach:-reach, reach:-reach] = 1
    if os.path.exists(checkpoint):
        state = torch.load(checkpoint)
        step = state['step']
        network.load_state_dict(state['network'])
        optimiser.load_state_dict(state['optimiser'])
        print(f'goes on at step {step}', flush=True)
    begin = time.time()
    while step < steps:
        rng = np.random.default_rng((SEED, step))  # the same pieces whether or not the run was interrupted
        for group in optimiser.param_groups:
            group['lr'] = RATE * min(1, (step + 1) / 100) * (0.5 + 0.5 * np.cos(np.pi * step / steps)) + 1e-6
        x, truth = patches.batch(rng)
        error = network(x) - truth
        loss = (weights * (error.abs() if step < steps * (1 - FINE_STEPS) else 10 * error.square())).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        total += float(error.detach()[:, :, reach:-reach, reach:-reach].square().mean())
        step += 1
        if step % 250 == 0 or step == steps:
            print(f'step {step}/{steps}  PSNR of the last ones {10 * np.log10(4 * 250 / total):.2f} dB  {time.time() - begin:.0f} s', flush=True)
            total = 0.0
            torch.save({'step': step, 'network': network.state_dict(), 'optimiser': optimiser.state_dict()}, checkpoint)


def measure(networks, sources):
    """networks: functions from a small picture to a large one. Prints a line per (name, picture); mean PSNR of each, and of bicubic."""
    results = []
    for name, large in sources:
        small = pictures.halved(large)
        results.append([pictures.psnr(f(small), large) for f in (*networks, pictures.bicubic_doubled)])
        print('  '.join(f'{value:6.2f}' for value in results[-1]) + f' dB  {name}', flush=True)
    return np.mean(results, axis=0)


def write(folder, network, quantized):
    os.makedirs(folder, exist_ok=True)
    layers = [(layer.weight.detach().permute(0, 2, 3, 1).contiguous().numpy(), layer.bias.detach().numpy(), None, None, None, None)
              for layer in network.convolutions]
    write_upscaler(os.path.join(folder, 'upscaler_float.tflite'), layers, FILE_SIZE)
    layers = [(layer.weights, layer.bias, layer.scales, layer.input_scale, layer.scale, layer.zero) for layer in quantized.layers]
    write_upscaler(os.path.join(folder, 'upscaler_quant.tflite'), layers, FILE_SIZE, (PICTURE_SCALE, PICTURE_ZERO))
    print(f'written to {os.path.normpath(folder)}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('pictures')
    parser.add_argument('--steps', type=int, default=STEPS)
    parser.add_argument('--checkpoint', default='upscaler.checkpoint')
    parser.add_argument('--output', default=os.path.join(os.path.dirname(__file__), '..', '..', 'models'))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    pictures.fetch(arguments.pictures)
    network = Upscaler().to(memory_format=torch.channels_last)
    print(f'{sum(p.numel() for p in network.parameters())} parameters', flush=True)
    patches = Patches(arguments.pictures)
    train(network, patches, arguments.steps, arguments.checkpoint)
    pieces = [patches.batch(np.random.default_rng((SEED, arguments.steps + k)))[0] for k in range(CALIBRATION_BATCHES)]
    quantized = QuantizedUpscaler(network, torch.cat(pieces))

    _, held_out = pictures.photographs(arguments.pictures)
    networks = [lambda small: upscale(network, small), quantized.upscale]
    print('PSNR of float, 8-bit, bicubic')
    photographs = measure(networks, ((os.path.basename(path), pictures.reduced(path, HELD_OUT_SIDE)) for path in held_out))
    drawn = measure(networks, ((f'drawing {k}', p) for k, p in enumerate(pictures.drawings(SEED + 1, 10, 320))))
    for name, (ours, in_8_bits, bicubic) in (('photographs', photographs), ('drawings', drawn)):
        print(f'held-out {name}: float {ours:.2f} dB, 8-bit {in_8_bits:.2f} dB, bicubic {bicubic:.2f} dB')
        if ours - bicubic < REQUIRED_GAIN:
            raise SystemExit(f'error: float is less than {REQUIRED_GAIN} dB above the bicubic filter; nothing written')
    write(arguments.output, network, quantized)


if __name__ == '__main__':
    main()
