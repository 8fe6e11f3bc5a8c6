#!/usr/bin/env python3
"""fovea inspect, on files of every kind: inspect_test.py FOVEA GOLDEN"""

import json
import pathlib
import struct
import subprocess
import sys
import unittest

from tool_test import ToolTest
from weight_files import packed, save_gguf, save_safetensors

TENSORS = {
    "embed.weight": ("F32", [4, 2], [0.5] * 8),
    "layer.0.a.weight": ("F32", [2, 2], [1.0] * 4),
    "layer.1.a.weight": ("F32", [2, 2], [1.0] * 4),
    "layer.2.a.weight": ("F32", [3, 2], [1.0] * 6),
    "ids": ("I64", [2], [0, 1]),
}
CONFIG = {"architectures": ["BertModel"], "hidden_size": 2, "id2label": {"0": "no"}}


class Inspect(ToolTest):
    command = "inspect"
    golden = pathlib.Path()

    def test_safetensors(self):
        save_safetensors(self.folder / "w.safetensors", TENSORS, {"format": "pt"})
        self.assertEqual(
            self.rows("w.safetensors"),
            [
                "w.safetensors: safetensors weights",
                "5 tensors, 24 values, 104 B",
                "format pt",
                "tensor type shape tensors bytes",
                "embed.weight F32 [4, 2] 1 32 B",
                "ids I64 [2] 1 16 B",
                "layer.*.a.weight F32 [2, 2] 2 32 B",
                "layer.2.a.weight F32 [3, 2] 1 24 B",
            ],
        )
        self.assertEqual(self.rows("w.safetensors", "--all", "--tensors", "layer.[01]*")[-2:], [f"layer.{i}.a.weight F32 [2, 2] 1 16 B" for i in (0, 1)])
        found = json.loads(self.run_tool("w.safetensors", "--json", "--tensors", "i*").stdout)
        expected = {"name": "ids", "type": "I64", "shape": [2], "bytes": 16}
        self.assertEqual(found, {"file": "w.safetensors", "what": "safetensors weights", "metadata": {"format": "pt"}, "values": 2, "bytes": 16, "tensors": [expected]})

    def test_shards(self):
        save_safetensors(self.folder / "a.safetensors", {"x": ("F32", [1], [1.0])})
        save_safetensors(self.folder / "b.safetensors", {"y": ("F32", [2], [1.0, 2.0])})
        index = self.write("model.safetensors.index.json", json.dumps({"weight_map": {"x": "a.safetensors", "y": "b.safetensors"}}))
        rows = ["2 tensors, 3 values, 12 B", "tensor type shape tensors bytes", "x F32 [1] 1 4 B", "y F32 [2] 1 8 B"]
        self.assertEqual(self.rows(index), [f"{index}: safetensors in shards weights", *rows])
        self.assertEqual(self.rows("."), [".: a folder, safetensors in shards weights", *rows])

    def test_checkpoint_of_training(self):
        save_safetensors(self.folder / "w.safetensors", {"a": ("F32", [1], [1.0]), "optimizer.mean.a": ("F32", [1], [1.0])}, {"step": "3"})
        self.assertEqual(self.rows("w.safetensors")[0], "w.safetensors: a checkpoint of training, safetensors weights")

    def test_gguf(self):
        keys = {"general.architecture": "llama", "llama.block_count": 2, "tokenizer.ggml.scores": [0.5, 1.5], "llama.rope.freq_base": 10000.0}
        save_gguf(self.folder / "w.gguf", keys, {"blk.0.x": ([2, 3], packed("F32", [1.0] * 6))})
        self.assertEqual(
            self.rows("w.gguf"),
            [
                "w.gguf: GGUF weights of a llama",
                "1 tensor, 6 values, 24 B",
                "general.architecture llama",
                "llama.block_count 2",
                "llama.rope.freq_base 10000",
                "tokenizer.ggml.scores an array of 2",
                "tensor type shape tensors bytes",
                "blk.0.x F32 [2, 3] 1 24 B",
            ],
        )

    def test_other_weights(self):
        self.write("vectors.txt", "2 3\nthe 1 2 3\ncat 4 5 6\n")
        self.assertEqual(self.rows("vectors.txt")[:2], ["vectors.txt: word vectors", "1 tensor, 6 values, 24 B"])
        layer = {"type": "dense", "shape": [None, None, 1], "weights": [[[1.0], [2.0]], [0.5]], "activation": ""}
        self.write("net.json", json.dumps({"in_shape": [None, None, 2], "layers": [layer]}))
        self.assertEqual(self.rows("net.json")[:2], ["net.json: RTNeural weights", "2 tensors, 3 values, 12 B"])
        self.write("stories.bin", struct.pack("<7i", 8, 16, 1, 2, 2, 4, 4) + packed("F32", [0.5] * (4 * 8 + 8 + 8 * 8 * 4 + 8 + 3 * 8 * 16 + 8 + 2 * 4 * 2)))
        self.assertEqual(self.rows("stories.bin")[0], "stories.bin: llama2.c weights")

    def test_tokenizers(self):
        for name, row in {
            "tokenizer_bpe.tokenizer.json": "BPE, 1000 tokens; special: ",
            "tokenizer_wordpiece.tokenizer.json": "WordPiece, 1000 tokens; special: [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4",
            "tokenizer_unigram.tokenizer.json": "Unigram, ",
            "tokenizer_sentencepiece_unigram.model": "Unigram, ",
        }.items():
            self.assertTrue(self.rows(self.golden / name)[1].startswith(f"{name}: {row}"), name)
        self.write("vocab.txt", "[PAD]\n[unused0]\nthe\n[CLS]\n")
        self.assertEqual(self.rows("vocab.txt"), ["vocab.txt: a vocabulary", "vocab.txt: a list of WordPiece's tokens, 4 tokens; special: [PAD] 0, [CLS] 3"])
        found = json.loads(self.run_tool(self.golden / "tokenizer_wordpiece.tokenizer.json", "--json").stdout)
        self.assertEqual(found["tokenizer"]["special"], {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4})

    def test_folder(self):
        save_safetensors(self.write("m/model.safetensors", ""), TENSORS)
        self.write("m/config.json", json.dumps(CONFIG))
        self.write("m/modules.json", json.dumps([{"type": "sentence_transformers.models.Pooling"}]))
        self.write("m/tokenizer.json", (self.golden / "tokenizer_wordpiece.tokenizer.json").read_text())
        rows = self.rows("m")
        self.assertEqual(rows[0], "m: a folder of a sentence encoder, BertModel, safetensors weights")
        self.assertIn('id2label {"0":"no"}', rows)
        self.assertIn("module sentence_transformers.models.Pooling", rows)
        self.assertEqual(json.loads(self.run_tool("m", "--json").stdout)["config"], CONFIG)
        self.assertEqual(self.rows("m/config.json")[0], "m/config.json: settings of BertModel")

    def test_names_from_outside_stay_on_their_line(self):
        save_safetensors(self.folder / "w.safetensors", {"a\n\x1b[2J" + "b" * 300: ("F32", [1], [1.0])}, {"k\r": "v\x07\n"})
        text = self.run_tool("w.safetensors").stdout
        self.assertEqual([c for c in text if ord(c) < 32 and c != "\n"], [])
        self.assertEqual(text.count("\n"), 5)

    def test_refusals(self):
        self.write("empty", "")
        known = "expected weights or a tokenizer in a known format (safetensors, GGUF, llama2.c's or rwkv.cpp's .bin, RTNeural's JSON, word vectors, tokenizer.json, SentencePiece's .model, vocab.txt)"
        self.assertEqual(self.refusal("empty"), f"empty: {known}; found an empty file")
        self.write("noise", b"\x00\xff\x80noise")
        self.assertEqual(self.refusal("noise"), f"noise: {known}; found another")
        self.assertEqual(self.refusal("none"), "none: cannot open: No such file or directory")
        self.assertEqual(self.refusal("/dev/null"), "/dev/null: expected a regular file; found a device")
        (self.folder / "folder").mkdir()
        self.assertEqual(
            self.refusal("folder"),
            "folder: expected the folder to hold model.safetensors, model.safetensors.index.json, config.json, tokenizer.json or tokenizer.model",
        )
        save_safetensors(self.folder / "w.safetensors", TENSORS)
        self.assertEqual(self.refusal("w.safetensors", "--tensors", "x*"), "w.safetensors: --tensors 'x*' matches none of its 5 tensors")
        whole = (self.folder / "w.safetensors").read_bytes()
        self.write("cut.safetensors", whole[:-4])
        self.assertEqual(
            self.refusal("cut.safetensors"), "cut.safetensors: tensor 'layer.2.a.weight': its data should end at byte 104 of the data; the file is cut short at 100"
        )
        self.write("short.safetensors", whole[:4])
        self.assertEqual(
            self.refusal("short.safetensors"),
            "short.safetensors: expected a safetensors file, which begins with 8 bytes of header length; found 4 bytes in all",
        )
        self.write("bad.json", '{"model": ')
        self.assertRegex(self.refusal("bad.json"), r"^bad\.json: .+")
        self.write("deep.json", '{"a":' * 5000)
        self.assertRegex(self.refusal("deep.json"), r"^deep\.json: .*64")
        self.write("m/config.json", "[1]")
        self.assertEqual(self.refusal("m"), "m/config.json: expected an object of settings")
        self.write("m/config.json", "{}")
        self.write("m/modules.json", '[{"type": 3}]')
        self.assertEqual(self.refusal("m"), "m/modules.json: expected each module to have a type; found object")
        self.write("tokenizer.json", '{"model": {"type": "Nonsense", "vocab": {"a": 0}}}')
        self.assertRegex(self.refusal("tokenizer.json"), r"^tokenizer\.json: .*Nonsense")
        self.write("w.gguf", b"GGUF" + struct.pack("<IQQ", 3, 2**60, 0))
        self.assertRegex(self.refusal("w.gguf"), r"^w\.gguf: .+")
        self.assertEqual(self.refusal("w.gguf", "more"), "The following argument was not expected: more (--help lists the options)")


class Subcommand(ToolTest):
    def test_an_unknown_one_is_named_with_the_nearest(self):
        for word, expected in ("neww", "new"), ("inpsect", "inspect"), ("shape", "shapes"), ("x\ny", "one of new, inspect, convert, check, shapes"):
            run = subprocess.run([self.fovea, word, "a", "--b"], capture_output=True, text=True, check=False)
            shown = word.replace("\n", "\\x0a")
            self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", f"fovea: there is no subcommand '{shown}'; expected {expected} (--help lists all)\n"))


if __name__ == "__main__":
    Subcommand.fovea = str(pathlib.Path(sys.argv[1]).resolve())
    Inspect.fovea, Inspect.golden = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
