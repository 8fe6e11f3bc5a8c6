#!/usr/bin/env python3
"""Fails on any global symbol but those named in an object compiled for one instruction set.

    check.py NM OBJECT SYMBOL      the object defines SYMBOL, in which * stands for any text, and, to other objects,
                                   nothing else; it neither allocates nor throws. NM lists what it has
    check.py --self-test COMPILER  the check finds a weak and a unique symbol, an allocation and a missing table

A weak symbol (an inline function, an instantiated template) of such an object could replace the same function in
ordinary code, which would then run on AVX-512 alone; see backends/simd/isa/README.md.
"""
import fnmatch
import pathlib
import subprocess
import sys
import tempfile

MACH_O = b"\xcf\xfa\xed\xfe"  # macOS's objects, whose names have a line before them
ALLOCATES_OR_THROWS = ("_Znw", "_Zna", "_Zdl", "_Zda", "malloc", "calloc", "realloc", "free", "__cxa_", "_ZSt")


def symbols(nm, path):
    """(name, type letter) of each symbol, as nm prints them, by the names that C has for them."""
    listing = subprocess.run([nm, "--format=posix", path], check=True, capture_output=True, text=True).stdout
    found = [tuple(line.split()[:2]) for line in listing.splitlines()]
    before = "_" if pathlib.Path(path).read_bytes()[:4] == MACH_O else ""
    return [(name.removeprefix(before), kind) for name, kind in found]


def faults(nm, path, table):
    found = symbols(nm, path)
    defined = [(name, kind) for name, kind in found if kind != "U" and (kind.isupper() or kind in "uvw")]
    # Where a linker takes one of several sections of a name, all names but those of the table are the set's own.
    stem = pathlib.Path(path).stem  # which ends with the set's name
    defined = [(name, kind) for name, kind in defined if "." not in name or not stem.endswith("_" + name.rpartition(".")[2])]
    result = [f"{name} is visible to other objects (nm type {kind})" for name, kind in defined if not fnmatch.fnmatchcase(name, table)]
    if not fnmatch.filter([name for name, _ in defined], table):
        result.append(f"{table} is not defined")
    result += [f"{name} is called" for name, kind in found if kind == "U" and name.startswith(ALLOCATES_OR_THROWS)]
    return result


SELF_TEST = {
    "inline int shared(int x) { static int calls = 0; return calls += x; }\n"
    'extern "C" { int (*table)(int) = shared; }\n': ["_Z6sharedi", "_ZZ6sharediE5calls"],
    'extern "C" { int* table(int n) { return new int[static_cast<unsigned long>(n)]; } }\n': ["_Zna"],
    'extern "C" { int other = 1; }\n': ["other is visible", "table is not defined"],
    'static int one() { return 1; }\nextern "C" { int (*table)() = one; }\n': [],
}


def self_test(compiler):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        source, built = pathlib.Path(folder, "unit.cpp"), str(pathlib.Path(folder, "unit.o"))
        for text, expected in SELF_TEST.items():
            source.write_text(text)
            subprocess.run([compiler, "-std=c++20", "-O0", "-c", str(source), "-o", built], check=True)
            found = faults("nm", built, "table")
            if bool(found) != bool(expected) or any(not any(e in f for f in found) for e in expected):
                print(f"for\n{text}expected {expected}, found {found}")
                failed = 1
    return failed


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--self-test":
        return self_test(arguments[1])
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    found = faults(*arguments)
    for fault in found:
        print(f"{arguments[1]}: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
