"""Times the models of bench/today.cpp in ONNX Runtime, OpenVINO, CTranslate2, PyTorch and llama.cpp and writes them as JSON.

    python bench/peers/today.py --models DIR [--only PART...] [--threads N] [--json FILE]

DIR is what today_models.py has written. Needs torch, transformers and onnx; a peer that is not installed has no rows.
"""

import importlib
import pathlib
import tempfile

import formats
import numpy
import peer
import runtimes
import safetensors.torch
import today_models
import torch
from formats import llama_cpp
from runtimes import onnxruntime

ctranslate2 = peer.installed("ctranslate2")
PARTS = ["whisper_tiny_encoder", "whisper_tiny_50_tokens", "modernbert_base", "experts_layer", "qwen3_q8_0", "qwen3_q4_0",
         "qwen3_q4_k"]


class Output(torch.nn.Module):
    """The first output of a module of one input."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        made = self.module(x)
        return made[0]


def split(x, heads):
    return x.view(1, -1, heads, x.shape[-1] // heads).transpose(1, 2)


class Memory(torch.nn.Module):
    """The keys and values of what the encoder made, of each layer of the decoder."""

    def __init__(self, decoder):
        super().__init__()
        self.layers = torch.nn.ModuleList(layer.encoder_attn for layer in decoder.layers)

    def forward(self, memory):
        return tuple(split(f(memory), at.num_heads) for at in self.layers for f in (at.k_proj, at.v_proj))


class Step(torch.nn.Module):
    """The next tokens: scores of the last, and all keys and values of the decoder's own."""

    def __init__(self, model):
        super().__init__()
        self.decoder, self.scores = model.model.decoder, model.proj_out

    def attend(self, at, q, k, v, hidden=None):
        scores = split(at.q_proj(q) * at.scaling, at.num_heads) @ k.transpose(2, 3)
        if hidden is not None:
            scores = scores.masked_fill(hidden, float("-inf"))
        y = (scores.softmax(-1) @ v).transpose(1, 2)
        return at.out_proj(y.reshape(1, -1, q.shape[-1]))

    def forward(self, ids, *kept):
        layers = self.decoder.layers
        own, memory = kept[: 2 * len(layers)], kept[2 * len(layers) :]
        before, now = own[0].shape[2], ids.shape[1]
        at = torch.arange(before, before + now)
        hidden = torch.arange(before + now)[None, :] > at[:, None]
        x = self.decoder.embed_tokens(ids) + self.decoder.embed_positions.weight[at]
        new = []
        for i, layer in enumerate(layers):
            h, at_self = layer.self_attn_layer_norm(x), layer.self_attn
            k, v = (torch.cat([own[2 * i + j], split(f(h), at_self.num_heads)], 2)
                    for j, f in enumerate((at_self.k_proj, at_self.v_proj)))
            new += [k, v]
            x = x + self.attend(at_self, h, k, v, hidden)
            x = x + self.attend(layer.encoder_attn, layer.encoder_attn_layer_norm(x), memory[2 * i], memory[2 * i + 1])
            x = x + layer.fc2(layer.activation_fn(layer.fc1(layer.final_layer_norm(x))))
        return self.scores(self.decoder.layer_norm(x[:, -1:])), *new


def recorded_session(threads, *recorded, **names):
    return runtimes.onnx_session(runtimes.onnx_graph(*recorded, **names), threads)


def onnx_writer(model, threads):
    """Greedy tokens by two graphs: of the memory, and of a step with what is kept."""
    layers, heads, width = len(model.model.decoder.layers), 6, 64
    kept, cross = ([f"{kind}{i}" for i in range(2 * layers)] for kind in ("own", "memory"))
    own, memory = (torch.zeros(1, heads, positions, width) for positions in (3, 1500))
    of_memory = recorded_session(threads, Memory(model.model.decoder), (torch.zeros(1, 1500, heads * width),),
                                 input_names=["memory"], output_names=cross)
    new = [f"new_{name}" for name in kept]
    step = recorded_session(threads, Step(model), (torch.tensor([[1, 2]]), *[own] * len(kept), *[memory] * len(cross)),
                            input_names=["ids", *kept, *cross], output_names=["scores", *new],
                            dynamic_axes={"ids": {1: "T"}, **{name: {2: "P"} for name in kept}, **{name: {2: "N"} for name in new}})

    def text(memory):
        feed = dict(zip(cross, of_memory.run(None, {"memory": memory})))
        feed.update({name: numpy.zeros((1, heads, 0, width), numpy.float32) for name in kept})
        ids, written = numpy.array([today_models.PROMPT]), []
        while len(written) < today_models.TOKENS:
            scores, *made = step.run(None, {"ids": ids, **feed})
            feed.update(zip(kept, made))
            ids = scores.argmax(-1)
            written.append(int(ids[0, 0]))
        return written

    return text


def ctranslate2_whisper(model, threads):
    """By the converter, whose tokens are made up, for there are no words."""
    converters = importlib.import_module("ctranslate2.converters.transformers")
    spec = converters.WhisperLoader().get_model_spec(model)
    words = [f"<{i}>" for i in range(model.config.vocab_size)]
    special = {50257: "<|endoftext|>", 50258: "<|startoftranscript|>", 50259: "<|en|>", 50358: "<|translate|>", 50359: "<|transcribe|>",
               50361: "<|startofprev|>", 50362: "<|nospeech|>", 50363: "<|notimestamps|>"}
    for i, word in special.items():
        words[i] = word
    for i in range(50364, len(words)):
        words[i] = f"<|{0.02 * (i - 50364):.2f}|>"
    spec.register_vocabulary(words)
    spec.config.suppress_ids, spec.config.suppress_ids_begin, spec.config.lang_ids, spec.config.alignment_heads = [], [], [50259], [[0, 0]]
    spec.validate()
    spec.optimize()
    with tempfile.TemporaryDirectory() as folder:
        spec.save(folder)
        return ctranslate2.models.Whisper(folder, compute_type="float32", inter_threads=1, intra_threads=threads)


