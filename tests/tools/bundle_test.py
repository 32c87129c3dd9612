"""tools/bundle.d/check finds the mistakes of a bundle; nnvk-conformance and nnvk-gpu-check add the options that their user left out."""

import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ROOT / "tools/bundle.d"


class BundleCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve() / "a bundle"
        (self.folder / "lib").mkdir(parents=True)


class Check(BundleCase):
    def link_library(self, name, text, *flags):
        source = self.folder.parent / "source.c"
        source.write_text(text)
        subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", self.folder / "lib" / name, *flags], check=True)

    def mistakes(self):
        done = subprocess.run([PARTS / "check", self.folder, "/sources/of/nnvk"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        return done.stderr

    def test_libraries_that_every_system_and_the_bundle_have_are_right(self):
        self.link_library("libfirst.so", "int first(void) { return 1; }", "-nostdlib", "-Wl,-soname,libfirst.so")
        self.link_library("libsecond.so", "int first(void); int second(void) { return first(); }", "-nostdlib", f"-L{self.folder}/lib", "-lfirst",
                     "-Wl,-rpath,$ORIGIN")
        self.assertEqual(self.mistakes(), "")

    def test_a_library_of_the_bundle_must_be_on_the_run_path(self):
        self.link_library("libfirst.so", "int first(void) { return 1; }", "-nostdlib", "-Wl,-soname,libfirst.so")
        self.link_library("libsecond.so", "int first(void); int second(void) { return first(); }", "-nostdlib", f"-L{self.folder}/lib", "-lfirst")
        self.assertIn("lib/libsecond.so needs libfirst.so, which is neither a system library nor on its run path", self.mistakes())

    def test_run_paths_begin_at_the_file(self):
        self.link_library("libfirst.so", "int first(void) { return 1; }", "-nostdlib", "-Wl,-rpath,/usr/lib")
        self.assertIn("lib/libfirst.so has the run path '/usr/lib'", self.mistakes())

    def test_symbols_of_newer_systems_are_named(self):
        self.link_library("libc.so.6", "void from_the_future(void) {}", "-nostdlib", "-Wl,-soname,libc.so.6",
                     f"-Wl,--version-script={self.version_script('GLIBC_2.32')}")
        self.link_library("libfirst.so", "void from_the_future(void); void first(void) { from_the_future(); }", "-nostdlib",
                     self.folder / "lib/libc.so.6")
        self.assertEqual(self.mistakes(), "error: lib/libfirst.so needs GLIBC_2.32\n")

    def version_script(self, version):
        script = self.folder.parent / "version.map"
        script.write_text(f"{version} {{ global: *; }};\n")
        return script

    def test_the_folder_of_the_sources_is_in_no_file(self):
        self.link_library("libfirst.so", 'const char* first(void) { return "/sources/of/nnvk/core/model.cpp"; }', "-nostdlib")
        self.assertIn("lib/libfirst.so holds the path /sources/of/nnvk", self.mistakes())

    def test_links_stay_inside(self):
        self.link_library("libfirst.so", "int first(void) { return 1; }", "-nostdlib")
        (self.folder / "outside").symlink_to("/usr/lib")
        self.assertIn("outside is a link out of the bundle", self.mistakes())

    def test_an_empty_folder_is_no_bundle(self):
        self.assertIn("holds no programs and libraries", self.mistakes())


class Launcher(BundleCase):
    """Runs a launcher beside a program `nnvk` that prints its arguments."""

    LAUNCHER = "nnvk-conformance"

    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / self.LAUNCHER).write_bytes((PARTS / self.LAUNCHER).read_bytes())
        (self.folder / "bin/nnvk").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\nexit 4\n')
        for program in (self.folder / "bin").iterdir():
            program.chmod(0o755)
        (self.folder / self.LAUNCHER).symlink_to(f"bin/{self.LAUNCHER}")

    def arguments(self, *given):
        done = subprocess.run([self.folder / self.LAUNCHER, *given], capture_output=True, text=True, cwd=self.folder.parent)
        self.assertEqual(done.returncode, 4, done.stderr)  # nnvk's own
        return done.stdout.splitlines()


class ConformanceLauncher(Launcher):
    def test_it_runs_all_cases_in_all_variants_and_writes_a_report(self):
        arguments = self.arguments("--op", "ADD")
        self.assertEqual(arguments[:2], ["conformance", "--report"])
        self.assertRegex(arguments[2], r"^nnvk-report-\d{4}-\d\d-\d\d-\d{6}$")
        self.assertEqual(arguments[3:], ["--variant", "all", "--generated", "--vectors", f"{self.folder}/share/nnvk/vectors", "--op", "ADD"])

    def test_options_of_the_user_replace_its_own(self):
        given = ["--generated", "--variant=words", "--device", "vulkan:1", "--report", "mine"]
        self.assertEqual(self.arguments(*given), ["conformance", *given])

    def test_the_cpu_has_no_variants(self):
        for given in (["--device", "nnvk-cpu"], ["--device=cpu"]):
            self.assertNotIn("--variant", self.arguments(*given))

    def test_help_says_which_options_it_adds(self):
        done = subprocess.run([self.folder / self.LAUNCHER, "--help"], capture_output=True, text=True, check=True)
        self.assertTrue(done.stdout.startswith("Tests whether a GPU's driver"))
        self.assertIn("--variant all", done.stdout)
        self.assertNotIn("set -eu", done.stdout)


class GpuCheckLauncher(Launcher):
    LAUNCHER = "nnvk-gpu-check"

    def test_it_adds_the_vectors_and_the_models_that_lie_beside_it(self):
        vectors = f"{self.folder}/share/nnvk/vectors"
        self.assertEqual(self.arguments("--minutes", "2"), ["gpu-check", "--vectors", vectors, "--minutes", "2"])
        models = self.folder / "share/nnvk/check_models"
        models.mkdir(parents=True)
        self.assertEqual(self.arguments(), ["gpu-check", "--models", str(models), "--vectors", vectors])

    def test_options_of_the_user_replace_its_own(self):
        given = ["--models=mine.tflite", "--vectors", "mine"]
        self.assertEqual(self.arguments(*given), ["gpu-check", *given])

    def test_the_loader_in_the_archive_serves_systems_without_one(self):
        (self.folder / "lib/vulkan").mkdir()
        (self.folder / "bin/nnvk").write_text('#!/bin/sh\nprintf "%s\\n" "${LD_LIBRARY_PATH-}" "${VK_LAYER_PATH-}"\nexit 4\n')
        loader, layers = self.arguments()
        has_loader = any(Path(folder).exists() for folder in Path("/").glob("usr/lib/*/libvulkan.so.1"))
        has_layers = Path("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json").exists()
        self.assertEqual(loader, "" if has_loader else f"{self.folder}/lib/vulkan")
        self.assertEqual(layers, "" if has_layers else f"{self.folder}/lib/vulkan/layers")

    def test_help_says_which_options_it_adds(self):
        done = subprocess.run([self.folder / self.LAUNCHER, "--help"], capture_output=True, text=True, check=True)
        self.assertTrue(done.stdout.startswith("Checks a GPU and its driver"))
        self.assertIn("--minutes 2", done.stdout)
        self.assertNotIn("set -eu", done.stdout)


if __name__ == "__main__":
    unittest.main()
