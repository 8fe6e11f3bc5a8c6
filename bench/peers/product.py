"""Times the rows of bench/product.cpp in PyTorch, ONNX Runtime and OpenVINO and writes them as JSON.

    python bench/peers/product.py [--threads N] [--json FILE]

Needs torch and onnx; a peer that is not installed has no rows.
"""

import peer
import runtimes
import torch
from torch import nn

# rows, columns, depth
SHAPES = [
    (1, 64, 64), (16, 64, 64), (1, 768, 768), (1, 3072, 768), (8, 768, 768), (16, 384, 384), (16, 1536, 384), (16, 384, 1536),
    (32, 384, 384), (128, 384, 384), (128, 1536, 384), (128, 384, 1536), (128, 768, 768), (128, 3072, 768), (128, 768, 3072),
    (512, 512, 512), (1024, 1024, 1024), (700, 300, 10000),
]


def rows(options):
    for count, columns, depth in SHAPES:
        module = nn.Linear(depth, columns, bias=False).eval()
        repeats = max(20, min(1000, int(1e10 / (count * columns * depth))))
        for timed, run in runtimes.runs_of(module, torch.randn(count, depth), options.threads, inductor=False):
            yield f"product/{count}x{columns}x{depth}", timed, run, repeats


if __name__ == "__main__":
    peer.main(__doc__, rows)
