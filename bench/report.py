"""Writes what was measured, of each machine a file bench/results/MACHINE.json: the tables of bench/RESULTS.md between its marks, a
page bench/machines/MACHINE.md of every machine, and the pictures of bench/pictures.

    python bench/report.py

Between `<!-- NAME -->` and `<!-- end -->` stand a program's rows of the machine that the page's first mark names, `<!-- machine
MACHINE -->`; `<!-- NAME MACHINE -->` names another. The rest of the page is written by hand and stays. Rows that were kept before
there were such files lack what was not written down: a median, the bound, or even the times of a ratio.
"""

import json
import math
import pathlib
import re
import sys
import typing

from reasons import REASONS

HERE = pathlib.Path(__file__).resolve().parent


class Aim(typing.NamedTuple):
    """At most this share of a peer's time, of the best one where none is named; of rows of that set alone where one is."""

    rows: str
    share: float
    beside: str = ""
    isa: str = ""


# By program, then by the row's name.
AIMS = {
    "product": [
        Aim(r"1x768x768|1x3072x768|128x3072x768|128x1536x384", 0.9), Aim(r"8x768x768|16x64x64|1x64x64", 0.8),
        Aim(r"128x768x768|128x384x384", 0.97), Aim(r"512x512x512|1024x1024x1024", 0.96),
    ],
    "attention": [
        Aim(r"12x64/128x128/causal", 0.5), Aim(r"12x64/512x512/causal", 0.45), Aim(r"12x64/2048x2048/causal", 0.75),
        Aim(r"12x64/(128x128|512x512|2048x2048)", 0.8),
    ],
    "encoder": [
        Aim(r"minilm/1x(16|32)", 0.75), Aim(r"minilm/(1|8)x128", 0.85), Aim(r"minilm-bf16/.*", 0.9, "openvino"),
        Aim(r"minilm-int8/.*", 0.8, "ctranslate2", "avx2"), Aim(r"minilm-int8/8x128", 0.6), Aim(r"minilm-int8/.*", 0.5),
    ],
    "formats": [
        Aim(r"GPT-2 124M/f32/prompt of 128", 0.8), Aim(r".*/f32/token", 1.0), Aim(r".*/f16/token", 0.95),
        Aim(r"GPT-2 124M/integer_products<q8_0>/token", 0.85), Aim(r"Llama 134M/integer_products<q8_0>/token", 0.8),
        Aim(r"GPT-2 124M/integer_products<q4_0>/token", 0.75), Aim(r"Llama 134M/integer_products<q4_0>/token", 0.8),
    ],
    "streams": [Aim(r".*", 0.77)],
    "recurrent": [
        Aim(r"lstm/512x100/(1|32)|gru/512x100/32", 0.8), Aim(r"gru/512x100/1", 0.65), Aim(r"(gru|lstm)/\d+/sample", 0.7, "rtneural"),
        Aim(r"\d+ convolutions of 16/sample", 0.6, "rtneural"),
    ],
    "amplifiers": [Aim(r".*", 0.7)],
    "convolution": [Aim(r"kim_cnn/.*|depthwise/1|depthwise_planes/1|image/1", 0.8), Aim(r"planes/1", 0.65)],
    "today": [
        Aim(r"whisper_tiny_.*|experts_layer", 0.8), Aim(r"modernbert_base_1x512", 0.85), Aim(r"qwen3_0\.6b_.*", 0.9),
    ],
    "training": [Aim(r"gpt/(4x128/12x64|6x384/12x256)", 0.7)],
}
# At least this share of the machine's limit.
BOUNDS = {"attention": [(r"(12|32:8)x\d+/1x(2048|8192|65536)(/.*)?", 0.85)]}

TITLES = {
    "product": "Matrix products", "attention": "Attention", "convolution": "Convolutions", "recurrent": "Recurrences",
    "amplifiers": "Amplifiers", "encoder": "MiniLM's sentence encoder", "formats": "Weights in fewer bytes", "streams": "Many texts at once",
    "quality": "What formats lose", "today": "Models of today", "sound": "Spectra of sound", "training": "Training",
    "families": "Families", "growth": "As work grows", "threads": "Threads",
}


