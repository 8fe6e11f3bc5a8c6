"""Times MiniLM's encoder in PyTorch and in ONNX Runtime on the rows of bench/encoder.cpp and writes them as JSON.

    python bench/peers/encoder.py --model DIR [--threads N] [--json FILE]

Needs torch, transformers, onnx and onnxruntime.
"""

import argparse
import io
import json
import sys
import time

import onnxruntime
import torch
import transformers

SHAPES = [(1, 16), (1, 32), (1, 128), (8, 128)]


def best_us(run, repeats):
    run()
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best * 1e6


def inputs_of(batch, tokens):
    ids = torch.full((batch, tokens), 2000)
    return ids, torch.ones_like(ids), torch.zeros_like(ids)


def onnx_session(model, threads):
    """The graph that TorchScript records, with every optimisation of the runtime."""
    file = io.BytesIO()
    axes = {0: "B", 1: "T"}
    names = ["input_ids", "attention_mask", "token_type_ids"]
    torch.onnx.export(
        model, inputs_of(2, 8), file, input_names=names, output_names=["last_hidden_state"],
        dynamic_axes={name: axes for name in [*names, "last_hidden_state"]}, opset_version=17, dynamo=False,
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    return onnxruntime.InferenceSession(file.getvalue(), options, providers=["CPUExecutionProvider"])


class Encoder(torch.nn.Module):
    def __init__(self, bert):
        super().__init__()
        self.bert = bert

    def forward(self, input_ids, attention_mask, token_type_ids):
        return self.bert(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    transformers.logging.set_verbosity_error()
    model = Encoder(transformers.BertModel.from_pretrained(options.model, add_pooling_layer=False)).eval()
    recorded = Encoder(
        transformers.BertModel.from_pretrained(options.model, add_pooling_layer=False, attn_implementation="eager")
    ).eval()
    rows = []
    with torch.inference_mode():
        session = onnx_session(recorded, options.threads)
        for batch, tokens in SHAPES:
            tensors = inputs_of(batch, tokens)
            feed = dict(zip(["input_ids", "attention_mask", "token_type_ids"], [t.numpy() for t in tensors]))
            repeats = 12 if batch * tokens >= 512 else 60
            for peer, version, run in (
                ("onnxruntime", onnxruntime.__version__, lambda: session.run(None, feed)),
                ("torch", torch.__version__, lambda: model(*tensors)),
            ):
                us = best_us(run, repeats)
                name = f"encoder/minilm/{batch}x{tokens}"
                print(f"{name:28} {peer:12} {us:10.1f} us", flush=True)
                rows.append(
                    {"name": name, "threads": options.threads, "peer": peer, "peer_version": version, "peer_us": us}
                )
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
