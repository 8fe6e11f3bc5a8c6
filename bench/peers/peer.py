"""What the peers' scripts share: which peers are installed, times taken as bench/measure.hpp takes them, rows as JSON."""

import argparse
import functools
import importlib
import importlib.metadata
import json
import statistics
import time
import types

import torch


@functools.cache
def installed(name):
    """The module of a peer; None where it is not installed, which is told once."""
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        print(f"{name}: expected an installed peer, found none ({missing}): its rows are left out", flush=True)
        return None


def version_of(package):
    return importlib.metadata.version(package)


def called(name, version):
    """A peer by another name than its module's."""
    return types.SimpleNamespace(__name__=name, __version__=version)


def times_us(run, repeats):
    """The best and the median of so many runs."""
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times) * 1e6, statistics.median(times) * 1e6


def main(about, rows, declare=lambda parser: None, gradients=False):
    """Times rows(options), each a name, the peer's module, what to run and how often, and writes them as JSON. A fifth member says
    how many of what the row tells a run does.

    `declare` adds options to --threads and --json; with `gradients` PyTorch may train.
    """
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json")
    declare(parser)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    made = []
    with torch.inference_mode(not gradients):
        for name, peer, run, repeats, *parts in rows(options):
            us, median = (time / (parts[0] if parts else 1) for time in times_us(run, repeats))
            print(f"{name:40} {peer.__name__:12} {us:12.1f} us, median {median:12.1f}", flush=True)
            made.append({"name": name, "threads": options.threads, "peer": peer.__name__,
                         "peer_version": peer.__version__, "peer_us": us, "peer_median_us": median})
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(made, file, indent=2)
