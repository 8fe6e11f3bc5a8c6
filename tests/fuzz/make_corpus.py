#!/usr/bin/env python3
"""Writes the first inputs of the fuzzed readers into tests/fuzz/corpus: small whole files, and deep ones.

Those of ngram_counts and the empty one of search_index are what `ngram_counts::save` and `save_index` write, the JPEGs of
picture what Pillow does.
What is named by a hash was found by fuzzing: few and small files that reach most of what a whole run reached.
"""

import json
import math
import pathlib
import struct
import zlib

corpus = pathlib.Path(__file__).parent / "corpus"
MARK = "\u2581"
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def write(target, name, content):
    folder = corpus / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def safetensors(tensors, metadata=None):
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def nested(depth, opening="[", closing="]"):
    return opening * depth + closing * depth


def of_header(text):
    return struct.pack("<Q", len(text)) + text.encode()


def with_text(text, file):
    text = text.encode()[:255]
    return bytes([len(text)]) + text + (file if isinstance(file, bytes) else file.encode())


# Weights.
write("safetensors", "two", safetensors({"a": ("F32", [2, 3], floats(*range(6))), "b": ("I64", [1], bytes(8))}))
write("safetensors", "short", safetensors({"a": ("BF16", [2], bytes(4)), "b": ("F16", [], bytes(2))}, {"k": "v"}))
write("safetensors", "deep", of_header('{"a":' + nested(200) + "}"))
write("shards", "index", json.dumps({"metadata": {"total_size": 4}, "weight_map": {"a": "b.safetensors"}}))
write("shards", "deep", '{"weight_map":' + nested(200, '{"a":', "}").replace(":}", ":1}", 1) + "}")


def gguf(metadata, tensors):
    """metadata: key -> (type, bytes); tensors: name -> (shape, type, bytes)."""
    text = lambda t: struct.pack("<Q", len(t.encode())) + t.encode()
    result = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    for key, (kind, value) in metadata.items():
        result += text(key) + struct.pack("<I", kind) + value
    data = b""
    for name, (shape, kind, content) in tensors.items():
        result += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, len(data))
        data += content + bytes(-len(content) % 32)
    return result + bytes(-len(result) % 32) + data


def gguf_text(value):
    return 8, struct.pack("<Q", len(value.encode())) + value.encode()


def gguf_list(kind, values):
    if kind == 8:
        body = b"".join(gguf_text(value)[1] for value in values)
    else:
        body = struct.pack(f"<{len(values)}{'f' if kind == 6 else 'i'}", *values)
    return 9, struct.pack("<IQ", kind, len(values)) + body


plain = {"general.architecture": gguf_text("x"), "general.alignment": (4, struct.pack("<I", 32))}
write("gguf", "formats", gguf(plain, {
    "f32": ([2, 2], 0, floats(1, 2, 3, 4)), "f16": ([4], 1, bytes(8)), "q8_0": ([32], 8, bytes(34)),
    "q4_0": ([32], 2, bytes(18)), "q6_k": ([256], 14, bytes(210)), "q4_k": ([256], 12, bytes(144))}))
write("gguf", "list", gguf({"a": gguf_list(5, [1, 2, 3]), "b": gguf_list(8, ["x", "y"])}, {}))

dims = (4, 8, 1, 2, 1, 4, 8)
parameters = 4 * 4 + 4 + 4 * 4 + 2 * 4 * 2 + 4 * 4 + 4 + 3 * 4 * 8 + 4 + 2 * 8 * 1
write("llama2c", "float32", struct.pack("<7i", *dims) + bytes(4 * parameters))
write("rwkv_cpp", "float32", struct.pack("<6i", 0x67676D66, 101, 4, 2, 1, 0) +
      struct.pack("<5i", 2, 10, 0, 2, 4) + b"emb.weight" + floats(*range(8)))
write("rtneural", "dense", json.dumps({"in_shape": [None, 1, 1], "layers": [
    {"type": "dense", "activation": "tanh", "shape": [None, 1, 2], "weights": [[[0.5, 1]], [0, 0.1]]},
    {"type": "gru", "activation": "", "shape": [None, 1, 1], "weights": [[[1, 2, 3], [4, 5, 6]], [[1, 2, 3]],
                                                                       [[0, 0, 0], [0, 0, 0]]]}]}))
