#!/usr/bin/env python3
"""fovea convert --packed, with a compiler: packed_test.py FOVEA COMPILER FLAG..."""

import json
import pathlib
import re
import sys
import unittest

from tool_test import ToolTest
from weight_files import save_safetensors

NET = """#pragma once
#include <fovea/dsl.hpp>

namespace nets {
using namespace fovea;

inline constexpr auto scored = model("scored", [](graph& g) {
  const expr ids = g.input<i32>("ids", {"B", "T"});
  const expr table = parameter(ids, "table", {40, 32});
  g.output("y", matmul(linear(gather(table, ids), "layer", 32), transpose(table)));
});

} // namespace nets
"""


class Packed(ToolTest):
    command = "convert"
    compiler, flags = "", ()

    def setUp(self):
        super().setUp()
        self.write("net.hpp", NET)
        values = {"table": [40, 32], "layer.weight": [32, 32], "layer.bias": [32]}
        tensors = {name: ("F32", shape, [i % 17 / 16 - 0.5 for i in range(shape[0] * (shape + [1])[1])]) for name, shape in values.items()}
        save_safetensors(self.folder / "w.safetensors", tensors)
        self.words = ("w.safetensors", "w.gguf", "--packed", "net.hpp", "nets::scored")
        self.behind = ("--compiler", self.compiler, "--", *self.flags)

    def test_what_is_packed(self):
        rows = self.rows(*self.words, "--format", "q8_0", *self.behind)
        self.assertEqual(rows[0], "tensors bytes")
        self.assertRegex(rows[1], r"^in q8_0, as \w+ reads them 2 \d\.\d kB$")
        self.assertEqual(rows[2:3], ["others, in f32 1 128 B"])
        self.assertRegex(rows[3], r"^all 3 \d\.\d kB$")
        # A model reads the file where it lies, and gives what the backend reference makes of it.
        self.command = "check"
        self.assertRegex(self.rows("net.hpp", "nets::scored", "--weights", "w.gguf", *self.behind)[1], r"^simd y\[")
        # It is no checkpoint.
        self.command = "convert"
        self.assertEqual(
            self.refusal("w.gguf", "other.gguf", "--format", "f16"),
            "w.gguf: expected a checkpoint, found weights that are packed for a model; --packed packs the checkpoint that "
            "they were made of in another format")
        self.command = "inspect"
        said = self.rows("w.gguf")
        self.assertRegex(said[0], r"^w\.gguf: weights packed in q8_0 for \w+$")
        self.assertRegex(said[1], r"^3 tensors, \d\.\d kB$")

    def test_the_tokenizer(self):
        words = {"added_tokens": [], "pre_tokenizer": {"type": "WhitespaceSplit"}, "decoder": {"type": "WordPiece"},
                 "model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1, "##b": 2}}}
        self.write("tokenizer.json", json.dumps(words))
        self.assertRegex(self.rows(*self.words, *self.behind)[3], r"^the tokenizer's tables 6 \d\.\d kB$")
        self.command = "inspect"
        said = self.rows("w.gguf")
        self.assertEqual(said[1], "w.gguf: WordPiece, 3 tokens")
        self.assertRegex(said[2], r"^3 tensors, \d+\.\d kB$")
        # Another that is named, one that cannot be read, one that cannot be packed.
        self.command = "convert"
        self.write("other.json", json.dumps({**words, "model": {"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0}}}))
        said = json.loads(self.run_tool(*self.words, "--tokenizer", "other.json", "--json", *self.behind).stdout)
        self.assertEqual(said["tokenizer"]["tensors"], 3)
        self.write("tokenizer.json", json.dumps({**words, "decoder": {"type": "CTC"}}))
        done = self.run_tool(*self.words, "--json", *self.behind)
        self.assertIn("fovea: the tokenizer is left out: tokenizer.json: ", done.stderr)
        self.assertEqual(json.loads(done.stdout)["tokenizer"], {"tensors": 0, "bytes": 0})
        self.assertIn("tokenizer.json: ", self.refusal(*self.words, "--tokenizer", "tokenizer.json", *self.behind))

    def test_a_set_that_is_named(self):
        known = self.refusal(*self.words, "--set", "mmx")
        least = re.fullmatch(r"--set: expected an instruction set of this machine, (?:\w+, )*(\w+); found 'mmx'", known)[1]
        said = json.loads(self.run_tool(*self.words, "--set", least, "--json", *self.behind).stdout)
        self.assertEqual((said["file"], said["model"], said["format"], said["set"]), ("w.gguf", "nets::scored", "f32", least))
        self.assertEqual((said["panels"]["tensors"], said["others"]), (2, {"tensors": 1, "bytes": 128}))

    def test_refusals(self):
        self.assertEqual(self.refusal("w.safetensors", "w.safetensors2", *self.words[2:]), "w.safetensors2: expected an output that ends in .gguf")
        self.assertEqual(self.refusal("none", *self.words[1:]), "there are no weights none")
        self.assertEqual(self.refusal(*self.words[:3], "none.hpp", "nets::scored"), "there is no file none.hpp")
        self.assertEqual(self.refusal(*self.words, "--keep", "*"), "--keep excludes --packed (--help lists the options)")
        self.assertEqual(self.refusal(*self.words[:2], "--format", "f32", "--set", "avx2"), "--set requires --packed (--help lists the options)")
        self.assertEqual(self.refusal(*self.words[:2]), "--format is required (--help lists the options)")
        said = "--format int8: files of packed weights alone have it (--packed); expected one of bf16, f16, f32,"
        self.assertEqual(self.refusal(*self.words[:2], "--format", "int8")[: len(said)], said)

    def test_weights_of_another_model(self):
        save_safetensors(self.folder / "w.safetensors", {"other": ("F32", [2], [1.0, 2.0])})
        said = self.refusal(*self.words, *self.behind)
        self.assertTrue(said.startswith("w.safetensors: no tensor fills the parameters "), said)
        self.assertFalse((self.folder / "w.gguf").exists())


if __name__ == "__main__":
    Packed.fovea, Packed.compiler, Packed.flags = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2], sys.argv[3:]
    unittest.main(argv=sys.argv[:1])
