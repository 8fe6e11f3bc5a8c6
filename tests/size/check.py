#!/usr/bin/env python3
"""Fails where a program is larger than it may be, without its symbols."""

import argparse
import pathlib
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strip", default="strip")
    parser.add_argument("--most", type=int, required=True, help="KB of 1024 bytes")
    parser.add_argument("program", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder) / "stripped"
        subprocess.run([options.strip, "-o", str(stripped), str(options.program)], check=True)
        size = stripped.stat().st_size / 1024
    print(f"{options.program.name}: {size:.0f} KB of at most {options.most}")
    return size > options.most


if __name__ == "__main__":
    sys.exit(main())
