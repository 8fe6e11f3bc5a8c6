"""Times a token and a prompt in llama.cpp on the rows of bench/formats.cpp and writes them as JSON.

    python bench/peers/formats.py [--threads N] [--json FILE]

The models are of random weights in GGUF files of this program's own. Without llama-cpp-python, which is built from source, and
gguf there are no rows.
"""

import ctypes
import functools
import pathlib
import tempfile

import numpy
import peer

gguf, llama_cpp = map(peer.installed, ("gguf", "llama_cpp"))

PROMPT = 128
TYPES = ["f32", "f16", "bf16", "q8_0", "q4_0", "q4_k"]
# Its products by these round what they multiply.
ROUNDED = {"bf16": "bf16_products", "q8_0": "integer_products<q8_0>", "q4_0": "integer_products<q4_0>", "q4_k": "integer_products<q4_k>"}
LAYERS, HEADS, WIDTH = 12, 12, 768


def type_of(kind):
    return gguf.GGMLQuantizationType[kind.upper()]


def quantized(values, kind):
    """Bytes of a matrix in a type: by gguf, or by llama.cpp's own library where gguf only reads the type."""
    if kind != gguf.GGMLQuantizationType.Q4_K:
        return gguf.quants.quantize(values, kind)
    library = ctypes.CDLL(next(pathlib.Path(llama_cpp.__file__).parent.glob("lib/libggml-base.so*")))
    values = numpy.ascontiguousarray(values)
    made = numpy.empty(gguf.quants.quant_shape_to_byte_shape(values.shape, kind), numpy.uint8)
    library.ggml_quantize_chunk.restype = ctypes.c_size_t
    library.ggml_quantize_chunk(
        ctypes.c_int(kind.value), values.ctypes.data_as(ctypes.c_void_p), made.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(0),
        *map(ctypes.c_int64, values.shape), None,
    )
    return made


class File:
    """A GGUF file: matrices in a type, the rest in float32, all random."""

    def __init__(self, path, architecture, kind, vocabulary, inner, context, layers=LAYERS, heads=HEADS, width=WIDTH):
        self.writer = gguf.GGUFWriter(path, architecture)
        self.kind = kind
        self.random = numpy.random.default_rng(1)
        self.writer.add_context_length(context)
        self.writer.add_embedding_length(width)
        self.writer.add_block_count(layers)
        self.writer.add_feed_forward_length(inner)
        self.writer.add_head_count(heads)
        self.writer.add_vocab_size(vocabulary)
        self.writer.add_tokenizer_model("no_vocab")

    def matrix(self, name, *shape):
        values = self.random.standard_normal(shape, dtype=numpy.float32) * 0.02
        self.writer.add_tensor(name, quantized(values, self.kind), raw_dtype=self.kind)

    def vector(self, name, size):
        self.writer.add_tensor(name, 1 + 0.02 * self.random.standard_normal(size, dtype=numpy.float32))

    def write(self):
        self.writer.write_header_to_file()
        self.writer.write_kv_data_to_file()
        self.writer.write_tensors_to_file()
        self.writer.close()


def write_gpt2(path, kind):
    file = File(path, "gpt2", kind, 50257, 4 * WIDTH, 1024)
    file.writer.add_layer_norm_eps(1e-5)
    file.matrix("token_embd.weight", 50257, WIDTH)
    file.writer.add_tensor("position_embd.weight", numpy.zeros((1024, WIDTH), numpy.float32))
    for i in range(LAYERS):
        for norm in ("attn_norm", "ffn_norm"):
            file.vector(f"blk.{i}.{norm}.weight", WIDTH)
            file.vector(f"blk.{i}.{norm}.bias", WIDTH)
        for name, out, into in (("attn_qkv", 3 * WIDTH, WIDTH), ("attn_output", WIDTH, WIDTH), ("ffn_up", 4 * WIDTH, WIDTH),
                                ("ffn_down", WIDTH, 4 * WIDTH)):
            file.matrix(f"blk.{i}.{name}.weight", out, into)
            file.vector(f"blk.{i}.{name}.bias", out)
    file.vector("output_norm.weight", WIDTH)
    file.vector("output_norm.bias", WIDTH)
    file.write()


def write_llama(path, kind):
    inner, vocabulary = 2048, 32000
    file = File(path, "llama", kind, vocabulary, inner, 1024)
    file.writer.add_layer_norm_rms_eps(1e-5)
    file.writer.add_rope_dimension_count(WIDTH // HEADS)
    file.matrix("token_embd.weight", vocabulary, WIDTH)
    file.matrix("output.weight", vocabulary, WIDTH)
    for i in range(LAYERS):
        file.vector(f"blk.{i}.attn_norm.weight", WIDTH)
        file.vector(f"blk.{i}.ffn_norm.weight", WIDTH)
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            file.matrix(f"blk.{i}.{name}.weight", WIDTH, WIDTH)
        file.matrix(f"blk.{i}.ffn_gate.weight", inner, WIDTH)
        file.matrix(f"blk.{i}.ffn_up.weight", inner, WIDTH)
        file.matrix(f"blk.{i}.ffn_down.weight", WIDTH, inner)
    file.vector("output_norm.weight", WIDTH)
    file.write()


class Context:
    """llama.cpp by its C interface, with what it prints left out."""

    def __init__(self, path, threads):
        self.model = llama_cpp.llama_model_load_from_file(str(path).encode(), llama_cpp.llama_model_default_params())
        options = llama_cpp.llama_context_default_params()
        options.n_ctx = options.n_batch = options.n_ubatch = 2 * PROMPT
        options.n_threads = options.n_threads_batch = threads
        self.context = llama_cpp.llama_init_from_model(self.model, options)

    def begin(self):
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), True)

    def take(self, ids):
        tokens = (llama_cpp.llama_token * len(ids))(*ids)
        if llama_cpp.llama_decode(self.context, llama_cpp.llama_batch_get_one(tokens, len(ids))) != 0:
            raise RuntimeError("llama_decode failed")
        return llama_cpp.llama_get_logits_ith(self.context, -1)

    def free(self):
        llama_cpp.llama_free(self.context)
        llama_cpp.llama_model_free(self.model)


@functools.cache
def silent():
    return llama_cpp.llama_log_callback(lambda _level, _text, _data: None)


def begin():
    """Before the first context: whether there may be one."""
    if not (llama_cpp and gguf):
        return False
    llama_cpp.llama_log_set(silent(), ctypes.c_void_p())
    llama_cpp.llama_backend_init()
    return True


def rows(options):
    if not begin():
        return
    ids = [i * 37 % 1000 for i in range(PROMPT)]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.gguf"
        for model, write in (("GPT-2 124M", write_gpt2), ("Llama 134M", write_llama)):
            for kind in TYPES:
                write(path, type_of(kind))
                network = Context(path, options.threads)

                def prompt():
                    network.begin()
                    network.take(ids)

                name = f"formats/{model}/{ROUNDED.get(kind, kind)}"
                yield f"{name}/prompt of 128", llama_cpp, prompt, 4
                network.begin()
                network.take(ids[: PROMPT // 2])
                yield f"{name}/token", llama_cpp, lambda: network.take([7]), PROMPT // 2
                network.free()


if __name__ == "__main__":
    peer.main(__doc__, rows)
