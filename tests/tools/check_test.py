#!/usr/bin/env python3
"""Every rule of tools/check finds a deliberate violation in a small tree, and says what, where and what to do."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# A tree that keeps every rule.
FILES = {
    "core/base/README.md": "# core/base\n\nNumbers: `number.h`.\n",
    "core/base/number.h": "// Numbers.\n#pragma once\nint one();\nint two();\n",
    "core/base/number.cpp": '#include "core/base/number.h"\n\nint one() { return 1; }\nint two() { return 2; }\n',
    "core/plan/plan.h": "// Plans (docs/facts.md#numbers).\n#pragma once\nint planned(int);\n",
    "core/plan/plan.cpp": '#include "core/plan/plan.h"\n\n#include "core/base/number.h"\n\n'
                          "int planned(int x) { return x * one() + two(); }\n",
    "core/operations/row.cpp": '#include "core/plan/plan.h"\n\nint main() { return planned(3); }\n',
    "docs/facts.md": "# Facts\n\n## Numbers\n\nThey count.\n",
}
ROOMS = [{"room": "core/base", "may": [], "never": ["volk.h"]}, {"room": "core/plan", "may": ["core/base"]},
         {"room": "core/operations", "may": ["core/plan"]}]
DATA = {
    "includes.json": {"rooms": ROOMS},
    "ceilings.json": {"operand_indices": {folder: 0 for folder in ("accelerators", "core/model", "core/operations", "core/plan", "core/runtime",
                                                                   "cpu_fallback", "vulkan")},
                      "plain_words": {"documents": 0, "messages": 0, "comments": 0}, "long_parameter_lists": {}},
    "references.json": {"elsewhere": ["volk.h"], "unchecked": []},
    "dead_symbols.json": {"used_nevertheless": {}},
}


class Rules(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name).resolve()
        for path, text in FILES.items():
            self.write(path, text)
        for path in (".clang-format", ".clang-tidy"):
            shutil.copy(ROOT / path, self.root / path)
        for name, data in DATA.items():
            self.write(f"tools/check.d/{name}", json.dumps(data))
        self.run_check("--write-readmes")

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def add(self, path, text):
        self.write(path, (self.root / path).read_text() + text)

    def run_check(self, *arguments):
        return subprocess.run([sys.executable, str(ROOT / "tools/check"), "--root", str(self.root), *arguments], capture_output=True,
                              text=True, check=False)

    def expect(self, rule, *texts, arguments=()):
        """The rule fails, and says each of the texts."""
        done = self.run_check("--only", rule, *arguments)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for text in texts:
            self.assertIn(text, done.stdout)

    def compile(self):
        """Objects and compile commands as CMake leaves them."""
        commands = []
        for path in sorted(self.root.glob("core/**/*.cpp")):
            source = path.relative_to(self.root)
            target = self.root / "build/release" / source.parts[0] / "CMakeFiles/library.dir" / Path(*source.parts[1:])
            target.parent.mkdir(parents=True, exist_ok=True)
            command = ["c++", "-std=c++20", f"-I{self.root}", "-c", str(path), "-o", f"{target}.o"]
            subprocess.run(command, check=True)
            commands.append({"directory": str(self.root), "file": str(path), "arguments": command})
        self.write("build/release/compile_commands.json", json.dumps(commands))

    def test_a_tree_that_keeps_every_rule_passes(self):
        self.compile()
        done = self.run_check("--all")
        self.assertEqual(done.stdout, "tools/check: no violations\n", done.stderr)
        self.assertEqual(done.returncode, 0)

    def test_a_forbidden_include(self):
        self.add("core/base/number.h", '#include "core/plan/plan.h"\n')
        self.expect("includes", "core/base/number.h:5: core/base may not include core/plan/plan.h. Move the code")

    def test_a_header_that_a_room_does_without(self):
        self.add("core/base/number.h", "#include <volk.h>\n")
        self.expect("includes", "core/base/number.h:5: core/base does without volk.h")

    def test_a_folder_without_a_row(self):
        self.write("core/new/new.h", "// New.\n")
        self.expect("includes", "core/new/new.h: its folder has no row in tools/check.d/includes.json; add one")

    def test_a_row_about_no_folder(self):
        self.write("tools/check.d/includes.json", json.dumps({"rooms": [*ROOMS, {"room": "core/gone", "may": []}]}))
        self.expect("includes", "there is no folder core/gone; remove its row")

    def test_a_readme_that_says_something_else_than_the_table(self):
        self.write("core/base/README.md", (self.root / "core/base/README.md").read_text().replace("May include nothing", "May include all"))
        self.expect("includes", "core/base/README.md: does not say what", "run tools/check --write-readmes")

    def test_a_comment_that_names_no_file(self):
        self.add("core/plan/plan.h", "// See core/plan/gone.h.\n")
        self.expect("references", "core/plan/plan.h:4: there is no file core/plan/gone.h")

    def test_a_comment_that_cites_no_section(self):
        self.add("core/plan/plan.h", "// See docs/facts.md#letters.\n")
        self.expect("references", "core/plan/plan.h:4: docs/facts.md has no section #letters; its sections are #facts, #numbers")

    def test_a_comment_that_cites_the_specification(self):
        self.add("core/plan/plan.h", "// As semantics 10.2 says.\n")
        self.expect("references", 'core/plan/plan.h:4: "semantics 10.2" is a section of a document that is not here; cite')

    def test_a_readme_that_names_no_file(self):
        self.add("core/base/README.md", "\n| file | what |\n|---|---|\n| `letters` | none |\n\n`gone/`\n")
        self.expect("references", "there is no letters in core/base", "there is no folder gone/")

    def test_digits_as_operand_indices(self):
        self.add("core/operations/row.cpp", "int f(View& v, View& operation) { return v.input(0) + v.outputs[1] + rank(operation, 2); }\n")
        self.expect("operand_indices", "core/operations: 3 operand indices are digits, 0 are allowed. Decode the operands")

    def test_digits_in_other_words(self):
        self.add("core/operations/row.cpp", "int g(Node& n) { return n.inputs.front() + n.inputs.at(1) + *n.inputs.begin() + n.inputs[0U]; }\n"
                 "constexpr size_t kOtherInput = 1;\n")
        self.expect("operand_indices", "core/operations: 5 operand indices are digits")

    def test_sentences_that_are_hard_to_read(self):
        self.add("docs/facts.md", "\nWhat they count is told elsewhere: a list. What is it?\n\n- " + "word " * 31 + "\n")
        self.add("core/base/number.cpp", '// Where it ends, it ends.\nconst char* text() { return "Whoever asks."; }\n')
        self.expect("plain_words", "3 sentences in documents are hard to read, 0 are allowed", "1 sentences in messages",
                    "1 sentences in comments")

    def test_two_types_with_one_name(self):
        named = "namespace nnvk {\nstruct Number;\nstruct Number final : Base {\n};\n}  // namespace nnvk\n"
        self.add("core/base/number.h", named)
        self.add("core/base/number.cpp", named.replace("nnvk {\n", "nnvk {\nnamespace {\n").replace("}  //", "}  // namespace\n}  //"))
        self.add("core/plan/plan.h", named.replace("namespace nnvk", "namespace nnvk::plan"))
        done = self.run_check("--only", "type_names")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.add("core/plan/plan.cpp", named)
        self.expect("type_names", "core/plan/plan.cpp:8: nnvk::Number is a type of core/base/number.h:7 as well; give one of them another name")

    def test_a_file_that_is_too_long(self):
        self.write("core/base/number.cpp", "// Long.\n" * 601)
        self.expect("sizes", "core/base/number.cpp: 601 lines, 600 are allowed; split it")

    def test_a_table_that_a_program_wrote_may_be_long(self):
        self.write("docs/support.md", "| FOO |\n" * 601)
        done = self.run_check("--only", "sizes")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_file_that_a_command_wrote_by_mistake(self):
        self.write("--help", "weights")
        self.write("core/base/weights.bin", "0" * ((1 << 20) + 1))
        self.expect("sizes", "--help: commands take this name for an option; remove the file", "core/base/weights.bin: 1048577 bytes, 1048576 are allowed")

    def test_a_parameter_list_that_is_too_long(self):
        self.add("core/base/number.h", "int sum(int a, const std::vector<int>& b, int* c, int d, int e, int f = 0);\n")
        self.expect("sizes", "core/base/number.h:5: sum has 6 parameters, 5 are allowed; make a struct")

    def test_a_file_that_is_not_formatted(self):
        self.add("core/base/number.cpp", "int  three( ) { return 3 ; }\n")
        self.expect("format", "core/base/number.cpp:5:", "run clang-format -i core/base/number.cpp")

    def test_a_vulkan_result_that_nobody_looks_at(self):
        self.write("vulkan/queue.cpp", "void run(Context* context, bool done) {\n  if (done) context->vk().vkResetFences(1, 2, 3);\n"
                                       "  if (vkWaitForFences(1, 2) != 0) return;\n}\n")
        self.expect("vulkan_results", "vulkan/queue.cpp:2", "vkResetFences", "Return it")

    def test_a_function_that_nobody_uses(self):
        self.add("core/base/number.h", "inline int three() { return 3; }\n")
        self.expect("dead_symbols", "core/base/number.h:5: no production code uses three; remove it")

    def test_an_exception_that_is_none_any_more(self):
        self.write("tools/check.d/dead_symbols.json", json.dumps({"used_nevertheless": {"one": "no reason"}}))
        self.expect("dead_symbols", "one is used by now, or gone; remove its row")

    def test_what_clang_tidy_finds(self):
        self.add("core/base/number.cpp", "int same(int x) { return x == x ? 1 : 2; }\n")
        self.compile()
        self.expect("tidy", "core/base/number.cpp:5: both sides of operator are equivalent", "mend it", arguments=("--all",))

    def test_what_clang_tidy_finds_in_a_source_that_is_compiled_together_with_others(self):
        self.add("core/base/number.cpp", "int same(int x) { return x == x ? 1 : 2; }\n")
        united = self.root / "build/release/core/CMakeFiles/library.dir/Unity/unity_0_cxx.cxx"
        self.write(united, f'/* generated by CMake */\n\n#include "{self.root}/core/base/number.cpp"\n')
        command = f"c++ -std=c++20 -I{self.root} -c {united} -o number.o"
        self.write("build/release/compile_commands.json", json.dumps([{"directory": str(self.root), "file": str(united), "command": command}]))
        self.expect("tidy", "core/base/number.cpp:5: both sides of operator are equivalent", arguments=("--all",))


if __name__ == "__main__":
    unittest.main()
