#include "catalogue.hpp"
#include "gguf_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>

namespace tool {
namespace {

constexpr const char* longrope = "rope_scaling::longrope(divisors, {{.factor = {}, .positions = {}}})";

struct turns {
  rotary_positions positions;
  std::string divisors; // of LongRoPE
  int context;          // texts that are longer would need other divisors
};

/// The object of LongRoPE, if it is one. Divisors are those of texts as long as the model first took.
std::optional<settings> longrope_of(settings& config) {
  for (const char* key : {"rope_scaling", "rope_parameters"})
    if (auto given = config.within(key))
      for (const char* type : {"rope_type", "type"})
        if (const std::string name = given->text(type); name == "longrope" || name == "su") return given;
  return std::nullopt;
}

std::string divisors_text(const std::vector<double>& divisors, const checkpoint& from) {
  std::vector<std::string> texts;
  for (const double one : divisors) texts.push_back(number_text(one, from));
  return fmt::format("{}, {{{}}}", texts.size(), fmt::join(texts, ", "));
}

/// LongRoPE of a GGUF file, whose divisors are tensors.
turns longrope_by_tensors(checkpoint& from, tensor_list& tensors, const decoder_sizes& s, int trained) {
  settings& config = from.config;
  const std::string shorter = "rope_factors_short.weight";
  for (const std::string& one : {shorter, std::string("rope_factors_long.weight")})
    tensors.expect(one, {s.head_width / 2});
  const double factor = static_cast<double>(s.context) / trained,
               amplitude = std::sqrt(1 + std::log(factor) / std::log(trained));
  if (const double found = config.number("attn_factor", amplitude); std::abs(found - amplitude) > 1e-4)
    config.fail("attn_factor", fmt::format("expected {}, as of {} positions that were {}; found {}",
                                           amplitude, s.context, trained, found));
  config.one_of("rope_type", {"longrope"});
  const std::vector<float> found = values_of(from, shorter);
  return {{config.number("rope_theta", 10000), fmt::format(longrope, number_text(factor, from), trained)},
          divisors_text({found.begin(), found.end()}, from),
          trained};
}

turns turns_of(checkpoint& from, tensor_list& tensors, const decoder_sizes& s) {
  settings& config = from.config;
  const int own = config.whole("original_max_position_embeddings", s.context);
  if (from.gguf && tensors.has("rope_factors_short.weight"))
    return longrope_by_tensors(from, tensors, s, own);
  auto given = longrope_of(config);
  if (!given) return {rotary_of_decoder(from, tensors, s), "", s.context};
  const double base = rotary_base_of(config, *given, 10000);
  const int trained = given->whole("original_max_position_embeddings", own);
  if (trained > s.context || trained < 2)
    config.fail("original_max_position_embeddings",
                fmt::format("expected at least 2 and at most max_position_embeddings {}; found {}", s.context,
                            trained));
  const double factor = given->number("factor", static_cast<double>(s.context) / trained);
  given->expect("partial_rotary_factor", 1.0);
  given->one_of("type", {"longrope", "su"});
  const std::size_t pairs = static_cast<std::size_t>(s.head_width / 2);
  if (pairs > 128)
    config.fail("head_dim", fmt::format("expected at most 256 with longrope; found {}", s.head_width));
  const std::string divisors = divisors_text(given->numbers("short_factor", pairs), from);
  given->numbers("long_factor", pairs);
  given->finish("rotary position");
  return {{base, fmt::format(longrope, number_text(factor, from), trained)}, divisors, trained};
}

} // namespace

model_plan plan_phi3(checkpoint& from) {
  settings& config = from.config;
  tensor_list tensors(from, "model.");
  if (from.gguf)
    call_as_gguf(
        from, tensors,
        {{"layers.*.self_attn.qkv_proj", "blk.*.attn_qkv"}, {"layers.*.mlp.gate_up_proj", "blk.*.ffn_up"}});
  const decoder_sizes s = decoder_sizes_of(config, 1e-5);
  const int vocab = vocab_of(from, tensors), window = config.count("sliding_window");
  pass_over_common(config);
  const turns rotary = turns_of(from, tensors, s);
  config.one_of("hidden_act", {"silu"});
  config.expect("attention_bias", false);
  config.expect("partial_rotary_factor", 1.0);
  config.pass_over({"embd_pdrop", "resid_pdrop"});
  const bool tied = is_tied(from, tensors, false);

  tensors.expect("embed_tokens.weight", {vocab, s.width});
  if (tensors.has("lm_head.weight")) tensors.expect("lm_head.weight", {vocab, s.width});
  tensors.expect("norm.weight", {s.width});
  for (int i = 0; i < s.layers; ++i) {
    const std::string at = fmt::format("layers.{}.", i);
    for (const char* norm : {"input_layernorm", "post_attention_layernorm"})
      tensors.expect(at + norm + ".weight", {s.width});
    tensors.expect(at + "self_attn.qkv_proj.weight", {(s.heads + 2 * s.kv_heads) * s.head_width, s.width});
    tensors.expect(at + "self_attn.o_proj.weight", {s.width, s.heads * s.head_width});
    tensors.expect(at + "mlp.gate_up_proj.weight", {2 * s.inner, s.width});
    tensors.expect(at + "mlp.down_proj.weight", {s.width, s.inner});
  }
  tensors.pass_over_quietly("*.self_attn.rotary_emb.inv_freq");
  tensors.finish(from.architecture);
  config.finish(from.architecture);

  model_plan plan = catalogue_decoder(
      {"phi3", "llama_config", "phi3_names<sizes>", "llama_logits",
       "llama_block, llama_attention, llama_feed_forward"},
      llama_members(s, vocab, tied, rotary.positions, from, {{"window", std::to_string(window)}}),
      rotary.context);
  plan.values["divisors"] = rotary.divisors;
  return plan;
}

} // namespace tool
