"""Runs the blocks of docs/clients.md for TensorFlow Lite literally, with the built delegate in place of the installed one.

Usage: documentation_test.py DOCUMENT DELEGATE STOCK_FOLDER INCLUDE_FOLDER MODEL. The stock folder holds npm's libtensorflowlite_c.so and
libexternal_delegate_obj.so, or Debian's libtensorflow-lite.so. The C++ block is compiled and run. The Python block runs where a TensorFlow
Lite for Python is installed.
"""

import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from document_blocks import blocks  # noqa: E402


def block(document, language):
    """The first block of this language in the section on TensorFlow Lite."""
    return blocks(document, language, "## TensorFlow Lite")[0]


def with_delegate(text, delegate):
    installed = "PREFIX/lib/libnnvk_tflite_delegate.so"
    assert installed in text, f"the block does not name {installed}"
    return text.replace(installed, str(delegate))


def libraries(stock):
    """The linker's options for the stock framework in this folder."""
    is_debian = (pathlib.Path(stock) / "libtensorflow-lite.so").exists()
    return ["-ltensorflow-lite"] if is_debian else ["-ltensorflowlite_c", "-lexternal_delegate_obj"]


def run_cpp(text, stock, include, model):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "program.cpp"
        program = pathlib.Path(folder) / "program"
        source.write_text(text)
        subprocess.run(["c++", "-O1", "-I", include, "-o", program, source, f"-L{stock}", *libraries(stock), f"-Wl,-rpath,{stock}"],
                       check=True)
        answer = subprocess.run([program, model], check=True, stdout=subprocess.PIPE, text=True).stdout
    print(answer, end="")
    assert re.fullmatch(r"\S+: [1-9][0-9]* bytes\n", answer), answer


def run_python(text, model):
    if not any(importlib.util.find_spec(name) for name in ("ai_edge_litert", "tflite_runtime")):
        print("the Python block did not run: no TensorFlow Lite for Python is installed")
        compile(text, "docs/clients.md", "exec")
        return
    print(subprocess.run([sys.executable, "-c", text, model], check=True, stdout=subprocess.PIPE, text=True).stdout, end="")


def main():
    document, delegate, stock, include, model = sys.argv[1:]
    text = pathlib.Path(document).read_text()
    run_cpp(with_delegate(block(text, "cpp"), delegate), stock, include, model)
    run_python(with_delegate(block(text, "python"), delegate), model)


if __name__ == "__main__":
    main()
