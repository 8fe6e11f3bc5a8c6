"""Times a step of train_gpt by two ranks of one thread beside one process of two threads, and PyTorch's DDP over gloo.

    python bench/distributed.py PROGRAM TEXT [--size small] [--batch 12] [--steps 60] [--rounds 5] [--torch PYTHON]

All take turns in each round, and of each the median counts. --torch names the Python that has torch; without it PyTorch is
left out.
"""

import argparse
import pathlib
import statistics
import subprocess

import training_runs

PEER = pathlib.Path(__file__).resolve().parent / "peers" / "distributed.py"


def of_peer(a, ranks, threads):
    words = [a.torch, PEER, "--ranks", ranks, "--threads", threads, "--batch", a.batch, "--size", a.size, "--steps", a.steps]
    return float(subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("text")
    parser.add_argument("--size", default="small")
    parser.add_argument("--batch", type=int, default=12)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--torch", help="a Python with torch")
    a = parser.parse_args()
    runs = training_runs.TimedRuns(a.program, a.text, a.size, a.steps, a.mpirun)
    timed = {"Fovea, 1 process, 2 threads": lambda: runs.beside_each_other(1, a.batch, 2),
             "Fovea, 2 ranks, 1 thread each": lambda: runs.together(2, a.batch)}
    if a.torch:
        timed |= {"PyTorch, 1 process, 2 threads": lambda: of_peer(a, 1, 2), "PyTorch DDP, 2 ranks, 1 thread each": lambda: of_peer(a, 2, 1)}
    seconds = {name: [] for name in timed}
    for _ in range(a.rounds):
        for name, run in timed.items():
            seconds[name].append(run())
    print(f"train_gpt --size {a.size}, batches of {a.batch}")
    for name, each in seconds.items():
        print(f"{name:36} {1e3 * statistics.median(each):8.2f} ms a step")
    for ours in (["Fovea", "PyTorch"] if a.torch else ["Fovea"]):
        one, two = (statistics.median(each) for name, each in seconds.items() if name.startswith(ours))
        print(f"{ours}: two ranks at {one / two:.2f} of the speed of one process")


if __name__ == "__main__":
    main()
