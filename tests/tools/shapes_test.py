#!/usr/bin/env python3
"""Tests of `fovea shapes`: shapes_test.py FOVEA COMPILER INCLUDE."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BLOCK = """#pragma once
#include <fovea/dsl.hpp>
using namespace fovea;

constexpr expr block(expr x, dim width) {
  expr h = layer_norm(x, "ln");
  return x + linear(gelu(linear(h, "up", width)), "down", x.size(-1));
}
"""
TWO = """#include "block.hpp"
inline constexpr auto wide = model("wide", [](graph& g) {
  expr x = g.input<f32>("x", {"B", "T", 64});
  g.output("y", block(x, 256));
});
inline constexpr auto small = model("small", [](graph& g) { // as model("no", in a comment
  expr x = g.input<f32>("x", {"B", "T", 8});
  g.output("y", block(x, 32));
});
"""
TEMPLATE = """#include <fovea/dsl.hpp>
using namespace fovea;
template <int width>
inline constexpr auto net = model("net", [](graph& g) {
  expr x = g.input<f32>("x", {"T", width});
  for (int i = 0; i < 3; ++i) {
    scope layer(x, "layer", i);
    x = gru(x, "rnn", width);
  }
  g.output("y", 2 * x);
});
"""
LOOPS = """#include <fovea/dsl.hpp>
using namespace fovea;
inline constexpr auto loops = model("loops", [](graph& g) {
  expr x = g.input<f32>("x", {"B", "T", 8});
  x = repeat("h", 2, x, [](expr y) { return tanh(y); });
  auto s = scan(x, zeros(x, {8}), [](expr t, expr kept) {
    expr next = sigmoid(kept) * mean(t, axis(0));
    return scan_step{next, next};
  });
  g.output("y", s.output);
});
"""
ILL_FORMED = """#include <fovea/dsl.hpp>
using namespace fovea;
inline constexpr auto ill = model("ill", [](graph& g) {
  expr x = g.input<f32>("x", {"B", "T", 768});
  expr h = linear(gelu(x), "up", 3072);
  g.output("y", x + h);
});
inline constexpr auto well = model("well", [](graph& g) { g.output("y", exp(g.input<f32>("x", {"T", 2}))); });
"""
UNUSED = """#include "probed.hpp"
inline constexpr auto wide = model("wide", [](graph& g) {
  expr x = g.input<f32>("x", {"B", "T", 64});
  parameter(x, "spare", {64});
  for (int i = 0; i < 2; ++i) {
    scope layer(x, "layer", i);
    lstm(x, "lost", 8);
  }
  g.output("y", probed(gru(x, "rnn", 64), true));
});
inline constexpr auto small = model("small", [](graph& g) {
  expr x = g.input<f32>("x", {"B", "T", 8});
  g.output("y", probed(x, false));
});
"""
PROBED = """#pragma once
#include <fovea/dsl.hpp>
using namespace fovea;

