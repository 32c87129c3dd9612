#!/usr/bin/env python3
"""The target nnvk_installed is all that `cmake --install` installs, and what is installed runs. Usage: install_test.py BUILD"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv.pop(1)).resolve()


def installed_files():
    """The files of the build directory that its install scripts copy."""
    files = set()
    for script in BUILD.glob("**/cmake_install.cmake"):
        for file in re.findall(r'"([^"]+)"', "".join(re.findall(r"file\(INSTALL [^)]*\)", script.read_text()))):
            if file.startswith(f"{BUILD}/"):
                files.add(Path(file).relative_to(BUILD))
    return files


def built():
    """All files that ninja has to make for the target that the documents name."""
    listing = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "nnvk_installed"], capture_output=True, text=True, check=True)
    return {Path(file) for file in re.findall(r" -o (\S+)", listing.stdout)}


class Install(unittest.TestCase):
    def test_the_target_builds_every_installed_file(self):
        # The rest is written when CMake configures.
        wanted = {file for file in installed_files() if file.parts[0] in ("bin", "lib", "archive")}
        of_frameworks = {"libnnvk_onnxruntime.so", "libnnvk_tflite_delegate.so", "libgstnnvk.so"}  # only where their headers are
        self.assertEqual({file.name for file in wanted} - of_frameworks,
                         {"nnvk", "libneuralnetworks.so", "libneuralnetworks_sl.so", "libnativewindow.so", "libsample_npu.so"})
        self.assertEqual(wanted - built(), set())

    def test_what_is_installed_runs_from_its_prefix(self):
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], capture_output=True, check=True)
            run = subprocess.run([f"{prefix}/bin/nnvk", "devices"], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("nnvk-cpu", run.stdout)
            for plugin in ("nnvk", "sample-npu"):
                self.assertIn(f"NNVK_ENABLE_PLUGINS={plugin} ", run.stdout)
            self.assertTrue(list(Path(prefix).glob("**/nnvkConfig.cmake")))
            self.assertTrue(list(Path(prefix).glob("**/android/NeuralNetworks.h")))

    def test_projects_of_others_find_it_with_cmake_and_with_pkg_config(self):
        project = ROOT / "examples/cmake_project"
        with tempfile.TemporaryDirectory() as folder:
            prefix, build = f"{folder}/prefix", f"{folder}/build"
            subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], capture_output=True, check=True)
            self.run_and_expect_devices(["cmake", "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}"],
                                        ["cmake", "--build", build], program=f"{build}/list_devices")
            pc = next(Path(prefix).glob("**/nnvk.pc")).parent
            flags = subprocess.run(["pkg-config", "--cflags", "--libs", "nnvk"], capture_output=True, text=True, check=True,
                                   env=os.environ | {"PKG_CONFIG_PATH": str(pc)}).stdout.split()
            program = f"{folder}/list_devices"
            self.run_and_expect_devices(["cc", project / "list_devices.c", *flags, f"-Wl,-rpath,{pc.parent}", "-o", program],
                                        program=program)

    def test_every_installed_binary_names_the_version_and_licences_are_there(self):
        version = re.search(r"project\(nnvk VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], capture_output=True, check=True)
            binaries = [path for path in Path(prefix).rglob("*") if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF"]
            self.assertGreater(len(binaries), 4)
            for binary in binaries:
                self.assertIn(f'"name":"nnvk","version":"{version}"'.encode(), binary.read_bytes(), binary)
            program = subprocess.run([f"{prefix}/bin/nnvk", "--version"], capture_output=True, text=True, check=True).stdout
            self.assertTrue(program.startswith(f"nnvk {version} "), program)
            self.assertIn("Apache License", (Path(prefix) / "share/doc/nnvk/LICENSE").read_text())
            self.assertIn("licence", (Path(prefix) / "share/nnvk/models/README.md").read_text())
            self.assertIn(f"\n## {version}", (ROOT / "CHANGELOG.md").read_text())

    def run_and_expect_devices(self, *commands, program):
        for command in (*commands, [program]):
            run = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("nnvk-cpu", run.stdout)
        self.assertIn("hardware buffers: yes", run.stdout)


if __name__ == "__main__":
    unittest.main()
