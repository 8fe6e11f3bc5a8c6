"""Times scaled_dot_product_attention of PyTorch and of OpenVINO on the rows of bench/attention.cpp and writes them as JSON.

    python bench/peers/attention.py [--threads N] [--json FILE]

Needs torch; OpenVINO has rows where it is installed and heads share no keys.
"""

import peer
import runtimes
import torch
from runtimes import OPENVINO, openvino
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
    (32, 8, 128, 1, 65536, False),
]


def name_of(heads, kv_heads, width, queries, keys, causal):
    group = "" if heads == kv_heads else f":{kv_heads}"
    return f"attention/{heads}{group}x{width}/{queries}x{keys}" + ("/causal" if causal else "")


def by_openvino(q, k, v, causal, threads):
    ops = openvino.opset13
    inputs = [ops.parameter(list(x.shape), openvino.Type.f32) for x in (q, k, v)]
    model = openvino.Model([ops.scaled_dot_product_attention(*inputs, causal=causal)], inputs)
    return runtimes.by_openvino(runtimes.openvino_model(model, threads), (q, k, v))


def rows(options):
    """Twice each, for the better counts: in the layout that a model has, [tokens, heads, width], and contiguous by heads; by
    OpenVINO in the second alone."""
    for shape in SHAPES:
        heads, kv_heads, width, queries, keys, causal = shape
        repeats = max(10, min(1000, int(1e10 / (2 * heads * width * queries * keys))))
        for by_heads in (False, True):
            q, k, v = (
                torch.randn(1, count, n, width).transpose(1, 2)
                for count, n in ((queries, heads), (keys, kv_heads), (keys, kv_heads))
            )
            if by_heads:
                q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
            run = lambda: scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=heads != kv_heads)
            yield name_of(*shape), torch, run, repeats
        if openvino and heads == kv_heads:
            if other := runtimes.run_of(OPENVINO, lambda: by_openvino(q, k, v, causal, options.threads), run()):
                yield name_of(*shape), OPENVINO, other, repeats


if __name__ == "__main__":
    peer.main(__doc__, rows)
