"""Times PyTorch's scaled_dot_product_attention on the rows of bench/attention.cpp and writes them as JSON.

    python bench/peers/attention.py [--threads N] [--json FILE]
"""

import argparse
import json
import sys
import time

import torch
from torch.nn.functional import scaled_dot_product_attention

# heads, key heads, width, queries, keys, causal
SHAPES = [
    (12, 12, 32, 16, 16, False),
    (12, 12, 32, 32, 32, False),
    (12, 12, 32, 128, 128, False),
    (12, 12, 64, 128, 128, False),
    (12, 12, 64, 512, 512, False),
    (12, 12, 64, 2048, 2048, False),
    (12, 12, 64, 128, 128, True),
    (12, 12, 64, 512, 512, True),
    (12, 12, 64, 2048, 2048, True),
    (12, 12, 128, 512, 512, True),
    (32, 8, 64, 512, 512, True),
    (12, 12, 64, 1, 512, False),
    (12, 12, 64, 1, 2048, False),
    (32, 8, 64, 1, 2048, False),
    (32, 8, 128, 1, 8192, False),
]


def best_us(run, repeats):
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best * 1e6


def name_of(heads, kv_heads, width, queries, keys, causal):
    group = "" if heads == kv_heads else f":{kv_heads}"
    return f"attention/{heads}{group}x{width}/{queries}x{keys}" + ("/causal" if causal else "")


def measure(heads, kv_heads, width, queries, keys, causal):
    """The better of the layout that a model has, [tokens, heads, width], and one contiguous by heads."""
    times = []
    for by_heads in (False, True):
        q, k, v = (
            torch.randn(1, count, n, width).transpose(1, 2)
            for count, n in ((queries, heads), (keys, kv_heads), (keys, kv_heads))
        )
        if by_heads:
            q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        run = lambda: scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=heads != kv_heads)
        run()
        work = 2 * heads * width * queries * keys
        times.append(best_us(run, max(10, min(1000, int(1e10 / work)))))
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    rows = []
    with torch.inference_mode():
        for shape in SHAPES:
            us = measure(*shape)
            print(f"{name_of(*shape):36} {us:10.1f} us", flush=True)
            rows.append(
                {
                    "name": name_of(*shape),
                    "threads": options.threads,
                    "peer": "torch",
                    "peer_version": torch.__version__,
                    "peer_us": us,
                }
            )
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
