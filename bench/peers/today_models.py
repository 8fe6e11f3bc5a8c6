"""Writes the models that bench/today.cpp and bench/peers/today.py time, and what the peers make of them: today_models.py FOLDER

Their weights are random, their shapes those of Whisper tiny, ModernBERT base, a layer of Qwen3's experts and Qwen3 0.6B. Needs
what `make bench` puts into build/peers.
"""

import pathlib
import sys

import formats
import gguf
import safetensors.torch
import torch
import tqdm
import transformers
from transformers.models.qwen3_moe import modeling_qwen3_moe

PROMPT = [50258, 50259, 50359, 50363]  # the start, English, transcribe, no times
TOKENS = 50
QWEN3 = {"layers": 28, "heads": 16, "width": 1024}
KV_HEADS, HEAD_WIDTH, INNER, VOCABULARY = 8, 128, 3072, 151936
KINDS = ("q8_0", "q4_0", "q4_k")
NAMES = {  # of tensors, in transformers
    "token_embd": "model.embed_tokens", "output_norm": "model.norm", "blk.": "model.layers.", "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm", "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm",
    "attn_q.": "self_attn.q_proj.", "attn_k.": "self_attn.k_proj.", "attn_v.": "self_attn.v_proj.",
    "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}


def whisper():
    """Of Whisper tiny's sizes, which are the class's own."""
    model = transformers.WhisperForConditionalGeneration(transformers.WhisperConfig(attn_implementation="eager")).eval()
    # A table of normal numbers of 0.02 alone would score all tokens alike.
    model.model.decoder.embed_tokens.weight.mul_(4)
    return model


def modernbert():
    return transformers.ModernBertModel(transformers.ModernBertConfig(attn_implementation="eager")).eval()


def experts(how="eager"):
    """The layer of Qwen3's mixtures. `how`: one expert behind the other, or all in one product of groups."""
    config = transformers.Qwen3MoeConfig(hidden_size=1024, moe_intermediate_size=512, num_experts=32, num_experts_per_tok=4,
                                         norm_topk_prob=True, experts_implementation=how)
    return modeling_qwen3_moe.Qwen3MoeSparseMoeBlock(config).eval()


def greedy(model, memory):
    ids, cache, written = torch.tensor([PROMPT]), None, []
    while len(written) < TOKENS:
        made = model(encoder_outputs=(memory,), decoder_input_ids=ids, past_key_values=cache, use_cache=True)
        cache, ids = made.past_key_values, made.logits[:, -1:].argmax(-1)
        written.append(int(ids))
    return written


def write_qwen3(path, kind):
    file = formats.File(path, "qwen3", formats.type_of(kind), VOCABULARY, INNER, 1024, **QWEN3)
    file.writer.add_head_count_kv(KV_HEADS)
    file.writer.add_key_length(HEAD_WIDTH)
    file.writer.add_value_length(HEAD_WIDTH)
    file.writer.add_rope_dimension_count(HEAD_WIDTH)
    file.writer.add_rope_freq_base(1e6)
    file.writer.add_layer_norm_rms_eps(1e-6)
    width, wide, narrow = QWEN3["width"], QWEN3["heads"] * HEAD_WIDTH, KV_HEADS * HEAD_WIDTH
    file.matrix("token_embd.weight", VOCABULARY, width)
    for i in range(QWEN3["layers"]):
        for name, size in (("attn_norm", width), ("ffn_norm", width), ("attn_q_norm", HEAD_WIDTH), ("attn_k_norm", HEAD_WIDTH)):
            file.vector(f"blk.{i}.{name}.weight", size)
        for name, out, into in (("attn_q", wide, width), ("attn_k", narrow, width), ("attn_v", narrow, width),
                                ("attn_output", width, wide), ("ffn_gate", INNER, width), ("ffn_up", INNER, width),
                                ("ffn_down", width, INNER)):
            file.matrix(f"blk.{i}.{name}.weight", out, into)
    file.vector("output_norm.weight", width)
    file.write()


def qwen3_scores(path, ids):
    """What transformers' model makes of the file's values in float32: the scores after the last token."""
    config = transformers.Qwen3Config(hidden_size=QWEN3["width"], num_hidden_layers=QWEN3["layers"], intermediate_size=INNER,
                                      num_attention_heads=QWEN3["heads"], num_key_value_heads=KV_HEADS, head_dim=HEAD_WIDTH,
                                      vocab_size=VOCABULARY, rms_norm_eps=1e-6, tie_word_embeddings=True,
                                      rope_parameters={"rope_type": "default", "rope_theta": 1e6})
    with torch.device("meta"):
        model = transformers.Qwen3ForCausalLM(config)
    model = model.to_empty(device="cpu").eval()
    model.tie_weights()
    model.model.rotary_emb = type(model.model.rotary_emb)(config)
    parameters = dict(model.named_parameters())
    for tensor in gguf.GGUFReader(path).tensors:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        name = tensor.name
        for theirs, transformers_ in NAMES.items():
            name = name.replace(theirs, transformers_)
        parameters[name].copy_(torch.tensor(values))
    return model(input_ids=torch.tensor([ids]), logits_to_keep=1).logits[0, 0]


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    save = lambda model, name: safetensors.torch.save_model(model, str(folder / name))
    known = {}
    with torch.inference_mode(), tqdm.tqdm(total=3 + len(KINDS)) as bar:
        model = whisper()
        save(model, "whisper.safetensors")
        features = torch.randn(1, 80, 3000).clamp(-1, 1)
        memory = model.model.encoder(features).last_hidden_state
        known["whisper.features"] = features.transpose(1, 2).contiguous()
        known["whisper.memory"] = memory
        known["whisper.prompt"] = torch.tensor([PROMPT], dtype=torch.int32)
        known["whisper.ids"] = torch.tensor(greedy(model, memory), dtype=torch.int32)
        bar.update()

        model = modernbert()
        save(model, "modernbert.safetensors")
        tokens = torch.randint(1000, 50000, (1, 512))
        known["modernbert.tokens"] = tokens.int()
        known["modernbert.hidden"] = model(input_ids=tokens, attention_mask=torch.ones_like(tokens)).last_hidden_state
        bar.update()

        model = experts()
        for parameter in model.parameters():
            parameter.normal_(0, parameter.shape[-1] ** -0.5)
        save(model, "experts.safetensors")
        known["experts.x"] = torch.randn(1, 128, 1024)
        made = model(known["experts.x"])
        known["experts.y"] = made[0] if isinstance(made, tuple) else made
        bar.update()

        ids = [i * 37 % 1000 for i in range(formats.PROMPT)]
        known["qwen3.tokens"] = torch.tensor([ids], dtype=torch.int32)
        for kind in KINDS:
            path = folder / f"qwen3-{kind}.gguf"
            write_qwen3(path, kind)
            known[f"qwen3.{kind}.logits"] = qwen3_scores(path, ids)
            bar.update()
    safetensors.torch.save_file({name: tensor.contiguous().clone() for name, tensor in known.items()}, str(folder / "known.safetensors"))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
