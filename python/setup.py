"""Builds a wheel that holds everything: the package, libneuralnetworks.so, its plugins, and the libraries of the system that these need.

NNVK_BUILD_DIR names a build folder of CMake to take the programs from. Without it, CMake builds them in a folder of setuptools.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_ext import build_ext
from setuptools.extension import Extension

ROOT = Path(__file__).resolve().parent.parent
# Every Linux for which Python itself runs has these.
OF_EVERY_SYSTEM = re.compile(r"^(ld-linux.*|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)\.so")
# Parts of an installed tree that only C and C++ programs use.
NOT_FOR_PYTHON = ("include", "bin", "lib/cmake", "lib/pkgconfig")


def version():
    return re.search(r"project\(nnvk VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def needed_libraries(file):
    """The shared libraries, by name, that the loader finds for a file: their paths."""
    listing = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r"^\s*(\S+) => (/\S+)", listing, re.M))


class BuildWithCMake(build_ext):
    """Builds nnvk with CMake and installs it into the package."""

    def build_extension(self, ext):
        package = Path(self.get_ext_fullpath(ext.name)).resolve().parent
        build = Path(os.environ.get("NNVK_BUILD_DIR") or Path(self.build_temp).resolve() / "cmake")
        if not os.environ.get("NNVK_BUILD_DIR"):
            self.configure_and_build(build)
        installed = Path(self.build_temp).resolve() / "installed"
        shutil.rmtree(installed, ignore_errors=True)
        subprocess.run(["cmake", "--install", str(build), "--prefix", str(installed)], check=True, stdout=subprocess.DEVNULL)
        self.move_into_package(installed, package)

    def configure_and_build(self, build):
        # Each tag of a wheel is for one Python: CMake builds for the one that runs this.
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DNNVK_BUILD_TESTS=OFF",
                        "-DCMAKE_INSTALL_LIBDIR=lib", f"-DPython_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", str(build), "--target", "nnvk_installed"], check=True)

    def move_into_package(self, installed, package):
        modules = list(installed.glob(f"**/nnvk/_nnvk{sysconfig.get_config_var('EXT_SUFFIX')}"))
        if len(modules) != 1:
            sys.exit(f"error: CMake installed {len(modules)} modules for {sys.executable} instead of one; run tools/setup --with-python")
        self.bundle_libraries(installed)
        package.mkdir(parents=True, exist_ok=True)
        shutil.copy2(modules[0], package)
        shutil.rmtree(modules[0].parent)
        for unwanted in NOT_FOR_PYTHON:
            shutil.rmtree(installed / unwanted, ignore_errors=True)
        for folder in ("lib", "libexec", "share"):
            if (installed / folder).is_dir():
                shutil.copytree(installed / folder, package / folder, dirs_exist_ok=True)

    def bundle_libraries(self, installed):
        """Puts the libraries that only some systems have beside libneuralnetworks.so."""
        library_folder = next(installed.glob("**/libneuralnetworks.so")).parent
        for file in [*installed.glob("**/*.so"), *installed.glob("libexec/*")]:
            for name, path in needed_libraries(file).items():
                if not OF_EVERY_SYSTEM.match(name) and not (library_folder / name).exists():
                    shutil.copy2(path, library_folder / name)


class WithPrograms(Distribution):
    """Says that the wheel depends on the machine."""

    def has_ext_modules(self):
        return True


setup(version=version(), distclass=WithPrograms, ext_modules=[Extension("nnvk._nnvk", sources=[])], cmdclass={"build_ext": BuildWithCMake})
