"""Reference cases of transformers' models as folders of Hugging Face, with their numbers as reference.safetensors."""

import json
import math
import struct

from weight_files import load_safetensors, save_gguf, save_safetensors


def transposed_pixels(shape, content):
    """[B, C, H, W] as [B, H, W, C]."""
    batch, channels, height, width = shape
    values = struct.unpack(f"<{len(content) // 4}f", content)
    moved = [values[((b * channels + c) * height + y) * width + x] for b in range(batch) for y in range(height) for x in range(width) for c in range(channels)]
    return [batch, height, width, channels], struct.pack(f"<{len(moved)}f", *moved)


def frames_first(batch, mels, frames, content):
    """[B, mels, frames] as [B, frames, mels]."""
    values = struct.unpack(f"<{len(content) // 4}f", content)
    moved = [values[(b * mels + mel) * frames + frame] for b in range(batch) for frame in range(frames) for mel in range(mels)]
    return [batch, frames, mels], struct.pack(f"<{len(moved)}f", *moved)


def decoder_ids(labels):
    """What the decoder of a T5 reads: 0, then the labels but the last, with 0 for -100."""
    dtype, shape, content = labels
    rows = [struct.unpack(f"<{shape[1]}q", content[8 * shape[1] * i :][: 8 * shape[1]]) for i in range(shape[0])]
    read = [max(x, 0) for row in rows for x in (0, *row[:-1])]
    return dtype, shape, struct.pack(f"<{len(read)}q", *read)


def read_case(path):
    """Parameters, inputs and outputs as the library that trains has them, the settings with the class, and the case."""
    tensors, metadata = load_safetensors(path)
    case = json.loads(metadata["case"])
    config = dict(case["hf_config"], architectures=[case["source"].split()[1].split("(")[0]])
    parameters = {name.removeprefix("param."): one for name, one in tensors.items() if name.startswith("param.")}
    values = {name: one for name, one in tensors.items() if name.startswith(("input.", "output."))}
    if "input.pixels" in values:
        dtype, shape, content = values["input.pixels"]
        values["input.pixels"] = (dtype, *transposed_pixels(shape, content))
    if config["model_type"] == "whisper":
        dtype, (batch, mels, frames), content = values["input.features"]
        values["input.features"] = (dtype, *frames_first(batch, mels, frames, content))
    if config["model_type"] == "t5":
        values["input.decoder_input_ids"] = decoder_ids(values["input.labels"])
    if "input.decoder_ids" in values and config["model_type"] != "whisper": # whose own name it is
        values["input.decoder_input_ids"] = values.pop("input.decoder_ids")
    if config["model_type"] == "deberta-v2":
        values = {name: first_row(*one) for name, one in values.items()}
    return parameters, values, config, case


