"""Measures what the compiler pays: seconds of processor time and peak memory a translation unit, and the size of the stripped program.

    python bench/compile_cost.py --build BUILD [--compiler g++] [--rounds 5] [--only TEXT] [--json FILE]
    python bench/compile_cost.py --check | --keep

BUILD is a build folder with the library (build). A row is a program; of its rounds the best counts. `front end` is -fsyntax-only:
includes, declaration and templates without code generation. The first rows only include a header. `precompiled` rows take
<fovea/fovea.hpp> from a precompiled header, whose own seconds and MB its row says.

Seconds differ from run to run; what g++ has to do does not. --check compares the lines after preprocessing and the templates
that are specialised, for some of the programs, with those in bench/compile_counts.json, and fails where one of them is more
than 1 % away. --keep writes them there.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FLAGS = ["-std=c++20", "-O2"]
FLAGS_OF_GNU = ["--param=ggc-min-heapsize=1048576"]  # which fovea::fovea brings
EMPTY = """
#include <fovea/HEADER.hpp>
int main() {}
"""
README_GPT = """
int main() {
  run(xt::xtensor<int, 2>{{1, 2, 3}});
}
"""
MINILM = """
#include <fovea/fovea.hpp>
#include <fovea/models/bert.hpp>
using namespace fovea;
int main(int, char** argv) {
  auto net = compile(models::sentence_encoder<models::minilm>, load_weights(argv[1]), {.capacity = {{"B", 8}, {"T", 128}}});
  const xt::xtensor<int, 2> ids = {{101, 2003, 102}}, types = {{0, 0, 0}};
  const xt::xtensor<int, 1> lengths = {3};
  auto out = net("tokens"_in = ids, "types"_in = types, "lengths"_in = lengths);
  return out["sentence"_out](0, 0) > 0;
}
"""
GPT2 = """
#include <fovea/fovea.hpp>
#include <fovea/models/gpt2.hpp>
using namespace fovea;
int main(int, char** argv) {
  constexpr models::gpt2_config c{.layers = LAYERS, .heads = 12, .width = 768, .vocab = 50257, .context = 1024};
  auto net = compileFORMAT(models::gpt2<c>, load_weights(argv[1]), {.capacity = {{"B", 1}}});
  const xt::xtensor<int, 2> ids = {{1, 2, 3}};
  auto out = net("tokens"_in = ids);
  return out["logits"_out](0, 0, 0) > 0;
}
"""
GPT2_TRAINING = """
#include <fovea/fovea.hpp>
#include <fovea/models/gpt2.hpp>
using namespace fovea;
int main(int, char** argv) {
  constexpr models::gpt2_config c{.layers = 12, .heads = 12, .width = 768, .vocab = 50257, .context = 1024};
  auto fit = train(models::gpt2_loss<c>, adam{}, load_weights(argv[1]), {.capacity = {{"B", 1}}});
  const xt::xtensor<int, 2> ids = {{1, 2, 3}}, targets = {{2, 3, 4}};
  return fit.step("tokens"_in = ids, "targets"_in = targets).loss > 0;
}
"""
LSTM_STREAM = """
#include <fovea/fovea.hpp>
using namespace fovea;
inline constexpr dim B{"B"}, T{"T"};
inline constexpr auto reader = model("reader", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 40});
  g.output("y", linear(lstm(x, "rnn", 64), "head", 1));
});
int main(int, char** argv) {
  auto live = stream<T>(reader, load_weights(argv[1]), {.capacity = {{B, 1}, {T, 1}}});
  const xt::xtensor<float, 3> x = xt::zeros<float>({1, 1, 40});
  auto out = live.step("x"_in = x);
  return out["y"_out](0, 0, 0) > 0;
}
"""
GRUS = """
#include <fovea/fovea.hpp>
using namespace fovea;
inline constexpr dim B{"B"}, T{"T"};
inline constexpr auto stacked = model("stacked", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 16});
  for (int i = 0; i < COUNT; ++i) {
    const scope layer(x, "gru", i);
    x = gru(x, "rnn", 16).output;
  }
  g.output("y", x);
});
int main(int, char** argv) {
  auto net = MADE(stacked, load_weights(argv[1]), {.capacity = {{B, 1}, {T, 1}}});
  const xt::xtensor<float, 3> x = xt::zeros<float>({1, 1, 16});
  auto out = netCALL("x"_in = x);
  return out["y"_out](0, 0, 0) > 0;
}
"""
CALLER = """
using namespace fovea;
int main(int, char** argv) {
  auto net = compiled_minilm::compile(load_weights(argv[1]), {.capacity = {{"B", 8}, {"T", 128}}});
  const xt::xtensor<int, 2> ids = {{101, 2003, 102}}, types = {{0, 0, 0}};
  const xt::xtensor<int, 1> lengths = {3};
  auto out = net("tokens"_in = ids, "types"_in = types, "lengths"_in = lengths);
  return out["sentence"_out](0, 0) > 0;
}
"""
CALLS_ELSEWHERE = "minilm, made by fovea_add_model"  # the file that calls it, which alone is no program
GPT2_LAYERS = (1, 2, 4, 8, 16, 32, 64, 96)


def gpt2(layers, number_format=""):
    return GPT2.replace("LAYERS", str(layers)).replace("FORMAT", number_format)


def grus(count, streamed):
    made, call = ("stream<T>", ".step") if streamed else ("compile", "")
    return GRUS.replace("COUNT", str(count)).replace("MADE", made).replace("CALL", call)


def caller(root):
    """A file that calls MiniLM as fovea_add_model makes it, behind the header that this writes."""
    header = re.search(r"\[\[#pragma once\n(.*?)\]\]", (root / "cmake/fovea_add_model.cmake").read_text(encoding="utf-8"), re.DOTALL)[1]
    told = {"include": "#include <fovea/models/bert.hpp>", "name": "compiled_minilm",
            "arg_MODEL": "fovea::models::sentence_encoder<fovea::models::minilm>", "set_names": '"baseline", "avx2", "avx512"'}
    return re.sub(r"@(\w+)@", lambda found: told.get(found[1], ""), header) + CALLER


def programs(root):
    """Names and sources; the README's is its first declaration, as it stands there."""
    first = re.search(r"```cpp\n(.*?)```", (root / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    return [
        ("nothing", "int main() {}\n"),
        ("include dsl.hpp", EMPTY.replace("HEADER", "dsl")),
        ("include fovea.hpp", EMPTY.replace("HEADER", "fovea")),
        ("README's gpt", first + README_GPT),
        ("minilm", MINILM),
        *[(f"gpt2 {n} layers", gpt2(n)) for n in GPT2_LAYERS],
        ("gpt2 12 layers, q8_0", gpt2(12, "<q8_0>")),
        ("gpt2 12 layers, trained", GPT2_TRAINING),
        ("lstm, streamed", LSTM_STREAM),
        (CALLS_ELSEWHERE, caller(root)),
        *[(f"{n} GRUs written out{end}", grus(n, bool(end))) for end in ("", ", streamed") for n in (1, 10, 40)],
    ]


PRECOMPILED = ("include fovea.hpp", "minilm", "gpt2 16 layers")


COUNTED = ("include dsl.hpp", "include fovea.hpp", "README's gpt", "minilm", "gpt2 12 layers, trained", "lstm, streamed",
           CALLS_ELSEWHERE)
KEPT = pathlib.Path(__file__).with_name("compile_counts.json")
MAY_DIFFER = 0.01


def counts_of(code):
    """Of a translation unit: lines after preprocessing, and how many functions and variables, and types, templates become."""
    root = pathlib.Path(__file__).resolve().parent.parent
    command = ["g++", *FLAGS, f"-I{root / 'include'}", "-x", "c++", "-"]
    run = lambda *more: subprocess.run([*command, *more], input=code, capture_output=True, text=True, check=True)
    counts = {"lines": run("-E", "-P").stdout.count("\n")}
    stats = run("-fsyntax-only", "-fstats").stderr
    for kind in ("decl", "type"):
        counts[f"{kind}s specialised"] = int(re.search(rf"{kind}_specializations: size \d+, (\d+) elements", stats)[1])
    return counts


def check_counts():
    kept, faults = json.loads(KEPT.read_text(encoding="utf-8")), []
    for name, now in counts().items():
        for what, count in now.items():
            before = kept.get(name, {}).get(what, 0)
            if abs(count - before) > MAY_DIFFER * before:
                faults.append(f"{name}: {what}: {before:,} kept, {count:,} found")
    if faults:
        print(*faults, "If that is as it should be: python bench/compile_cost.py --keep, and say why where it grew.", sep="\n")
    return bool(faults)


def counts():
    root = pathlib.Path(__file__).resolve().parent.parent
    return {name: counts_of(code) for name, code in programs(root) if name in COUNTED}


def measured(command):
    """Processor seconds and peak memory in MB of a command and its children."""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


class cost:
    def __init__(self, options, folder):
        root = pathlib.Path(__file__).resolve().parent.parent
        self.compiler, self.rounds, self.folder = shutil.which(options.compiler), options.rounds, folder
        self.command = [self.compiler, *FLAGS, *([] if "clang" in self.compiler else FLAGS_OF_GNU), f"-I{root / 'include'}"]
        self.libraries = [str(options.build / name) for name in ("libfovea_runtime.a", "libfovea_kernels.a")]
        self.rows = []

    def best(self, command):
        return min(measured(command) for _ in range(self.rounds))

    def add(self, name, seconds, megabytes, front_end=None, size=None):
        self.rows.append({"name": name, "front_end_seconds": front_end and round(front_end, 2), "seconds": round(seconds, 2),
                          "megabytes": round(megabytes), "stripped_bytes": size})
        front = f"{front_end:10.2f}" if front_end else " " * 10
        print(f"{name:32} {front} {seconds:8.2f} {megabytes:6.0f} " + (f"{size / 1024:12.0f}" if size else ""), flush=True)

    def of(self, name, code, also=()):
        """A row for a program; `also` are flags that come first."""
        source, object_file, program = (self.folder / f"program{end}" for end in (".cpp", ".o", ""))
        source.write_text(code)
        command = [self.command[0], *also, *self.command[1:]]
        front_end, _ = self.best([*command, "-fsyntax-only", str(source)])
        seconds, megabytes = self.best([*command, "-c", str(source), "-o", str(object_file)])
        if name == CALLS_ELSEWHERE:
            return self.add(name, seconds, megabytes, front_end)
        subprocess.run([self.compiler, str(object_file), *self.libraries, "-lutf8proc", "-lpthread", "-Wl,--gc-sections", "-s", "-o", str(program)],
                       check=True)
        self.add(name, seconds, megabytes, front_end, program.stat().st_size)

    def precompiled(self, sources):
        """Rows for <fovea/fovea.hpp> as a precompiled header, and programs that take it from there."""
        header = self.folder / "precompiled.hpp"
        header.write_text("#include <fovea/fovea.hpp>\n")
        result = f"{header}.{'gch' if 'g++' in pathlib.Path(self.compiler).name.replace('clang++', '') else 'pch'}"
        self.add("precompiling fovea.hpp", *self.best([*self.command, "-x", "c++-header", str(header), "-o", result]))
        use = ["-include", str(header)] if result.endswith("gch") else ["-include-pch", result]
        for name, code in sources:
            self.of(f"{name}, precompiled", code, use)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare counts with the kept ones, and measure nothing")
    parser.add_argument("--keep", action="store_true", help="keep counts, and measure nothing")
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="programs whose names contain this")
    parser.add_argument("--json")
    options = parser.parse_args()
    if options.keep:
        KEPT.write_text(json.dumps(counts(), indent=2) + "\n", encoding="utf-8")
    if options.keep or options.check:
        return options.check and check_counts()
    if not options.build:
        parser.error("--build is missing: the build folder with the library")
    # ccache, where it stands in for the compiler, would answer from memory.
    os.environ["CCACHE_DISABLE"] = "1"
    sources = [(name, code) for name, code in programs(pathlib.Path(__file__).resolve().parent.parent) if options.only in name]
    print(f"{'program':32} {'front end':>10} {'seconds':>8} {'MB':>6} {'stripped KB':>12}")
    with tempfile.TemporaryDirectory() as folder:
        costs = cost(options, pathlib.Path(folder))
        for name, code in sources:
            costs.of(name, code)
        precompiled = [(name, code) for name, code in sources if name in PRECOMPILED]
        if precompiled:
            costs.precompiled(precompiled)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(costs.rows, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