def short(row):
    return row["name"].split("/", 1)[1]


def aim_of(question, row):
    """None where nothing is aimed at; an aim at another set's rows is none of this row's."""
    found = (aim for aim in AIMS.get(question, []) if re.fullmatch(aim.rows, short(row)) and aim.isa in ("", row["isa"]))
    return next(found, None)


def shown(name):
    """<int8> is a tag to a page unless it is code."""
    return f"`{name}`" if "<" in name else name


def duration(us):
    """Three digits and a unit."""
    if us is None:
        return ""
    for unit, size in (("ns", 1e-3), ("us", 1), ("ms", 1e3), ("s", 1e6)):
        if us < 999.5 * size or unit == "s":
            digits = max(0, 2 - math.floor(math.log10(us / size))) if us > 0 else 0
            return f"{us / size:.{digits}f} {unit}"


def two_digits(number):
    return "" if number is None else f"{number:.2f}"


def best_peer(row, named=""):
    """The one that we are least ahead of, or the named one."""
    return min((peer for peer in row["peers"] if named in ("", peer["peer"])), key=lambda peer: peer["ratio"], default=None)


def table(headings, rows, left=("", "set", "beside", "reached")):
    """Without the columns that no row fills."""
    kept = [i for i in range(len(headings)) if i == 0 or any(row[i] for row in rows)]
    lines = ["|" + "|".join(f" {headings[i]} " if headings[i] else " " for i in kept) + "|",
             "| " + " | ".join("---" if headings[i] in left else "---:" for i in kept) + " |"]
    return lines + ["| " + " | ".join(row[i] for i in kept) + " |" for row in rows]


def count_of(threads):
    return f"{threads} thread{'s' if threads > 1 else ''}"


def runs_of(measured, question):
    """Threads and run, those of all sets."""
    runs = [(int(key.split()[0]), key, run) for key, run in measured.get(question, {}).items()]
    return [(threads, run) for threads, _, run in sorted(runs, key=lambda run: run[:2])]


def own_runs_of(measured, question):
    """The runs that are not held to a set."""
    return [(int(key), run) for key, run in sorted(measured.get(question, {}).items(), key=lambda item: item[0].zfill(9)) if key.isdigit()]


def beside_peers(measured, question):
    """Each row with all its peers: time, median, share of the limit; of each peer time, median and ratio."""
    runs = runs_of(measured, question)
    names = list(dict.fromkeys(peer["peer"] for _, run in runs for row in run["rows"] for peer in row["peers"]))
    versions = {peer["peer"]: peer["version"] or "" for _, run in runs for row in run["rows"] for peer in row["peers"]}
    headings = ["", "threads", "set", "Fovea", "median", "bound"]
    for name in names:
        headings += [f"{name} {versions[name]}".strip(), "median", "ratio"]
    rows = []
    for threads, run in runs:
        for row in run["rows"]:
            cells = [shown(short(row)), str(threads), row["isa"] or "", duration(row["us"]), duration(row["median_us"]), two_digits(row["bound"])]
            for name in names:
                peer = next((peer for peer in row["peers"] if peer["peer"] == name), None)
                cells += ["", "", ""] if peer is None else [duration(peer["us"]), duration(peer["median_us"]), f"{peer['ratio']:.2f}"]
            rows.append(cells)
    return table(headings, rows)


def alone(measured, question):
    """Rows without peers: the time of one thread and of more."""
    runs = own_runs_of(measured, question)
    headings = [""]
    for threads, _ in runs:
        headings += [count_of(threads), "median", "bound"]
    rows = []
    for i, first in enumerate(runs[0][1]["rows"]):
        cells = [shown(short(first))]
        for _, run in runs:
            row = run["rows"][i]
            cells += [duration(row["us"]), duration(row["median_us"]), two_digits(row["bound"])]
        rows.append(cells)
    return table(headings, rows)


