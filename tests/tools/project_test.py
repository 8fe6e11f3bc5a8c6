#!/usr/bin/env python3
"""Projects that fovea new writes, with the library as it is installed: project_test.py PREFIX GOLDEN COMPILER"""

import json
import pathlib
import shlex
import subprocess
import sys
import unittest

from golden_folder import write_folder, write_tokenizer
from tool_test import ToolTest


def as_tagger(config, parameters):
    config["architectures"] = ["BertForTokenClassification"]
    for name in [name for name in parameters if name.startswith("bert.pooler.")]:
        del parameters[name]


class Project(ToolTest):
    command = "new"
    prefix, golden, compiler = pathlib.Path(), pathlib.Path(), ""

    def run_it(self, *command, **options):
        run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def configured(self, case, change=lambda config, parameters: None, texts=True):
        """The build folder of a project around a case, and the kind of its program."""
        source = write_folder(self.golden / f"{case}.safetensors", self.folder / case / "from", change)
        if texts:
            write_tokenizer(source, 96)
            (source / "generation_config.json").write_text("{}")
        app = json.loads(self.run_tool(self.folder / case / "made", "--from", source, "--json").stdout)["app"]
        build = self.folder / case / "build"
        settings = [f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={self.compiler}", "-DCMAKE_BUILD_TYPE=Release"]
        self.run_it("cmake", "-S", self.folder / case / "made", "-B", build, *settings, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
        return build, app

    def test_each_kind_of_program_compiles(self):
        for case, change, expected in (
            ("hf_bert", lambda config, parameters: None, "embed"),
            ("hf_bert_classify", lambda config, parameters: None, "classify"),
            ("hf_bert_classify", as_tagger, "tag"),
            ("hf_bert_decoder", lambda config, parameters: None, "generate"),
            ("hf_t5", lambda config, parameters: None, "translate"),
            ("today/whisper", lambda config, parameters: None, "transcribe"),
            ("hf_vit", lambda config, parameters: None, "run"),
        ):
            with self.subTest(expected):
                self.doCleanups()
                self.setUp()
                build, app = self.configured(case, change, texts=expected != "run")
                self.assertEqual(app, expected)
                commands = json.loads((build / "compile_commands.json").read_text())
                (main,) = (one for one in commands if one["file"].endswith("/main.cpp") and "_packing/" not in one["file"])
                words = shlex.split(main["command"])
                self.run_it(*words[: words.index("-o")], "-Wall", "-Wextra", "-Werror", "-fsyntax-only", main["file"], cwd=main["directory"])

    def test_a_program_runs(self):
        build, _ = self.configured("hf_llama")
        self.run_it("cmake", "--build", build)
        said = self.run_it(build / "made", "--json", "--tokens", "20", input="w5 w6 w7\nw1\n")
        lines = [json.loads(line) for line in said.splitlines()]
        self.assertEqual([line["text"] for line in lines], ["w5 w6 w7", "w1"])
        self.assertEqual(lines[0]["tokens"], len(lines[0]["generated"].split()))
        # It holds its weights and libraries.
        (self.folder / "hf_llama" / "from").rename(self.folder / "moved")
        self.run_it(build / "made", "w1", env={})
        self.assertNotIn("INTERP", self.run_it("readelf", "-l", build / "made"))
        (self.folder / "moved").rename(self.folder / "hf_llama" / "from")
        self.run_it("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error")


if __name__ == "__main__":
    Project.prefix, Project.golden, Project.compiler = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    Project.fovea = str(Project.prefix / "bin" / "fovea")
    unittest.main(argv=sys.argv[:1])
