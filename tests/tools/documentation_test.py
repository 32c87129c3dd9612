#!/usr/bin/env python3
"""The blocks of README.md, docs/start, docs/guide and examples do what they say. Usage: documentation_test.py BUILD

All blocks of C of a page are one program, told in pieces: it compiles without a warning, and runs. Blocks of sh run in a folder with models/,
examples/, the page's program as add.c, and its CMakeLists.txt; those of examples/cmake_project in a copy of that folder. All of them use an
installed nnvk, whose folder replaces /opt/nnvk. Blocks without a language show what something prints, or commands that other tests run."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import picture_files  # noqa: E402
from document_blocks import blocks  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else ROOT / "build/release"
PAGES = ["README.md", "examples/README.md", "examples/cmake_project/README.md",
         *sorted(path.relative_to(ROOT).as_posix() for folder in ("start", "guide") for path in (ROOT / "docs" / folder).glob("*.md"))]
# Compiled only: its functions need a renderer. examples/vulkan_semaphores.c and examples/recorded.c run the same calls.
NEEDS_A_RENDERER = "docs/guide/own_device.md"
ANSWERS = {"README.md": "11 22 33 44", "docs/start/first_program.md": "11 22 33 44", "docs/guide/model.md": "6 5", "docs/guide/compile.md": '"partitions"',
           "docs/guide/execute.md": "3 values, the first is 2", "docs/guide/memory.md": "1023", "docs/guide/fences.md": "5",
           "docs/guide/pictures.md": "1 1 1"}


def pages_with(language):
    return [page for page in PAGES if f"\n```{language}\n" in (ROOT / page).read_text()]


class Documentation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.folder / "nnvk"], capture_output=True, check=True)
        (cls.folder / "work").mkdir()
        shutil.copytree(ROOT / "models", cls.folder / "work/models")
        shutil.copytree(ROOT / "examples", cls.folder / "work/examples")
        (cls.folder / "work/cache").mkdir(mode=0o700)
        cls.pkgconfig = next((cls.folder / "nnvk").glob("**/nnvk.pc")).parent
        cls.environment = dict(os.environ, PATH=f"{cls.folder}/nnvk/bin:{os.environ['PATH']}", PKG_CONFIG_PATH=str(cls.pkgconfig),
                               LD_LIBRARY_PATH=str(cls.pkgconfig.parent))
        cls.environment.pop("NNVK_PLUGIN_FILES", None)  # the installed manifests count, as for users

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def run_in_folder(self, *command, folder=".", environment=None, **options):
        done = subprocess.run(command, cwd=self.folder / "work" / folder, env=environment or self.environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, **options)
        self.assertEqual(done.returncode, 0, f"{' '.join(map(str, command))}:\n{done.stdout}")
        return done.stdout

    def test_programs_compile_and_run(self):
        flags = self.run_in_folder("pkg-config", "--cflags", "--libs", "nnvk").split()
        warnings = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers"]
        self.assertGreater(len(pages_with("c")), 8)
        for page in pages_with("c"):
            with self.subTest(page):
                program = "\n".join(blocks((ROOT / page).read_text(), "c"))
                if page == NEEDS_A_RENDERER:
                    self.run_in_folder("cc", *warnings, *flags, "-fsyntax-only", "-x", "c", "-", input=program)
                    continue
                self.run_in_folder("cc", *warnings, "-x", "c", "-", *flags, "-o", "program", input=program)
                answer = self.run_in_folder("./program")
                self.assertIn(ANSWERS.get(page, ""), answer)

    def test_commands_run(self):
        self.assertGreater(len(pages_with("sh")), 1)
        # What a reader has in his shell: without the variables, a command that needs them fails here too.
        environment = {name: value for name, value in self.environment.items() if name not in ("PKG_CONFIG_PATH", "LD_LIBRARY_PATH")}
        for page in pages_with("sh"):
            text = (ROOT / page).read_text()
            for language, file in (("c", "add.c"), ("cmake", "CMakeLists.txt")):
                if f"\n```{language}\n" in text:
                    (self.folder / "work" / file).write_text("\n".join(blocks(text, language)))
            folder = "examples/cmake_project" if page.startswith("examples/cmake_project") else "."
            for number, block in enumerate(blocks(text, "sh")):
                with self.subTest(page, block=number):
                    self.run_in_folder("sh", "-e", "-c", block.replace("/opt/nnvk", f"{self.folder}/nnvk"), folder=folder, environment=environment)
            shutil.rmtree(self.folder / "work/build", ignore_errors=True)  # of this page's project

    def test_examples_are_built_by_the_command_at_their_top_and_draw_the_pictures_of_the_guide(self):
        commands = 0
        for source in sorted((ROOT / "examples").glob("*.c*")):
            command = re.search(r"^// +(c(?:c|\+\+) .*\.c.*)$", source.read_text(), re.M)
            if command is None:
                continue
            commands += 1
            with self.subTest(source.name):
                self.run_in_folder("sh", "-e", "-c", command.group(1), folder="examples")
            if source.suffix == ".cpp":
                with self.subTest(source.name, lines=True):
                    self.assertLess(source.read_text().count("\n"), 150)
        self.assertGreater(commands, 5)
        drawn = {file.stem: picture_files.read_pnm(file) for file in (self.folder / "work/examples").glob("*.p[gp]m")}
        self.assertEqual(set(drawn), {"camera", "pictures", "renderer"})
        for name, picture in drawn.items():
            document = ROOT / f"docs/pictures/{name}.png"
            if os.environ.get("NNVK_WRITE_DOCUMENTS"):
                picture_files.write_png(document, picture)
            with self.subTest(document.name):
                self.assertLess(document.stat().st_size, 60_000)
                # Devices round differently; a step of brightness or two is not seen.
                self.assertLessEqual(picture_files.read_png(document).differs_most_by(picture), 2,
                                     "is not what the example draws; run this test with NNVK_WRITE_DOCUMENTS=1, and look at the picture")

    def test_python_runs(self):
        modules = list((self.folder / "nnvk").glob("**/dist-packages"))
        if not modules:
            self.skipTest("the Python package is not built (tools/setup --with-python)")
        environment = self.environment | {"PYTHONPATH": str(modules[0])}
        for page in pages_with("python"):
            program = "\n".join(blocks((ROOT / page).read_text(), "python"))
            done = subprocess.run(["/usr/bin/python3", "-c", program], cwd=self.folder / "work", env=environment, text=True, capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, f"{page}:\n{done.stdout}{done.stderr}")

    def test_help_texts_are_those_of_the_program(self):
        text = self.run_in_folder("nnvk", "--help-all")
        lines = ["Usage: nnvk [OPTIONS] [SUBCOMMAND]" if line.startswith("Usage: ") else line for line in text.split("\n")]
        document = ROOT / "docs/data/help.txt"
        if os.environ.get("NNVK_WRITE_DOCUMENTS"):
            document.write_text("\n".join(lines))
        self.assertEqual(document.read_text(), "\n".join(lines),
                         "docs/data/help.txt is not what `nnvk --help-all` prints; run this test with NNVK_WRITE_DOCUMENTS=1")

    def test_every_command_is_in_the_table_of_commands(self):
        table = (ROOT / "docs/reference/command_line.md").read_text()
        for line in self.run_in_folder("nnvk", "--help-all").split("\n"):
            if line and line[0].islower() and " " not in line and not line.endswith(":"):
                self.assertIn(f"| `nnvk {line}", table)

    def test_every_variable_of_the_library_is_documented(self):
        text = (ROOT / "docs/reference/environment.md").read_text()
        listing = subprocess.run(["strings", self.pkgconfig.parent / "libneuralnetworks.so"], capture_output=True, text=True, check=True).stdout
        names = {line for line in listing.split("\n") if line.startswith("NNVK_") and line.replace("_", "").isalnum() and line.isupper()}
        self.assertGreater(len(names), 10)
        internal = {"NNVK_1", "NNVK_IN_PLUGIN_HOST"}  # a version node of the linker; how a plugin's host knows that it is one
        self.assertEqual({name for name in names - internal if f"`{name}" not in text}, set())


if __name__ == "__main__":
    unittest.main()
