"""Draws the app's icons as PNGs, in the sizes that systems ask for, without any library: draw_icons.py DIRECTORY"""

import pathlib
import struct
import sys
import zlib

BACK, DIAMOND, DISC, RING = (0x17, 0x1A, 0x1D), (0xE3, 0xB3, 0x41), (0x4F, 0xD1, 0xC5), (0x57, 0xC7, 0x7A)


def png(width, pixels):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + pixels[row * width * 4:(row + 1) * width * 4] for row in range(width))
    head = struct.pack(">IIBBBBB", width, width, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def colour(x, y, rounded, plain):
    """Of a point, in the units of icon.svg; `plain`: the figures alone, in white, for the status bar."""
    if abs(x - 256) + abs(y - 176) <= 104:
        return (255, 255, 255) if plain else DIAMOND
    if (x - 152) ** 2 + (y - 368) ** 2 <= 56 ** 2:
        return (255, 255, 255) if plain else DISC
    if 32 ** 2 <= (x - 360) ** 2 + (y - 368) ** 2 <= 56 ** 2:
        return (255, 255, 255) if plain else RING
    if plain:
        return None
    if rounded:
        dx, dy = max(112 - x, x - 400, 0), max(112 - y, y - 400, 0)
        if dx * dx + dy * dy > 112 ** 2:
            return None
    return BACK


def draw(size, rounded=True, plain=False, zoom=1.0):
    """Each pixel is the mean of four points."""
    pixels = bytearray()
    unit = 512 / size
    for row in range(size):
        for column in range(size):
            points = [colour(256 + ((column + (i + 0.5) / 2) * unit - 256) / zoom,
                             256 + ((row + (j + 0.5) / 2) * unit - 256) / zoom, rounded, plain)
                      for i in range(2) for j in range(2)]
            seen = [point for point in points if point]
            mean = [sum(point[part] for point in seen) // len(seen) if seen else 0 for part in range(3)]
            pixels += bytes([*mean, 255 * len(seen) // 4])
    return png(size, bytes(pixels))


directory = pathlib.Path(sys.argv[1])
for name, size, options in (
        ("icon-180.png", 180, {"rounded": False}), ("icon-192.png", 192, {}), ("icon-512.png", 512, {}),
        ("icon-maskable-512.png", 512, {"rounded": False, "zoom": 0.75}), ("badge.png", 96, {"plain": True})):
    (directory / name).write_bytes(draw(size, **options))
