"""Draws what bench/families.cpp timed as an SVG: a sequence and a token as T grows; or prints it as a table.

    python bench/plot_families.py ROWS.json... [--svg FILE]

Of rows that are in several files the best counts. Needs matplotlib.
"""

import argparse
import json
import pathlib

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "families"  # the same rows give the same file
from matplotlib import pyplot  # noqa: E402

COLOURS = {"recurrent": "#0072b2", "convolutional": "#d55e00", "self-attention": "#009e73"}
LINES = {1: "-", 2: "--"}


def best(files):
    """Microseconds a sequence: {(family, threads): {steps: us}}."""
    lines = {}
    for file in files:
        for row in json.loads(pathlib.Path(file).read_text()):
            line = lines.setdefault((row["family"], row["threads"]), {})
            line[row["steps"]] = min(row["ours_us"], line.get(row["steps"], float("inf")))
    return lines


def print_table(lines):
    print("| T | " + " | ".join(f"{family}, {threads}" for family, threads in lines) + " |")
    print("| ---: " * (len(lines) + 1) + "|")
    for steps in sorted({steps for line in lines.values() for steps in line}):
        cells = (f"{line[steps]:.0f} ({line[steps] / steps:.1f})" for line in lines.values())
        print(f"| {steps} | " + " | ".join(cells) + " |")


def draw(lines, file):
    figure, (sequence, token) = pyplot.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
    for (family, threads), line in lines.items():
        style = {"color": COLOURS[family], "linestyle": LINES[threads], "marker": "o", "markersize": 3}
        label = f"{family}, {threads} thread{'s' if threads > 1 else ''}"
        steps = sorted(line)
        sequence.plot(steps, [line[t] for t in steps], label=label, **style)
        token.plot(steps, [line[t] / t for t in steps], **style)
    for panel, of in ((sequence, "a sequence"), (token, "a token")):
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.set_xticks(steps, [str(t) for t in steps])
        panel.set_xlabel("T, tokens of the sequence")
        panel.set_title(f"microseconds {of}")
        panel.grid(which="both", linewidth=0.3)
    token.set_yticks([10, 20, 50, 100], ["10", "20", "50", "100"])
    token.minorticks_off()
    sequence.legend(frameon=False)
    figure.savefig(file, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="+")
    parser.add_argument("--svg")
    options = parser.parse_args()
    lines = best(options.rows)
    print_table(lines)
    if options.svg:
        draw(lines, options.svg)


if __name__ == "__main__":
    main()
