#!/usr/bin/env python3
"""Checks that no folder of the library includes one that comes after it: base, dsl, weights, backends, runtime, models."""

import pathlib
import re
import sys

ORDER = ["base", "dsl", "weights", "backends", "runtime", "models"]


def faults(root):
    for place, folder in enumerate(ORDER):
        for path in sorted((root / folder).rglob("*.[hc]pp")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                found = re.match(r"#include <fovea/(\w+)/", line)
                if found and ORDER.index(found.group(1)) > place:
                    yield f"{path.relative_to(root)}:{number}: {folder}/ includes {found.group(1)}/, which comes after it"


if __name__ == "__main__":
    told = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(told))
    sys.exit(bool(told))
