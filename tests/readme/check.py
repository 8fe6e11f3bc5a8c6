#!/usr/bin/env python3
"""Checks the README's C++: every block marked cpp compiles, and each one marked ill-formed is refused with the sentence that the
block after it shows."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def compile_block(compiler, include, code):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "README.cpp"
        source.write_text(code)
        return subprocess.run(
            [*compiler.split(), "-std=c++20", "-fsyntax-only", f"-I{include}", str(source)], capture_output=True, text=True, check=False
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("readme", type=pathlib.Path)
    options = parser.parse_args()
    blocks = BLOCK.findall(options.readme.read_text(encoding="utf-8"))
    checked = 0
    for (kind, code), following in zip(blocks, [*blocks[1:], ("", "")]):
        if not kind.startswith("cpp"):
            continue
        checked += 1
        run = compile_block(options.compiler, options.include, code)
        if "ill-formed" not in kind:
            if run.returncode != 0:
                sys.exit(f"a block of {options.readme} does not compile:\n{run.stderr}")
            continue
        errors = [line for line in run.stderr.splitlines() if "error:" in line]
        found = "".join(re.findall(r'part<\d+>\{+"((?:[^"\\]|\\.)*)"', errors[0])).replace('\\"', '"') if errors else ""
        if found != following[1].strip():
            sys.exit(f"the ill-formed block of {options.readme} gives\n  {found}\nwhere the page shows\n  {following[1].strip()}")
    if checked == 0:
        sys.exit(f"{options.readme} has no C++ block")
    print(f"{checked} blocks checked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