write("rtneural", "deep", '{"in_shape":' + nested(200) + ',"layers":' + nested(200) + "}")
write("word_vectors", "word2vec", "2 3\na 1 2 3\nb 4 5 6\n")
write("word_vectors", "binary", b"2 2\na " + floats(1, 2) + b"\nb " + floats(3, 4) + b"\n")
write("word_vectors", "glove", "the 0.1 -2e3 .5\n. 1 2 3\n")

# Tokenizers.
word_piece = {
    "added_tokens": [{"id": 0, "content": "[UNK]", "special": True},
                     {"id": 1, "content": "<x>", "single_word": True, "lstrip": True, "normalized": True}],
    "normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[UNK]", 0], "cls": ["[UNK]", 0]},
    "decoder": {"type": "WordPiece"},
    "model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "<x>": 1, "a": 2, "##b": 3, "c": 4}}}
byte_level = {
    "added_tokens": [], "normalizer": {"type": "NFC"}, "pre_tokenizer": {"type": "ByteLevel"},
    "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "\u0120": 3}, "merges": ["a b"]}}
unigram = {
    "normalizer": {"type": "Sequence", "normalizers": [
        {"type": "NFKC"}, {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": MARK}, {"type": "Strip"},
        {"type": "Prepend", "prepend": "_"}, {"type": "Lowercase"}, {"type": "StripAccents"},
        {"type": "Precompiled", "precompiled_charsmap": "BAAAAAAAAAAA"}]},
    "pre_tokenizer": {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "first"},
    "post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}],
                       "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                       "special_tokens": {}},
    "decoder": {"type": "Metaspace", "replacement": MARK},
    "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", -1], [MARK + "a", -1.5]]}}
words = {"pre_tokenizer": {"type": "WhitespaceSplit"},
         "model": {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0, "a": 1}}}
