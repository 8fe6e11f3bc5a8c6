"""Runs of train_gpt that are timed: alone, several beside each other, and as ranks that learn together."""

import contextlib
import csv
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "mpi"))
from mpirun import ENVIRONMENT  # noqa: E402

WARM, BLOCK = 5, 5  # steps that do not count, and steps that are timed together


class RunFailed(RuntimeError):
    pass


def seconds_of_step(folder):
    """The median of the blocks of a run's log.csv."""
    with open(pathlib.Path(folder) / "log.csv", encoding="utf-8", newline="") as file:
        at = [float(row["seconds"]) for row in csv.DictReader(file) if not row["validation_loss"]]
    return statistics.median((at[i + BLOCK] - at[i]) / BLOCK for i in range(WARM, len(at) - BLOCK, BLOCK))


def finished(runs):
    said = [run.communicate()[1] for run in runs]
    for run, text in zip(runs, said):
        if run.returncode != 0:
            raise RunFailed(f"exit status {run.returncode}\n{text}")


class TimedRuns:
    """Of a program, its text and its size."""

    def __init__(self, program, text, size, steps, mpirun="mpirun"):
        self.program, self.text, self.size, self.steps, self.mpirun = program, text, size, steps, mpirun

    def words(self, batch, threads, out):
        return [str(self.program), str(self.text), "--size", self.size, "--steps", str(self.steps), "--batch", str(batch), "--threads", str(threads),
                "--log-every", "1", "--evaluate-every", str(self.steps), "--save-seconds", "0", "--validation", "0.01", "--length", "0",
                "--out", str(out)]

    def beside_each_other(self, count, batch, threads=1):
        """Seconds of a step of so many processes that do not know of each other: the mean."""
        with tempfile.TemporaryDirectory() as folder:
            outs = [pathlib.Path(folder) / str(i) for i in range(count)]
            finished([subprocess.Popen(self.words(batch, threads, out), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for out in outs])
            return statistics.mean(map(seconds_of_step, outs))

    def together(self, ranks, batch, threads=1, hosts=None):
        """Seconds of a step of ranks that learn from a batch together."""
        with tempfile.TemporaryDirectory() as folder:
            words = self.words(batch, threads, folder)
            command = hosts.mpirun(self.mpirun, ranks, words) if hosts else [self.mpirun, "-n", str(ranks), *words]
            finished([subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)])
            return seconds_of_step(folder)


def parameters_of(runs):
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(IndexError):
        words = TimedRuns(runs.program, runs.text, runs.size, 1).words(1, 1, folder)
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        return int(said.split(" parameters")[0].split()[-1])
    raise RunFailed("the program does not say how many parameters it has")