def families(measured):
    """A sequence of T tokens, and in brackets a token."""
    runs = own_runs_of(measured, "families")
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
    runs = own_runs_of(measured, "growth")
    lines = ["| | working memory |" + "".join(f" {count_of(threads)} |" for threads, _ in runs)]
    lines.append("| --- | ---: |" + " ---: |" * len(runs))
    for i, first in enumerate(runs[0][1]["rows"]):
        _, what, number = first["name"].split("/")
        times = " | ".join(duration(run["rows"][i]["us"]) for _, run in runs)
        lines.append(f"| {what} {number} | {first['memory_bytes'] / 1e6:.3g} MB | {times} |")
    return lines


def threads(measured):
    """Three tables: sizes, processes, load."""
    (many, run), = own_runs_of(measured, "threads")
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
    (_, run), = own_runs_of(measured, "quality")
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
    (_, run), = own_runs_of(measured, "quality")
    plain = run["rows"][0]
    lines = ["| `.cache` | bytes of 32 features | perplexity | ratio |", "| --- | ---: | ---: | ---: |",
             f"| `f32{{}}` | 128 | {plain['perplexity']:.4f} | 1.00000 |"]
    return lines + [f"| `{row['name'].split('/')[2]}{{}}` | {row['bytes']:.0f} | {row['perplexity']:.4f} | {row['perplexity'] / plain['perplexity']:.5f} |"
                    for row in run["rows"] if "bytes" in row]


def kept(measured):
    """Attention over keys and values in each format, and its share of float32's time."""
    rows = {row["name"]: row for _, run in own_runs_of(measured, "attention")[:1] for row in run["rows"]}
    formats = ["f16", "q8_0"]
    lines = []
    for name, plain in rows.items():
        if found := [rows.get(f"{name}/{format_}") for format_ in formats if f"{name}/{format_}" in rows]:
            lines.append([short(plain), duration(plain["us"]), two_digits(plain["bound"])])
            for row in found:
                lines[-1] += [f"{duration(row['us'])} ({row['us'] / plain['us']:.2f})", two_digits(row["bound"])]
    headings = ["", "`f32{}`", "bound"]
    for format_ in formats:
        headings += [f"`{format_}{{}}`", "bound"]
    return table(headings, lines)


def aimed(measured):
    """Each row that something is aimed at: its program, the row, what is told of it, and whether the aim is reached."""
    for question in (question for question in TITLES if question in measured):
        for threads, run in runs_of(measured, question):
            for row in run["rows"]:
                cells = [shown(row["name"]), str(threads), row["isa"] or ""]
                aim = aim_of(question, row)
                if aim and (peer := best_peer(row, aim.beside)):
                    share = 1 / peer["ratio"]
                    yield question, row, [*cells, peer["peer"], f"{share:.2f}", f"at most {aim.share}"], share <= aim.share
                for pattern, least in BOUNDS.get(question, []):
                    if re.fullmatch(pattern, short(row)) and row["bound"] is not None:
                        yield question, row, [*cells, "the limit", f"{row['bound']:.2f}", f"at least {least}"], row["bound"] >= least


def reason_of(question, row):
    """Why the row's aim is missed: the first that names it, or None."""
    return next((reason for reason in REASONS.get(question, []) if re.fullmatch(reason.rows, short(row))), None)


def aims(measured):
    """Our time as a share of a peer's, or the share reached of the limit, where one is aimed at; then why what is missed is."""
    lines, why = [], {}
    for question, row, cells, reached in aimed(measured):
        lines.append([*cells, two_digits(row["bound"]), "reached" if reached else "missed"])
        if not reached and (reason := reason_of(question, row)):
            why[f"* {TITLES[question]}, {reason.called}: {reason.text}"] = True
    told = ["", "What stands in the way where an aim is missed:", "", *why] if why else []
    return table(["", "threads", "set", "beside", "share", "aim", "bound", "reached"], lines) + told


