"""Runs one of our benchmarks and its peers' in turn and prints them side by side.

    python bench/compare.py PROGRAM [PEER...] [--threads N] [--rounds N] [--json FILE] [-- ARGUMENTS OF ALL]

A peer is a script of Python or a program.

Each is run `rounds` times, ours and the peers' alternating, so that what else the machine does meets all; of each the best
and the median of the rounds' medians count. Rows: name, isa, threads, us, median_us, bound (the share of the machine's
limit), and peers, each with peer, version, us, median_us and ratio (its time over ours).
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile


told = set()  # what peers have said of rows that they leave out


class BenchmarkFailed(RuntimeError):
    pass


def rows_of(command, environment=None):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "rows.json"
        run = subprocess.run([*command, "--json", str(file)], capture_output=True, text=True, check=False, env=environment)
        if run.returncode != 0:
            raise BenchmarkFailed(f"{' '.join(map(str, command))}: exit status {run.returncode}\n{run.stderr}")
        for line in run.stdout.splitlines():
            if line.endswith("left out") and line not in told:
                told.add(line)
                print(line, file=sys.stderr)
        return json.loads(file.read_text())


def best_of(rounds, us, median_us):
    """Of several rounds' rows of one name the best one, with the median of their medians."""
    row = dict(min(rounds, key=lambda row: row[us]))
    row[median_us] = statistics.median(round_[median_us] for round_ in rounds)
    return row


def command_of(peer):
    return [sys.executable, peer] if str(peer).endswith(".py") else [peer]


def compared(program, timing_peers, threads, rounds, passed, environment=None):
    """Our rows, each with its peers', in the order in which the program times them."""
    ours, peers = {}, {}
    commands = [[program], *map(command_of, timing_peers)]
    for _ in range(rounds):
        for which, command in enumerate(commands):
            for row in rows_of([*command, "--threads", str(threads), *passed], environment):
                if "peer" in row:
                    peers.setdefault(row["name"], {}).setdefault((row["peer"], which), []).append(row)
                else:
                    ours.setdefault(row["name"], []).append(row)
    made = []
    for name, found in ours.items():
        row = best_of(found, "us", "median_us")
        row["peers"] = []
        fastest = {}  # of a peer that several programs time
        for (told, _), timed in peers.get(name, {}).items():
            peer = best_of(timed, "peer_us", "peer_median_us")
            if told not in fastest or peer["peer_us"] < fastest[told]["peer_us"]:
                fastest[told] = peer
        for peer in fastest.values():
            row["peers"].append({"peer": peer["peer"], "version": peer["peer_version"], "us": peer["peer_us"],
                                 "median_us": peer["peer_median_us"], "ratio": peer["peer_us"] / row["us"]})
        made.append(row)
    return made


def print_rows(rows):
    print(f"{'name':40} {'isa':9} {'threads':>7} {'us':>11} {'median':>11} {'bound':>6}  peers: us, ratio")
    for row in rows:
        bound = "" if row["bound"] is None else f"{row['bound']:6.2f}"
        peers = "  ".join(f"{peer['peer']} {peer['us']:.1f} {peer['ratio']:.2f}" for peer in row["peers"])
        print(f"{row['name']:40} {row['isa']:9} {row['threads']:7} {row['us']:11.1f} {row['median_us']:11.1f} {bound:>6}  {peers}")


def main():
    arguments = sys.argv[1:]
    passed = []
    if "--" in arguments:
        passed = arguments[arguments.index("--") + 1 :]
        arguments = arguments[: arguments.index("--")]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("peers", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json")
    options = parser.parse_args(arguments)
    try:
        rows = compared(options.program, options.peers, options.threads, options.rounds, passed)
    except BenchmarkFailed as failure:
        sys.exit(str(failure))
    print_rows(rows)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
