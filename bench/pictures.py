"""Draws what was measured as SVG: the roofline, one bar chart of ratios a program that has peers, and times as work grows."""

import csv

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "fovea"  # the same rows give the same file
matplotlib.rcParams["svg.fonttype"] = "none"
from matplotlib import pyplot  # noqa: E402

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555"]
MEMORY = 64 << 20  # more bytes than caches hold


def threads_of(measured, question):
    """Rows by threads, without those held to a set."""
    return {int(threads): run["rows"] for threads, run in measured.get(question, {}).items() if threads.isdigit()}


def run_of(measured, question):
    return next((run for threads, run in measured.get(question, {}).items() if threads.isdigit()), None)


def save(figure, file, run=None):
    """`run` says where it was measured."""
    if run:
        told = run["machine"]
        figure.suptitle(", ".join(filter(None, (told["processor"], told.get("date")))), fontsize=8)
    figure.savefig(file, metadata={"Date": None})
    pyplot.close(figure)


def ratios(measured, question, file):
    """The best peer's time over ours, a bar a row and a number of threads."""
    runs = threads_of(measured, question)
    names = list(dict.fromkeys(row["name"] for rows in runs.values() for row in rows if row["peers"]))
    figure, panel = pyplot.subplots(figsize=(8, 1 + 0.16 * len(names) * (len(runs) + 0.6)), layout="constrained")
    height = 0.8 / len(runs)
    for i, (threads, rows) in enumerate(runs.items()):
        best = {row["name"]: min(row["peers"], key=lambda peer: peer["us"]) for row in rows if row["peers"]}
        at = [n + (i - (len(runs) - 1) / 2) * height for n, name in enumerate(names) if name in best]
        panel.barh(at, [best[name]["ratio"] for name in names if name in best], height, color=COLOURS[i],
                   label=f"{threads} thread{'s' if threads > 1 else ''}")
        for y, name in zip(at, [name for name in names if name in best]):
            panel.text(best[name]["ratio"], y, f" {best[name]['ratio']:.2f} {best[name]['peer']}", va="center", fontsize=6)
    panel.axvline(1, color="black", linewidth=0.8)
    panel.set_yticks(range(len(names)), [name.split("/", 1)[1] for name in names], fontsize=7)
    panel.invert_yaxis()
    panel.set_xlabel("time of the best peer over ours, in one run")
    panel.margins(x=0.15)
    panel.legend(frameon=False, fontsize=7)
    save(figure, file, run_of(measured, question))


def roofline(measured, file):
    """What was reached, by how many operations there are to a byte, under the machine's limits; one thread."""
    figure, panel = pyplot.subplots(figsize=(8, 5.5), layout="constrained")
    peak, rates = 0, {}
    for i, question in enumerate(("product", "attention", "convolution", "recurrent")):
        shown = [row for row in threads_of(measured, question).get(1, []) if row.get("multiply_adds") and row.get("bytes")]
        panel.scatter([2 * row["multiply_adds"] / row["bytes"] for row in shown],
                      [2e-3 * row["multiply_adds"] / row["us"] for row in shown], s=14, color=COLOURS[i], label=question, zorder=3)
        for row in shown:
            peak = max(peak, 2e-3 * row["peak"])
            kind = "memory" if row["level"] >= MEMORY else "first-level cache" if row["level"] <= 32 << 10 else \
                   "second-level cache" if row["level"] <= 1 << 20 else "third-level cache"
            rates[kind] = max(rates.get(kind, 0), row["bandwidth"] / 1e3)
    least, most = 0.2, 2e4
    panel.plot([least, most], [peak, peak], color="black", linewidth=1)
    panel.text(most, peak * 1.06, f"{peak:.0f} GFLOP/s", ha="right", fontsize=8)
    # Caches may be as fast as each other, so that their lines are one: what each is stands in the legend.
    for (kind, rate), style in zip(sorted(rates.items(), key=lambda item: -item[1]), ("-", "--", "-.", ":")):
        panel.plot([least, peak / rate], [least * rate, peak], style, color="#666666", linewidth=1, label=f"{kind}, {rate:.0f} GB/s")
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlim(least, most)
    panel.set_xlabel("operations a byte that must be read")
    panel.set_ylabel("GFLOP/s")
    panel.grid(linewidth=0.3)
    panel.legend(frameon=False, fontsize=8, loc="lower right")
    save(figure, file, run_of(measured, "product"))


