"""Disassembles the library and finds in its fast kernels the vector instructions that they are there for; prints how many.

Usage: arm64_instructions.py --objdump PROGRAM LIBRARY    (a library for 64-bit Arm, with its symbols)
"""
import argparse
import re
import subprocess
import sys
from collections import Counter, defaultdict

NEON = "nnvk::cpu::N_NEON::"
DOT = "nnvk::cpu::N_NEON_DOT::"

# What is claimed, of which functions (name and parameters), with which instructions, how many at least.
CLAIMS = [
    ("float products", NEON + r".*\(.*FloatProduct const&", r"fmla v\d+\.4s, v\d+\.4s, v\d+\.s\[", 1000),
    ("float depthwise convolutions", NEON + r".*\(.*FloatRow const&", r"fmla v\d+\.4s", 50),
    ("8-bit products without dot products", NEON + r"PanelSet<", r"smlal2? v\d+\.4s, v\d+\.[48]h, v\d+\.h\[", 200),
    ("8-bit products with dot products", DOT + r"PanelSet<", r"[su]dot v\d+\.4s, v\d+\.16b, v\d+\.4b\[", 200),
    ("8-bit depthwise convolutions", NEON + r"add_up_block<", r"sm(ull|lal)2? v\d+\.4s", 8),
    ("requantization", NEON + r"PanelSet<", r"sqrdmulh v\d+\.4s", 20),
    ("requantization behind dot products", DOT + r"PanelSet<", r"sqrdmulh v\d+\.4s", 20),
]
# What a processor may lack, and the only functions that may use it: they are called where the processor has it.
OPTIONAL = {"dot products": (r"[su]dot ", "::N_NEON_DOT::"), "SVE": (r"\S+ .*\bz\d+\.[bhsd]", None)}


def functions(objdump, library):
    """{demangled name: its instructions, as text}"""
    listing = subprocess.run([objdump, "-d", "-C", "--no-show-raw-insn", library], check=True, capture_output=True, text=True).stdout
    found = defaultdict(list)
    name = None
    for line in listing.splitlines():
        start = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if start:
            name = start[1]
        elif name and (instruction := re.match(r" +[0-9a-f]+:\t(.*)", line)):
            found[name].append(instruction[1].replace("\t", " "))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objdump", default="aarch64-linux-gnu-objdump")
    parser.add_argument("binary", metavar="LIBRARY")
    arguments = parser.parse_args()
    code = functions(arguments.objdump, arguments.binary)
    if not any(NEON in name for name in code):
        sys.exit(f"{arguments.binary} has no functions of fast kernels: was it stripped, or built for another machine?")
    errors = []
    for claim, who, what, least in CLAIMS:
        counts = Counter(what_is.split()[0] for name, body in code.items() if re.search(who, name)
                         for what_is in body if re.match(what, what_is))
        total = sum(counts.values())
        print(f"{claim}: {total} ({', '.join(f'{count} {name}' for name, count in counts.most_common())})")
        if total < least:
            errors.append(f"{claim}: {total} instructions like '{what}' in functions like '{who}', expected {least} or more")
    for feature, (what, where) in OPTIONAL.items():
        for name, body in code.items():
            if (where is None or where not in name) and any(re.match(what, instruction) for instruction in body):
                errors.append(f"{feature} in {name}, which runs on processors without it")
    sys.exit("\n".join(errors) or None)


if __name__ == "__main__":
    main()
