#!/usr/bin/env python3
"""Writes test programs of models that are drawn by chance: FOLDER/drawn_I.cpp has the model of seed FIRST + I."""

import argparse
import pathlib

from declaration import Drawing, declaration

HEAD = """// Drawn by tests/random/draw.py --first {seed} --count 1.
#include "check_model.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {{

{model}
}} // namespace

TEST_CASE("the model drawn from {seed}", "[random]") {{ check_drawn({name}, {seed}, {smooth}); }}
"""


def program(drawing, seed):
    name = f"drawn_{seed}"
    smooth = "true" if drawing.smooth else "false"
    return HEAD.format(seed=seed, name=name, model=declaration(drawing, name), smooth=smooth)


def write(path, text):
    """Leaves a file that is the same untouched, so that it is not compiled again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, required=True, help="the first seed")
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for i in range(options.count):
        write(options.folder / f"drawn_{i}.cpp", program(Drawing(options.first + i), options.first + i))


if __name__ == "__main__":
    main()
