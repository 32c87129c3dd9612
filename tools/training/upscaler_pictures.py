"""Pictures that the upscaler learns from and is measured on: photographs out of Debian packages, and drawings made here.

Every picture is uint8 RGB [height, width, 3] with even sides; its small twin is what PIL's bicubic filter (which averages when it
shrinks) makes of it at half the size. Photographs are first reduced, so that the artefacts of their JPEG files disappear.
"""

import glob
import os
import subprocess

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

# Package: (version, where its pictures lie, licence). See README.md for the authors. Only measured on, never trained on: mate-backgrounds.
PACKAGES = {
    'lomiri-wallpapers-16.04': ('20.04.0-2', 'usr/share/backgrounds/*_by_*.jpg'),
    'lomiri-wallpapers-20.04': ('20.04.0-2', 'usr/share/backgrounds/*_by_*.jpg'),
    'mate-backgrounds': ('1.26.0-1', 'usr/share/backgrounds/mate/nature/*.jpg'),
}
HELD_OUT = ('Bridge_by', 'Kleiber_by', 'picosdeeuropa_by', 'Wine_by',  # of the same packages as those trained on
            'Blinds', 'Dune', 'GreenMeadow', 'RainDrops', 'Storm', 'TwoWings')  # of a package that training never sees
FONTS = '/usr/share/fonts/truetype/dejavu/*.ttf'


def fetch(folder):
    """Downloads and unpacks (does not install) the packages that are not in `folder` yet."""
    os.makedirs(folder, exist_ok=True)
    for package, (version, _) in PACKAGES.items():
        target = os.path.join(folder, package)
        if os.path.isdir(target):
            continue
        subprocess.run(['apt-get', 'download', f'{package}={version}'], cwd=folder, check=True)
        archive, = glob.glob(os.path.join(folder, package + '_*.deb'))
        subprocess.run(['dpkg-deb', '-x', archive, target], check=True)
        os.remove(archive)


def photographs(folder):
    """(for training, held out): lists of paths."""
    paths = sorted(path for package, (_, pattern) in PACKAGES.items() for path in glob.glob(os.path.join(folder, package, pattern)))
    held_out = [path for path in paths if os.path.basename(path).startswith(HELD_OUT)]
    if len(held_out) != len(HELD_OUT):
        raise SystemExit(f'error: {len(held_out)} of {len(HELD_OUT)} held-out pictures in {folder}')
    return [path for path in paths if path not in held_out and 'mate-backgrounds' not in path], held_out


