// The tables of names against checkpoints as they are found: with and without the prefix of a larger model,
// with buffers and second copies, with heads that a model leaves out, and without those that it needs.

#include <fovea/models/bert.hpp>
#include <fovea/models/gpt2.hpp>
#include <fovea/models/llama.hpp>

#include "../model_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using Catch::Matchers::Contains;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr models::gpt2_config gpt2{.layers = 2, .heads = 4, .width = 32, .vocab = 96, .context = 64};
constexpr models::llama_config llama{
    .layers = 2, .heads = 4, .kv_heads = 2, .width = 32, .inner = 64, .vocab = 96, .epsilon = 1e-6};
constexpr models::llama_config tied_llama{.layers = 2,
                                          .heads = 4,
                                          .kv_heads = 2,
                                          .width = 32,
                                          .inner = 64,
                                          .vocab = 96,
                                          .epsilon = 1e-6,
                                          .tied = true};
constexpr models::bert_config bert{
    .layers = 2, .heads = 4, .width = 32, .inner = 64, .vocab = 96, .context = 48};

using checkpoint = std::map<std::string, weight_tensor>;

weight_tensor zeros(std::vector<std::size_t> shape) {
  std::size_t size = 1;
  for (const std::size_t d : shape) size *= d;
  return {std::move(shape), std::vector<float>(size)};
}

/// The same tensors, renamed: less `prefix`, or with the ending `from` replaced.
checkpoint without_prefix(const checkpoint& of, const std::string& prefix) {
  checkpoint made;
  for (const auto& [name, tensor] : of)
    made[name.starts_with(prefix) ? name.substr(prefix.size()) : name] = tensor;
  return made;
}
checkpoint with_ending(const checkpoint& of, const std::string& from, const std::string& to) {
  checkpoint made;
  for (const auto& [name, tensor] : of)
    made[name.ends_with(from) ? name.substr(0, name.size() - from.size()) + to : name] = tensor;
  return made;
}

/// The same tensors under other names: {theirs, another's}, `*` the number of the layer. Those not listed are
/// left out.
checkpoint renamed(const checkpoint& of, const std::map<std::string, std::string>& names) {
  checkpoint made;
  for (const auto& [from, to] : names)
    for (const std::string layer : {"0", "1"}) {
      const auto in_layer = [&](std::string name) {
        const std::size_t star = name.find('*');
        return star == std::string::npos ? name : name.replace(star, 1, layer);
      };
      made[in_layer(to)] = of.at(in_layer(from));
    }
  return made;
}

/// Rows and columns exchanged.
weight_tensor turned(const weight_tensor& of) {
  const std::size_t rows = of.shape[0], columns = of.shape[1];
  weight_tensor made = zeros({columns, rows});
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) made.values[c * rows + r] = of.values[r * columns + c];
  return made;
}

/// Rows of heads whose halves turn together, so ordered that neighbours do.
weight_tensor paired(const weight_tensor& of, std::size_t head) {
  weight_tensor made = zeros(of.shape);
  const std::size_t columns = of.shape[1];
  for (std::size_t row = 0; row < of.shape[0]; ++row) {
    const std::size_t in_head = row % head, first = row - in_head;
    const std::size_t to = first + (in_head < head / 2 ? 2 * in_head : 2 * (in_head - head / 2) + 1);
    std::copy_n(&of.values[row * columns], columns, &made.values[to * columns]);
  }
  return made;
}

/// The logits of a language model on the ids of a case.
template <class M>
std::vector<float> logits(const M& declared, const golden_case& c, const checkpoint& from) {
  auto net = compile(declared, model_weights::from(from), {.capacity = {{B, 2}, {T, 12}}});
  const auto out = net("tokens"_in = integers<2>(c, "ids"))["logits"_out];
  return {out.begin(), out.end()};
}
/// The same of BERT with one of its heads.
template <fixed_name output, class M>
std::vector<float> scores(const M& declared, const golden_case& c, const checkpoint& from) {
  auto net = compile(declared, model_weights::from(from), {.capacity = {{B, 4}, {T, 12}}});
  const auto out = net("tokens"_in = integers<2>(c, "ids"), "types"_in = integers<2>(c, "token_type_ids"),
                       "lengths"_in = xt::xtensor<std::int64_t, 1>(
                           xt::sum(integers<2>(c, "attention_mask"), {1})))[output_key<output>{}];
  return {out.begin(), out.end()};
}

} // namespace

