#!/usr/bin/env python3
"""What docs/fleet.md shows, run as it stands there: fleet_page_test.py EMBED schedulers|parallel, or MODULE ray

EMBED is the program of the tiny embedder; MODULE is the folder of its module of Python.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from fleet_test import drawn_weights, lines_of_json

PAGE = (pathlib.Path(__file__).parents[2] / "docs" / "fleet.md").read_text(encoding="utf-8")
WORKERS = 64


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


class Page(unittest.TestCase):
    given = pathlib.Path()

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.weights = drawn_weights(self.folder / "weights.safetensors", "embed", 3)
        self.lines = lines_of_json(300)
        (self.folder / "in.jsonl").write_text("".join(self.lines))

    def write_ask(self, before=""):
        """The program of the page: that of the tiny embedder, behind some lines of shell."""
        ask = self.folder / "ask"
        ask.write_text(f'#!/bin/sh\n{before}\nexec {self.given} --weights {self.weights} "$@"\n')
        ask.chmod(0o755)
        return ask

    def bash(self, script, **environment):
        subprocess.run(["bash", "-ec", script], cwd=self.folder, env={**os.environ, **environment}, check=True, timeout=300)

    def expect_all(self, first):
        """That the parts of workers counted from 1 or 0, put together as the page does it, answer every line once and in order."""
        from_1, from_0 = re.findall(r"^    \$ (paste .*)$", PAGE, re.MULTILINE)
        self.bash(from_1 if first == 1 else from_0)
        found = [json.loads(line) for line in (self.folder / "vectors.jsonl").read_text().splitlines()]
        self.assertEqual([{"id": one["id"], "text": one["text"]} for one in found], [json.loads(line) for line in self.lines])
        self.assertEqual({len(one["vector"]) for one in found}, {4})


class Schedulers(Page):
    def test_slurm(self):
        self.write_ask()
        script = blocks("bash")[0]
        self.assertIn(f"--array=0-{WORKERS - 1}", script)
        for task in range(WORKERS):
            self.bash(script, SLURM_ARRAY_TASK_ID=str(task), SLURM_CPUS_PER_TASK="1")
        self.expect_all(0)

    def test_kubernetes(self):
        (job,) = blocks("yaml")
        words = re.search(r"args: \[(.*?)\]\n", job, re.DOTALL)[1].replace("/data/", f"{self.folder}/")
        ask = self.write_ask()
        self.assertIn(f"completions: {WORKERS}\n", job)
        for task in range(WORKERS):
            words_of_task = words.replace("$(JOB_COMPLETION_INDEX)", str(task))
            subprocess.run([ask, *(word.strip(' "') for word in re.split(r",\s+", words_of_task))], check=True, timeout=60)
        self.expect_all(0)


class Parallel(Page):
    def test_workers_that_are_killed_once(self):
        # The first try of each is killed as it runs.
        self.write_ask(f'if mkdir "tried.$PARALLEL_SEQ" 2>/dev/null; then {self.given} --weights {self.weights} "$@" & kill -KILL $!; wait $!; exit; fi')
        self.bash(blocks("bash")[1])
        self.expect_all(1)
        ends = [line.split("\t")[6] for line in (self.folder / "jobs.log").read_text().splitlines()[1:]]
        self.assertEqual(ends.count("0"), WORKERS)


class Ray(Page):
    def test_each_actor_has_a_model(self):
        (self.folder / "ask.py").write_text(f"import functools, sys\nsys.path.insert(0, {str(self.given)!r})\nimport tiny_embed\nModel = functools.partial(tiny_embed.Model, {str(self.weights)!r})\n")
        begin = f"import ray\nray.init(num_cpus=3, include_dashboard=False, logging_level='warning', _temp_dir={str(self.folder)!r})\n"
        (self.folder / "page.py").write_text(begin + blocks("python")[0])
        subprocess.run([sys.executable, "page.py"], cwd=self.folder, env={**os.environ, "PYTHONPATH": str(self.folder)}, check=True, timeout=500)

        import pandas

        sys.path.insert(0, str(self.folder))
        import ask

        table = pandas.read_parquet(self.folder / "vectors").sort_values("id", key=lambda ids: ids.str[1:].astype(int))
        self.assertEqual(table[["id", "text"]].to_dict("records"), [json.loads(line) for line in self.lines])
        model = ask.Model()
        for text, vector in zip(table["text"], table["vector"]):
            for found, right in zip(vector, model.embed([text])[0], strict=True):
                self.assertAlmostEqual(found, right, 4)


if __name__ == "__main__":
    Page.given = pathlib.Path(sys.argv[1]).resolve()
    chosen = {"schedulers": Schedulers, "parallel": Parallel, "ray": Ray}[sys.argv[2]]
    result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(chosen))
    sys.exit(not result.wasSuccessful())
