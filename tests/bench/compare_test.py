"""bench/compare.py puts the rows of programs side by side: compare_test.py FOLDER_OF_IT"""

import contextlib
import io
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, sys.argv[1])
import compare  # noqa: E402

# Writes the rows that it is given, a list for each time that it runs.
PROGRAM = """#!{python}
import json, os, pathlib, sys
own = pathlib.Path(sys.argv[0])
runs = json.loads(own.with_suffix(".rows").read_text())
count = own.with_suffix(".count")
done = int(count.read_text()) if count.exists() else 0
count.write_text(str(done + 1))
print({said!r})
if os.environ.get("REFUSE"):
    sys.exit("refused")
pathlib.Path(sys.argv[sys.argv.index("--json") + 1]).write_text(json.dumps(runs[done % len(runs)]))
"""


def program(folder, name, runs, said=""):
    file = folder / name
    file.write_text(PROGRAM.format(python=sys.executable, said=said))
    file.chmod(0o755)
    file.with_suffix(".rows").write_text(json.dumps(runs))
    return file


def ours(us, median):
    return [{"name": "q/row", "isa": "avx2", "threads": 1, "us": us, "median_us": median, "bound": None}]


def peer(us, median, name="other"):
    return [{"name": "q/row", "threads": 1, "peer": name, "peer_version": "1", "peer_us": us, "peer_median_us": median}]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    mine = program(folder, "mine", [ours(10, 14), ours(12, 13)])
    # Two programs of one peer, by Python and not: the faster has the row, with the median of its own rounds.
    slow = program(folder, "slow.py", [peer(40, 40)], "gone: expected an installed peer, found none: its rows are left out")
    fast = program(folder, "fast", [peer(20, 24), peer(21, 22)])
    with contextlib.redirect_stderr(io.StringIO()) as said:
        (row,) = compare.compared(mine, [slow, fast], 1, 2, [])
    assert (row["us"], row["median_us"]) == (10, 13.5), row
    assert row["peers"] == [{"peer": "other", "version": "1", "us": 20, "median_us": 23, "ratio": 2}], row["peers"]
    assert said.getvalue().count("left out") == 1, f"what a peer lacks is told once, found {said.getvalue()}"
    try:
        compare.compared(mine, [fast], 1, 1, [], {"REFUSE": "1"})
        raise AssertionError("a program that fails was taken")
    except compare.BenchmarkFailed as failure:
        assert "exit status 1\nrefused" in str(failure), failure