TEST_CASE("GPT-2's table reads GPT2LMHeadModel and GPT2Model, with buffers and a second table", "[gpt2]") {
  const golden_case c("hf_gpt2");
  const checkpoint whole = parameters_of(c);
  const std::vector<float> expected = logits(models::gpt2<gpt2>, c, whole);

  checkpoint inner = without_prefix(whole, "transformer.");
  CHECK(inner.contains("wte.weight"));
  CHECK(logits(models::gpt2<gpt2>, c, inner) == expected);
  for (const std::string layer : {"h.0.", "h.1."}) {
    inner[layer + "attn.bias"] = zeros({1, 1, 64, 64});
    inner[layer + "attn.masked_bias"] = zeros({});
  }
  CHECK(logits(models::gpt2<gpt2>, c, inner) == expected);

  checkpoint twice = whole;
  twice["lm_head.weight"] = whole.at("transformer.wte.weight");
  CHECK(logits(models::gpt2<gpt2>, c, twice) == expected);
  twice["lm_head.weight"].values[5] += 1;
  CHECK_THROWS_WITH(logits(models::gpt2<gpt2>, c, twice),
                    Contains("tensor 'lm_head.weight': expected a second copy of 'wte'"));

  checkpoint less = whole;
  less.erase("transformer.h.1.attn.c_attn.weight");
  CHECK_THROWS_WITH(logits(models::gpt2<gpt2>, c, less), Contains("'h.1.attn.k.weight' [32, 32]"));
  checkpoint more = whole;
  more["transformer.h.2.ln_1.weight"] = zeros({32});
  CHECK_THROWS_WITH(logits(models::gpt2<gpt2>, c, more), Contains("'transformer.h.2.ln_1.weight' [32]"));
}

TEST_CASE("GPT-2's table reads llama.cpp's names, matrices turned", "[gpt2]") {
  const golden_case c("hf_gpt2");
  const checkpoint theirs = parameters_of(c);
  checkpoint whole = renamed(theirs, {{"transformer.wte.weight", "token_embd.weight"},
                                      {"transformer.wpe.weight", "position_embd.weight"},
                                      {"transformer.ln_f.weight", "output_norm.weight"},
                                      {"transformer.ln_f.bias", "output_norm.bias"},
                                      {"transformer.h.*.ln_1.weight", "blk.*.attn_norm.weight"},
                                      {"transformer.h.*.ln_1.bias", "blk.*.attn_norm.bias"},
                                      {"transformer.h.*.attn.c_attn.weight", "blk.*.attn_qkv.weight"},
                                      {"transformer.h.*.attn.c_attn.bias", "blk.*.attn_qkv.bias"},
                                      {"transformer.h.*.attn.c_proj.weight", "blk.*.attn_output.weight"},
                                      {"transformer.h.*.attn.c_proj.bias", "blk.*.attn_output.bias"},
                                      {"transformer.h.*.ln_2.weight", "blk.*.ffn_norm.weight"},
                                      {"transformer.h.*.ln_2.bias", "blk.*.ffn_norm.bias"},
                                      {"transformer.h.*.mlp.c_fc.weight", "blk.*.ffn_up.weight"},
                                      {"transformer.h.*.mlp.c_fc.bias", "blk.*.ffn_up.bias"},
                                      {"transformer.h.*.mlp.c_proj.weight", "blk.*.ffn_down.weight"},
                                      {"transformer.h.*.mlp.c_proj.bias", "blk.*.ffn_down.bias"}});
  for (auto& [name, tensor] : whole)
    if (name.starts_with("blk.") && tensor.shape.size() == 2) tensor = turned(tensor);
  const std::vector<float> expected = logits(models::gpt2<gpt2>, c, theirs);
  CHECK(logits(models::gpt2<gpt2>, c, whole) == expected);
  whole["output.weight"] = whole.at("token_embd.weight");
  CHECK(logits(models::gpt2<gpt2>, c, whole) == expected);
  whole["output.weight"].values[0] += 1;
  CHECK_THROWS_WITH(logits(models::gpt2<gpt2>, c, whole), Contains("expected a second copy of 'wte'"));
}

