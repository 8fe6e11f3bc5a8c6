"""Writes the golden case gguf_blocks.gguf with llama.cpp's gguf (0.19.0): tensors of quantised blocks, and beside each the float32
values that it stands for.

    python make_blocks_golden.py ../../golden
"""

import pathlib
import sys

import gguf
import numpy as np

# Where the float16 numbers of a block lie: its scale, then what is added or subtracted.
HALVES = {"Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208]}
SMALLEST, LARGEST = 2.0**-24, 65504.0


def blocks_of(name, random):
    """Three rows of 64 or 256 values: of random bits; the same with negative scales; of extremes."""
    length, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name]]
    rows = random.integers(0, 256, (3, max(64 // length, 1), size), dtype=np.uint8)
    rows[2] = 0xFF
    rows[2, 1:] = 0
    halves = [[0.0123, 0.456], [-0.00789, -LARGEST], [LARGEST, SMALLEST]]
    for row, numbers in zip(rows, halves):
        for place, number in zip(HALVES[name], numbers):
            row[:, place : place + 2] = np.array([number], np.float16).view(np.uint8)
    return rows.reshape(3, -1)


def main():
    random = np.random.default_rng(5)
    writer = gguf.GGUFWriter(pathlib.Path(sys.argv[1]) / "gguf_blocks.gguf", "none")
    for name in HALVES:
        kind, blocks = gguf.GGMLQuantizationType[name], blocks_of(name, random)
        writer.add_tensor(name, blocks, raw_dtype=kind)
        writer.add_tensor(f"{name}.values", gguf.dequantize(blocks, kind))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
