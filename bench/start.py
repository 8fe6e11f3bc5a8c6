#!/usr/bin/env python3
"""What a program costs from its start to its first answer, and the memory that it has then: start.py [--runs 20] COMMAND...

Each command is a program that answers lines, with its options: 'ask --weights packed.gguf', 'story --tokens 1 --json'. Each
answers one short text in each run, in turn, and starts once with no text, which it ends by itself; the best of each is told.
Memory is what Linux says of the process after its answer: its own pages, and those of files, which processes share.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import time

TEXT = b"may I sell copies\n"
MEMORY = {"VmHWM": "most", "RssAnon": "own", "RssFile": "of files", "Pss": "share"}


def memory_of(process):
    """MB by what /proc calls them."""
    found = {}
    for file in ("status", "smaps_rollup"):
        with open(f"/proc/{process}/{file}") as lines:
            found.update((name, int(kb) / 1000 * 1.024) for name, kb in re.findall(r"^(\w+):\s+(\d+) kB", lines.read(), re.M))
    return found


def run(words, text):
    """Seconds to the first line, or without a text to the end; those of processors; the memory after the line."""
    begin = time.perf_counter()
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    memory = {}
    if text:
        process.stdin.write(text)
        process.stdin.flush()
        process.stdout.readline()
        wall = time.perf_counter() - begin
        memory = memory_of(process.pid)
    process.stdin.close()
    _, status, used = os.wait4(process.pid, 0)
    if not text:
        wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{shlex.join(words)}: ended with status {process.returncode}")
    return wall, used.ru_utime + used.ru_stime, memory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("commands", nargs="+", metavar="COMMAND")
    options = parser.parse_args()
    commands = [shlex.split(command) for command in options.commands]
    taken = [[(run(words, TEXT), run(words, b"")) for words in commands] for _ in range(options.runs)]
    for words, runs in zip(commands, zip(*taken)):
        wall, used = (1000 * min(answered[i] for answered, _ in runs) for i in (0, 1))
        started = 1000 * min(empty[0] for _, empty in runs)
        memory = runs[-1][0][2]
        size = os.path.getsize(words[0]) / 1e6
        print(f"{shlex.join(words)}: {size:.2f} MB")
        print(f"    {started:.1f} ms to start and end, {wall:.1f} ms to its answer, {used:.1f} ms of processors")
        print("    memory in MB: " + ", ".join(f"{memory[name]:.1f} {what}" for name, what in MEMORY.items()))


if __name__ == "__main__":
    main()
