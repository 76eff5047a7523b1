"""Reads QR codes with an independent decoder: zbarimg of Debian's zbar-tools."""

import pathlib
import re
import shutil
import subprocess
import tempfile

READER = shutil.which("zbarimg")


def read(picture, suffix=".png"):
    """The text of the only code in a picture (PNG or PGM)."""
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        path = pathlib.Path(directory) / ("code" + suffix)
        path.write_bytes(picture)
        done = subprocess.run([READER, "--quiet", "--raw", "--nodbus", path], capture_output=True, check=True, timeout=30)
    return done.stdout.decode().rstrip("\n")


def read_svg(text):
    """Draws the server's SVG without its code: rectangles `Mx yhNv1h-Nz` on a white square, four pixels a module."""
    side = int(re.search(r'viewBox="0 0 (\d+) \1"', text).group(1))
    rows = [bytearray(b"\xff" * side) for _ in range(side)]
    drawn = re.search(r'<path d="([^"]*)"', text).group(1)
    runs = re.findall(r"M(\d+) (\d+)h(\d+)v1h-(\d+)z", drawn)
    if "".join("M{} {}h{}v1h-{}z".format(*run) for run in runs) != drawn:
        raise AssertionError(f"not understood: {drawn[:80]}")
    for column, row, width, _ in (map(int, run) for run in runs):
        rows[row][column:column + width] = bytes(width)
    wide = [b"".join(bytes([pixel]) * 4 for pixel in row) for row in rows for _ in range(4)]
    return read(f"P5 {side * 4} {side * 4} 255\n".encode() + b"".join(wide), ".pgm")
