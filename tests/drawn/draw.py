#!/usr/bin/env python3
"""Writes test programs of models that are drawn by chance: FOLDER/drawn_I.cpp has five, of the seeds from FIRST + 5 I on."""

import argparse
import pathlib

from declaration import Drawing, declaration

PER_FILE = 5  # models share what they instantiate of the library

HEAD = """// Drawn by tests/drawn/draw.py --first {seed} --count 1.
#include "check_model.hpp"

using namespace fovea;
using namespace fovea::core::test;

namespace {{

{model}
}} // namespace

TEST_CASE("the model drawn from {seed}", "[random]") {{ check_drawn({name}, {seed}, {smooth}); }}
"""


def program(drawing, seed):
    name = f"drawn_{seed}"
    smooth = "true" if drawing.smooth else "false"
    return HEAD.format(seed=seed, name=name, model=declaration(drawing, name), smooth=smooth)


def write(folder, count, programs):
    """As the files of `count` programs. One that is the same stays untouched, so that it is not compiled again."""
    for i in range(0, count, PER_FILE):
        path = folder / f"drawn_{i // PER_FILE}.cpp"
        text = "\n".join(programs[i : i + PER_FILE])
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, required=True, help="the first seed")
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    seeds = range(options.first, options.first + options.count)
    write(options.folder, options.count, [program(Drawing(seed), seed) for seed in seeds])


if __name__ == "__main__":
    main()
