#!/usr/bin/env python3
"""Draws models by chance, compiles them, runs their tests on every instruction set, and reduces what fails.

A model that fails is written to BUILD/drawn_failures as it was drawn and as small as it still fails: make a test of it.
The build folder is one that `make test` made. Exit status 1 where a model failed.
"""

import argparse
import copy
import pathlib
import subprocess
import sys
import time

from declaration import Drawing, leave_out_unused
from draw import program, write

BATCH = 10


class Build:
    """The test program of a build folder, whose files this replaces."""

    def __init__(self, folder, jobs):
        self.folder, self.jobs = folder, jobs
        self.sources = folder / "tests" / "drawn"

    def failure(self, programs):
        """How the programs fail, "compiling" or "running", and what is said then; None where all pass."""
        write(self.sources, BATCH, programs)
        made = subprocess.run(["cmake", "--build", self.folder, "-j", str(self.jobs), "--target", "test_drawn"],
                              capture_output=True, text=True)
        if made.returncode != 0:
            return "compiling", made.stdout + made.stderr
        ran = subprocess.run(["ctest", "--test-dir", self.folder, "-R", r"^drawn\.", "--output-on-failure", "--no-tests=error"],
                             capture_output=True, text=True)
        return None if ran.returncode == 0 else ("running", ran.stdout + ran.stderr)


def replace(body, old, new):
    for statement in body.statements:
        statement.operands = [new if operand is old else operand for operand in statement.operands]
        if statement.body:
            replace(statement.body, old, new)
    body.results = [new if result is old else result for result in body.results]


def bodies(body):
    yield body
    for statement in body.statements:
        if statement.body:
            yield from bodies(statement.body)


def smaller(drawing):
    """Drawings that lack an output, give what one is made of, or lack a statement for whose result another value stands."""
    for i in range(len(drawing.body.results)):
        if len(drawing.body.results) > 1:
            candidate = copy.deepcopy(drawing)
            candidate.body.results = [candidate.body.results[i]]
            yield candidate
    for i, statement in enumerate(drawing.body.statements):
        for j, operand in enumerate(statement.operands):
            if statement.result in drawing.body.results and operand.type == "f32" and not operand.is_input:
                candidate = copy.deepcopy(drawing)
                candidate.body.results = [candidate.body.statements[i].operands[j]]
                yield candidate
    for place, body in enumerate(bodies(drawing.body)):
        for i in reversed(range(len(body.statements))):
            statement = body.statements[i]
            before = statement.operands + [each.result for each in body.statements[:i]] + body.parameters + drawing.inputs
            for j, other in enumerate(before):
                if other.shape == statement.result.shape and other.type == statement.result.type:
                    candidate = copy.deepcopy(drawing)
                    inner = list(bodies(candidate.body))[place]
                    same = inner.statements[i]
                    others = same.operands + [each.result for each in inner.statements[:i]] + inner.parameters + candidate.inputs
                    replace(candidate.body, same.result, others[j])
                    inner.statements.remove(same)
                    yield candidate
                    break


def reduced(drawing, seed, how, failure):
    """The smallest drawing found that still fails, compiling or running as the first did."""
    found = True
    while found:
        found = False
        for candidate in smaller(drawing):
            leave_out_unused(candidate.body)
            again = failure([program(candidate, seed)])
            if again is not None and again[0] == how:
                drawing, found = candidate, True
                break
    return drawing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--first", type=int, default=int(time.time()), help="the first seed; of the clock where none is given")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("build", type=pathlib.Path)
    options = parser.parse_args()
    build = Build(options.build, options.jobs)
    failures = options.build / "drawn_failures"
    failed = []
    print(f"{options.count} models drawn from {options.first} on", flush=True)
    for first in range(options.first, options.first + options.count, BATCH):
        seeds = range(first, min(first + BATCH, options.first + options.count))
        if build.failure([program(Drawing(seed), seed) for seed in seeds]) is not None:
            for seed in seeds:
                failure = build.failure([program(Drawing(seed), seed)])
                if failure is None:
                    continue
                how, said = failure
                failed.append(seed)
                failures.mkdir(exist_ok=True)
                (failures / f"drawn_{seed}.txt").write_text(said)
                (failures / f"drawn_{seed}.cpp").write_text(program(Drawing(seed), seed))
                print(f"the model drawn from {seed} fails {how}; it is made smaller", flush=True)
                small = reduced(Drawing(seed), seed, how, build.failure)
                (failures / f"drawn_{seed}_small.cpp").write_text(program(small, seed))
        print(f"{seeds[-1] - options.first + 1} of {options.count} drawn, {len(failed)} failed", flush=True)
    for seed in failed:
        print(f"{failures}/drawn_{seed}_small.cpp")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
