"""Times the layers of bench/recurrent.cpp in PyTorch and in ONNX Runtime and writes them as JSON.

    python bench/peers/recurrent.py [--threads N] [--json FILE]

Needs torch, onnx and onnxruntime.
"""

import argparse
import io
import json
import sys
import time

import onnxruntime
import torch
from torch import nn


class Outputs(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network(x)[0]


def rows():
    """Name, module and shape of the input."""
    for batch in (1, 32):
        yield f"lstm/512x100/batch {batch}", Outputs(nn.LSTM(512, 512, batch_first=True)), (batch, 100, 512)
        yield f"gru/512x100/batch {batch}", Outputs(nn.GRU(512, 512, batch_first=True)), (batch, 100, 512)


def best_us(run, repeats):
    run()
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best * 1e6


def onnx_session(module, x, threads):
    """The graph that TorchScript records, with every optimisation of the runtime."""
    file = io.BytesIO()
    torch.onnx.export(module, (x,), file, input_names=["x"], opset_version=17, dynamo=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    return onnxruntime.InferenceSession(file.getvalue(), options, providers=["CPUExecutionProvider"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    made = []
    with torch.inference_mode():
        for name, module, shape in rows():
            module.eval()
            x = torch.randn(*shape)
            repeats = 40 if shape[0] == 1 else 8
            session = onnx_session(module, x, options.threads)
            fed = {"x": x.numpy()}
            for peer, version, run in (
                ("torch", torch.__version__, lambda: module(x)),
                ("onnxruntime", onnxruntime.__version__, lambda: session.run(None, fed)),
            ):
                us = best_us(run, repeats)
                print(f"{name:28} {peer:12} {us:12.1f} us", file=sys.stderr)
                made.append({"name": name, "threads": options.threads, "peer": peer, "peer_version": version, "peer_us": us})
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(made, file, indent=2)


if __name__ == "__main__":
    main()
