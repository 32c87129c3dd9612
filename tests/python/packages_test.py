"""The wheel installs into a fresh environment and runs there; the Debian packages unpack and run.

Usage: packages_test.py BUILD [unittest's arguments]. Both are made from the build folder, with Debian's packages alone."""

import importlib.util
import os
import shutil
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path

from package_case import DIGITS, ROOT, PackageCase

BUILD = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else ROOT / "build/release"
PROGRAM = f"""
import os, sys, numpy, nnvk
outputs = nnvk.load({str(DIGITS)!r}, device="nnvk-cpu").run(numpy.zeros((1, 8, 8, 1), "int8"))
print(nnvk.__file__)
print(nnvk._nnvk.path_of_library())
print([line.split()[-1] for line in open("/proc/self/maps") if "libfmt" in line or "libhwy" in line or "protobuf" in line])
for plugin in (nnvk.onnxruntime_provider, nnvk.tflite_delegate):
    try:
        print(os.path.getsize(plugin()) > 0)
    except nnvk.Error as error:
        print(error)
"""


def run(*command, **options):
    """Runs a command; its output, or an AssertionError with it."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}"
    return done.stdout


class Packages(PackageCase):
    def setUp(self):
        super().setUp()
        self.plain = {name: text for name, text in os.environ.items() if name not in ("PYTHONPATH", "LD_LIBRARY_PATH")}

    def plugins_expected(self):
        return sum((BUILD / "lib" / name).exists() for name in ("libnnvk_onnxruntime.so", "libnnvk_tflite_delegate.so"))

    def check_output(self, output, package):
        lines = output.splitlines()
        self.assertTrue(lines[0].startswith(str(package)), output)
        self.assertTrue(lines[1].startswith(str(self.folder)), output)
        self.assertEqual(lines[3:].count("True"), self.plugins_expected(), output)
        return lines

    @unittest.skipUnless(all(map(importlib.util.find_spec, ("ensurepip", "pip", "setuptools", "wheel"))), "pip or venv is not installed")
    def test_the_wheel_installs_and_runs(self):
        source = self.folder / "source"  # setuptools writes beside setup.py
        source.mkdir()
        shutil.copy(ROOT / "CMakeLists.txt", source)
        shutil.copytree(ROOT / "python", source / "python", ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
        environment = self.plain | {"NNVK_BUILD_DIR": str(BUILD), "PIP_NO_INDEX": "1"}
        run(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", self.folder, source / "python",
            env=environment)
        (wheel,) = self.folder.glob("nnvk-*-cp3*-linux_*.whl")
        names = zipfile.ZipFile(wheel).namelist()
        for name in ("nnvk/py.typed", "nnvk/_nnvk.pyi", "nnvk/lib/libneuralnetworks.so", "nnvk/lib/libnativewindow.so"):
            self.assertIn(name, names)
        if (BUILD / "libexec/nnvk-plugin-host").exists():
            self.assertIn("nnvk/libexec/nnvk-plugin-host", names)
        self.assertFalse([name for name in names if name.endswith(".h")])
        environment = self.folder / "environment"
        run(sys.executable, "-m", "venv", "--system-site-packages", environment)
        run(environment / "bin/python", "-m", "pip", "install", "--no-index", "--no-deps", wheel, env=self.plain)
        shutil.rmtree(source)
        lines = self.check_output(run(environment / "bin/python", "-c", PROGRAM, env=self.plain, cwd="/"), environment)
        self.assertNotIn("'/usr/lib", lines[2])  # the wheel brings these libraries

    @unittest.skipUnless(shutil.which("dpkg-deb") and shutil.which("dpkg-shlibdeps"), "dpkg's programs are not installed")
    def test_the_debian_packages_unpack_and_run(self):
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", "DEB", "-B", self.folder / "made", cwd=self.folder)
        made = {package.name.split("_")[0]: package for package in (self.folder / "made").glob("*.deb")}
        runtime = "libneuralnetworks1" if "NNVK_VERSIONED_SONAME:BOOL=ON" in (BUILD / "CMakeCache.txt").read_text() else "libneuralnetworks"
        has_gstreamer = (BUILD / "lib/gstreamer-1.0/libgstnnvk.so").exists()
        self.assertEqual(set(made), {runtime, "libneuralnetworks-dev", "libnnvk-plugins", "nnvk-tools", "python3-nnvk"} |
                         ({"gstreamer1.0-nnvk"} if has_gstreamer else set()))
        if has_gstreamer:
            fields = run("dpkg-deb", "--field", made["gstreamer1.0-nnvk"])
            for word in ("libgstreamer1.0-0", "libgstreamer-plugins-base1.0-0", f"{runtime} (= "):
                self.assertIn(word, fields)
            plugins = run("pkg-config", "--variable=pluginsdir", "gstreamer-1.0").strip()
            self.assertIn(f".{plugins}/libgstnnvk.so", run("dpkg-deb", "--contents", made["gstreamer1.0-nnvk"]))
        fields = run("dpkg-deb", "--field", made["python3-nnvk"])
        for word in ("Package: python3-nnvk", "python3-numpy", "libstdc++6", "libprotobuf-lite32", f"{runtime} (= "):
            self.assertIn(word, fields)
        self.assertIn("libvulkan1", run("dpkg-deb", "--field", made[runtime]))
        for name, package in made.items():
            self.assertIn(f"usr/share/doc/{name}/copyright", run("dpkg-deb", "--contents", package))
            run("dpkg-deb", "-x", package, self.folder / "root")
        packages = self.folder / "root/usr/lib/python3/dist-packages"
        self.check_output(run("/usr/bin/python3", "-c", PROGRAM, env=self.plain | {"PYTHONPATH": str(packages)}, cwd="/"), packages)
        self.assertIn("nnvk-cpu", run(self.folder / "root/usr/bin/nnvk", "devices", env=self.plain))


if __name__ == "__main__":
    unittest.main()
