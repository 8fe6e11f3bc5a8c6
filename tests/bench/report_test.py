"""bench/report.py writes pages from rows, and the pages there are what it writes: report_test.py FOLDER_OF_IT"""

import json
import pathlib
import sys
import tempfile

folder_of_it = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(folder_of_it))
import report  # noqa: E402


def row(name, us, peers, isa="avx512", bound=None):
    told = [{"peer": peer, "version": "1", "us": us * ratio, "median_us": None, "ratio": ratio} for peer, ratio in peers.items()]
    return {"name": name, "isa": isa, "threads": 1, "us": us, "median_us": None, "bound": bound, "peers": told}


def run(*rows):
    return {"machine": {"processor": "a processor", "cores": 2, "date": "a day"}, "rows": list(rows)}


def refused(folder):
    try:
        report.pages(folder)
    except SystemExit as said:
        return str(said)
    return "nothing"


MEASURED = {
    "encoder": {
        "1": run(row("encoder/minilm-bf16/1x16", 1000, {"torch": 0.5, "openvino": 1.25}), row("encoder/minilm-int8/8x128", 2000, {"ctranslate2": 1.25})),
        "1 avx2": run(row("encoder/minilm-int8/8x128", 3000, {"ctranslate2": 2}, "avx2")),
    },
    "attention": {"1": run(row("attention/12x64/1x2048", 12.345, {}, bound=0.9))},
}

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "results").mkdir()
    (folder / "results" / "one.json").write_text(json.dumps(MEASURED))
    (folder / "results" / "other.json").write_text(json.dumps({"sound": {"1": run(row("sound/stft", 1, {"torch": 2}))}}))
    page = folder / "RESULTS.md"
    page.write_text("by hand\n<!-- machine one -->\n\n<!-- end -->\n<!-- aims -->\n<!-- end -->\n<!-- sound other -->\nof before\n<!-- end -->\n")
    written, rows = report.pages(folder)
    text = written[page]
    assert text.startswith("by hand\n<!-- machine one -->\n\n* encoder, attention: a processor, 2 cores; a day.\n"), text
    # The peer that an aim names, the set that it names, and the machine's limit.
    for line in ("| encoder/minilm-bf16/1x16 | 1 | avx512 | openvino | 0.80 | at most 0.9 |  | reached |",
                 "| encoder/minilm-int8/8x128 | 1 | avx512 | ctranslate2 | 0.80 | at most 0.6 |  | missed |",
                 "| encoder/minilm-int8/8x128 | 1 | avx2 | ctranslate2 | 0.50 | at most 0.8 |  | reached |",
                 "| attention/12x64/1x2048 | 1 | avx512 | the limit | 0.90 | at least 0.85 | 0.90 | reached |"):
        assert line in text.splitlines(), f"{line} is not in\n{text}"
    assert "\n* MiniLM's sentence encoder, int8: " in text and "encoder, float32: " not in text, "expected the reason of what is missed alone"
    # Another machine's rows, without the columns that are empty.
    assert "<!-- sound other -->\n\nOn [other](../bench/machines/other.md):\n\n| | threads | set | Fovea | torch 1 | ratio |\n" in text and "of before" not in text, text
    assert set(rows) == {"sound"}, "pictures are of the rows that the page shows"
    assert "## Attention\n\n| | 1 thread | bound |\n| --- | ---: | ---: |\n| 12x64/1x2048 | 12.3 us | 0.90 |\n" in written[folder / "machines" / "one.md"]
    page.write_text("<!-- machine none -->\n<!-- end -->\n")
    assert "expected at the mark of machine a machine with a file in" in refused(folder) and refused(folder).endswith("found none"), refused(folder)
    page.write_text("<!-- machine one -->\n<!-- end -->\n<!-- sound -->\n<!-- end -->\n")
    assert refused(folder).endswith("expected rows of sound on one, found none"), refused(folder)

for file in (folder_of_it / "results").glob("*.json"):
    for question, measured, cells, reached in report.aimed(json.loads(file.read_text())):
        assert reached or report.reason_of(question, measured), f"{file.name}: {cells[0]} is missed, expected a reason in bench/reasons.py, found none"

for path, text in report.pages(folder_of_it)[0].items():
    assert path.exists() and path.read_text() == text, f"{path}: expected what bench/report.py writes, found another text"
