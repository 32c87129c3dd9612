"""Pictures of 8 bits, grey or RGB: PGM and PPM files as the examples write them, PNG files as documents show them."""

import struct
import zlib
from typing import NamedTuple

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PNG_COLOURS = {1: 0, 3: 2}  # channels: the colour type


class Picture(NamedTuple):
    width: int
    height: int
    channels: int
    pixels: bytes

    def differs_most_by(self, other):
        """The greatest difference of two values. 256 for pictures of different shapes."""
        if self[:3] != other[:3]:
            return 256
        return max(abs(a - b) for a, b in zip(self.pixels, other.pixels, strict=True))


def read_pnm(path):
    header, pixels = path.read_bytes().split(b"\n", 1)
    kind, width, height, most = header.split()
    picture = Picture(int(width), int(height), {b"P5": 1, b"P6": 3}[kind], pixels)
    assert most == b"255" and len(pixels) == picture.width * picture.height * picture.channels, f"{path} is not whole"
    return picture


def write_png(path, picture):
    """Writes without filters, which these drawings do not need."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    row = picture.width * picture.channels
    rows = b"".join(b"\0" + picture.pixels[y * row:(y + 1) * row] for y in range(picture.height))
    header = struct.pack(">IIBBBBB", picture.width, picture.height, 8, _PNG_COLOURS[picture.channels], 0, 0, 0)
    path.write_bytes(_SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def read_png(path):
    """Reads what write_png() writes."""
    content = path.read_bytes()
    assert content.startswith(_SIGNATURE), f"{path} is not a PNG file"
    at, compressed, header = len(_SIGNATURE), b"", None
    while at < len(content):
        length, kind = struct.unpack(">I4s", content[at:at + 8])
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", content[at + 8:at + 21])
        if kind == b"IDAT":
            compressed += content[at + 8:at + 8 + length]
        at += length + 12
    width, height, channels = header[0], header[1], {colours: channels for channels, colours in _PNG_COLOURS.items()}[header[3]]
    rows, row = zlib.decompress(compressed), width * channels + 1
    assert not any(rows[::row]), f"{path} has filters"
    return Picture(width, height, channels, b"".join(rows[y * row + 1:(y + 1) * row] for y in range(height)))
