"""Times MiniLM's encoder in PyTorch, in ONNX Runtime and, in int8, in CTranslate2 on the rows of bench/encoder.cpp and writes
them as JSON.

    python bench/peers/encoder.py --model DIR [--threads N] [--json FILE]

Needs torch, transformers, onnx, onnxruntime and ctranslate2.
"""

import tempfile

import ctranslate2
import onnxruntime
import peer
import torch
import transformers

SHAPES = [(1, 16), (1, 32), (1, 128), (8, 128)]
NAMES = ["input_ids", "attention_mask", "token_type_ids"]
NAMED = {  # of the graph for ONNX Runtime
    "input_names": NAMES,
    "output_names": ["last_hidden_state"],
    "dynamic_axes": {name: {0: "B", 1: "T"} for name in [*NAMES, "last_hidden_state"]},
}


def inputs_of(batch, tokens):
    ids = torch.full((batch, tokens), 2000)
    return ids, torch.ones_like(ids), torch.zeros_like(ids)


class Encoder(torch.nn.Module):
    def __init__(self, bert):
        super().__init__()
        self.bert = bert

    def forward(self, input_ids, attention_mask, token_type_ids):
        return self.bert(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)[0]


def int8_encoder(model, threads):
    with tempfile.TemporaryDirectory() as folder:
        ctranslate2.converters.TransformersConverter(model).convert(folder, quantization="int8", force=True)
        return ctranslate2.Encoder(folder, compute_type="int8", inter_threads=1, intra_threads=threads)


def rows(options):
    transformers.logging.set_verbosity_error()
    model, recorded = (
        Encoder(transformers.BertModel.from_pretrained(options.model, add_pooling_layer=False, **how)).eval()
        for how in ({}, {"attn_implementation": "eager"})
    )
    session = peer.onnx_session(recorded, inputs_of(2, 8), options.threads, **NAMED)
    integers = int8_encoder(options.model, options.threads)
    for batch, tokens in SHAPES:
        tensors = inputs_of(batch, tokens)
        feed = dict(zip(NAMES, [t.numpy() for t in tensors]))
        repeats = 12 if batch * tokens >= 512 else 60
        name = f"encoder/minilm/{batch}x{tokens}"
        yield name, onnxruntime, lambda: session.run(None, feed), repeats
        yield name, torch, lambda: model(*tensors), repeats
        ids = tensors[0].tolist()
        yield f"encoder/minilm-int8/{batch}x{tokens}", ctranslate2, lambda: integers.forward_batch(ids), repeats


if __name__ == "__main__":
    peer.main(__doc__, rows, lambda parser: parser.add_argument("--model", required=True))
