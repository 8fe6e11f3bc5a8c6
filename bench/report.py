"""Writes the tables of bench/RESULTS.md, between its marks, and the pictures of bench/pictures from measured rows.

    python bench/report.py

Between `<!-- NAME -->` and `<!-- end -->` stands what was measured; the rest of the page is written by hand and stays.
"""

import json
import math
import pathlib
import re
import sys

import pictures

HERE = pathlib.Path(__file__).resolve().parent

# At most this share of the best peer's time is aimed at: by program, then by the row's name.
AIMS = {
    "product": [
        (r"1x768x768|1x3072x768|128x3072x768|128x1536x384", 0.9), (r"8x768x768|16x64x64|1x64x64", 0.8),
        (r"128x768x768|128x384x384", 0.97), (r"512x512x512|1024x1024x1024", 0.96),
    ],
    "attention": [
        (r"12x64/128x128/causal", 0.5), (r"12x64/512x512/causal", 0.45), (r"12x64/2048x2048/causal", 0.75),
        (r"12x64/(128x128|512x512|2048x2048)", 0.8),
    ],
    "encoder": [(r"minilm/1x(16|32)", 0.75), (r"minilm/(1|8)x128", 0.85), (r"minilm-int8/.*", 0.5)],
    "formats": [
        (r"GPT-2 124M/f32/prompt of 128", 0.8), (r".*/f32/token", 1.0), (r".*/f16/token", 0.95),
        (r"GPT-2 124M/integer_products<q8_0>/token", 0.85), (r"Llama 134M/integer_products<q8_0>/token", 0.8),
        (r"GPT-2 124M/integer_products<q4_0>/token", 0.75), (r"Llama 134M/integer_products<q4_0>/token", 0.8),
    ],
    "recurrent": [(r"lstm/512x100/(1|32)|gru/512x100/32", 0.8), (r"gru/512x100/1", 0.65)],
    "convolution": [(r"kim_cnn/.*", 0.8)],
    "today": [
        (r"whisper_tiny_.*|experts_layer", 0.8), (r"modernbert_base_1x512", 0.85), (r"qwen3_0\.6b_.*", 0.9),
    ],
    "training": [(r"gpt/4x128/12x64", 0.65), (r"gpt/6x384/12x256", 0.75)],
}


def aim_of(question, row):
    short = row["name"].split("/", 1)[1]
    return next((aim for pattern, aim in AIMS.get(question, []) if re.fullmatch(pattern, short)), None)


def shown(name):
    """<int8> is a tag to a page unless it is code."""
    return f"`{name}`" if "<" in name else name


def duration(us):
    """Three digits and a unit."""
    for unit, size in (("ns", 1e-3), ("us", 1), ("ms", 1e3), ("s", 1e6)):
        if us < 999.5 * size or unit == "s":
            digits = max(0, 2 - math.floor(math.log10(us / size))) if us > 0 else 0
            return f"{us / size:.{digits}f} {unit}"


def best_peer(row):
    return min(row["peers"], key=lambda peer: peer["us"], default=None)


def runs_of(measured, question):
    return [(int(threads), run) for threads, run in sorted(measured.get(question, {}).items(), key=lambda item: int(item[0]))]


def beside_peers(measured, question):
    """Each row with all its peers: time, median, share of the limit; of each peer time, median and ratio."""
    runs = runs_of(measured, question)
    names = list(dict.fromkeys(peer["peer"] for _, run in runs for row in run["rows"] for peer in row["peers"]))
    versions = {peer["peer"]: peer["version"] for _, run in runs for row in run["rows"] for peer in row["peers"]}
    lines = ["| | threads | set | Fovea | median | bound |" + "".join(f" {name} {versions[name]} | median | ratio |" for name in names)]
    lines.append("| --- | ---: | --- |" + " ---: |" * (3 + 3 * len(names)))
    for threads, run in runs:
        for row in run["rows"]:
            bound = "" if row["bound"] is None else f"{row['bound']:.2f}"
            cells = [shown(row["name"].split("/", 1)[1]), str(threads), row["isa"], duration(row["us"]), duration(row["median_us"]), bound]
            for name in names:
                peer = next((peer for peer in row["peers"] if peer["peer"] == name), None)
                cells += ["", "", ""] if peer is None else [duration(peer["us"]), duration(peer["median_us"]), f"{peer['ratio']:.2f}"]
            lines.append("| " + " | ".join(cells) + " |")
    return lines


