#!/usr/bin/env python3
"""Kills a random rank of a run at random instants, and resumes it with another number of ranks.

    kill_test.py MPIRUN TRAIN_GPT [--kills 4] [--seed 1]

After each kill mpirun ends within seconds and names the rank, and the checkpoint is whole and no older than before it. The
losses of the run, at each step, are those of one process that nobody disturbed.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from mpirun import ENVIRONMENT, largest_difference, losses_of

WITHIN = 1e-4
SECONDS = 10  # in which a run ends whose rank was killed
STEPS = 300


class Failed(RuntimeError):
    pass


def expect(holds, problem):
    if not holds:
        raise Failed(problem)


def ranks_of(mpirun):
    """Of each rank that runs its process."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rsplit(")", 1)[1].split()[1])
            environment = (path / "environ").read_bytes()
        except (OSError, IndexError):
            continue  # it has ended
        rank = re.search(rb"\0OMPI_COMM_WORLD_RANK=(\d+)\0", environment)
        if parent == mpirun and rank:
            found[int(rank[1])] = int(path.name)
    return found


def step_of(checkpoint):
    """The step of a checkpoint, 0 where there is none. Raises Failed where the file is not whole."""
    if not checkpoint.exists():
        return 0
    content = checkpoint.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8:8 + length])
    end = max(tensor["data_offsets"][1] for name, tensor in header.items() if name != "__metadata__")
    expect(len(content) == 8 + length + end, f"{checkpoint}: expected {8 + length + end} bytes, found {len(content)}")
    return int(header["__metadata__"]["step"])


class Runs:
    def __init__(self, mpirun, program, folder):
        self.mpirun, self.program, self.folder, self.stuck = mpirun, program, folder, 0
        drawn = random.Random(3)
        words = ["the", "rain", "in", "Spain", "stays", "mainly", "plain", "and", "again,"]
        (folder / "text").write_text(" ".join(drawn.choice(words) for _ in range(600)))

    def start(self, ranks, out):
        words = [self.program, self.folder / "text", "--size", "tiny", "--batch", "4", "--steps", STEPS, "--save-every", 7, "--log-every", 1,
                 "--evaluate-every", 50, "--length", 0, "--threads", 1, "--out", self.folder / out, "--resume"]
        return subprocess.Popen([self.mpirun, "-n", str(ranks), *map(str, words)], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)

    def end(self, run, seconds):
        """What it says on its standard error, when all its ranks have ended."""
        try:
            return run.communicate(timeout=seconds)[1]
        except subprocess.TimeoutExpired:
            left = ranks_of(run.pid)
            run.kill()
            said = run.communicate()[1]
            if left:
                raise Failed(f"rank {min(left)} did not end within {seconds} s\n{said}") from None
            self.stuck += 1  # mpirun of Open MPI 4.1 may wait for itself when a rank is killed as it starts
            return said

    def check_log(self, out):
        difference, step = largest_difference(losses_of(self.folder / out), losses_of(self.folder / "whole"))
        expect(difference < WITHIN, f"step {step}: the losses differ by {difference}")
        return difference


def killed(run, seconds, drawn):
    """The rank that is killed so many seconds after the start; None: the run ended before."""
    time.sleep(seconds)
    ranks = ranks_of(run.pid)
    if run.poll() is not None or not ranks:
        return None
    rank = drawn.choice(sorted(ranks))
    try:
        os.kill(ranks[rank], signal.SIGKILL)
    except ProcessLookupError:
        return None
    return rank


def kill_at_random(runs, kills, seed):
    drawn = random.Random(seed)
    start = time.monotonic()
    whole = runs.start(1, "whole")
    said = runs.end(whole, 300)
    expect(whole.returncode == 0, said)
    length = time.monotonic() - start
    counted, done, largest, slowest = 0, 0, 0, 0
    checkpoint = runs.folder / "killed" / "checkpoint.safetensors"
    while counted < kills or done == 0:
        before = step_of(checkpoint)
        ranks = drawn.choice([1, 2, 4])
        run = runs.start(ranks, "killed")
        rank = killed(run, drawn.uniform(0, length), drawn) if counted < kills else None
        start, stuck = time.monotonic(), runs.stuck
        said = runs.end(run, SECONDS if rank is not None else 300)
        step = step_of(checkpoint)
        expect(step >= before, f"the checkpoint of step {before} was lost, and that of step {step} is there")
        if run.returncode != 0:
            expect(rank is not None, said)
            expect(re.search(rf"rank {rank} .*signal 9", said), f"expected rank {rank} and its signal named, found\n{said}")
            counted += 1
            slowest = max(slowest, time.monotonic() - start) if runs.stuck == stuck else slowest
            continue
        done, largest = done + 1, max(largest, runs.check_log("killed"))
        shutil.rmtree(runs.folder / "killed")
    print(f"{counted} kills in {done} runs of {STEPS} steps by 1, 2 and 4 ranks; no checkpoint was lost or half written;\n"
          f"the losses differ by at most {largest:.1e}, and a run ended at most {slowest:.2f} s after its rank was killed"
          + (f";\n{runs.stuck} times all ranks had ended and mpirun had not" if runs.stuck else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mpirun")
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            kill_at_random(Runs(a.mpirun, a.program, pathlib.Path(folder)), a.kills, a.seed)
        except Failed as problem:
            sys.exit(f"kill_test.py: {problem}")


if __name__ == "__main__":
    main()
