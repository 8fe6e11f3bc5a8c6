#!/usr/bin/env python3
"""Checks that no folder of the library includes one that comes after it: base, dsl, weights, backends, runtime, mpi, models, programs, library.

A backend is included by itself, and by the one header that says which backend runs what.
"""

import pathlib
import re
import sys

ORDER = ["base", "dsl", "weights", "backends", "runtime", "mpi", "models", "programs", "library"]
CHOICE = "runtime/backend_of.hpp"


def faults(root):
    for place, folder in enumerate(ORDER):
        for path in sorted((root / folder).rglob("*.[hc]pp")):
            name = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                found = re.match(r"#include <fovea/(\w+)/", line)
                if found and ORDER.index(found.group(1)) > place:
                    yield f"{name}:{number}: {folder}/ includes {found.group(1)}/, which comes after it"
                backend = re.match(r"#include <fovea/(backends/\w+/)", line)
                if backend and not name.startswith(backend.group(1)) and name != CHOICE:
                    yield f"{name}:{number}: includes {backend.group(1)}, which {CHOICE} alone does"


if __name__ == "__main__":
    told = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(told))
    sys.exit(bool(told))