def expect(name, ours, known, most=1e-3):
    apart = numpy.linalg.norm(numpy.ravel(ours) - numpy.ravel(known)) / numpy.linalg.norm(known)
    if not apart <= most:
        raise RuntimeError(f"{name}: {apart:.2g} from what was known")


def whisper_rows(options, known, encoder, tokens):
    model = today_models.whisper()
    safetensors.torch.load_model(model, str(options.models / "whisper.safetensors"))
    features = known["whisper.features"].transpose(1, 2).contiguous()
    memory, ids = known["whisper.memory"].numpy(), known["whisper.ids"].tolist()
    other = ctranslate2 and ctranslate2_whisper(model, options.threads)
    if encoder:
        ways = [*runtimes.recorded_ways(Output(model.model.encoder), (features,), options.threads, input_names=["x"])]
        if other:
            seen = ctranslate2.StorageView.from_array(features.numpy())
            ways.append((ctranslate2, lambda: lambda: numpy.array(other.encode(seen))))
        for timed, make in ways:
            if run := runtimes.run_of(timed, make, memory):
                yield "today/whisper_tiny_encoder", timed, run, 8
    if tokens:
        writers = []
        if onnxruntime:
            text = onnx_writer(model, options.threads)
            writers.append((onnxruntime, lambda: text(memory)))
        if other:
            heard = ctranslate2.StorageView.from_array(memory)
            # It takes half of the length for what a prompt has.
            writers.append((ctranslate2, lambda: other.generate(
                heard, [today_models.PROMPT], beam_size=1, max_length=2 * today_models.TOKENS, suppress_blank=False,
                suppress_tokens=[])[0].sequences_ids[0]))
        for timed, write in writers:
            if (made := write()) != ids:
                raise RuntimeError(f"{timed.__name__}: wrote {made}, and not {ids}")
            yield "today/whisper_tiny_50_tokens", timed, write, 12


class Masked(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens, mask):
        return self.model(input_ids=tokens, attention_mask=mask)[0]


def modernbert_rows(options, known):
    model = today_models.modernbert()
    safetensors.torch.load_model(model, str(options.models / "modernbert.safetensors"))
    masked, tokens = Masked(model), known["modernbert.tokens"].long()
    inputs = tokens, torch.ones_like(tokens)
    for timed, make in runtimes.recorded_ways(masked, inputs, options.threads, input_names=["tokens", "mask"]):
        if run := runtimes.run_of(timed, make, known["modernbert.hidden"]):
            yield "today/modernbert_base_1x512", timed, run, 6
    model.set_attn_implementation("sdpa")
    yield "today/modernbert_base_1x512", torch, lambda: masked(*inputs), 6


def experts_rows(options, known):
    """The faster of the ways that PyTorch has."""
    x, ways = known["experts.x"], {}
    for how in ("eager", "grouped_mm"):
        model = today_models.experts(how)
        safetensors.torch.load_model(model, str(options.models / "experts.safetensors"))
        run = Output(model)
        try:
            expect(f"torch {how}", run(x).reshape(x.shape), known["experts.y"].numpy())
        except (RuntimeError, NotImplementedError) as problem:
            print(f"torch {how}: {problem}")
            continue
        ways[how] = peer.times_us(lambda: run(x), 10)[0], run
        print(f"torch {how}: {ways[how][0]:.0f} us")
    best = min(ways.values(), key=lambda way: way[0])[1]
    yield "today/experts_layer", torch, lambda: best(x), 60


def qwen3_rows(options, known, kind):
    network = formats.Context(options.models / f"qwen3-{kind}.gguf", options.threads)
    ids = known["qwen3.tokens"][0].tolist()
    scores = known[f"qwen3.{kind}.logits"].numpy()
    network.begin()
    expect("llama.cpp", numpy.ctypeslib.as_array(network.take(ids), shape=scores.shape), scores, 0.05)

    def prompt():
        network.begin()
        network.take(ids)

    yield f"today/qwen3_0.6b_{kind}/prompt_{len(ids)}", llama_cpp, prompt, 3
    network.begin()
    network.take(ids[: len(ids) // 2])
    yield f"today/qwen3_0.6b_{kind}/token", llama_cpp, lambda: network.take([7]), len(ids) // 2
    network.free()


def rows(options):
    llama = formats.begin()
    known = safetensors.torch.load_file(str(options.models / "known.safetensors"))
    parts = options.only or PARTS
    if {"whisper_tiny_encoder", "whisper_tiny_50_tokens"} & set(parts):
        yield from whisper_rows(options, known, "whisper_tiny_encoder" in parts, "whisper_tiny_50_tokens" in parts)
    if "modernbert_base" in parts:
        yield from modernbert_rows(options, known)
    if "experts_layer" in parts:
        yield from experts_rows(options, known)
    for kind in today_models.KINDS:
        if llama and f"qwen3_{kind}" in parts:
            yield from qwen3_rows(options, known, kind)


def declare(parser):
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--only", nargs="+", choices=PARTS)


if __name__ == "__main__":
    peer.main(__doc__, rows, declare)
