"""Times tokens of many texts at once in llama.cpp and, of GPT-2, in CTranslate2 on the rows of bench/streams.cpp and writes them as
JSON.

    python bench/peers/streams.py [--threads N] [--only TEXT] [--json FILE]

llama.cpp decodes batches of a token of each of so many sequences, each at its own position; where one ends another begins. CTranslate2
has no rows that come and go: it writes batches of texts that begin and end together. Weights are random. A peer that is not installed
has no rows.
"""

import json
import pathlib
import tempfile

import formats
import peer

ctranslate2 = peer.installed("ctranslate2")
gguf, llama_cpp = formats.gguf, formats.llama_cpp
LENGTH = 64
ROWS = (1, 8, 32, 128)
TYPES = {"f32": "f32", "q8_0": "integer_products<q8_0>", "q4_0": "integer_products<q4_0>"}
OF_CTRANSLATE2 = {"float32": "f32", "int8": "integer_products<int8>"}


class Sequences:
    """llama.cpp by its C interface: a token of each sequence in a batch."""

    def __init__(self, path, count, threads):
        self.model = llama_cpp.llama_model_load_from_file(str(path).encode(), llama_cpp.llama_model_default_params())
        options = llama_cpp.llama_context_default_params()
        options.n_ctx, options.n_seq_max = count * LENGTH, count
        options.n_batch = options.n_ubatch = max(count, 32)
        options.n_threads = options.n_threads_batch = threads
        self.context = llama_cpp.llama_init_from_model(self.model, options)
        self.memory = llama_cpp.llama_get_memory(self.context)
        self.batch = llama_cpp.llama_batch_init(count, 0, 1)
        self.batch.n_tokens = count
        for row in range(count):
            self.batch.token[row] = row * 37 % 1000
            self.batch.n_seq_id[row] = 1
            self.batch.seq_id[row][0] = row
            self.batch.logits[row] = True
        self.taken = [0] * count
        self.left = [1 + row * LENGTH // count for row in range(count)]
        for _ in range(LENGTH):
            self.token()

    def token(self):
        for row, taken in enumerate(self.taken):
            self.batch.pos[row] = taken
        if llama_cpp.llama_decode(self.context, self.batch) != 0:
            raise RuntimeError("llama_decode failed")
        llama_cpp.llama_get_logits_ith(self.context, -1)
        for row in range(len(self.taken)):
            self.taken[row] += 1
            self.left[row] -= 1
            if self.left[row] == 0:
                llama_cpp.llama_memory_seq_rm(self.memory, row, 0, -1)
                self.taken[row], self.left[row] = 0, LENGTH

    def free(self):
        llama_cpp.llama_batch_free(self.batch)
        llama_cpp.llama_free(self.context)
        llama_cpp.llama_model_free(self.model)


def write_random_gpt2(folder):
    """A checkpoint of transformers with a vocabulary of no meaning."""
    import tokenizers
    import transformers

    transformers.logging.set_verbosity_error()
    config = transformers.GPT2Config()
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    words = {f"t{i}": i for i in range(config.vocab_size - 1)} | {"<|endoftext|>": config.vocab_size - 1}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<|endoftext|>"))
    made.save(str(pathlib.Path(folder) / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", **{f"{kind}_token": "<|endoftext|>" for kind in ("bos", "eos", "unk")}}
    (pathlib.Path(folder) / "tokenizer_config.json").write_text(json.dumps(settings))


def llama_rows(options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.gguf"
        for model, write in (("GPT-2 124M", formats.write_gpt2), ("Llama 134M", formats.write_llama)):
            for kind, named in TYPES.items():
                names = {count: f"streams/{model}/{named}/{count}" for count in ROWS}
                if not any(options.only in name for name in names.values()):
                    continue
                write(path, formats.type_of(kind))
                for count, name in names.items():
                    if options.only in name:
                        network = Sequences(path, count, options.threads)
                        yield name, llama_cpp, network.token, 64 if count < 32 else 16
                        network.free()


def ctranslate2_rows(options):
    with tempfile.TemporaryDirectory() as folder:
        names = {(kind, count): f"streams/GPT-2 124M/{named}/{count}" for kind, named in OF_CTRANSLATE2.items() for count in ROWS}
        if not any(options.only in name for name in names.values()):
            return
        write_random_gpt2(folder)
        converted = str(pathlib.Path(folder) / "converted")
        ctranslate2.converters.TransformersConverter(folder).convert(converted)
        for (kind, count), name in names.items():
            if options.only not in name:
                continue
            network = ctranslate2.Generator(converted, compute_type=kind, inter_threads=1, intra_threads=options.threads)
            prompts = [[f"t{row * 37 % 1000}"] for row in range(count)]

            def texts():
                made = network.generate_batch(prompts, max_length=LENGTH, min_length=LENGTH, include_prompt_in_result=False)
                if any(len(text.sequences_ids[0]) != LENGTH for text in made):
                    raise RuntimeError("expected texts of the whole length")

            yield name, ctranslate2, texts, 2, LENGTH


def rows(options):
    if formats.begin():
        yield from llama_rows(options)
    if ctranslate2:
        yield from ctranslate2_rows(options)


if __name__ == "__main__":
    peer.main(__doc__, rows, lambda parser: parser.add_argument("--only", default="", help="rows whose name holds this text"))
