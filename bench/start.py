#!/usr/bin/env python3
"""What a program costs from its start to its first line: start.py PROGRAM...

Each answers one short text, 20 times in turn; the best is told, with the program's size.
"""

import os
import resource
import subprocess
import sys
import time

TEXT = b"may I sell copies\n"
RUNS = 20


def of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(program):
    """Seconds on the clock, and of processors."""
    used, begin = of_children(), time.perf_counter()
    subprocess.run([program], input=TEXT, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin, of_children() - used


def main():
    programs = [os.path.abspath(program) for program in sys.argv[1:]]
    if not programs:
        sys.exit(__doc__)
    taken = {program: [] for program in programs}
    for _ in range(RUNS):
        for program in programs:
            taken[program].append(run(program))
    for program, runs in taken.items():
        wall, used = (1000 * min(each) for each in zip(*runs))
        size = os.path.getsize(program) / 1e6
        print(f"{program}: {wall:.1f} ms, {used:.1f} ms of processors, {size:.2f} MB")


if __name__ == "__main__":
    main()
