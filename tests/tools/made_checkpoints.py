"""Small checkpoints as transformers lays them, of architectures that no case of the repository has: settings and shapes."""

import json

from weight_files import save_safetensors

DECODER = {
    "hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 10,
    "max_position_embeddings": 32, "rms_norm_eps": 1e-6, "hidden_act": "silu", "rope_theta": 10000.0, "bos_token_id": 1, "attention_dropout": 0.0,
}  # fmt: skip
GEMMA = {"head_dim": 4, "hidden_activation": "gelu_pytorch_tanh", "query_pre_attn_scalar": 4, "sliding_window": 6, "cache_implementation": "hybrid"}
MIXTURE = {"num_experts": 3, "num_experts_per_tok": 2, "norm_topk_prob": True, "tie_word_embeddings": False, "router_aux_loss_coef": 0.001}
MAMBA2 = {
    "hidden_size": 8, "num_hidden_layers": 2, "vocab_size": 10, "num_heads": 4, "head_dim": 4, "n_groups": 1, "state_size": 3, "conv_kernel": 4, "expand": 2,
    "tie_word_embeddings": True, "time_step_limit": [0.0, float("inf")], "chunk_size": 4, "hidden_act": "silu",
}  # fmt: skip
STACKS = {
    "d_model": 8, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 12,
    "decoder_ffn_dim": 12, "vocab_size": 10, "max_position_embeddings": 16, "activation_function": "gelu", "is_encoder_decoder": True, "pad_token_id": 1,
    "decoder_start_token_id": 2, "eos_token_id": 2, "num_hidden_layers": 2, "encoder_layerdrop": 0.0,
}  # fmt: skip
MODERNBERT = {
    "hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 3, "num_attention_heads": 2, "vocab_size": 10, "max_position_embeddings": 32,
    "local_attention": 4, "global_attn_every_n_layers": 3, "global_rope_theta": 160000.0, "local_rope_theta": 10000.0, "norm_eps": 1e-5,
    "classifier_pooling": "mean", "hidden_activation": "gelu", "position_embedding_type": "absolute", "reference_compile": True,
}  # fmt: skip
DEBERTA = {
    "hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 10, "max_position_embeddings": 16,
    "position_buckets": 8, "relative_attention": True, "share_att_key": True, "norm_rel_ebd": "layer_norm", "position_biased_input": False,
    "pos_att_type": "p2c|c2p", "type_vocab_size": 0, "max_relative_positions": -1, "pooler_hidden_size": 8, "pooler_hidden_act": "gelu",
}  # fmt: skip


def biased(name, rows, *columns):
    return {f"{name}.weight": [rows, *columns], f"{name}.bias": [rows]}


def decoder_shapes(c, head_width, norms=(), head_norms=()):
    """What Llama's cousins have in common; `norms`: those of a block; `head_norms`: the widths of q_norm and k_norm."""
    width, heads, kv_heads = c["hidden_size"], c["num_attention_heads"] * head_width, c["num_key_value_heads"] * head_width
    shapes = {"model.embed_tokens.weight": [c["vocab_size"], width], "model.norm.weight": [width]}
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        shapes |= {f"{at}{norm}.weight": [width] for norm in norms}
        shapes |= {f"{at}self_attn.{name}.weight": [rows, width] for name, rows in (("q_proj", heads), ("k_proj", kv_heads), ("v_proj", kv_heads))}
        shapes |= {f"{at}self_attn.o_proj.weight": [width, heads]}
        shapes |= {f"{at}self_attn.{name}.weight": [size] for name, size in zip(("q_norm", "k_norm"), head_norms)}
    return shapes


def gated_shapes(at, width, inner):
    return {f"{at}gate_proj.weight": [inner, width], f"{at}up_proj.weight": [inner, width], f"{at}down_proj.weight": [width, inner]}


def gemma(version):
    c = DECODER | GEMMA | {"model_type": f"gemma{version}"}
    c |= {"attn_logit_softcapping": 50.0, "final_logit_softcapping": None} if version == 2 else {"rope_local_base_freq": 1e4, "rope_theta": 1e6, "sliding_window_pattern": 2}
    norms = ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm")
    shapes = decoder_shapes(c, 4, norms, (4, 4) if version == 3 else ())
    for i in range(2):
        shapes |= gated_shapes(f"model.layers.{i}.mlp.", 8, 12)
    return c, shapes


def phi3():
    c = DECODER | {"model_type": "phi3", "tie_word_embeddings": False, "original_max_position_embeddings": 16, "sliding_window": 20, "resid_pdrop": 0.0}
    c["rope_scaling"] = {"type": "longrope", "short_factor": [1.5], "long_factor": [4.0]}
    shapes = {"model.embed_tokens.weight": [10, 8], "lm_head.weight": [10, 8], "model.norm.weight": [8]}
    for i in range(2):
        at = f"model.layers.{i}."
        shapes |= {f"{at}input_layernorm.weight": [8], f"{at}post_attention_layernorm.weight": [8], f"{at}self_attn.qkv_proj.weight": [16, 8]}
        shapes |= {f"{at}self_attn.o_proj.weight": [8, 8], f"{at}mlp.gate_up_proj.weight": [24, 8], f"{at}mlp.down_proj.weight": [8, 12]}
    return c, shapes


def mixture(qwen):
    c = DECODER | MIXTURE
    if qwen:
        c |= {"head_dim": 4, "moe_intermediate_size": 6, "decoder_sparse_step": 1, "mlp_only_layers": [], "use_sliding_window": False, "max_window_layers": 2}
    shapes = decoder_shapes(c, 4 if qwen else 2, ("input_layernorm", "post_attention_layernorm"), (4, 4) if qwen else (8, 4)) | {"lm_head.weight": [10, 8]}
    for i in range(2):
        shapes[f"model.layers.{i}.mlp.gate.weight"] = [3, 8]
        for expert in range(3):
            shapes |= gated_shapes(f"model.layers.{i}.mlp.experts.{expert}.", 8, 6 if qwen else 12)
    return c, shapes


