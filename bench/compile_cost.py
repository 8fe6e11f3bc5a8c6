"""Measures what the compiler pays: seconds of processor time and peak memory a translation unit, and the size of the stripped program.

    python bench/compile_cost.py --build BUILD [--compiler g++] [--json FILE]

BUILD is a build folder with the library (build). Rows: the MiniLM program from scratch, and GPT-2 at 2, 12 and 96 layers.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

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
  auto net = compile(models::gpt2<c>, load_weights(argv[1]), {.capacity = {{"B", 1}}});
  const xt::xtensor<int, 2> ids = {{1, 2, 3}};
  auto out = net("tokens"_in = ids);
  return out["logits"_out](0, 0, 0) > 0;
}
"""


def measured(command):
    """Processor seconds and peak memory in MB of a command and its children."""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--json")
    options = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    libraries = [str(options.build / name) for name in ("libfovea_runtime.a", "libfovea_kernels.a")]
    # ccache, where it stands in for the compiler, would answer from memory.
    os.environ["CCACHE_DISABLE"] = "1"
    rows = []
    programs = [("minilm", MINILM)] + [(f"gpt2 {n} layers", GPT2.replace("LAYERS", str(n))) for n in (2, 12, 96)]
    print(f"{'program':16} {'seconds':>8} {'MB':>6} {'stripped KB':>12}")
    with tempfile.TemporaryDirectory() as folder:
        for name, code in programs:
            source, object_file, program = (pathlib.Path(folder) / f"program{end}" for end in (".cpp", ".o", ""))
            source.write_text(code)
            compile_command = [shutil.which(options.compiler), "-std=c++20", "-O2", f"-I{root / 'include'}"]
            seconds, megabytes = measured([*compile_command, "-c", str(source), "-o", str(object_file)])
            subprocess.run(
                [options.compiler, str(object_file), *libraries, "-lutf8proc", "-lpthread", "-Wl,--gc-sections", "-s", "-o", str(program)],
                check=True,
            )
            row = {"name": name, "seconds": round(seconds, 2), "megabytes": round(megabytes), "stripped_bytes": program.stat().st_size}
            rows.append(row)
            print(f"{name:16} {seconds:8.2f} {megabytes:6.0f} {program.stat().st_size / 1024:12.0f}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
