"""clang-tidy has nothing to say, with the checks of .clang-tidy and the flags of the release build.

It takes seconds per file, so it looks at sources that changed since the branch left main (on main: with the last commit) and at those beside
changed headers; --all looks at every source. Needs the compile commands of a configured build folder."""

import json
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tree import Violation

_WARNING = re.compile(r"^(?P<path>/[^:]+):(?P<line>\d+):\d+: (?:warning|error): (?P<text>.*)$", re.M)
# Warnings of GCC that Clang does not know, and a class of the C++ library that older Clangs cannot compile.
_ARGUMENTS = ("-Wno-unknown-warning-option", "-Wno-unused-command-line-argument", "-include",
              str(Path(__file__).with_name("clang_source_location.h")))
# A source of those that are compiled as one (tools/unity_build.cmake).
_UNITED = re.compile(r'^#include "(/[^"]+)"$', re.M)
# Options of GCC that Clang refuses, and GCC's precompiled headers.
_OF_GCC_ALONE = re.compile(r" -mmemset-strategy=\S+| -Winvalid-pch| -include \S+/cmake_pch\.hxx")


def changed(tree, options):
    """Paths that differ from where the branch left main; with nothing between, from the last commit."""
    base = options.base
    if base is None:
        for main in ("origin/main", "main"):
            try:
                base = tree.git("merge-base", "HEAD", main)[0]
                break
            except (OSError, subprocess.CalledProcessError, IndexError):
                continue
    try:
        if base is None or base == tree.git("rev-parse", "HEAD")[0]:
            base = "HEAD~1"
        return set(tree.git("diff", "--name-only", base))
    except (OSError, subprocess.CalledProcessError):
        return set()  # the first commit, or no checkout at all


def commands(options):
    """The build's compile commands with nothing that Clang refuses, one for each source; None without a configured build."""
    database = options.build / "compile_commands.json"
    if not database.is_file():
        return None
    entries = []
    for entry in json.loads(_OF_GCC_ALONE.sub("", database.read_text())):
        united = _UNITED.findall(Path(entry["file"]).read_text()) if "/Unity/unity_" in entry["file"] else [entry["file"]]
        entries += [json.loads(json.dumps(entry).replace(entry["file"], source)) for source in united]
    return entries


def look_at(tree, database, path):
    """`database`: the folder of compile commands that Clang understands."""
    arguments = [f"--extra-arg={argument}" for argument in _ARGUMENTS]
    done = subprocess.run(["clang-tidy", "-p", str(database), "--quiet", *arguments, path], cwd=tree.root, capture_output=True, text=True,
                          check=False)
    return path, done.returncode, done.stdout + done.stderr


def check(tree, options):
    known = commands(options)
    if known is None:
        if options.all:
            yield Violation(str(options.build), 0, "there are no compile commands; configure it: cmake --preset release")
        return
    files = {entry["file"] for entry in known}
    sources = [path for path in tree.below(suffixes=(".cpp",)) if str(tree.root / path) in files]
    if not options.all:
        paths = changed(tree, options)
        beside = {re.sub(r"\.h$", ".cpp", path) for path in paths}
        sources = [path for path in sources if path in paths or path in beside]
    reported = set()
    with tempfile.TemporaryDirectory() as database, ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        (Path(database) / "compile_commands.json").write_text(json.dumps(known))
        for path, code, text in pool.map(lambda path: look_at(tree, database, path), sources):
            found = False
            for match in _WARNING.finditer(text):
                where = os.path.relpath(match.group("path"), tree.root)
                found = True
                if where.startswith(".."):
                    continue  # Clang 14 does not compile all of GCC's library
                if (where, match.group("line"), match.group("text")) not in reported:
                    reported.add((where, match.group("line"), match.group("text")))
                    yield Violation(where, int(match.group("line")), match.group("text") + "; mend it, or say NOLINT(check) and why")
            if code != 0 and not found:
                yield Violation(path, 0, f"clang-tidy failed: {text.strip()[-300:]}")
