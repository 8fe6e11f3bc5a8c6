#!/usr/bin/env python3
"""fovea check, with a compiler: check_test.py FOVEA COMPILER FLAG..."""

import json
import pathlib
import sys
import unittest

from tool_test import ToolTest
from weight_files import save_safetensors

NET = """#pragma once
#include <fovea/dsl.hpp>

namespace nets {
using namespace fovea;

template <int width>
inline constexpr auto doubled = model("doubled", [](graph& g) {
  const expr ids = g.input<i32>("ids", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
  const expr x = gather(parameter(ids, "table", {3, width}), ids);
  g.output("y", 2 * x);
  g.output("long", to_float(lengths));
});

} // namespace nets
"""
ILL_FORMED = NET.replace("2 * x", "x + zeros(x, {5})")

# Compiles the first time, and gives the same program after that.
COMPILER = """#!/bin/sh
for word; do
  [ "$before" = -o ] && program=$word
  before=$word
done
[ -e {kept} ] || {{ {compiler} "$@" && cp "$program" {kept}; }} && cp {kept} "$program"
"""


class Check(ToolTest):
    command = "check"
    compiler, flags = "", ()

    def setUp(self):
        super().setUp()
        self.write("net.hpp", NET)
        save_safetensors(self.folder / "w.safetensors", {"table": ("F32", [3, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])})
        self.reference("r.safetensors")
        self.model = ("net.hpp", "nets::doubled<2>", "--weights", "w.safetensors")
        self.words = (*self.model, "--compiler", self.compiler)

    def reference(self, name, y=(2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 2.0, 4.0), shape=(2, 2, 2), metadata=None):
        tensors = {
            "input.tokens": ("I64", [2, 2], [0, 1, 2, 0]),
            "input.mask": ("BOOL", [2, 2], [1, 1, 1, 0]),
            "input.scale": ("I64", [], [3]),
            "output.doubled": ("F64", list(shape), list(y)),
            "output.long": ("F32", [2], [2.0, 1.0]),
        }
        return save_safetensors(self.folder / name, tensors, metadata)

    def test_the_worst_element(self):
        case = {"rtol": 0, "atol": 0.01}
        self.reference("off.safetensors", (2.05, 4.0, 6.0, 8.0, 10.5, 12.0, 2.0, 4.0), metadata={"case": json.dumps(case)})
        names = ("--input", "ids=tokens", "--input", "lengths=count(mask)", "--output", "y=doubled")
        run = self.run_tool(*self.words, "--reference", "off.safetensors", *names, "--json", "--", *self.flags, status=1)
        said = "fovea: y[1, 0, 0] of the backend simd is 10, expected 10.5: 4.17 times the tolerance; 1 of 8 elements are beyond it\n"
        self.assertEqual(run.stderr, said)
        found = json.loads(run.stdout)
        self.assertEqual((found["passes"], found["rtol"], found["atol"]), (False, 0, 0.01))
        self.assertEqual([(one["backend"], one["output"]) for one in found["outputs"]], [(b, o) for b in ("simd", "reference") for o in ("long", "y")])
        self.assertEqual(found["outputs"][0] | {"index": [0]}, found["outputs"][2] | {"backend": "simd", "index": [0]})
        self.assertEqual((found["outputs"][0]["share_of_tolerance"], found["outputs"][3]["index"]), (0, [1, 0, 0]))

    def test_inputs_that_are_made_of_others(self):
        self.reference("made.safetensors", (2.0, 4.0) * 4)
        names = ("--input", "ids=zeros(mask)", "--input", "lengths=length(tokens)", "--output", "y=doubled", "--output", "long=long")
        run = self.run_tool(*self.words, "--reference", "made.safetensors", *names, "--backend", "reference", "--json", "--", *self.flags, status=1)
        self.assertEqual({one["output"]: (one["found"], one["beyond"]) for one in json.loads(run.stdout)["outputs"]}, {"y": (2.0, 0), "long": (2.0, 1)})

    def test_drawn_inputs(self):
        rows = self.rows(*self.words, "--size", "T=5", "--", *self.flags)
        self.assertEqual(rows[0], "backend worst found expected tolerance")
        self.assertRegex(rows[1], r"^simd long\[0\] \d \d 0 %$")
        self.assertRegex(rows[2], r"^simd y\[0, 0, 0\] \d+ \d+ 0 %$")

    def test_refusals(self):
        reference = ("--reference", "r.safetensors")
        self.assertEqual(self.refusal("none.hpp", *self.words[1:]), "there is no file none.hpp")
        self.assertEqual(self.refusal(*self.words[:3], "none", *self.words[4:]), "there are no weights none")
        self.assertEqual(self.refusal(*self.words, "--reference", "none"), "none: cannot open: No such file or directory")
        self.assertEqual(self.refusal(*self.words, "--reference", "w.safetensors"), "w.safetensors: expected reference values, tensors input.NAME and output.NAME; found 1 others")
        self.assertEqual(self.refusal(*self.words, *reference, "--input", "ids"), "--input 'ids': expected OURS=THEIRS")
        self.assertEqual(
            self.refusal(*self.words, *reference, "--input", "ids=count(none)"),
            "r.safetensors: --input 'ids=count(none)': there is no 'none'; expected one of mask, scale, tokens",
        )
        self.assertEqual(
            self.refusal(*self.words, *reference, "--input", "ids=length(scale)"),
            "r.safetensors: --input 'ids=length(scale)': expected 'scale' to have an axis; found none",
        )
        self.reference("nan.safetensors", metadata={"case": '{"rtol": "much"}'})
        self.assertEqual(self.refusal(*self.words, "--reference", "nan.safetensors"), "nan.safetensors: metadata 'case': rtol: expected a number of at least 0; found \"much\"")
        self.assertEqual(self.refusal(*self.words, *reference, "--library", "."), ".: expected the folder to hold libfovea_runtime.a")
        self.assertRegex(self.refusal(*self.words, "--backend", "other"), "^--backend: other not in")
        self.assertEqual(self.refusal(*self.words, "--input", "ids=tokens"), "--input requires --reference (--help lists the options)")
        self.assertEqual(self.refusal(*self.words, "--output", "y=doubled"), "--output requires --reference (--help lists the options)")
        self.assertEqual(self.refusal(*self.words, *reference, "--size", "T=5"), "--reference excludes --size (--help lists the options)")

    def test_refusals_with_a_compiler(self):
        self.write("net.hpp", ILL_FORMED)
        ill_formed = self.refusal(*self.words, "--", *self.flags)
        self.assertRegex(ill_formed, r"^net\.hpp:11: cannot add \[B, T, 2\] and \[5\]: .* \[F0058\]$")
        self.write("net.hpp", NET)
        self.assertRegex(self.refusal(*self.words[:1], "nets::none", *self.words[2:], "--", *self.flags), "^nets::none of net.hpp does not compile: .*none")

    def compiles_once(self):
        """A compiler, and where it keeps the program."""
        kept = self.folder / "kept"
        compiler = self.write("compiler", COMPILER.format(kept=kept, compiler=self.compiler))
        compiler.chmod(0o755)
        return compiler, kept

    def test_what_the_model_has(self):
        compiler, _ = self.compiles_once()

        def refusal(*words):
            return self.refusal(*self.model, "--compiler", compiler, *words, "--", *self.flags)

        for size in ("X=9", "t=16", "width=3"):
            self.assertEqual(refusal("--size", size), f"--size '{size}': the model has no dim {size.split('=')[0]}; expected B or T")
        reference = ("--reference", "r.safetensors")
        ids = ("--input", "ids=tokens")
        lengths = ("--input", "lengths=count(mask)")
        self.assertEqual(refusal(*reference, "--input", "idz=tokens"), "--input 'idz=tokens': the model has no input \"idz\"; its inputs are ids, lengths")
        self.assertEqual(
            refusal(*reference, *ids, *lengths, "--output", "Y=doubled"), "--output 'Y=doubled': the model has no output \"Y\"; its outputs are y, long"
        )
        self.assertEqual(
            refusal(*reference, *ids),
            "r.safetensors: there is no input.lengths, which the model takes (--input lengths=THEIRS); the file has mask, scale, tokens",
        )
        self.assertEqual(refusal(*reference, *lengths, "--input", "ids=scale"), "r.safetensors: input.scale: expected 2 axes, [B, T]; found []")
        self.assertEqual(refusal(*reference, *ids, "--input", "lengths=tokens"), "r.safetensors: input.tokens: expected 1 axis, [B]; found [2, 2]")
        self.assertEqual(
            refusal(*reference, "--input", "ids=count(mask)", "--input", "lengths=count(mask)"),
            "r.safetensors: count(input.mask): expected 2 axes, [B, T]; found [2]",
        )
        tensors = {"input.ids": ("F32", [2, 2], [0.0] * 4), "input.lengths": ("I64", [3], [1] * 3), "output.y": ("F32", [1], [0.0])}
        save_safetensors(self.folder / "reals.safetensors", tensors)
        self.assertEqual(refusal("--reference", "reals.safetensors"), "reals.safetensors: input.ids: expected integers; found F32")
        save_safetensors(self.folder / "sizes.safetensors", tensors | {"input.ids": ("I64", [2, 2], [0] * 4)})
        self.assertEqual(refusal("--reference", "sizes.safetensors"), 'sizes.safetensors: B is 2 in "ids" and 3 in "lengths"')

    def test_a_program_that_is_killed(self):
        compiler, kept = self.compiles_once()
        for script, said in {
            "kill -9 $$": "was killed (signal 9), perhaps for want of memory",
            "kill -11 $$": "was killed (signal 11)",
            "exit 137": "was killed (signal 9), perhaps for want of memory",
            "echo no >&2; exit 3": "ended with status 3: no",
        }.items():
            kept.write_text(f"#!/bin/sh\n{script}\n")
            kept.chmod(0o755)
            self.assertEqual(self.refusal(*self.model, "--compiler", compiler, "--", *self.flags), f"the model of net.hpp {said}")


if __name__ == "__main__":
    Check.fovea, Check.compiler, Check.flags = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2], sys.argv[3:]
    unittest.main(argv=sys.argv[:1])
