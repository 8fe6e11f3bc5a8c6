"""Times MiniLM's encoder on the rows of bench/encoder.cpp in PyTorch, AOTInductor, ONNX Runtime and OpenVINO, in bfloat16 in
PyTorch and OpenVINO, in int8 in CTranslate2, ExecuTorch and in OpenVINO by NNCF, and writes them as JSON.

    python bench/peers/encoder.py --model DIR [--threads N] [--json FILE]

Needs torch, transformers and onnx; a peer that is not installed has no rows.
"""

import copy
import functools
import tempfile

import peer
import runtimes
import torch
import transformers
from executorch_int8 import EXECUTORCH, by_executorch
from runtimes import INDUCTOR, OPENVINO

ctranslate2, nncf = map(peer.installed, ("ctranslate2", "nncf"))
SHAPES = [(1, 16), (1, 32), (1, 128), (8, 128)]
NAMES = ["input_ids", "attention_mask", "token_type_ids"]
NAMED = {  # of the recorded graph
    "input_names": NAMES,
    "output_names": ["last_hidden_state"],
    "dynamic_axes": {name: {0: "B", 1: "T"} for name in [*NAMES, "last_hidden_state"]},
}


def inputs_of(batch, tokens):
    return of_ids(torch.full((batch, tokens), 2000))


def random_inputs(batch, tokens):
    """What a check reads: of one token again and again rounded products tell nothing."""
    return of_ids(torch.randint(1000, 30000, (batch, tokens)))


def of_ids(ids):
    return ids, torch.ones_like(ids), torch.zeros_like(ids)


class Encoder(torch.nn.Module):
    def __init__(self, bert):
        super().__init__()
        self.bert = bert

    def forward(self, input_ids, attention_mask, token_type_ids):
        return self.bert(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)[0]


class Unmasked(torch.nn.Module):
    """The encoder of whole texts: ExecuTorch's quantiser does not take the operations that make a mask."""

    def __init__(self, bert):
        super().__init__()
        self.bert = bert

    def forward(self, input_ids, token_type_ids):
        return self.bert.encoder(self.bert.embeddings(input_ids=input_ids, token_type_ids=token_type_ids))[0]


def int8_encoder(model, threads):
    with tempfile.TemporaryDirectory() as folder:
        ctranslate2.converters.TransformersConverter(model).convert(folder, quantization="int8", force=True)
        return ctranslate2.Encoder(folder, compute_type="int8", inter_threads=1, intra_threads=threads)


def quantized(graph):
    """The graph with products of integers: NNCF reads the ranges of what 32 random texts give."""
    texts = nncf.Dataset([random_inputs(1, 128) for _ in range(32)], lambda text: {name: x.numpy() for name, x in zip(NAMES, text)})
    return nncf.quantize(runtimes.openvino.Core().read_model(graph), texts, model_type=nncf.ModelType.TRANSFORMER, subset_size=32)


def rows(options):
    transformers.logging.set_verbosity_error()
    model, recorded = (
        Encoder(transformers.BertModel.from_pretrained(options.model, add_pooling_layer=False, **how)).eval()
        for how in ({}, {"attn_implementation": "eager"})
    )
    graph, threads = runtimes.onnx_graph(recorded, inputs_of(2, 8), **NAMED), options.threads
    rounded = copy.deepcopy(model).bfloat16()
    # By the kind of the row: the peer, what makes its run of some inputs, and the least cosine to PyTorch in float32.
    ways = [("minilm", torch, lambda inputs: lambda: model(*inputs), 0.9999),
            ("minilm", INDUCTOR, lambda inputs: runtimes.by_inductor(model, inputs, threads), 0.9999),
            ("minilm-bf16", torch, lambda inputs: lambda: rounded(*inputs).float(), 0.999)]
    if runtimes.onnxruntime:
        session = runtimes.onnx_session(graph, threads)
        ways.append(("minilm", runtimes.onnxruntime, lambda inputs: runtimes.by_onnx(session, inputs), 0.9999))
    openvino = functools.cache(lambda precision, model=graph: runtimes.openvino_model(model, threads, precision))
    if runtimes.openvino:
        ways.append(("minilm", OPENVINO, lambda inputs: runtimes.by_openvino(openvino("f32"), inputs), 0.9999))
        ways.append(("minilm-bf16", OPENVINO, lambda inputs: runtimes.by_openvino(openvino("bf16"), inputs), 0.999))
    if runtimes.openvino and nncf:
        integers = quantized(graph)
        ways.append(("minilm-int8", OPENVINO, lambda inputs: runtimes.by_openvino(openvino("f32", integers), inputs), 0.98))
    if EXECUTORCH:
        unmasked = Unmasked(model.bert).eval()
        ways.append(("minilm-int8", EXECUTORCH, lambda inputs: by_executorch(unmasked, inputs[::2], threads), 0.98))
    if ctranslate2:
        encoder = int8_encoder(options.model, threads)
        ways.append(("minilm-int8", ctranslate2, lambda inputs: by_ctranslate2(encoder, inputs), 0.98))
    for batch, tokens in SHAPES:
        inputs, checked = inputs_of(batch, tokens), random_inputs(batch, tokens)
        known = model(*checked)
        for kind, timed, made, least in ways:
            if runtimes.run_of(timed, lambda: made(checked), known, least):
                yield f"encoder/{kind}/{batch}x{tokens}", timed, made(inputs), 12 if batch * tokens >= 512 else 60


def by_ctranslate2(encoder, inputs):
    ids = inputs[0].tolist()
    return lambda: encoder.forward_batch(ids).last_hidden_state


if __name__ == "__main__":
    peer.main(__doc__, rows, lambda parser: parser.add_argument("--model", required=True))