TEST_CASE("Llama's table reads llama.cpp's and Meta's names, which pair neighbours", "[llama]") {
  const golden_case c("hf_llama");
  const checkpoint theirs = parameters_of(c);
  const std::vector<float> expected = logits(models::llama<llama>, c, theirs);
  constexpr std::size_t head = 8;
  checkpoint gguf =
      renamed(theirs, {{"model.embed_tokens.weight", "token_embd.weight"},
                       {"lm_head.weight", "output.weight"},
                       {"model.norm.weight", "output_norm.weight"},
                       {"model.layers.*.input_layernorm.weight", "blk.*.attn_norm.weight"},
                       {"model.layers.*.self_attn.q_proj.weight", "blk.*.attn_q.weight"},
                       {"model.layers.*.self_attn.k_proj.weight", "blk.*.attn_k.weight"},
                       {"model.layers.*.self_attn.v_proj.weight", "blk.*.attn_v.weight"},
                       {"model.layers.*.self_attn.o_proj.weight", "blk.*.attn_output.weight"},
                       {"model.layers.*.post_attention_layernorm.weight", "blk.*.ffn_norm.weight"},
                       {"model.layers.*.mlp.gate_proj.weight", "blk.*.ffn_gate.weight"},
                       {"model.layers.*.mlp.up_proj.weight", "blk.*.ffn_up.weight"},
                       {"model.layers.*.mlp.down_proj.weight", "blk.*.ffn_down.weight"}});
  for (auto& [name, tensor] : gguf)
    if (name.ends_with("attn_q.weight") || name.ends_with("attn_k.weight")) tensor = paired(tensor, head);
  CHECK(logits(models::llama<llama>, c, gguf) == expected);

  checkpoint meta = renamed(gguf, {{"token_embd.weight", "tok_embeddings.weight"},
                                   {"output.weight", "output.weight"},
                                   {"output_norm.weight", "norm.weight"},
                                   {"blk.*.attn_norm.weight", "layers.*.attention_norm.weight"},
                                   {"blk.*.attn_q.weight", "layers.*.attention.wq.weight"},
                                   {"blk.*.attn_k.weight", "layers.*.attention.wk.weight"},
                                   {"blk.*.attn_v.weight", "layers.*.attention.wv.weight"},
                                   {"blk.*.attn_output.weight", "layers.*.attention.wo.weight"},
                                   {"blk.*.ffn_norm.weight", "layers.*.ffn_norm.weight"},
                                   {"blk.*.ffn_gate.weight", "layers.*.feed_forward.w1.weight"},
                                   {"blk.*.ffn_up.weight", "layers.*.feed_forward.w3.weight"},
                                   {"blk.*.ffn_down.weight", "layers.*.feed_forward.w2.weight"}});
  meta["rope.freqs"] = zeros({4});
  CHECK(logits(models::llama<llama>, c, meta) == expected);
  // Llama 3.1 turns positions by frequencies of its own, which this model has not.
  meta["rope_freqs.weight"] = zeros({4});
  CHECK_THROWS_WITH(logits(models::llama<llama>, c, meta), Contains("'rope_freqs.weight' [4]"));
}

TEST_CASE("Llama's table reads a head of its own or the tied table, with older buffers", "[llama]") {
  const golden_case c("hf_llama");
  const checkpoint whole = parameters_of(c);
  const std::vector<float> expected = logits(models::llama<llama>, c, whole);

  checkpoint inner = without_prefix(whole, "model.");
  CHECK(inner.contains("embed_tokens.weight"));
  for (const std::string layer : {"layers.0.", "layers.1."})
    inner[layer + "self_attn.rotary_emb.inv_freq"] = zeros({4});
  CHECK(logits(models::llama<llama>, c, inner) == expected);

  checkpoint headless = whole;
  headless.erase("lm_head.weight");
  CHECK_THROWS_WITH(logits(models::llama<llama>, c, headless), Contains("'lm_head.weight' [96, 32]"));
  const std::vector<float> tied_scores = logits(models::llama<tied_llama>, c, headless);
  CHECK(tied_scores != expected);
  checkpoint twice = headless;
  twice["lm_head.weight"] = headless.at("model.embed_tokens.weight");
  CHECK(logits(models::llama<tied_llama>, c, twice) == tied_scores);
  CHECK(logits(models::llama<llama>, c, twice) == tied_scores);
  CHECK_THROWS_WITH(logits(models::llama<tied_llama>, c, whole),
                    Contains("tensor 'lm_head.weight': expected a second copy of 'words'"));
}

