#!/usr/bin/env python3
"""Instructions of a call on 64-bit ARM, ours beside those of peers, counted by qemu.

    bench/arm_instructions.py build-aarch64/bench/calls
    bench/arm_instructions.py --case gru/16 build-aarch64/bench/calls --peer RTNeural=peers/rtneural

A peer is a name and what qemu-aarch64 is given before CASE and COUNT: its options, a program, and words of that. The
program makes so many calls by one thread; its exit status is 2 where it knows no such case. The instructions of a call are
the difference of two runs, one of which makes twice the calls of the other: what comes before the calls drops out.
"""

import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

# What has no instruction for products of bytes, what has one for each row, and all that qemu knows.
PROCESSORS = ["cortex-a53", "neoverse-n1", "max"]
FLOATS, INTEGERS = PROCESSORS[1:2], PROCESSORS
CASES = {  # the calls of the shorter run, and the processors
    **{f"{cell}/{size}": (1000, FLOATS) for cell in ("gru", "lstm") for size in (8, 16, 64)},
    "minilm/1x32": (1, FLOATS),
    "minilm/1x128": (1, FLOATS),
    "minilm-int8/1x32": (1, INTEGERS),
    "gpt2/f32": (2, FLOATS),
    "gpt2/q8_0": (2, INTEGERS),
}
NO_CASE = 2


class CountFailed(RuntimeError):
    pass


def plug_in(folder):
    """Compiled for qemu on this machine."""
    made = pathlib.Path(folder) / "count_instructions.so"
    source = pathlib.Path(__file__).with_name("count_instructions.c")
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", made, source], check=True)
    return made


def of_run(plugin, processor, words, case, count):
    """Instructions of one run, or None where the program has no such case."""
    command = ["qemu-aarch64", "-cpu", processor, "-plugin", f"file={plugin}", *words, case, str(count)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode == NO_CASE:
        return None
    counted = re.search(r"\n(\d+)\n$", run.stderr)
    if run.returncode != 0 or not counted:
        raise CountFailed(f"{shlex.join(command)}: exit status {run.returncode}\n{run.stderr}")
    return int(counted[1])


def of_call(plugin, processor, words, case, count):
    once, twice = (of_run(plugin, processor, words, case, calls) for calls in (count, 2 * count))
    return None if once is None else (twice - once) / count


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("calls", help="bench/calls, compiled for 64-bit ARM")
    arguments.add_argument("--peer", action="append", default=[], metavar="NAME=WORDS", help="what runs a peer's calls")
    arguments.add_argument("--case", action="append", choices=CASES, help="else all")
    options = arguments.parse_args()
    # What sees one processor begins no second thread, whose counts would get mixed up with the first one's.
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    peers = dict(peer.split("=", 1) for peer in options.peer)
    programs = {"Fovea": options.calls, **peers}
    print("| call | processor | " + " | ".join(programs) + " | of the least peer's |")
    print("| --- | --- |" + " ---: |" * (len(programs) + 1))
    with tempfile.TemporaryDirectory() as folder:
        plugin = plug_in(folder)
        for case in options.case or CASES:
            count, processors = CASES[case]
            for processor in processors:
                counts = [of_call(plugin, processor, shlex.split(words), case, count) for words in programs.values()]
                told = [count for count in counts[1:] if count is not None]
                share = f"{counts[0] / min(told):.2f}" if told else ""
                columns = ["" if count is None else f"{count:,.0f}" for count in counts]
                print(f"| {case} | {processor} | " + " | ".join([*columns, share]) + " |", flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CountFailed as failure:
        sys.exit(str(failure))
