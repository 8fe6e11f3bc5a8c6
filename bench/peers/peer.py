"""What the peers' scripts share: times taken as bench/measure.hpp takes them, graphs for ONNX Runtime, rows as JSON."""

import argparse
import io
import json
import statistics
import time

import onnxruntime
import torch


def times_us(run, repeats):
    """The best and the median of so many runs."""
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times) * 1e6, statistics.median(times) * 1e6


def onnx_graph(module, inputs, **recorded):
    """The bytes of the graph that TorchScript records."""
    file = io.BytesIO()
    torch.onnx.export(module, inputs, file, opset_version=17, dynamo=False, **recorded)
    return file.getvalue()


def onnx_session(module, inputs, threads, **recorded):
    """A session of a recorded graph, with every optimisation of the runtime."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    return onnxruntime.InferenceSession(onnx_graph(module, inputs, **recorded), options, providers=["CPUExecutionProvider"])


def runs_of(module, x, threads):
    """Both peers on a module of one input: each with what runs it."""
    session = onnx_session(module, (x,), threads, input_names=["x"])
    feed = {"x": x.numpy()}
    yield onnxruntime, lambda: session.run(None, feed)
    yield torch, lambda: module(x)


def main(about, rows, declare=lambda parser: None, gradients=False):
    """Times rows(options), each a name, the peer's module, what to run and how often, and writes them as JSON.

    `declare` adds options to --threads and --json; with `gradients` PyTorch may train.
    """
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json")
    declare(parser)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    made = []
    with torch.inference_mode(not gradients):
        for name, peer, run, repeats in rows(options):
            us, median = times_us(run, repeats)
            print(f"{name:40} {peer.__name__:12} {us:12.1f} us, median {median:12.1f}", flush=True)
            made.append({"name": name, "threads": options.threads, "peer": peer.__name__,
                         "peer_version": peer.__version__, "peer_us": us, "peer_median_us": median})
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(made, file, indent=2)
