#!/usr/bin/env python3
"""The functions and types that programs see are those that interface.abi describes. Usage: interface_test.py BUILD

The libraries are built without debug information, so this test compiles the public headers into a library of its own: an empty body for
each function that they declare. Its types are those of the headers, with which the real libraries are compiled as well. abidiff (Debian's
abigail-tools) compares it with interface.abi, and the functions that the real libraries export are those of interface.abi.
With NNVK_WRITE_DOCUMENTS=1 the test writes interface.abi instead."""

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
INCLUDE = ROOT / "include"
RECORDED = Path(__file__).resolve().parent / "interface.abi"
LIBRARIES = {"libneuralnetworks.so": ("android/NeuralNetworks", "nnvk/"), "libnativewindow.so": ("android/hardware_buffer.h", "nnvk/hardware_buffer.h")}
NOT_EXPORTED = {"ANeuralNetworks_getSLDriverImpl", "nnvk_explainDeclinedOperations"}  # a Support Library's
BETWEEN_OUR_LIBRARIES = {"nnvk_getHardwareBufferMemory"}  # core/base/hardware_buffer_content.h
_FUNCTION = re.compile(r"^(?:[a-zA-Z_]\w*[ *]+)+((?:ANeuralNetworks|AHardwareBuffer|nnvk)\w*)\([^;{]*\);$", re.M)
_STRUCT = re.compile(r"^typedef struct (\w+)\b[^;{]*\{", re.M)


def plain(header):
    return re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)


def headers():
    return sorted(path.relative_to(INCLUDE).as_posix() for path in INCLUDE.rglob("*.h"))


def functions():
    """The functions that the headers declare: name, the header and the declaration of each."""
    return {match.group(1): (header, match.group(0)) for header in headers() for match in _FUNCTION.finditer(plain(INCLUDE / header))
            if not match.group(0).startswith(("typedef", "static"))}


def declared_interface(folder):
    """A library with all functions of the headers, and one more for each struct, so that its types are in the debug information."""
    lines = [f"#include <{header}>" for header in headers()]
    lines += [declaration.removesuffix(";") + " { __builtin_unreachable(); }" for _, declaration in functions().values()]
    structs = {name for header in headers() for name in _STRUCT.findall(plain(INCLUDE / header))}
    lines += [f"void type_of_{name}(const {name}* value) {{ (void)value; }}" for name in sorted(structs)]
    library = Path(folder) / "libinterface.so"
    subprocess.run(["cc", "-std=c11", "-g", "-shared", "-fPIC", f"-I{INCLUDE}", "-x", "c", "-", "-o", library], check=True, text=True,
                   input="\n".join(lines) + "\n")
    return library


def description(library, folder):
    file = Path(folder) / "interface.abi"
    subprocess.run(["abidw", "--headers-dir", INCLUDE, "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--drop-private-types",
                    "--out-file", file, library], check=True)
    # Vulkan's enumerators belong to Vulkan, whose headers grow with each version.
    file.write_text("".join(line for line in file.read_text().splitlines(True) if "<enumerator name='VK_" not in line))
    return file


def exported(library):
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r" T (\w+)", listing))


def skip_without_abidiff(test):
    if shutil.which("abidiff") is None:
        test.skipTest("abidiff is not installed (tools/setup --with-abi)")
    if platform.machine() != "x86_64":
        test.skipTest("interface.abi was recorded on x86-64")


class Interface(unittest.TestCase):
    def test_the_headers_declare_what_is_recorded(self):
        skip_without_abidiff(self)
        with tempfile.TemporaryDirectory() as folder:
            now = description(declared_interface(folder), folder)
            if os.environ.get("NNVK_WRITE_DOCUMENTS"):
                shutil.copy(now, RECORDED)
            difference = subprocess.run(["abidiff", "--no-show-locs", RECORDED, now], capture_output=True, text=True, check=False)
            self.assertEqual(difference.returncode, 0, f"the interface has changed (docs/reference/versions.md says what may change). If it may, "
                             f"run this test with NNVK_WRITE_DOCUMENTS=1 and add a line to CHANGELOG.md:\n{difference.stdout}{difference.stderr}")

    def test_a_renamed_function_and_a_moved_member_are_found(self):
        skip_without_abidiff(self)
        with tempfile.TemporaryDirectory() as folder:
            text = RECORDED.read_text()
            changed = Path(folder) / "changed.abi"
            for old, new in ((r"nnvk_lastError", "nnvk_lastEror"), (r"layout-offset-in-bits='160'(>\s*<var-decl name='zeroPoint')", r"layout-offset-in-bits='192'\1")):
                other, count = re.subn(old, new, text)
                self.assertGreater(count, 0, old)
                changed.write_text(other)
                self.assertNotEqual(subprocess.run(["abidiff", changed, RECORDED], capture_output=True, check=False).returncode, 0, old)

    def test_the_libraries_export_what_the_headers_declare(self):
        for library, prefixes in LIBRARIES.items():
            wanted = {name for name, (header, _) in functions().items() if header.startswith(prefixes)} - NOT_EXPORTED
            if library == "libneuralnetworks.so":
                wanted -= {name for name, (header, _) in functions().items() if header == "nnvk/hardware_buffer.h"}
            found = {name for name in exported(Path(sys.argv[1]) / "lib" / library) if name.startswith(("ANeural", "AHardware", "nnvk_"))} - BETWEEN_OUR_LIBRARIES
            self.assertEqual(found, wanted, f"{library} and the headers differ")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1])
