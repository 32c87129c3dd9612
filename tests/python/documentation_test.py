"""Runs the blocks of docs/clients.md for Python literally. Usage: documentation_test.py DOCUMENT, with `nnvk` on Python's path."""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx_writer as onnx

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from document_blocks import blocks  # noqa: E402


def main():
    if importlib.util.find_spec("PIL") is None:
        print("skipped: Pillow is not installed (on Debian: python3-pil)", file=sys.stderr)
        sys.exit(77)  # ctest counts it as skipped
    program = blocks(Path(sys.argv[1]).read_text(), "python", "## Python")
    assert len(program) >= 2, "the section Python of the document has only one block"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "models/digits_quant.tflite", folder)
        shutil.copy(ROOT / "models/digit_7.png", folder)
        (Path(folder) / "model.onnx").write_bytes(onnx.add_one(["batch", 3]))
        # The blocks are one program: later ones go on with what the first ones loaded.
        done = subprocess.run([sys.executable, "-c", "\n".join(program)], cwd=folder, stdout=subprocess.PIPE, text=True)
    print(done.stdout)
    assert done.returncode == 0, "a block failed"
    assert "digit 7" in done.stdout, "the first block finds no 7"


if __name__ == "__main__":
    main()