TEST_CASE("BERT's table reads its heads, skips those left out, and knows the first checkpoints", "[bert]") {
  const golden_case c("hf_bert_mlm");
  const checkpoint whole = parameters_of(c);
  const auto logits_of = [&](const checkpoint& from) {
    return scores<"logits">(models::bert_masked_language_model<bert>, c, from);
  };
  const std::vector<float> expected = logits_of(whole);

  checkpoint first = with_ending(whole, "LayerNorm.weight", "LayerNorm.gamma");
  first = with_ending(first, "LayerNorm.bias", "LayerNorm.beta");
  CHECK_FALSE(first.contains("bert.embeddings.LayerNorm.weight"));
  CHECK_FALSE(first.contains("cls.predictions.transform.LayerNorm.bias"));
  first["bert.embeddings.position_ids"] = zeros({1, 48});
  first["bert.pooler.dense.weight"] = zeros({32, 32});
  first["bert.pooler.dense.bias"] = zeros({32});
  first["cls.seq_relationship.weight"] = zeros({2, 32});
  first["cls.seq_relationship.bias"] = zeros({2});
  first["cls.predictions.decoder.weight"] = whole.at("bert.embeddings.word_embeddings.weight");
  first["cls.predictions.decoder.bias"] = whole.at("cls.predictions.bias");
  CHECK(logits_of(first) == expected);
  first["cls.predictions.decoder.bias"].values[0] += 1;
  CHECK_THROWS_WITH(logits_of(first), Contains("tensor 'cls.predictions.decoder.bias': expected a second"));
}

TEST_CASE("BERT's table reads llama.cpp's names of the encoder", "[bert]") {
  const golden_case c("hf_bert_mlm");
  const checkpoint whole = without_prefix(parameters_of(c), "bert.");
  const std::string in_layer = "encoder.layer.*.";
  std::map<std::string, std::string> names{{"embeddings.word_embeddings.weight", "token_embd.weight"},
                                           {"embeddings.position_embeddings.weight", "position_embd.weight"},
                                           {"embeddings.token_type_embeddings.weight", "token_types.weight"}};
  for (const std::string part : {"weight", "bias"}) {
    names["embeddings.LayerNorm." + part] = "token_embd_norm." + part;
    for (const auto& [theirs, another] :
         std::map<std::string, std::string>{{"attention.self.query", "attn_q"},
                                            {"attention.self.key", "attn_k"},
                                            {"attention.self.value", "attn_v"},
                                            {"attention.output.dense", "attn_output"},
                                            {"attention.output.LayerNorm", "attn_output_norm"},
                                            {"intermediate.dense", "ffn_up"},
                                            {"output.dense", "ffn_down"},
                                            {"output.LayerNorm", "layer_output_norm"}})
      names[in_layer + theirs + "." + part] = "blk.*." + another + "." + part;
  }
  const auto sentences = [&](const checkpoint& from) {
    return scores<"sentence">(models::sentence_encoder<bert>, c, from);
  };
  CHECK(sentences(renamed(whole, names)) == sentences(whole));
}

TEST_CASE("BERT's classifier needs its head, BERT without one does not", "[bert]") {
  const golden_case c("hf_bert_classify");
  const checkpoint whole = parameters_of(c);
  checkpoint headless = without_prefix(whole, "bert.");
  headless.erase("classifier.weight");
  headless.erase("classifier.bias");
  CHECK(scores<"pooled">(models::bert<bert>, c, whole) == scores<"pooled">(models::bert<bert>, c, headless));
  CHECK_THROWS_WITH(scores<"logits">(models::bert_classifier<bert, 3>, c, headless),
                    Contains("'classifier.weight' [3, 32]"));
  CHECK_THROWS_WITH(scores<"logits">(models::bert_classifier<bert, 2>, c, whole),
                    Contains("classifier.weight"));
}