def alone(measured, question):
    """Rows without peers: the time of one thread and of more."""
    runs = runs_of(measured, question)
    lines = ["| |" + "".join(f" {threads} thread{'s' if threads > 1 else ''} | median | bound |" for threads, _ in runs)]
    lines.append("| --- |" + " ---: |" * (3 * len(runs)))
    for i, first in enumerate(runs[0][1]["rows"]):
        cells = [first["name"].split("/", 1)[1]]
        for _, run in runs:
            row = run["rows"][i]
            cells += [duration(row["us"]), duration(row["median_us"]), "" if row["bound"] is None else f"{row['bound']:.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def families(measured):
    """A sequence of T tokens, and in brackets a token."""
    runs = runs_of(measured, "families")
    lines = {(row["name"].split("/")[1], threads): {} for threads, run in runs for row in run["rows"]}
    for threads, run in runs:
        for row in run["rows"]:
            _, family, steps = row["name"].split("/")
            lines[family, threads][int(steps)] = row["us"]
    made = ["| T |" + "".join(f" {family}, {threads} |" for family, threads in lines), "| ---: |" + " ---: |" * len(lines)]
    for steps in sorted({steps for line in lines.values() for steps in line}):
        cells = (f"{duration(line[steps])} ({duration(line[steps] / steps)})" for line in lines.values())
        made.append(f"| {steps} | " + " | ".join(cells) + " |")
    return made


def growth(measured):
    runs = runs_of(measured, "growth")
    lines = ["| | working memory |" + "".join(f" {threads} thread{'s' if threads > 1 else ''} |" for threads, _ in runs)]
    lines.append("| --- | ---: |" + " ---: |" * len(runs))
    for i, first in enumerate(runs[0][1]["rows"]):
        _, what, number = first["name"].split("/")
        times = " | ".join(duration(run["rows"][i]["us"]) for _, run in runs)
        lines.append(f"| {what} {number} | {first['memory_bytes'] / 1e6:.3g} MB | {times} |")
    return lines


def threads(measured):
    """Three tables: sizes, processes, load."""
    (many, run), = runs_of(measured, "threads")
    rows = {part: [row for row in run["rows"] if row["name"].split("/")[1] == part] for part in ("sizes", "processes", "load")}
    name = lambda row: row["name"].split("/")[2]
    lines = [f"| | 1 thread | {many} threads | times as fast |", "| --- | ---: | ---: | ---: |"]
    lines += [f"| {name(row)} | {duration(row['one_us'])} | {duration(row['us'])} | {row['one_us'] / row['us']:.2f} |" for row in rows["sizes"]]
    lines += ["", f"| | {many} processes of 1 thread, a call | {many} threads | share reached |", "| --- | ---: | ---: | ---: |"]
    lines += [f"| {name(row)} | {duration(row['processes_us'])} | {duration(row['us'])} | {row['processes_us'] / row['us']:.3f} |" for row in rows["processes"]]
    lines += ["", "| | median alone | under load | times | 99 of 100 within |", "| --- | ---: | ---: | ---: | ---: |"]
    lines += [f"| {name(row)} | {duration(row['alone_us'])} | {duration(row['us'])} | {row['us'] / row['alone_us']:.2f} | {duration(row['late_us'])} |"
              for row in rows["load"]]
    return lines


def quality(measured):
    """Of each format what a weight takes, and what it loses beside float32, the first."""
    (_, run), = runs_of(measured, "quality")
    plain = run["rows"][0]
    lines = [f"| | bits a weight | cosine, mean of {plain['sentences']:.0f} | least | perplexity of {plain['tokens']:.0f} tokens | ratio | all sentences |",
             "| --- |" + " ---: |" * 6]
    for row in run["rows"]:
        if "bits" not in row:
            continue
        cells = [f"`{row['name'].split('/')[1]}`", f"{row['bits']:.3g}", f"{row['cosine_mean']:.6f}", f"{row['cosine_least']:.6f}",
                 f"{row['perplexity']:.4f}", f"{row['perplexity'] / plain['perplexity']:.5f}", duration(row["us"])]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def cache(measured):
    """Of each format of keys and values what 32 features of a head take, and what is lost beside float32."""
    (_, run), = runs_of(measured, "quality")
    plain = run["rows"][0]
    lines = ["| `.cache` | bytes of 32 features | perplexity | ratio |", "| --- | ---: | ---: | ---: |",
             f"| `f32{{}}` | 128 | {plain['perplexity']:.4f} | 1.00000 |"]
    return lines + [f"| `{row['name'].split('/')[2]}{{}}` | {row['bytes']:.0f} | {row['perplexity']:.4f} | {row['perplexity'] / plain['perplexity']:.5f} |"
                    for row in run["rows"] if "bytes" in row]


def aims(measured):
    """Our time as a share of the best peer's, where a share is aimed at."""
    lines = ["| | threads | best peer | our share of its time | aim | |", "| --- | ---: | --- | ---: | ---: | --- |"]
    for question in measured:
        for threads, run in runs_of(measured, question):
            for row in run["rows"]:
                aim, peer = aim_of(question, row), best_peer(row)
                if aim is None or peer is None:
                    continue
                share = row["us"] / peer["us"]
                lines.append(f"| {shown(row['name'])} | {threads} | {peer['peer']} | {share:.2f} | {aim} | {'reached' if share <= aim else 'missed'} |")
    return lines


def sixteen_cores(measured):
    """Of each row the times by threads, and in brackets the best peer's as a multiple."""
    lines = []
    for question in measured:
        runs = runs_of(measured, question)
        lines += ["", f"| {question} |" + "".join(f" {threads} thread{'s' if threads > 1 else ''} |" for threads, _ in runs) + " times as fast |"]
        lines.append("| --- |" + " ---: |" * (len(runs) + 1))
        for i, first in enumerate(runs[0][1]["rows"]):
            rows = [run["rows"][i] for _, run in runs]
            times = [f"{duration(row['us'])}" + (f" ({best_peer(row)['ratio']:.2f})" if row["peers"] else "") for row in rows]
            cells = [first["name"].split("/", 1)[1], *times, f"{rows[0]['us'] / rows[-1]['us']:.1f}"]
            lines.append("| " + " | ".join(cells) + " |")
    return machine(measured) + lines


def machine(measured):
    """Of each program when, where and from what it was measured."""
    lines = []
    for question in measured:
        for threads, run in runs_of(measured, question):
            m = run["machine"]
            told = (f"{m['processor']}, {m['cores']} cores, {', '.join(m['instructions'])}; {m['compiler']}; commit {m['commit']}, {m['date']}, "
                    f"{m['priority']} priority")
            if not lines or lines[-1][1] != told:
                lines.append(([], told))
            if question not in lines[-1][0]:
                lines[-1][0].append(question)
    return [f"* {', '.join(questions)}: {told}." for questions, told in lines]


def write_report(folder):
    measured, more = (json.loads((folder / "results" / name).read_text()) for name in ("measured.json", "sixteen_cores.json"))
    tables = {"machine": machine, "aims": aims, "families": families, "growth": growth, "threads": threads, "quality": quality, "cache": cache,
              "sixteen_cores": lambda _: sixteen_cores(more)}
    page = folder / "RESULTS.md"

    def filled(match):
        name = match.group(1)
        if name in tables:
            lines = tables[name](measured)
        elif any(row["peers"] for _, run in runs_of(measured, name) for row in run["rows"]):
            lines = beside_peers(measured, name)
        else:
            lines = alone(measured, name)
        return "\n".join([f"<!-- {name} -->", "", *lines, "", "<!-- end -->"])

    text = page.read_text()
    named = re.findall(r"<!-- (\w+) -->(?!\n*\Z)", text)
    missing = [name for name in named if name not in ("end", *tables) and name not in measured]
    if missing:
        sys.exit(f"{page}: no rows of {', '.join(missing)} have been measured")
    page.write_text(re.sub(r"<!-- (?!end)(\w+) -->.*?<!-- end -->", filled, text, flags=re.S))
    pictures.draw_all(measured, folder / "pictures")


if __name__ == "__main__":
    write_report(HERE)
