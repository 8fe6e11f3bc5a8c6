#!/usr/bin/env python3
"""Checks that each public header of the folders given compiles alone, that all compile together for sanitizers, and
that none reaches a header it must not see.

Each header is compiled twice over in one unit, which also shows that it may be included twice.
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]


def compiled(command, headers, *more):
    unit = "".join(f"#include <{header}>\n" for header in headers)
    return subprocess.run([*command, "-fsyntax-only", *more, "-x", "c++", "-"], input=unit, capture_output=True, text=True)


def faults_of(command, header, forbidden):
    """What is wrong with the header named as users include it (fovea/dsl/dim.hpp), as sentences."""
    with tempfile.NamedTemporaryFile(suffix=".d") as dependencies:
        alone = compiled(command, [header, header], "-MD", "-MF", dependencies.name)
        if alone.returncode != 0:
            return ["does not compile alone:\n" + alone.stderr]
        reached = pathlib.Path(dependencies.name).read_text(encoding="utf-8").split()
    return [f"includes {path}" for path in reached if forbidden and forbidden.search(path)][:1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", required=True, type=pathlib.Path, help="the folder that holds fovea/")
    parser.add_argument("--forbid", type=re.compile, help="no header may include, however deep, a path that matches this")
    parser.add_argument("--without", type=re.compile, help="leaves out headers whose name matches this")
    parser.add_argument("--flag", action="append", default=[], help="for the compiler")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("names", nargs="+", help="headers, or folders of headers, below fovea/")
    options = parser.parse_args()

    headers = []
    for name in options.names:
        path = options.include / "fovea" / name
        found = sorted(path.rglob("*.hpp")) if path.is_dir() else [path]
        headers += [header.relative_to(options.include).as_posix() for header in found]
    if options.without:
        headers = [header for header in headers if not options.without.search(header)]
    if not headers:
        print("no headers found")
        return 1

    command = [options.compiler, "-std=c++20", f"-I{options.include}", *WARNINGS, "-Wno-deprecated-declarations", *options.flag]
    at_fault = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for header, faults in zip(headers, pool.map(lambda header: faults_of(command, header, options.forbid), headers)):
            at_fault += bool(faults)
            for fault in faults:
                print(f"{header}: {fault}")
    # With sanitizers g++ takes fewer comparisons of pointers for constant expressions.
    together = compiled(command, headers, "-fsanitize=address,undefined")
    if together.returncode != 0:
        at_fault += 1
        print(f"all {len(headers)} headers in one unit do not compile:\n{together.stderr}")
    print(f"{options.compiler}: {len(headers)} headers, {at_fault} at fault")
    return 1 if at_fault else 0


if __name__ == "__main__":
    sys.exit(main())
