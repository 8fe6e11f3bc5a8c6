"""What the tests of the program fovea have in common: a folder, and runs of it."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest


class ToolTest(unittest.TestCase):
    fovea = ""
    command = ""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text) if isinstance(text, bytes) else path.write_text(text)
        return path

    def run_tool(self, *words, status=0):
        run = subprocess.run(
            [self.fovea, self.command, *map(str, words)], capture_output=True, text=True, cwd=self.folder, env=dict(os.environ), check=False
        )
        self.assertEqual(run.returncode, status, run.stderr + run.stdout)
        return run

    def rows(self, *words):
        return [" ".join(line.split()) for line in self.run_tool(*words).stdout.splitlines()]

    def refusal(self, *words):
        """The one sentence of a run that has no answer, without the program's name."""
        run = self.run_tool(*words, status=2)
        self.assertEqual(run.stdout, "")
        self.assertRegex(run.stderr, r"^fovea: [^\n]*\n$")
        return run.stderr.removeprefix("fovea: ").removesuffix("\n")