constexpr expr probed(expr x, bool forget) {
  expr h = linear(x, "up", x.size(-1));
  return forget ? x : h;
}
"""
SENTENCE = "cannot add [B, T, 768] and [B, T, 3072]: the last axis is 768 and 3072; sizes must be equal, or one of them 1 [F0058]"
COMPILED = """#include <fovea/fovea.hpp>
using namespace fovea;
inline constexpr auto net = model("net", [](graph& g) {
  g.output("y", linear(g.input<f32>("x", {"B", 4}), "layer", 3));
});
void run(const model_weights& from) {
  auto compiled = compile(net, from, {.capacity = {{"B", 2}}});
}
"""


class Shapes(unittest.TestCase):
    fovea = compiler = include = ""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.folder)
        self.flags = ["--", "-std=c++20", f"-I{self.include}"]

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def run_fovea(self, *words, status=0, compiler=None, environment=None):
        command = [self.fovea, "shapes", *map(str, words[:1]), *(["--compiler", compiler or self.compiler] if compiler != "" else []), *words[1:]]
        run = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, env=dict(os.environ, **(environment or {})), check=False)
        self.assertEqual(run.returncode, status, run.stderr)
        return run

    def rows(self, *words, **options):
        lines = self.run_fovea(*words, **options).stdout.splitlines()
        return [" ".join(line.split()) for line in lines]

    def test_text(self):
        self.write("net.cpp", TEMPLATE + "static_assert(net<16>.parameters() > 0);\n")
        self.assertEqual(
            self.rows("net.cpp", *self.flags),
            ['net.cpp:5: input "x" [T, 16]', 'net.cpp:8: gru "layer.*.rnn" [16]', 'net.cpp:8: gru "layer.*.rnn" [T, 16]', "net.cpp:10: * [T, 16]"],
        )

    def test_loops_show_what_they_give(self):
        self.write("loops.cpp", LOOPS)
        self.assertEqual(
            self.rows("loops.cpp", *self.flags),
            [
                'loops.cpp:4: input "x" [B, T, 8]',
                'loops.cpp:5: tanh "h.*" [B, T, 8]',
                "loops.cpp:5: repeat [B, T, 8]",
                "loops.cpp:6: zeros [8]",
                "loops.cpp:6: scan [8]",
                "loops.cpp:6: scan [8, T]",
                "loops.cpp:7: sigmoid [8]",
                "loops.cpp:7: mean [8]",
                "loops.cpp:7: * [8]",
            ],
        )

    def test_block_of_two_models(self):
        self.write("block.hpp", BLOCK)
        self.write("two.cpp", TWO)
        own = ['two.cpp:3: input "x" [B, T, 64]', 'two.cpp:7: input "x" [B, T, 8]']
        self.assertEqual(self.rows("two.cpp", *self.flags), own)
        rows = self.rows("two.cpp", "--all", *self.flags)
        self.assertEqual(rows[:2], own)
        header = self.folder / "block.hpp"
        self.assertEqual(rows[2:4], [f'{header}:6: layer_norm "ln" [B, T, {width}] in {name}' for width, name in ((64, "wide"), (8, "small"))])
        self.assertEqual(len(rows), 2 + 2 + 8)

    def test_json(self):
        self.write("block.hpp", BLOCK)
        self.write("two.cpp", TWO)
        found = json.loads(self.run_fovea("two.cpp", "--all", "--json", *self.flags).stdout)
        self.assertEqual(found["models"], ["wide", "small"])
        self.assertEqual(found["errors"], [])
        up = [one for one in found["expressions"] if one["name"] == "up"]
        place = {"file": str(self.folder / "block.hpp"), "line": 7, "word": "linear", "name": "up", "type": "float32", "in_all_models": False}
        self.assertEqual(up, [place | {"shape": ["B", "T", 256], "models": ["wide"]}, place | {"shape": ["B", "T", 32], "models": ["small"]}])

    def test_template_is_shown_where_it_is_instantiated(self):
        self.write("net.hpp", "#pragma once\n" + TEMPLATE)
        alone = self.run_fovea("net.hpp", *self.flags)
        self.assertEqual(alone.stdout, "")
        self.assertIn("net.hpp makes no model", alone.stderr)
        rows = self.rows("net.hpp", "--instance", "net<4>", "--instance", "net<6>", *self.flags)
        self.assertEqual([row for row in rows if "input" in row], ['net.hpp:6: input "x" [T, 4] in net', 'net.hpp:6: input "x" [T, 6] in net #2'])

    def test_ill_formed(self):
        self.write("ill.cpp", ILL_FORMED)
        run = self.run_fovea("ill.cpp", *self.flags, status=1)
        self.assertEqual(run.stderr, f"ill.cpp:6: {SENTENCE}\n")
        self.assertEqual([line.split(":")[1] for line in run.stdout.splitlines()], ["4", "5", "5", "8", "8"])

    def test_ill_formed_and_used(self):
        asserted = "static_assert(ill.parameters() == 1 && ill.flops({{\"B\", 1}, {\"T\", 1}}) < 1000000);\n"
        self.write("ill.cpp", ILL_FORMED + asserted)
        run = self.run_fovea("ill.cpp", *self.flags, status=1)
        self.assertEqual(run.stderr, f"ill.cpp:6: {SENTENCE}\n")
        self.assertEqual([line.split(":")[1] for line in run.stdout.splitlines()], ["4", "5", "5", "8", "8"])

    def test_no_declaration(self):
        self.write("no.cpp", '#include <fovea/dsl.hpp>\nusing namespace fovea;\nint n = 3;\nauto m = model("m", [n = 1](graph&) {});\n')
        run = self.run_fovea("no.cpp", *self.flags, status=1)
        self.assertEqual(run.stderr, "no.cpp:4: a declaration captures nothing: pass what it needs as template arguments [F0283]\n")

    def test_call_that_does_not_fit(self):
        self.write("net.cpp", COMPILED.replace('});\n}', '});\n  compiled();\n}'))
        for standard in ["c++20"] + ["c++26"] * ("clang" in self.compiler):
            run = self.run_fovea("net.cpp", "--", f"-std={standard}", f"-I{self.include}", status=1)
            self.assertRegex(run.stderr, r'^net.cpp:8: .*"x".*\n$')

    def test_call_of_a_stream_that_does_not_fit(self):
        streamed = COMPILED.replace('{"B", 4}', '{B, T, 4}').replace("compile(net", "stream<T>(net").replace('{"B", 2}', "{B, 2}, {T, 8}")
        streamed = streamed.replace("inline constexpr auto net", 'inline constexpr dim B{"B"}, T{"T"};\ninline constexpr auto net')
        self.write("net.cpp", streamed.replace('});\n}', '});\n  compiled.step();\n}'))
        run = self.run_fovea("net.cpp", *self.flags, status=1)
        self.assertEqual(run.stderr, 'net.cpp:9: step: the input "x" is missing [F0309]\n')

    def test_helper_that_is_not_constexpr(self):
        helper = "expr helper(expr x) { return tanh(x); }\n"
        self.write("net.cpp", "#include <fovea/dsl.hpp>\nusing namespace fovea;\n" + helper + 'inline constexpr auto net = model("net", [](graph& g) {\n'
                   '  g.output("y", helper(g.input<f32>("x", {"B", 4})));\n});\n')
        run = self.run_fovea("net.cpp", *self.flags, status=1)
        place = "net.cpp:4: .* a function that it calls lacks constexpr" if "clang" in self.compiler else "net.cpp:5: .*call to non-.*helper"
        self.assertRegex(run.stderr, rf"^{place}.* \[F0286\]\n$")

    def test_models_of_included_files(self):
        self.write("block.hpp", BLOCK)
        self.write("two.hpp", TWO)
        self.write("net.cpp", '#include "two.hpp"\n')
        run = self.run_fovea("net.cpp", *self.flags)
        self.assertEqual((run.stdout, run.stderr), ("", "fovea: the models of net.cpp stand in files that it includes; --all shows them\n"))

    def test_assertion_of_the_user(self):
        self.write("net.cpp", TEMPLATE + 'static_assert(net<2>.parameters() == 1, "net.cpp has 1 parameter");\n')
        run = self.run_fovea("net.cpp", *self.flags, status=2)
        self.assertIn("net.cpp has 1 parameter", run.stderr)

    def test_sarif(self):
        self.write("ill.cpp", ILL_FORMED)
        log = json.loads(self.run_fovea("ill.cpp", "--sarif", *self.flags, status=1).stdout)
        self.assertEqual(log["version"], "2.1.0")
        run = log["runs"][0]
        self.assertEqual(run["tool"]["driver"]["name"], "fovea")
        place = {"artifactLocation": {"uri": f"file://{self.folder}/ill.cpp"}, "region": {"startLine": 6}}
        expected = {"ruleId": "F0058", "level": "error", "message": {"text": SENTENCE}, "locations": [{"physicalLocation": place}]}
        self.assertEqual(run["results"], [expected])
        self.write("well.cpp", ILL_FORMED.replace("3072", "768"))
        self.assertEqual(json.loads(self.run_fovea("well.cpp", "--sarif", *self.flags).stdout)["runs"][0]["results"], [])

    def test_unused(self):
        self.write("probed.hpp", PROBED)
        self.write("net.cpp", UNUSED)
        header = self.folder / "probed.hpp"
        own = ['net.cpp:4: warning: no output depends on parameter "spare"', 'net.cpp:7: warning: no output depends on lstm "layer.*.lost"']
        shared = f'{header}:6: warning: no output depends on linear "up" in wide'
        self.assertEqual(self.run_fovea("net.cpp", "--all", *self.flags).stderr, "")
        run = self.run_fovea("net.cpp", "--unused", *self.flags)
        self.assertEqual(run.stderr.splitlines(), own)
        self.assertEqual(run.stdout, self.run_fovea("net.cpp", *self.flags).stdout)
        self.assertEqual(self.run_fovea("net.cpp", "--unused", "--all", *self.flags).stderr.splitlines(), [*own, shared])
        self.write("used.cpp", ILL_FORMED.replace("3072", "768"))
        self.assertEqual(self.run_fovea("used.cpp", "--unused", *self.flags).stderr, "")

    def test_unused_for_other_programs(self):
        self.write("probed.hpp", PROBED)
        net = self.write("net.cpp", UNUSED)
        found = json.loads(self.run_fovea("net.cpp", "--unused", "--json", *self.flags).stdout)
        sentences = ['no output depends on parameter "spare"', 'no output depends on lstm "layer.*.lost"']
        self.assertEqual(found["warnings"], [{"file": str(net), "line": line, "sentence": text} for line, text in zip((4, 7), sentences)])
        self.assertEqual(found["errors"], [])
        self.assertEqual(json.loads(self.run_fovea("net.cpp", "--json", *self.flags).stdout)["warnings"], [])
        run = json.loads(self.run_fovea("net.cpp", "--unused", "--sarif", *self.flags).stdout)["runs"][0]
        self.assertEqual([(one["ruleId"], one["level"], one["message"]["text"]) for one in run["results"]], [("unused", "warning", text) for text in sentences])
        self.assertEqual(run["results"][0]["locations"][0]["physicalLocation"]["region"], {"startLine": 4})
        self.assertEqual([rule["id"] for rule in run["tool"]["driver"]["rules"]], ["unused"])

    def test_unused_says_nothing_of_an_ill_formed_model(self):
        self.write("ill.cpp", ILL_FORMED)
        self.assertEqual(self.run_fovea("ill.cpp", "--unused", *self.flags, status=1).stderr, f"ill.cpp:6: {SENTENCE}\n")

    def test_model_that_is_compiled(self):
        self.write("net.cpp", COMPILED)
        self.assertEqual(self.rows("net.cpp", *self.flags), ['net.cpp:4: input "x" [B, 4]', 'net.cpp:4: linear "layer" [B, 3]'])

    def test_project(self):
        """The project's own flags, of the file or, for a header, of the file most like it that is no set's object."""
        self.write("src/net.hpp", "#include <fovea/dsl.hpp>\n" + TEMPLATE.replace("net = model", "net = MODEL") + "static_assert(net<2>.parameters());\n")
        source = self.write("src/net.cpp", '#include "net.hpp"\n')
        command = f"ccache {self.compiler} '-DMODEL=model' -std=c++20 -I'{self.include}' -O2 -Werror -o net.o -c {source}"
        other = {"directory": str(self.folder), "file": "other.cpp", "arguments": [self.compiler, "other.cpp"]}
        of_one_set = {"directory": str(self.folder), "file": "src/net.hpp.avx2.cpp", "arguments": [self.compiler, "-DFOVEA_OF_ONE_INSTRUCTION_SET", "src/net.hpp.avx2.cpp"]}
        self.write("build/compile_commands.json", json.dumps([other, of_one_set, {"directory": str(self.folder), "file": "src/net.cpp", "command": command}]))
        expected = 'net.hpp:6: input "x" [T, 2]'
        self.assertEqual(self.rows("src/net.hpp", compiler="")[0], "src/" + expected)
        self.assertEqual(self.rows("src/net.cpp", "--all", "--build", "build", compiler="")[0], f"{self.folder}/src/{expected}")
        self.assertFalse((self.folder / "net.o").exists())

    def test_defaults(self):
        """The headers beside the program, and $CXX."""
        self.write("net.cpp", TEMPLATE + "static_assert(net<2>.parameters());\n")
        self.assertEqual(self.rows("net.cpp", compiler="", environment={"CXX": self.compiler})[0], 'net.cpp:5: input "x" [T, 2]')

    def test_an_interrupted_run_leaves_nothing(self):
        self.write("net.cpp", COMPILED)
        made = self.folder / "made"
        made.mkdir()
        command = [self.fovea, "shapes", "net.cpp", "--compiler", self.compiler, *self.flags]
        environment = dict(os.environ, TMPDIR=str(made))
        with subprocess.Popen(command, cwd=self.folder, env=environment, start_new_session=True, stderr=subprocess.PIPE, text=True) as process:
            while not any(made.iterdir()):
                time.sleep(0.01)
            time.sleep(0.2)
            os.killpg(process.pid, signal.SIGTERM)
            self.assertEqual(process.communicate(timeout=60)[1], "fovea: interrupted\n")
        self.assertEqual((process.returncode, list(made.iterdir())), (2, []))

    def test_failures_are_one_sentence(self):
        def failure(*words, **options):
            run = self.run_fovea(*words, status=2, **options)
            self.assertEqual(run.stdout, "")
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
            return run.stderr

        self.write("wrong.cpp", "int f() { return nothing; }\n")
        self.assertIn("wrong.cpp does not compile: ", failure("wrong.cpp", *self.flags))
        self.assertIn("nothing", failure("wrong.cpp", *self.flags))
        self.assertEqual(failure("none.cpp"), "fovea: there is no file none.cpp\n")
        self.assertEqual(failure("wrong.cpp", compiler="no-such-compiler"), "fovea: the compiler no-such-compiler cannot be run\n")
        self.assertIn("--nonsense", failure("wrong.cpp", "--nonsense"))
        self.assertIn("there is no", failure("wrong.cpp", "--build", "."))
        self.write("compile_commands.json", "[1]")
        self.assertIn("is no list of compile commands", failure("wrong.cpp"))
        self.assertIn("wrong.cpp does not compile: ", failure("wrong.cpp", "--", "-std=nonsense"))


if __name__ == "__main__":
    Shapes.fovea, Shapes.compiler, Shapes.include = os.path.abspath(sys.argv[1]), sys.argv[2], os.path.abspath(sys.argv[3])
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