def lines_of(measured, question):
    """{(group, threads): {number: row}} of rows that are named QUESTION/GROUP/NUMBER."""
    lines = {}
    for threads, rows in threads_of(measured, question).items():
        for row in rows:
            _, group, number = row["name"].split("/")
            lines.setdefault((group, threads), {})[int(number)] = row
    return lines


def drawn(panel, numbers, values, **style):
    panel.plot(numbers, values, marker="o", markersize=3, **style)
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    panel.set_xticks(numbers, [str(n) for n in numbers], fontsize=6)
    panel.minorticks_off()
    panel.grid(which="both", linewidth=0.3)


def families(measured, file):
    figure, (sequence, token) = pyplot.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
    lines = lines_of(measured, "families")
    groups = list(dict.fromkeys(group for group, _ in lines))
    for (group, threads), line in lines.items():
        style = {"color": COLOURS[groups.index(group)], "linestyle": "-" if threads == 1 else "--"}
        steps = sorted(line)
        drawn(sequence, steps, [line[t]["us"] for t in steps], label=f"{group}, {threads} thread{'s' if threads > 1 else ''}", **style)
        drawn(token, steps, [line[t]["us"] / t for t in steps], **style)
    for panel, of in ((sequence, "a sequence"), (token, "a token")):
        panel.set_xlabel("T, tokens of the sequence")
        panel.set_title(f"microseconds {of}")
    sequence.legend(frameon=False, fontsize=7)
    save(figure, file, run_of(measured, "families"))


def growth(measured, file):
    lines = lines_of(measured, "growth")
    titles = {"attention": "T, one layer of self-attention", "batch": "B, two blocks over 32 tokens",
              "hidden": "hidden features, LSTM over 16 steps", "depth": "blocks of a Transformer, 32 tokens"}
    figure, panels = pyplot.subplots(1, len(titles), figsize=(15, 4), layout="constrained")
    for panel, (group, title) in zip(panels, titles.items()):
        for threads in sorted({threads for found, threads in lines if found == group}):
            line = lines[group, threads]
            numbers = sorted(line)
            drawn(panel, numbers, [line[n]["us"] for n in numbers], color=COLOURS[0], linestyle="-" if threads == 1 else "--",
                  label=f"microseconds, {threads} thread{'s' if threads > 1 else ''}")
        drawn(panel, numbers, [line[n]["memory_bytes"] / 1024 for n in numbers], color=COLOURS[1], label="working memory, KiB")
        panel.set_xlabel(title)
    panels[0].legend(frameon=False, fontsize=8)
    save(figure, file, run_of(measured, "growth"))


def learning(results, file):
    """The losses of the small GPT by products in float32 and in bfloat16, and how far apart they are."""
    def losses(name):
        with open(results / name, encoding="utf-8") as log:
            return {int(row["step"]): float(row["loss"]) for row in csv.DictReader(log)}

    plain, rounded = losses("train_gpt_small.csv"), losses("train_gpt_small_bf16.csv")
    figure, (both, apart) = pyplot.subplots(2, 1, figsize=(8, 5), height_ratios=(3, 1), sharex=True, layout="constrained")
    both.plot(plain.keys(), plain.values(), color=COLOURS[0], label="float32")
    both.plot(rounded.keys(), rounded.values(), color=COLOURS[1], linestyle="--", label="bfloat16")
    both.set_ylabel("loss")
    both.legend(frameon=False, fontsize=8)
    apart.plot(plain.keys(), [100 * (rounded[step] / plain[step] - 1) for step in plain], color=COLOURS[6], linewidth=0.8)
    apart.set_ylabel("apart, %")
    apart.set_xlabel("steps of 12 windows of 64 characters")
    save(figure, file)


def draw_all(measured, folder):
    folder.mkdir(exist_ok=True)
    for question in measured:
        if any(row["peers"] for rows in threads_of(measured, question).values() for row in rows):
            ratios(measured, question, folder / f"{question}.svg")
    roofline(measured, folder / "roofline.svg")
    if "families" in measured:
        families(measured, folder / "families.svg")
    if "growth" in measured:
        growth(measured, folder / "growth.svg")