def first_row(dtype, shape, content):
    """That of the text without padding: where texts are padded, the library's numbers have no meaning."""
    return dtype, [1, *shape[1:]], content[: len(content) // shape[0]]


def write_folder(path, folder, change=lambda config, parameters: None):
    """The case's folder, after `change(config, parameters)`."""
    parameters, values, config, case = read_case(path)
    change(config, parameters)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    save_safetensors(folder / "model.safetensors", parameters, {"format": "pt"})
    save_safetensors(folder / "reference.safetensors", values, {"case": json.dumps({"rtol": case["rtol"], "atol": case["atol"]})})
    return folder


def rotary_neighbours(shape, content, heads):
    """Rows of queries or keys as llama.cpp turns them: from halves of a head to neighbouring pairs."""
    rows, row = shape[0], 4 * shape[1]
    half = rows // heads // 2
    order = [head * 2 * half + part * half + i for head in range(heads) for i in range(half) for part in range(2)]
    return b"".join(content[row * i : row * (i + 1)] for i in order)


def write_llama_gguf(path, file, architecture, stored=lambda shape, content: (shape, content), more=None):
    """The case of a Llama or one of its cousins as llama.cpp's converter writes it, each tensor as `stored` has it, with
    `more` keys; None: without that one."""
    parameters, values, config, case = read_case(path)
    gemma = architecture.startswith("gemma")
    theirs = {
        "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
        "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm", "self_attn.o_proj": "attn_output",
        "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
        "self_attn.qkv_proj": "attn_qkv", "mlp.gate_up_proj": "ffn_up", "mlp.gate": "ffn_gate_inp",
    }  # fmt: skip
    if gemma:
        theirs |= {"post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm", "post_feedforward_layernorm": "post_ffw_norm"}
    outside = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight", "lm_head.weight": "output.weight"}
    tensors = {}
    for name, (_, shape, content) in parameters.items():
        if ".experts." in name:
            layer = name.split(".")[2]
            tensors |= {f"blk.{layer}.{one}": stored(*part) for one, part in experts_apart(name, shape, content).items()}
            continue
        if gemma and name.endswith("norm.weight"):
            content = raised(content)
        if architecture == "llama" and (".q_proj." in name or ".k_proj." in name):
            content = rotary_neighbours(shape, content, config["num_attention_heads" if ".q_proj." in name else "num_key_value_heads"])
        tensors[named(name, outside, "model.layers.", theirs)] = stored(shape, content)
    keys = {
        "general.architecture": architecture,
        f"{architecture}.block_count": config["num_hidden_layers"],
        f"{architecture}.context_length": config["max_position_embeddings"],
        f"{architecture}.embedding_length": config["hidden_size"],
        f"{architecture}.feed_forward_length": config["intermediate_size"],
        f"{architecture}.attention.head_count": config["num_attention_heads"],
        f"{architecture}.attention.head_count_kv": config["num_key_value_heads"],
        f"{architecture}.attention.layer_norm_rms_epsilon": config["rms_norm_eps"],
    }
    rope = config["rope_parameters"]
    if architecture != "gemma2":
        keys[f"{architecture}.rope.freq_base"] = rope.get("full_attention", rope)["rope_theta"]
    for ours, key in {
        "attn_logit_softcapping": "attn_logit_softcapping", "final_logit_softcapping": "final_logit_softcapping",
        "num_experts": "expert_count", "num_local_experts": "expert_count", "num_experts_per_tok": "expert_used_count",
        "moe_intermediate_size": "expert_feed_forward_length", "original_max_position_embeddings": "rope.scaling.original_context_length",
    }.items():  # fmt: skip
        if ours in config:
            keys[f"{architecture}.{key}"] = config[ours]
    if gemma:
        keys[f"{architecture}.attention.sliding_window"] = config["sliding_window"]
        keys[f"{architecture}.attention.sliding_window_pattern"] = config["layer_types"].index("full_attention") + 1
    if rope.get("rope_type") == "llama3":
        tensors["rope_freqs.weight"] = floats_of(llama3_divisors(rope, config["head_dim"]))
    if rope.get("rope_type") == "longrope":
        trained = config["original_max_position_embeddings"]
        amplitude = math.sqrt(1 + math.log(config["max_position_embeddings"] / trained) / math.log(trained))
        keys |= {f"{architecture}.rope.scaling.type": "longrope", f"{architecture}.rope.scaling.attn_factor": amplitude}
        tensors |= {f"rope_factors_{one}.weight": floats_of(rope[f"{one}_factor"]) for one in ("short", "long")}
    if "head_dim" in config:
        keys |= {f"{architecture}.attention.key_length": config["head_dim"], f"{architecture}.attention.value_length": config["head_dim"]}
    keys = {key: value for key, value in (keys | (more or {})).items() if value is not None}
    return finish_gguf(file, keys, tensors, values, case)


def floats_of(values):
    return [len(values)], struct.pack(f"<{len(values)}f", *values)


def raised(content):
    """Norms of Gemma as llama.cpp keeps them: plus 1."""
    return struct.pack(f"<{len(content) // 4}f", *(1 + x for x in struct.unpack(f"<{len(content) // 4}f", content)))


def llama3_divisors(rope, width):
    """By how much each pair of features turns slower."""
    made = []
    for i in range(width // 2):
        times = rope["original_max_position_embeddings"] * rope["rope_theta"] ** (-2 * i / width) / (2 * math.pi)
        kept = min(max((times - rope["low_freq_factor"]) / (rope["high_freq_factor"] - rope["low_freq_factor"]), 0), 1)
        made.append(1 / (kept + (1 - kept) / rope["factor"]))
    return made


def experts_apart(name, shape, content):
    """All experts of a layer, gate and up in one, as llama.cpp has them."""
    if name.endswith("down_proj"):
        return {"ffn_down_exps.weight": (shape, content)}
    count, rows, columns = shape
    half = 2 * rows * columns  # bytes
    parts = [b"".join(content[2 * half * i + half * part :][:half] for i in range(count)) for part in range(2)]
    return {f"ffn_{one}_exps.weight": ([count, rows // 2, columns], part) for one, part in zip(("gate", "up"), parts)}


def transposed(shape, content):
    """[rows, columns] as [columns, rows]."""
    rows, columns = shape
    values = struct.unpack(f"<{rows * columns}f", content)
    return [columns, rows], struct.pack(f"<{rows * columns}f", *(values[r * columns + c] for c in range(columns) for r in range(rows)))


def named(name, outside, layer_prefix, theirs):
    """llama.cpp's name of a tensor of transformers, nothing where it has none."""
    if name in outside:
        return outside[name]
    if not name.startswith(layer_prefix):
        return None
    layer, rest = name.removeprefix(layer_prefix).split(".", 1)
    part, kind = rest.rsplit(".", 1)
    return f"blk.{layer}.{theirs[part]}.{kind}"


def write_bert_gguf(path, file):
    """BertModel without its pooler, which llama.cpp leaves out."""
    parameters, values, config, case = read_case(path)
    theirs = {
        "attention.self.query": "attn_q", "attention.self.key": "attn_k", "attention.self.value": "attn_v", "attention.output.dense": "attn_output",
        "attention.output.LayerNorm": "attn_output_norm", "intermediate.dense": "ffn_up", "output.dense": "ffn_down", "output.LayerNorm": "layer_output_norm",
    }  # fmt: skip
    outside = {
        "embeddings.word_embeddings.weight": "token_embd.weight", "embeddings.position_embeddings.weight": "position_embd.weight",
        "embeddings.token_type_embeddings.weight": "token_types.weight", "embeddings.LayerNorm.weight": "token_embd_norm.weight",
        "embeddings.LayerNorm.bias": "token_embd_norm.bias",
    }  # fmt: skip
    named_tensors = ((named(name, outside, "encoder.layer.", theirs), one) for name, one in parameters.items())
    keys = {
        "general.architecture": "bert", "bert.block_count": config["num_hidden_layers"], "bert.context_length": config["max_position_embeddings"],
        "bert.embedding_length": config["hidden_size"], "bert.feed_forward_length": config["intermediate_size"],
        "bert.attention.head_count": config["num_attention_heads"], "bert.attention.layer_norm_epsilon": 1e-12,
        "bert.attention.causal": False, "bert.pooling_type": 1,
    }  # fmt: skip
    return finish_gguf(file, keys, {name: (shape, content) for name, (_, shape, content) in named_tensors if name}, values, case)


def write_gpt2_gguf(path, file):
    """GPT2LMHeadModel, whose weights llama.cpp turns."""
    parameters, values, config, case = read_case(path)
    theirs = {"ln_1": "attn_norm", "ln_2": "ffn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}
    outside = {
        "transformer.wte.weight": "token_embd.weight", "transformer.wpe.weight": "position_embd.weight",
        "transformer.ln_f.weight": "output_norm.weight", "transformer.ln_f.bias": "output_norm.bias",
    }  # fmt: skip
    tensors = {}
    for name, (_, shape, content) in parameters.items():
        lies_turned = ".c_" in name and name.endswith(".weight")
        tensors[named(name, outside, "transformer.h.", theirs)] = transposed(shape, content) if lies_turned else (shape, content)
    keys = {
        "general.architecture": "gpt2", "gpt2.block_count": config["n_layer"], "gpt2.context_length": config["n_positions"],
        "gpt2.embedding_length": config["n_embd"], "gpt2.feed_forward_length": 4 * config["n_embd"], "gpt2.attention.head_count": config["n_head"],
        "gpt2.attention.layer_norm_epsilon": 1e-5, "general.file_type": 0, "tokenizer.ggml.bos_token_id": 1,
    }  # fmt: skip
    return finish_gguf(file, keys, tensors, values, case)


def finish_gguf(file, keys, tensors, values, case):
    file.parent.mkdir(parents=True, exist_ok=True)
    save_gguf(file, keys, tensors)
    save_safetensors(file.parent / "reference.safetensors", values, {"case": json.dumps({"rtol": case["rtol"], "atol": case["atol"]})})
    return file


def write_tokenizer(folder, tokens):
    """Words w0, w1, ... between spaces."""
    vocabulary = {f"w{i}": i for i in range(tokens)}
    model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "w0"}
    parts = dict.fromkeys(("normalizer", "post_processor", "decoder", "truncation", "padding"))
    (folder / "tokenizer.json").write_text(json.dumps({"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "WhitespaceSplit"}, "model": model} | parts))
