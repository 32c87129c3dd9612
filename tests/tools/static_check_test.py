#!/usr/bin/env python3
"""perf/static/check: its tables and its judgement, over lists made by hand."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "perf/static/check"


def load():
    loader = importlib.machinery.SourceFileLoader("static_check", str(CHECK))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("static_check", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


static_check = load()


def numbers(waves=16, vgprs=64, spilled=0, scratch=0):
    return {"waves": waves, "vgprs": vgprs, "spilled_vgprs": spilled, "spilled_sgprs": 0, "lds": 0, "scratch": scratch,
            "instructions": 100, "inverse_throughput": 200}


def intel(width=16, spills=0, scratch=0):
    return {"width": width, "registers": 60, "spills": spills, "fills": spills, "shared": 0, "scratch": scratch, "instructions": 100,
            "cycles": 200}


def nvidia(warps=16, spills=0, local=0):
    return {"warps": warps, "registers": 128, "spills": spills, "register_spills": 3, "local": local, "instructions": 100, "cycles": 200}


DENSE = "ConvolutionFloat texel TYPE=0 TILE_PIXELS=8"
OTHER = "Softmax words"
FAMILIES = {DENSE: "convolution", OTHER: "softmax"}


class Tables(unittest.TestCase):
    def test_a_table_is_read_as_it_was_written(self):
        pipelines = {DENSE: numbers(), DENSE.replace("=8", "=16"): numbers(8), OTHER: numbers(10, 20, 3, 40)}
        text = static_check.table_text(pipelines, "radv Mesa 1.2.3", static_check.AMD)
        self.assertEqual(static_check.parse_table(text, static_check.AMD), pipelines)
        self.assertIn("radv Mesa 1.2.3", text)

    def test_tables_of_other_vendors_have_their_own_numbers(self):
        for compiler, one in ((static_check.INTEL, intel(32, 5, 1024)), (static_check.NVIDIA, nvidia(24))):
            text = static_check.table_text({DENSE: one}, "", compiler)
            self.assertEqual(static_check.parse_table(text, compiler), {DENSE: one})
            self.assertIn("# constants: " + " ".join(one), text)

    def test_constants_are_sorted_as_numbers(self):
        pipelines = {DENSE.replace("=8", f"={tile}"): numbers() for tile in (16, 4, 8)}
        lines = static_check.table_text(pipelines, "", static_check.AMD).splitlines()[3:]
        self.assertEqual([line.split(":")[0] for line in lines], ["[ConvolutionFloat texel] TYPE TILE_PIXELS", "0 4", "0 8", "0 16"])

    def test_lists_of_the_program_become_numbers(self):
        listing = {"pipelines": [{"name": OTHER, "family": "softmax",
                                  "statistics": {"VGPRs": 9, "Subgroups per SIMD": 7, "Spilled VGPRs": 1, "Hash": 3}}]}
        pipelines, families = static_check.pipelines_of(listing, static_check.AMD)
        self.assertEqual((pipelines[OTHER]["vgprs"], pipelines[OTHER]["waves"], pipelines[OTHER]["spilled_vgprs"]), (9, 7, 1))
        self.assertEqual(families, {OTHER: "softmax"})


class Judgement(unittest.TestCase):
    def judge(self, gpu, pipelines, kept=None, compiler=static_check.AMD):
        return static_check.violations(compiler, gpu, pipelines, FAMILIES, kept or {})

    def test_all_is_well(self):
        self.assertEqual(self.judge("navi21", {DENSE: numbers(8), OTHER: numbers(1)}), [])

    def test_a_spilled_vector_register_is_a_violation_everywhere(self):
        found = self.judge("navi21", {OTHER: numbers(spilled=5)}, {OTHER: numbers(spilled=5)})
        self.assertEqual(len(found), 1)
        self.assertIn("5 registers", found[0])
        self.assertIn(OTHER, found[0])

    def test_the_floor_is_for_products_and_depends_on_the_generation(self):
        self.assertEqual(self.judge("vega10", {DENSE: numbers(4), OTHER: numbers(1)}), [])
        self.assertEqual(len(self.judge("vega10", {DENSE: numbers(3)})), 1)
        self.assertEqual(len(self.judge("polaris10", {DENSE: numbers(3)})), 1)
        self.assertEqual(len(self.judge("navi21", {DENSE: numbers(7)})), 1)
        self.assertEqual(len(self.judge("gfx1200", {DENSE: numbers(4)})), 1)

    def test_fewer_waves_than_the_table_are_a_violation_and_more_are_not(self):
        kept = {OTHER: numbers(10)}
        self.assertEqual(self.judge("navi21", {OTHER: numbers(11)}, kept), [])
        found = self.judge("navi21", {OTHER: numbers(9)}, kept)
        self.assertEqual(len(found), 1)
        self.assertIn("from 10 to 9", found[0])

    def test_more_scratch_memory_than_the_table_is_a_violation(self):
        kept = {OTHER: numbers(scratch=16)}
        self.assertEqual(self.judge("navi21", {OTHER: numbers(scratch=16)}, kept), [])
        self.assertEqual(len(self.judge("navi21", {OTHER: numbers(scratch=32)}, kept)), 1)

    def test_intels_floor_of_lanes_is_for_all_families(self):
        compiler = static_check.INTEL
        self.assertEqual(self.judge("dg2", {DENSE: intel(16), OTHER: intel(32)}, None, compiler), [])
        found = self.judge("dg2", {OTHER: intel(8)}, None, compiler)
        self.assertEqual(len(found), 1)
        self.assertIn("8 lanes", found[0])
        self.assertEqual(len(self.judge("bmg", {DENSE: intel(16, 2, 1024)}, None, compiler)), 1)
        self.assertIn("from 32 to 16", self.judge("bmg", {OTHER: intel(16)}, {OTHER: intel(32)}, compiler)[0])
        self.assertEqual(len(self.judge("dg2", {OTHER: intel(8)}, {OTHER: intel(8)}, compiler)), 1, "the table excuses nothing")
        self.assertIn("from 0 to 512", self.judge("bmg", {OTHER: intel(16, 0, 512)}, {OTHER: intel(16)}, compiler)[0])

    def test_nvidias_floor_of_warps_is_for_products_and_spills_to_registers_are_none(self):
        compiler = static_check.NVIDIA
        self.assertEqual(self.judge("ga102", {DENSE: nvidia(16), OTHER: nvidia(4)}, None, compiler), [])
        self.assertIn("12 warps", self.judge("gp104", {DENSE: nvidia(12)}, None, compiler)[0])
        self.assertEqual(len(self.judge("ga102", {OTHER: nvidia(16, 1)}, None, compiler)), 1)
        self.assertIn("from 0 to 64", self.judge("ga102", {OTHER: nvidia(16, 0, 64)}, {OTHER: nvidia(16)}, compiler)[0])

    def test_new_pipelines_have_only_the_floor_to_meet(self):
        self.assertEqual(self.judge("navi21", {OTHER: numbers(2)}, {DENSE: numbers()}), [])


class Unfinished(unittest.TestCase):
    def test_the_file_of_another_build_is_removed_and_that_of_another_gpu_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            nnvk = pathlib.Path(folder, "bin/nnvk")
            nnvk.parent.mkdir()
            nnvk.write_bytes(b"one")
            first = static_check.unfinished_file(nnvk, "mesa-25.0.7", "navi21", folder)
            other = static_check.unfinished_file(nnvk, "mesa-25.0.7", "navi10", folder)
            first.touch()
            other.touch()
            self.assertEqual(static_check.unfinished_file(nnvk, "mesa-25.0.7", "navi21", folder), first)
            self.assertTrue(first.exists())
            nnvk.write_bytes(b"two")
            self.assertNotEqual(static_check.unfinished_file(nnvk, "mesa-25.0.7", "navi21", folder), first)
            self.assertFalse(first.exists())
            self.assertTrue(other.exists())

    def test_what_is_no_progress_is_kept_for_the_reason(self):
        lines = ["cases [##] 1/2, about 3 s left a.b\n", "no device\n"]
        self.assertEqual(static_check.show_progress("navi21", lines), "no device")


class Program(unittest.TestCase):
    def test_a_driver_that_is_not_there_is_skipped_with_the_reason(self):
        ran = subprocess.run([CHECK, "--drivers", "/nonexistent", "--only", "mesa-25.0.7/navi21"], capture_output=True, text=True,
                             check=False)
        self.assertEqual(ran.returncode, 77, ran.stderr)
        self.assertIn("mesa-25.0.7 navi21: skipped", ran.stdout)
        self.assertIn("tools/drivers radv-25", ran.stdout)

    def test_an_unknown_gpu_is_refused_with_those_that_there_are(self):
        ran = subprocess.run([CHECK, "--only", "moon"], capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("mesa-22.3.6/navi21", ran.stderr)

    def test_every_kept_table_is_of_a_gpu_that_is_checked_and_has_no_line_twice(self):
        for table in CHECK.parent.glob("*/*.txt"):
            compiler, gpus, _, version = static_check.DRIVERS[table.parent.name]
            self.assertIn(table.stem, gpus)
            text = table.read_text(encoding="utf-8")
            self.assertIn(version, text)
            lines = [line for line in text.splitlines() if line and line[0] not in "#["]
            self.assertEqual(len(static_check.parse_table(text, compiler)), len(lines), table)


if __name__ == "__main__":
    unittest.main()