def by_threads(measured, question):
    """Of each row the times by threads, and in brackets the best peer's as a multiple."""
    runs = own_runs_of(measured, question)
    lines = []
    for i, first in enumerate(runs[0][1]["rows"]):
        rows = [run["rows"][i] for _, run in runs]
        times = [duration(row["us"]) + (f" ({best_peer(row)['ratio']:.2f})" if row["peers"] else "") for row in rows]
        lines.append([shown(short(first)), *times, f"{rows[0]['us'] / rows[-1]['us']:.1f}"])
    return ["In brackets the best peer's time as a multiple of ours.", "",
            *table(["", *(count_of(threads) for threads, _ in runs), "times as fast"], lines)]


def machine(measured):
    """When, where and from what each program was measured."""
    questions = {}
    for question in measured:
        for _, run in runs_of(measured, question):
            m = run["machine"]
            cores = m.get("cores") and f"{m['cores']} cores"
            where = ", ".join(filter(None, (m["processor"], cores, *m.get("instructions", []))))
            when = ", ".join(filter(None, (m.get("commit") and f"commit {m['commit']}", m.get("date"), m.get("priority") and f"{m['priority']} priority")))
            questions.setdefault("; ".join(filter(None, (where, m.get("compiler"), when, m.get("note")))), []).append(question)
    return [f"* {', '.join(dict.fromkeys(of))}: {told}." for told, of in questions.items()]


OWN_TABLES = {"machine": machine, "aims": aims, "families": families, "growth": growth, "threads": threads, "quality": quality, "cache": cache,
              "kept": kept}


def table_of(measured, name):
    if name in OWN_TABLES:
        return OWN_TABLES[name](measured)
    if len(own_runs_of(measured, name)) > 2:
        return by_threads(measured, name)
    if any(row["peers"] for _, run in runs_of(measured, name) for row in run["rows"]):
        return beside_peers(measured, name)
    return alone(measured, name)


def page_of(name, measured):
    """Of one machine all that was measured on it."""
    lines = [f"# Measured: {name}", "", f"`bench/report.py` writes this page from `bench/results/{name}.json`. "
             "[Measured](../../bench/RESULTS.md) tells what the rows are.", "", *machine(measured)]
    if len(aimed := aims(measured)) > 2:
        lines += ["", "## Aims", "", *aimed]
    for question in (question for question in TITLES if question in measured):
        lines += ["", f"## {TITLES[question]}", "", *table_of(measured, question)]
        if question == "quality" and any("bytes" in row for _, run in runs_of(measured, question) for row in run["rows"]):
            lines += ["", *cache(measured)]
    return "\n".join(lines) + "\n"


def pages(folder):
    """The text of each page by its path, and the rows that RESULTS.md shows."""
    machines = {file.stem: json.loads(file.read_text()) for file in sorted((folder / "results").glob("*.json"))}
    page = folder / "RESULTS.md"
    text = page.read_text()
    marks = re.findall(r"<!-- (?!end)(\w+)(?: (\w+))? -->", text)
    own = dict(marks).get("machine")
    shown_here = {name: of or own for name, of in marks}
    for name, of in shown_here.items():
        if of not in machines:
            sys.exit(f"{page}: expected at the mark of {name} a machine with a file in {folder / 'results'}, found {of or 'none'}")
        if name not in OWN_TABLES and name not in machines[of]:
            sys.exit(f"{page}: expected rows of {name} on {of}, found none")

    def filled(match):
        name, of = match.groups()
        where = [f"On [{of}](../bench/machines/{of}.md):", ""] if (of or own) != own else []
        return "\n".join([f"<!-- {name}{f' {of}' if of else ''} -->", "", *where, *table_of(machines[of or own], name), "", "<!-- end -->"])

    written = {folder / "machines" / f"{name}.md": page_of(name, measured) for name, measured in machines.items()}
    written[page] = re.sub(r"<!-- (?!end)(\w+)(?: (\w+))? -->.*?<!-- end -->", filled, text, flags=re.S)
    return written, {name: machines[of][name] for name, of in shown_here.items() if name in machines[of]}


def write_report(folder):
    import pictures  # of all here only pictures need more than Python

    written, rows = pages(folder)
    for path, text in written.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    pictures.draw_all(rows, folder / "pictures")
    pictures.learning(folder / "results", folder / "pictures" / "learning.svg")


if __name__ == "__main__":
    write_report(HERE)
