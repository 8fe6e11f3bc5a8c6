#!/usr/bin/env python3
"""Compares the losses of a train_ program by several ranks with those of one process, at each step.

    same_losses.py [--mpirun mpirun] [--ranks 2 4] [--hosts 2 [--rate 1gbit]] [--within 1e-4] -- build/examples/train_gpt TEXT OPTIONS...

--hosts has network namespaces stand for so many hosts (Linux, root). The options are those of the program but --out.
"""

import argparse
import contextlib
import pathlib
import subprocess
import sys
import tempfile

from hosts import Hosts
from mpirun import ENVIRONMENT, largest_difference, losses_of


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--hosts", type=int)
    parser.add_argument("--rate", help="of a host's network, as tc has it")
    parser.add_argument("--within", type=float, default=1e-4)
    parser.add_argument("words", nargs="+")
    a = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder, Hosts(a.hosts, a.rate) if a.hosts else contextlib.nullcontext() as hosts:
        for ranks in [1, *a.ranks]:
            out = pathlib.Path(folder) / str(ranks)
            words = [*a.words, "--out", str(out), "--log-every", "1"]
            several = hosts.mpirun(a.mpirun, ranks, words) if hosts else [a.mpirun, "-n", str(ranks), *words]
            run = subprocess.run(words if ranks == 1 else several, capture_output=True, text=True, check=False, env=ENVIRONMENT)
            if run.returncode != 0:
                sys.exit(f"same_losses.py: {ranks} ranks: exit status {run.returncode}\n{run.stderr}")
            found = losses_of(out)
            if ranks == 1:
                expected = found
                continue
            difference, step = largest_difference(found, expected)
            failed |= difference > a.within
            print(f"{ranks} ranks{f' on {a.hosts} hosts' if hosts else ''}, {len(found)} steps: "
                  f"losses differ by at most {difference:.1e}, at step {step}", flush=True)
    sys.exit("same_losses.py: expected differences of at most " + str(a.within) if failed else 0)


if __name__ == "__main__":
    main()
