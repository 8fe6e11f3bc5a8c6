#include "catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

turns turns_of(settings& config, const decoder_sizes& s, const checkpoint& from) {
  const int own = config.whole("original_max_position_embeddings", s.context);
  auto given = longrope_of(config);
  if (!given) return {rotary_of(config, s.context, from), "", s.context};
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
  std::vector<std::string> divisors;
  for (const double one : given->numbers("short_factor", pairs)) divisors.push_back(number_text(one, from));
  given->numbers("long_factor", pairs);
  given->finish("rotary position");
  return {{base, fmt::format(longrope, number_text(factor, from), trained)},
          fmt::format("{}, {{{}}}", pairs, fmt::join(divisors, ", ")),
          trained};
}

} // namespace

model_plan plan_phi3(checkpoint& from) {
  settings& config = from.config;
  tensor_list tensors(from, "model.");
  const decoder_sizes s = decoder_sizes_of(config, 1e-5);
  const int vocab = config.whole("vocab_size"), window = config.whole("sliding_window", 0);
  pass_over_common(config);
  const turns rotary = turns_of(config, s, from);
  config.one_of("hidden_act", {"silu"});
  config.expect("attention_bias", false);
  config.expect("partial_rotary_factor", 1.0);
  config.pass_over({"embd_pdrop", "resid_pdrop"});
  const bool tied = is_tied(config, tensors, false);

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