def mamba2():
    shapes = {"backbone.embeddings.weight": [10, 8], "backbone.norm_f.weight": [8]}
    for i in range(2):
        at = f"backbone.layers.{i}."
        shapes |= {f"{at}norm.weight": [8], f"{at}mixer.in_proj.weight": [16 + 22 + 4, 8], f"{at}mixer.out_proj.weight": [8, 16], f"{at}mixer.norm.weight": [16]}
        shapes |= {f"{at}mixer.conv1d.weight": [22, 1, 4], f"{at}mixer.conv1d.bias": [22]}
        shapes |= {f"{at}mixer.{name}": [4] for name in ("A_log", "D", "dt_bias")}
    return MAMBA2, shapes


def stacks(kind):
    """BART, Marian or M2M-100."""
    c = STACKS | {"scale_embedding": kind != "bart", "model_type": kind}
    shapes = {"model.shared.weight": [10, 8]}
    if kind != "m2m_100":
        shapes["final_logits_bias"] = [1, 10]
    for stack in ("encoder", "decoder"):
        at = f"model.{stack}."
        if kind == "m2m_100":
            shapes |= biased(f"{at}layer_norm", 8) | {f"{at}embed_positions.weights": [18, 8]}
        else:
            shapes[f"{at}embed_positions.weight"] = [18 if kind == "bart" else 16, 8]
        if kind == "bart":
            shapes |= biased(f"{at}layernorm_embedding", 8)
        for i in range(2):
            for attention in ("self_attn", "encoder_attn") if stack == "decoder" else ("self_attn",):
                for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    shapes |= biased(f"{at}layers.{i}.{attention}.{part}", 8, 8)
                shapes |= biased(f"{at}layers.{i}.{attention}_layer_norm", 8)
            shapes |= biased(f"{at}layers.{i}.fc1", 12, 8) | biased(f"{at}layers.{i}.fc2", 8, 12) | biased(f"{at}layers.{i}.final_layer_norm", 8)
    return c, shapes


def modernbert(task):
    shapes = {"model.embeddings.tok_embeddings.weight": [10, 8], "model.embeddings.norm.weight": [8], "model.final_norm.weight": [8]}
    for i in range(3):
        at = f"model.layers.{i}."
        shapes |= {f"{at}attn.Wqkv.weight": [24, 8], f"{at}attn.Wo.weight": [8, 8], f"{at}mlp.Wi.weight": [24, 8], f"{at}mlp.Wo.weight": [8, 12]}
        shapes |= {f"{at}{norm}.weight": [8] for norm in (("attn_norm", "mlp_norm") if i > 0 else ("mlp_norm",))}
    if task != "Model":
        shapes |= {"head.dense.weight": [8, 8], "head.norm.weight": [8]}
    if task == "ForMaskedLM":
        shapes |= {"decoder.weight": [10, 8], "decoder.bias": [10]}
    return MODERNBERT, shapes | (biased("classifier", 3, 8) if "Classification" in task else {})


def deberta(task):
    shapes = {"deberta.embeddings.word_embeddings.weight": [10, 8], "deberta.encoder.rel_embeddings.weight": [16, 8]}
    shapes |= biased("deberta.embeddings.LayerNorm", 8) | biased("deberta.encoder.LayerNorm", 8)
    for i in range(2):
        at = f"deberta.encoder.layer.{i}."
        for square in ("attention.self.query_proj", "attention.self.key_proj", "attention.self.value_proj", "attention.output.dense"):
            shapes |= biased(at + square, 8, 8)
        shapes |= biased(f"{at}intermediate.dense", 12, 8) | biased(f"{at}output.dense", 8, 12)
        shapes |= biased(f"{at}attention.output.LayerNorm", 8) | biased(f"{at}output.LayerNorm", 8)
    if task == "ForMaskedLM":
        shapes |= biased("cls.predictions.transform.dense", 8, 8) | biased("cls.predictions.transform.LayerNorm", 8) | {"cls.predictions.bias": [10]}
    if task == "ForSequenceClassification":
        shapes |= biased("pooler.dense", 8, 8)
    return DEBERTA, shapes | (biased("classifier", 3, 8) if "Classification" in task else {})


TASKS = ("Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification")
MADE = {
    "Gemma2ForCausalLM": gemma(2), "Gemma3ForCausalLM": gemma(3), "Phi3ForCausalLM": phi3(), "Qwen3MoeForCausalLM": mixture(True), "OlmoeForCausalLM": mixture(False),
    "Mamba2ForCausalLM": mamba2(), "BartForConditionalGeneration": stacks("bart"), "MarianMTModel": stacks("marian"), "M2M100ForConditionalGeneration": stacks("m2m_100"),
}  # fmt: skip
MADE |= {f"ModernBert{task}": modernbert(task) for task in TASKS} | {f"DebertaV2{task}": deberta(task) for task in TASKS}


def write_made(architecture, folder, change=lambda config, shapes: None):
    """The folder of a small checkpoint of that class, whose weights are 0, after `change(config, shapes)`."""
    config, shapes = (dict(one) for one in MADE[architecture])
    config["architectures"] = [architecture]
    change(config, shapes)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    save_safetensors(folder / "model.safetensors", {name: ("F32", shape, b"\0" * 4 * size(shape)) for name, shape in shapes.items()})
    return folder


def size(shape):
    count = 1
    for one in shape:
        count *= one
    return count