def reduced(path, longest):
    """The photograph with its longer side at most `longest` and even sides, as uint8."""
    image = Image.open(path)
    scale = min(1.0, longest / max(image.size))
    size = [max(2, int(side * scale) // 2 * 2) for side in image.size]
    image.draft('RGB', [2 * side for side in size])
    return np.asarray(image.convert('RGB').resize(size, Image.LANCZOS, reducing_gap=2.0))


def halved(picture):
    h, w, _ = picture.shape
    return np.asarray(Image.fromarray(picture).resize((w // 2, h // 2), Image.BICUBIC))


def bicubic_doubled(picture):
    h, w, _ = picture.shape
    return np.asarray(Image.fromarray(picture).resize((w * 2, h * 2), Image.BICUBIC))


def psnr(a, b):
    """Over all pixels and the three colours, of 8-bit values."""
    error = np.mean((a.astype(np.float64) - b.astype(np.float64)) ** 2)
    return 10 * np.log10(255 ** 2 / max(error, 1e-9))


def colour(rng):
    return tuple(int(v) for v in rng.integers(0, 256, 3))


def noise(rng, side, exponent):
    """Grey noise whose spectrum falls with the frequency to the power `exponent`; mean 0, deviation 1."""
    fx, fy = np.meshgrid(np.fft.fftfreq(side), np.fft.fftfreq(side))
    spectrum = np.fft.fft2(rng.normal(size=(side, side))) / np.maximum(np.hypot(fx, fy), 1 / side) ** exponent
    values = np.fft.ifft2(spectrum).real
    return (values - values.mean()) / (values.std() + 1e-9)


def background(rng, side):
    """A gradient between two colours, waves, rings, a chessboard or noise."""
    y, x = np.mgrid[0:side, 0:side] / side
    angle, kind = rng.uniform(0, np.pi), rng.integers(0, 6)
    along = x * np.cos(angle) + y * np.sin(angle)
    if kind <= 1:
        mix = along
    elif kind == 2:
        mix = 0.5 + 0.5 * np.sin(2 * np.pi * along * np.exp(rng.uniform(0, np.log(side / 12))))
    elif kind == 3:  # rings that get finer outwards
        mix = 0.5 + 0.5 * np.cos(((x - rng.uniform()) ** 2 + (y - rng.uniform()) ** 2) * side * rng.uniform(0.2, 1.0))
    elif kind == 4:
        cells = np.exp(rng.uniform(np.log(3), np.log(side / 16)))
        across = -x * np.sin(angle) + y * np.cos(angle)
        mix = (np.floor(along * cells) + np.floor(across * cells)) % 2
    else:
        mix = 0.5 + 0.25 * noise(rng, side, rng.uniform(0.8, 2.0))
    a, b = np.array(colour(rng)), np.array(colour(rng))
    return (a + (b - a) * np.clip(mix, 0, 1)[:, :, None]).clip(0, 255).astype(np.uint8)


def drawing(rng, side, fonts):
    """Shapes, lines and text on a background; smooth edges (drawn four times as large) or, one in six, hard ones."""
    factor = 1 if rng.uniform() < 1 / 6 else 4
    large = side * factor
    image = Image.fromarray(background(rng, side)).resize((large, large), Image.BICUBIC if factor > 1 else Image.NEAREST)
    if factor > 1 and rng.uniform() < 0.5:
        image = Image.fromarray(background(rng, large))
    draw = ImageDraw.Draw(image)

    def point():
        return tuple(float(v) for v in rng.uniform(-0.1 * large, 1.1 * large, 2))

    for _ in range(rng.integers(4, 40)):
        kind, size = rng.integers(0, 5), np.exp(rng.uniform(np.log(0.02), np.log(0.4))) * large
        x, y = point()
        if kind == 0:
            draw.ellipse((x, y, x + size, y + size * rng.uniform(0.3, 1)), fill=colour(rng))
        elif kind == 1:
            turn = rng.uniform(0, 2 * np.pi) + np.sort(rng.uniform(0, 2 * np.pi, rng.integers(3, 8)))
            draw.polygon([(x + size * np.cos(t), y + size * np.sin(t)) for t in turn], fill=colour(rng))
        elif kind == 2:
            draw.line([point(), point()], fill=colour(rng), width=int(factor * np.exp(rng.uniform(0, 2.3))))
        elif kind == 3:
            draw.rectangle((x, y, x + size, y + size * rng.uniform(0.2, 1)), fill=colour(rng))
        else:
            text = ''.join(chr(c) for c in rng.integers(33, 127, rng.integers(3, 16)))
            font = ImageFont.truetype(fonts[rng.integers(len(fonts))], int(factor * rng.uniform(8, 40)))
            draw.text((x, y), text, fill=colour(rng), font=font)
    if factor > 1:
        image = image.reduce(factor)
    if rng.uniform() < 0.3:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 1.2)))
    picture = np.asarray(image).astype(np.float64)
    if rng.uniform() < 0.4:
        picture *= 1 + 0.15 * noise(rng, side, rng.uniform(0.6, 1.6))[:, :, None]
    return picture.clip(0, 255).astype(np.uint8)


def drawings(seed, count, side):
    """The same pictures for the same numbers."""
    rng = np.random.default_rng(seed)
    fonts = sorted(glob.glob(FONTS))
    if not fonts:
        raise SystemExit("error: no fonts; install Debian's fonts-dejavu-core")
    return [drawing(rng, side, fonts) for _ in range(count)]
