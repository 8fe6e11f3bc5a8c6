#!/usr/bin/env python3
"""Checks that two folders of the library alone ask what is compiled for: base/system for the system, backends/simd for the processor; and that
no other includes what a system has."""

import pathlib
import re
import sys

FOLDERS = ["base", "dsl", "weights", "backends", "runtime", "models"]
ASKS = re.compile(r"^\s*#\s*(?:el)?if.*(__linux|__APPLE|__unix|_WIN32|__MINGW|_MSC_VER)")
PROCESSOR = re.compile(r"^\s*#\s*(?:el)?if.*(__x86_64|__i386|__aarch64|__arm|__powerpc|__SSE|__AVX|__ARM)")
HEADER = re.compile(r"#include <(sys/|unistd\.h|fcntl\.h|sched\.h|pthread\.h|dlfcn\.h|fnmatch\.h|windows\.h|io\.h)")


def faults(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.[hc]pp")):
            name = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                system = ASKS.match(line) or HEADER.match(line)
                if (system and not name.startswith("base/system/")) or (
                    PROCESSOR.match(line) and not name.startswith(("base/system/", "backends/simd/"))):
                    yield f"{name}:{number}: {line.strip()}: expected in base/system, or of a processor in backends/simd"


if __name__ == "__main__":
    told = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(told))
    sys.exit(bool(told))
