"""Docstrings and type hints: every public name has both, and the stub lists what the extension module has.

Where Debian's mypy is installed, it checks the package and a program that uses it."""

import ast
import inspect
import shutil
import subprocess
import unittest
from pathlib import Path

import nnvk
from nnvk import _nnvk
from package_case import PackageCase

PACKAGE = Path(nnvk.__file__).parent

PROGRAM = """
import numpy
import nnvk

model: nnvk.Model = nnvk.load("model.onnx", device="cpu", cache_dir=None)
shape = model.inputs[0].shape
outputs: nnvk.Outputs = model.run(numpy.zeros(3), other=[1])
future: nnvk.Future = model.run_async({"x": 1}, wait_for=[3])
number: int = future.fileno()
names: list[str] = [device.name for device in nnvk.devices()]
plugin: str = nnvk.onnxruntime_provider()
seconds: float = model.profile().operations[0].seconds
"""


def members(owner):
    """Public members of a module or class that it defines itself, and the methods that users call by syntax."""
    for name, member in vars(owner).items():
        if not name.startswith("_") or name in ("__init__", "__enter__", "__exit__", "__getitem__", "__repr__", "__str__", "__await__"):
            yield name, member


class Types(PackageCase):
    def test_every_public_name_has_a_docstring(self):
        self.assertTrue(nnvk.__doc__)
        for name in nnvk.__all__:
            public = getattr(nnvk, name)
            self.assertTrue(inspect.getdoc(public), name)
            if not inspect.isclass(public) or issubclass(public, Exception):
                continue
            for member_name, member in members(public):
                generated = hasattr(public, "__dataclass_fields__") and (
                    member_name in ("__init__", "__repr__") or member_name in public.__dataclass_fields__)
                if callable(member) or isinstance(member, property):
                    self.assertTrue(generated or inspect.getdoc(member), f"{name}.{member_name}")

    def test_every_public_function_has_type_hints(self):
        for file in PACKAGE.glob("*.py"):
            for function in ast.walk(ast.parse(file.read_text())):
                if isinstance(function, ast.FunctionDef):
                    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
                    lacking = [entry.arg for entry in arguments if entry.annotation is None and entry.arg not in ("self", "cls")]
                    self.assertEqual((lacking, function.returns is None), ([], False), f"{file.name}: {function.name}")

    def test_the_stub_lists_what_the_module_has(self):
        tree = ast.parse((PACKAGE / "_nnvk.pyi").read_text())
        stub = {entry.name: {part.name for part in ast.walk(entry) if isinstance(part, ast.FunctionDef)}
                for entry in tree.body if isinstance(entry, (ast.ClassDef, ast.FunctionDef))}
        public = {name for name in vars(_nnvk) if not name.startswith("_")}
        self.assertEqual(set(stub), public)
        for name in ("Tensor", "PendingRun", "Model"):
            self.assertEqual(stub[name], {member for member in vars(getattr(_nnvk, name)) if not member.startswith("_")}, name)
        self.assertTrue((PACKAGE / "py.typed").exists())

    def test_objects_of_the_module_cannot_be_made_by_hand(self):
        for kind in (_nnvk.Tensor, _nnvk.PendingRun, _nnvk.Model):
            self.assertRaises(TypeError, kind)

    @unittest.skipUnless(shutil.which("mypy", path="/usr/bin"), "mypy is not installed")
    def test_mypy_finds_nothing(self):
        program = self.file(PROGRAM.encode(), "program.py")
        for target in (PACKAGE, program):
            done = subprocess.run(["/usr/bin/mypy", "--strict", "--cache-dir", self.folder / "cache", "--ignore-missing-imports", target],
                                  capture_output=True, text=True, cwd=PACKAGE.parent, env={"MYPYPATH": str(PACKAGE.parent)})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Plugins(PackageCase):
    def test_plugins_lie_beside_the_library_or_are_named(self):
        library = Path(_nnvk.path_of_library())
        self.assertEqual(library.name, "libneuralnetworks.so")
        for call, name in ((nnvk.onnxruntime_provider, "libnnvk_onnxruntime.so"), (nnvk.tflite_delegate, "libnnvk_tflite_delegate.so")):
            if (library.parent / name).exists():
                self.assertEqual(Path(call()), (library.parent / name).resolve())
            else:
                with self.assertRaisesRegex(nnvk.Error, f"{name}.*--with-frameworks"):
                    call()


if __name__ == "__main__":
    unittest.main()
