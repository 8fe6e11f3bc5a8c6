"""Runs all benchmarks beside their peers, keeps the rows in bench/results/measured.json, and writes bench/RESULTS.md's tables and
the pictures beside it from them.

    python bench/run.py --build BUILD [--only QUESTION...] [--threads N...] [--rounds N] [--results FILE] [--beside-others]

QUESTION is the name of a program here; of those that are not named the rows stay as they are. FILE keeps the rows of another
machine, as bench/results/sixteen_cores.json does. Where the system allows it all
run at real-time priority, so that what else the machine does disturbs them less; the rows say so. `--beside-others` leaves
the priority as it is.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

import compare
import tqdm
from report import write_report

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
MEASURED = HERE / "results" / "measured.json"

# A program, and whether a script of the same name times its peers.
QUESTIONS = {
    "product": True,
    "attention": True,
    "convolution": True,
    "recurrent": True,
    "encoder": True,
    "formats": True,
    "training": True,
    "sound": True,
    "today": True,
    "families": False,
    "growth": False,
    "threads": False,
    "quality": False,
}
# Of the numbers of threads the one that is run: the last, which is compared with one, and the first where threads change nothing
# or one is asked about.
ONCE = {"threads": slice(-1, None), "quality": slice(1), "today": slice(1)}
# What times single calls needs no rounds where a round takes minutes.
ROUNDS = {"training": 1, "formats": 1, "growth": 1, "threads": 1, "quality": 1}


def first_line(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()


def machine():
    """What the rows are measured on."""
    told = pathlib.Path("/proc/cpuinfo").read_text()
    field = lambda name: re.search(rf"^{name}\s*: (.*)$", told, re.M).group(1)
    flags = field("flags").split()
    return {
        "processor": f"{field('model name')}, family {field('cpu family')}, model {field('model')}",
        "instructions": [flag for flag in ("avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile") if flag in flags],
        "cores": os.cpu_count(),
        "compiler": first_line("g++", "--version"),
        "commit": first_line("git", "-C", str(HERE), "describe", "--always", "--dirty", "--exclude", "*"),
        "date": datetime.date.today().isoformat(),
    }


def real_time():
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    except PermissionError:
        return "normal"
    return "real-time"


def as_it_is():
    return f"nice {os.nice(0)}" if os.nice(0) else "normal"


def normal_priority():
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--only", nargs="+", choices=QUESTIONS, default=list(QUESTIONS))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--results", type=pathlib.Path, default=MEASURED)
    parser.add_argument("--beside-others", action="store_true", help="keep the priority that this script has")
    options = parser.parse_args()
    here = machine()
    measured = json.loads(options.results.read_text()) if options.results.exists() else {}
    runs = [(question, threads) for question in options.only for threads in options.threads[ONCE.get(question, slice(None))]]
    model = ["--model", str(options.build / "models" / "minilm")]
    today = options.build / "models" / "today"
    if "today" in options.only and not (today / "known.safetensors").exists():
        subprocess.run([sys.executable, HERE / "peers" / "today_models.py", today], check=True)
    passed = {
        "encoder": model,
        "today": ["--models", str(today)],
        "quality": [*model, "--sentences", str(ROOT / "examples/README.md"), "--learned", str(ROOT / "examples/generate/learned/gpt_small")],
    }
    with tqdm.tqdm(runs) as bar:
        for question, threads in bar:
            bar.set_description(f"{question}, {threads} thread{'s' if threads > 1 else ''}")
            scripts = [HERE / "peers" / f"{question}.py"] if QUESTIONS[question] else []
            # A loaded machine is part of the question about threads.
            if question == "threads":
                normal_priority()
                priority = "normal"
            else:
                priority = as_it_is() if options.beside_others else real_time()
            rounds = min(options.rounds, ROUNDS.get(question, options.rounds))
            try:
                rows = compare.compared(options.build / "bench" / question, scripts, threads, rounds, passed.get(question, []))
            except compare.BenchmarkFailed as failure:
                sys.exit(str(failure))
            measured.setdefault(question, {})[str(threads)] = {"machine": {**here, "priority": priority}, "rows": rows}
            options.results.write_text(json.dumps(measured, indent=1) + "\n")
    normal_priority()
    write_report(HERE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
