"""Runs all benchmarks beside their peers, keeps the rows in bench/results/MACHINE.json, and writes the tables of bench/RESULTS.md, the
pages of bench/machines and the pictures from such files.

    python bench/run.py --build BUILD [--only QUESTION...] [--threads N...] [--rounds N] [--isa SET] [--peer QUESTION=PROGRAM...]
                        [--machine MACHINE] [--nam FILE...] [--beside-others]

QUESTION is the name of a program here; of those that are not named the rows stay as they are. MACHINE is told from the
processor. SET holds ours and the peers to an instruction set; the rows of others stay. PROGRAM times peers that Python does not
have, as bench/peers/recurrent_rtneural.cpp does; of several the best counts. FILE is a .nam file for `amplifiers`. Where the system allows it all run at real-time
priority, so that what else the machine does disturbs them less; the rows say so. `--beside-others` leaves the priority as it is.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

import compare
import machine
import tqdm
from report import write_report

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent

# A program, and whether a script of the same name times its peers.
QUESTIONS = {
    "product": True,
    "attention": True,
    "convolution": True,
    "recurrent": True,
    "encoder": True,
    "formats": True,
    "streams": True,
    "training": True,
    "sound": True,
    "today": True,
    "families": False,
    "growth": False,
    "threads": False,
    "quality": False,
    "amplifiers": False,
}
# What runs only where it is named: its files are the user's.
NAMED = {"amplifiers"}
# What holds the peers to a set, and those that it holds.
HELD = {"avx2": {"FOVEA_ISA": "avx2", "FOVEA_PLAIN": "1", "ONEDNN_MAX_CPU_ISA": "AVX2", "CT2_FORCE_CPU_ISA": "AVX2",
                 "MKL_ENABLE_INSTRUCTIONS": "AVX2", "ATEN_CPU_CAPABILITY": "avx2"}}
HELD_PEERS = {"ctranslate2", "openvino", "torch"}
# Of the numbers of threads the one that is run: the last, which is compared with one, and the first where threads change nothing
# or one is asked about.
ONCE = {"threads": slice(-1, None), "quality": slice(1), "today": slice(1), "streams": slice(1)}
# What times single calls needs no rounds where a round takes minutes.
ROUNDS = {"training": 1, "formats": 1, "streams": 1, "growth": 1, "threads": 1, "quality": 1}


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
    parser.add_argument("--only", nargs="+", choices=QUESTIONS, default=[question for question in QUESTIONS if question not in NAMED])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--isa", choices=HELD)
    parser.add_argument("--peer", nargs="+", default=[], metavar="QUESTION=PROGRAM")
    parser.add_argument("--nam", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--machine", default=machine.name_of(machine.here(), os.cpu_count()))
    parser.add_argument("--beside-others", action="store_true", help="keep the priority that this script has")
    options = parser.parse_args()
    here = machine.measured_on()
    file = HERE / "results" / f"{options.machine}.json"
    measured = json.loads(file.read_text()) if file.exists() else {}
    programs = [named.split("=", 1) for named in options.peer]
    if not all(len(named) == 2 and named[0] in QUESTIONS for named in programs):
        parser.error(f"--peer: expected QUESTION=PROGRAM, found {' '.join(options.peer)}")
    if "amplifiers" in options.only and not options.nam:
        parser.error("amplifiers: expected --nam FILE..., found none")
    runs = [(question, threads) for question in options.only for threads in options.threads[ONCE.get(question, slice(None))]]
    model = ["--model", str(options.build / "models" / "minilm")]
    today = options.build / "models" / "today"
    if "today" in options.only and not (today / "known.safetensors").exists():
        subprocess.run([sys.executable, HERE / "peers" / "today_models.py", today], check=True)
    passed = {
        "encoder": model,
        "today": ["--models", str(today)],
        "amplifiers": options.nam,
        "quality": [*model, "--sentences", str(ROOT / "examples/README.md"), "--learned", str(ROOT / "examples/generate/learned/gpt_small")],
    }
    with tqdm.tqdm(runs) as bar:
        for question, threads in bar:
            bar.set_description(f"{question}, {threads} thread{'s' if threads > 1 else ''}")
            peers = [HERE / "peers" / f"{question}.py"] if QUESTIONS[question] else []
            peers += [program for asked, program in programs if asked == question]
            # A loaded machine is part of the question about threads.
            if question == "threads":
                normal_priority()
                priority = "normal"
            else:
                priority = as_it_is() if options.beside_others else real_time()
            rounds = min(options.rounds, ROUNDS.get(question, options.rounds))
            try:
                rows = compare.compared(options.build / "bench" / question, peers, threads, rounds, passed.get(question, []),
                                        {**os.environ, **HELD.get(options.isa, {})})
            except compare.BenchmarkFailed as failure:
                sys.exit(str(failure))
            if options.isa:
                for row in rows:
                    row["peers"] = [peer for peer in row["peers"] if peer["peer"] in HELD_PEERS]
            key = f"{threads} {options.isa}" if options.isa else str(threads)
            measured.setdefault(question, {})[key] = {"machine": {**here, "priority": priority}, "rows": rows}
            file.write_text(json.dumps(measured, indent=1) + "\n")
    normal_priority()
    write_report(HERE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
