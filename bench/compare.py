"""Runs one of our benchmarks and its peers' in turn and prints them side by side.

    python bench/compare.py PROGRAM PEER_SCRIPT [--threads N] [--rounds N] [--json FILE] [-- ARGUMENTS OF BOTH]

Each is run `rounds` times, ours and the peers' alternating, so that what else the machine does meets both; the best of each
counts. Rows: name, isa, threads, ours_us, peer, peer_version, peer_us, ratio (peer / ours), bound.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def rows_of(command):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "rows.json"
        run = subprocess.run([*command, "--json", str(file)], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit status {run.returncode}\n{run.stderr}")
        return json.loads(file.read_text())


def main():
    arguments = sys.argv[1:]
    passed = []
    if "--" in arguments:
        passed = arguments[arguments.index("--") + 1 :]
        arguments = arguments[: arguments.index("--")]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("peer_script")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json")
    options = parser.parse_args(arguments)
    threads = ["--threads", str(options.threads)]
    ours, peers = {}, {}
    for _ in range(options.rounds):
        for row in rows_of([options.program, *threads, *passed]):
            if row["name"] not in ours or row["ours_us"] < ours[row["name"]]["ours_us"]:
                ours[row["name"]] = row
        for row in rows_of([sys.executable, options.peer_script, *threads, *passed]):
            key = row["name"], row["peer"]
            if key not in peers or row["peer_us"] < peers[key]["peer_us"]:
                peers[key] = row
    rows = []
    print(f"{'name':36} {'isa':9} {'threads':>7} {'ours us':>11} {'peer':14} {'peer us':>11} {'ratio':>6} {'bound':>6}")
    for (name, _), peer in peers.items():
        row = {**ours[name], **peer}
        row["ratio"] = row["peer_us"] / row["ours_us"]
        rows.append(row)
        bound = "" if row["bound"] is None else f"{row['bound']:6.2f}"
        print(
            f"{name:36} {row['isa']:9} {row['threads']:7} {row['ours_us']:11.1f} {row['peer']:14} {row['peer_us']:11.1f} "
            f"{row['ratio']:6.2f} {bound:>6}"
        )
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