fallback = {"pre_tokenizer": None, "decoder": {"type": "Sequence", "decoders": [
    {"type": "Replace", "pattern": {"String": MARK}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
            "model": {"type": "BPE", "unk_token": "u", "fuse_unk": True, "ignore_merges": True,
                      "vocab": {"u": 0, "a": 1, "aa": 2}, "merges": [["a", "a"]]}}
for name, file in {"word_piece": word_piece, "byte_level": byte_level, "unigram": unigram, "words": words,
                   "fallback": fallback}.items():
    write("tokenizer_json", name, with_text("a ab  \u00e9<x> aaa", json.dumps(file, ensure_ascii=False)))
write("tokenizer_json", "deep", with_text("a", '{"normalizer":' + nested(200) + "}"))


def varint(value):
    result = b""
    while value > 0x7F:
        result += bytes([value & 0x7F | 0x80])
        value >>= 7
    return result + bytes([value])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def piece(text, score, kind=1):
    return field(1, field(1, text.encode()) + b"\x15" + floats(score) + b"\x18" + bytes([kind]))


def flags(**numbers):
    return b"".join(varint(int(number[1:]) << 3) + varint(value) for number, value in numbers.items())


front = piece("<unk>", 0, 2) + piece("<s>", 0, 3) + piece(MARK, -2) + piece("a", -1) + piece("b", -2)
more = piece("ab", -1.5) + piece("<u>", 0, 4)
for name, model in {"unigram": 1, "bpe": 2, "word": 3, "char": 4}.items():
    write("sentence_piece", name, with_text("ab <u>  a\u00e9", front + more + field(2, flags(_3=model))))
write("sentence_piece", "normalizer", with_text("ab  a", front + more + field(2, flags(_3=1, _24=1)) +
      field(3, flags(_3=1, _4=0, _5=0) + field(2, struct.pack("<II", 4, 0) + b"x\0"))))

common = {"tokenizer.ggml.bos_token_id": (4, struct.pack("<I", 1))}
write("gguf_tokenizer", "byte_level", with_text("ab 12 'll\n", gguf({
    "tokenizer.ggml.model": gguf_text("gpt2"), "tokenizer.ggml.pre": gguf_text("qwen2"),
    "tokenizer.ggml.tokens": gguf_list(8, ["a", "b", "ab", "\u0120", "<e>"]),
    "tokenizer.ggml.token_type": gguf_list(5, [1, 1, 1, 1, 3]),
    "tokenizer.ggml.merges": gguf_list(8, ["a b"]), **common}, {})))
write("gguf_tokenizer", "pieces", with_text("ab a", gguf({
    "tokenizer.ggml.model": gguf_text("llama"), "tokenizer.ggml.tokens": gguf_list(8, ["<unk>", "a", "b", "ab", MARK]),
    "tokenizer.ggml.token_type": gguf_list(5, [2, 1, 1, 1, 1]),
    "tokenizer.ggml.scores": gguf_list(6, [0, -1, -1, -2, -3]), **common}, {})))
write("gguf_tokenizer", "bert", with_text("ab a", gguf({
    "tokenizer.ggml.model": gguf_text("bert"), "tokenizer.ggml.tokens": gguf_list(8, ["[UNK]", MARK + "a", "b"]),
    "tokenizer.ggml.token_type": gguf_list(5, [3, 1, 1]), **common}, {})))


def mixed(number):
    """As token_vocabulary's hash mixes 64 bits."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        number = (number ^ number >> 33) * factor % 2**64
    return number ^ number >> 33


def slots(entries, count, free):
    """Open addressing: entries of (hash, bytes) in so many slots."""
    table = [free] * count
    for number, entry in entries:
        while table[number % count] != free:
            number += 1
        table[number % count] = entry
    return b"".join(table)


def packed(stages, tokens, tables):
    """Packed weights that carry a tokenizer of short tokens, by id."""
    spelt = [token.encode() for token in tokens]
    spellings, hashed = b"", []
    for number, token in enumerate(spelt):
        spellings += struct.pack("<II", len(b"".join(spelt[:number])), len(token))
        hash_of = mixed(len(token) ^ int.from_bytes(token, "big")) % 2**32
        hashed.append((hash_of, struct.pack("<Ii", hash_of, number)))
    tables = {"vocabulary.text": b"".join(spelt), "vocabulary.spellings": spellings,
              "vocabulary.slots": slots(hashed, 16, struct.pack("<Ii", 0, -1)), **tables}
    return gguf({"fovea.packed.version": (4, struct.pack("<I", 2)), "fovea.packed.format": gguf_text("f32"),
                 "fovea.packed.panel": (4, struct.pack("<I", 4)),
                 "fovea.packed.tokenizer": gguf_text(json.dumps(stages))},
                {"tokenizer." + name: ([len(content)], 24, content) for name, content in tables.items()})


def pair(left, right):
    key = left << 32 | right
    number = key * 0x9E3779B97F4A7C15 % 2**64
    return key, number ^ number >> 32


def trie(tokens):
    """Of tokens by id, level by level."""
    nodes = [b""]
    for node in nodes:
        nodes += sorted({token[: len(node) + 1] for token in tokens if token.startswith(node) and token != node})
    parents = [nodes.index(node[:-1]) for node in nodes[1:]]
    first = [1 + sum(parent < number for parent in parents) for number in range(len(nodes))]
    ids = [tokens.index(node) if node in tokens else -1 for node in nodes]
    return {"trie.bytes": bytes(node[-1] if node else 0 for node in nodes),
            "trie.children": struct.pack(f"<{len(nodes) + 1}I", *first, len(nodes)),
            "trie.tokens": struct.pack(f"<{len(nodes)}i", *ids)}


merged = [(*pair(0, 1), 3), (*pair(3, 2), 4)]  # "a" "b", "ab" "c"
write("packed_tokenizer", "pairs", with_text("abc ab", packed(
    {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False}, "decoder": {"type": "ByteLevel"},
     "added_tokens": [{"id": 5, "content": "<e>", "special": True}],
     "model": {"type": "BPE", "vocab": {}, "merges": []}},
    ["a", "b", "c", "ab", "abc", "<e>", "\u0120"],
    {"merges": slots([(number, struct.pack("<QIi", key, rank, made)) for rank, (key, number, made) in enumerate(merged)], 8,
                     struct.pack("<QIi", 2**64 - 1, 0, 0)),
     "meetings": slots([(pair(*two)[1], struct.pack("<Q", pair(*two)[0])) for two in ((0, 1), (1, 2))], 8,
                       struct.pack("<Q", 2**64 - 1))})))
write("packed_tokenizer", "pieces", with_text("ab b", packed(
    {"pre_tokenizer": {"type": "WhitespaceSplit"}, "decoder": {"type": "WordPiece"},
     "model": {"type": "WordPiece", "vocab": {}}},
    ["[UNK]", "a", "##b", "ab"], trie([b"[UNK]", b"a", b"##b", b"ab"]))))
write("packed_tokenizer", "scores", with_text("abba", packed(
    {"pre_tokenizer": {"type": "Metaspace"}, "decoder": {"type": "Metaspace"},
     "model": {"type": "Unigram", "unk_id": 0, "vocab": []}},
    ["<unk>", "a", "ab", MARK], {**trie([b"<unk>", b"a", b"ab", MARK.encode()]), "scores": struct.pack("<4d", 0, -1, -2, -3)})))
llama2c = struct.pack("<i", 8)
for token in ["<unk>", "\n<s>\n", "\n</s>\n", *BYTES, " ", "a", "b", " a", "ab"]:
    llama2c += floats(-len(token)) + struct.pack("<i", len(token)) + token.encode()
write("llama2c_tokenizer", "pieces", with_text("ab \u00e9", llama2c))

# What texts may say.
schema = {
    "$ref": "#/$defs/a",
    "$defs": {"a": {"type": "object", "properties": {"b": {"anyOf": [{"$ref": "#/$defs/a"}, {"enum": [1, None, "c"]}]}}, "required": ["b"]}},
}
write("grammar", "expression", "(?:ab|[^c-e\\d\\u20ac])*x{2,5}.+?$")
write("grammar", "schema", json.dumps(schema))
write("grammar", "strings", json.dumps({"type": ["array", "null"], "items": {"pattern": "^a|b$", "type": "string"}, "maxItems": 3}))
write("grammar", "numbers", json.dumps({"additionalProperties": {"type": "integer", "minimum": -12, "maximum": 345}}))
write("grammar", "deep", nested(200, '{"items":', "}").replace(":}", ":{}}", 1))

# What programs keep.
learned = {"in.weight": [3, 2], "in.bias": [3], "out.weight": [1, 3], "out.bias": [1], "h.0.up.weight": [3, 3],
           "h.1.up.weight": [3, 3]}


def of_floats(shape):
    return "F32", shape, floats(*(i / 8 for i in range(math.prod(shape))))


kept = {prefix + name: of_floats(shape) for name, shape in learned.items() for prefix in
        ("", "optimizer.mean.", "optimizer.squares.")}
summed = {"accumulated." + name.replace("h.0", "h.*"): of_floats([math.prod(shape) * (2 if "h.0" in name else 1)])
          for name, shape in learned.items() if "h.1" not in name}
notes = {"step": "3", "optimizer": "adam"}
write("checkpoint", "begun", safetensors(kept, notes))
write("checkpoint", "carried", safetensors(kept | {"carried.h": of_floats([2, 3])}, notes))
write("checkpoint", "accumulated", safetensors(kept | summed, notes | {"accumulated": "1 0x1.8p+1 0x1p+0", "epoch": "2"}))

integers = lambda *values: struct.pack(f"<{len(values)}q", *values)
write("search_index", "passages", safetensors({
    "files": ("I64", [2, 5], integers(2, 9, 1, 5, 6, 5, 8, 2, 7, 8)), "model": ("I64", [1, 2], integers(3, 4)),
    "passages": ("I64", [2, 6], integers(0, 4, 1, 1, 0, 0, 2, 8, 1, 2, 1, 1)), "paths": ("U8", [1, 5], b"a/b.c"),
    "rows": ("I64", [2, 2], integers(1, 2, 3, 4)), "vectors": ("F32", [2, 2], floats(0.5, 1, -1, 0.25))},
    {"format": "fovea semantic_search 1", "checksum": "0-0"}))
riff = b"fmt " + struct.pack("<IHHIIHH", 16, 1, 1, 16000, 32000, 2, 16) + b"data" + struct.pack("<I", 8) + bytes(8)
write("sound_file", "wav", b"RIFF" + struct.pack("<I", 4 + len(riff)) + b"WAVE" + riff)


def png(width, height, depth, kind, rows, *chunks):
    part = lambda name, content: struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    head = part(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(part(*one) for one in chunks) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


write("picture", "png", png(2, 2, 8, 2, b"\0abcdef" + b"\2ghijkl"))
write("picture", "png_palette", png(3, 1, 2, 3, b"\0\x18", (b"PLTE", b"abcdefghi"), (b"tRNS", b"\0\x80")))
write("picture", "png_grey_16", png(2, 2, 16, 4, b"\0abcdefgh" + b"\4ijklmnop"))
write("picture", "ppm", b"P6 2 1 # two pixels\n255\nabcdef")
write("picture", "pgm_16", b"P5\n1 2\n1023\n\0\1\3\xff")
