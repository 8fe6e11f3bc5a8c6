#include <fovea/models/olmoe.hpp>
#include <fovea/models/qwen3_moe.hpp>

#include "decoder_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using models::moe_config;

namespace {

constexpr moe_config qwen{.decoder = {.layers = 2,
                                      .heads = 4,
                                      .kv_heads = 2,
                                      .width = 32,
                                      .inner = 16,
                                      .vocab = 96,
                                      .base = 1000000,
                                      .epsilon = 1e-6,
                                      .head_width = 16,
                                      .head_norm = true},
                          .experts = 6,
                          .active = 2,
                          .normalised = true};
constexpr moe_config olmoe{
    .decoder =
        {.layers = 2, .heads = 4, .kv_heads = 2, .width = 32, .inner = 16, .vocab = 96, .whole_norm = true},
    .experts = 6,
    .active = 2,
    .normalised = false};

// As the authors count them: 30.5 billion and 6.9 billion.
static_assert(models::qwen3_moe<models::qwen3_30b_a3b>.parameters() == 30'532'122'624);
static_assert(models::olmoe<models::olmoe_1b_7b>.parameters() == 6'919'161'856);
// A token pays for its experts alone: 3.3 and 1.3 billion parameters, a multiplication and an addition each,
// but for the table of its vector.
static_assert(models::qwen3_moe<models::qwen3_30b_a3b>.flops({{"B", 1}, {"T", 1}}) / 2 < 3'100'000'000);
static_assert(models::olmoe<models::olmoe_1b_7b>.flops({{"B", 1}, {"T", 1}}) / 2 < 1'300'000'000);

/// A decoder with experts, layer after layer, with what each gives.
template <moe_config c>
inline constexpr auto shown = model(
    "moe_shown",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), words = models::llama_words(tokens, c.decoder);
      expr x = gather(words, tokens);
      for (int i = 0; i < c.decoder.layers; ++i) {
        g.output(hidden_state_names[i], x);
        const scope layer(x, "layers", i);
        x = models::moe_block(x, c);
      }
      x = rms_norm(x, "norm", {.epsilon = c.decoder.epsilon});
      g.output(hidden_state_names[c.decoder.layers], x);
      g.output("logits", models::llama_scores(x, words, c.decoder));
    },
    models::moe_names<c>);

/// Those of `all` of so many rows of an expert, from `first` of each on: [experts, rows, width].
weight_tensor rows_of_experts(const weight_tensor& all, std::size_t first, std::size_t rows) {
  const std::size_t width = all.shape[2];
  weight_tensor made{{all.shape[0], rows, width}, {}};
  for (std::size_t e = 0; e < all.shape[0]; ++e) {
    const float* from = all.values.data() + (e * all.shape[1] + first) * width;
    made.values.insert(made.values.end(), from, from + rows * width);
  }
  return made;
}

/// Parameters whose experts f(made, layer, kind, experts [count, out, in]) adds to `made`, under other names.
template <class F>
std::map<std::string, weight_tensor> with_experts(std::map<std::string, weight_tensor> parameters, F f) {
  std::map<std::string, weight_tensor> made;
  for (auto& [name, tensor] : parameters) {
    const std::size_t stem = name.find("mlp.experts.");
    if (stem == std::string::npos) {
      made[name] = std::move(tensor);
      continue;
    }
    const std::string layer = name.substr(0, stem);
    const std::size_t rows = tensor.shape[1];
    if (name.ends_with("down_proj")) {
      f(made, layer, "down", tensor);
    } else {
      f(made, layer, "gate", rows_of_experts(tensor, 0, rows / 2));
      f(made, layer, "up", rows_of_experts(tensor, rows / 2, rows / 2));
    }
  }
  return made;
}

/// Each expert by itself, as published checkpoints have them.
std::map<std::string, weight_tensor> experts_apart(const golden_case& c) {
  return with_experts(parameters_of(c), [](auto& made, const std::string& layer, const std::string& kind,
                                           const weight_tensor& all) {
    const std::size_t size = all.shape[1] * all.shape[2];
    for (std::size_t e = 0; e < all.shape[0]; ++e) {
      const auto first = all.values.begin() + static_cast<std::ptrdiff_t>(e * size);
      made[layer + "mlp.experts." + std::to_string(e) + "." + kind + "_proj.weight"] = {
          {all.shape[1], all.shape[2]}, {first, first + static_cast<std::ptrdiff_t>(size)}};
    }
  });
}

/// All experts of a layer as one, as llama.cpp has them.
std::map<std::string, weight_tensor> experts_of_gguf(const golden_case& c) {
  return with_experts(as_gguf(c), [](auto& made, const std::string& layer, const std::string& kind,
                                     const weight_tensor& all) {
    made["blk" + layer.substr(std::string("model.layers").size()) + "ffn_" + kind + "_exps.weight"] = all;
  });
}

} // namespace

TEST_CASE("Qwen3's experts agree with transformers' Qwen3MoeForCausalLM", "[moe]") {
  const golden_case c = case_of_today("qwen3_moe");
  check_decoder(c, shown<qwen>, models::qwen3_moe<qwen>, models::qwen3_moe_loss<qwen>);
  check_outputs(models::qwen3_moe<qwen>, c, model_weights::from(experts_apart(c), "published"),
                inputs_of(c, {{"tokens", "ids"}}));
  check_gguf(c, models::qwen3_moe<qwen>, experts_of_gguf(c));
}

TEST_CASE("OLMoE agrees with transformers' OlmoeForCausalLM", "[moe]") {
  const golden_case c = case_of_today("olmoe");
  check_decoder(c, shown<olmoe>, models::olmoe<olmoe>, models::olmoe_loss<olmoe>);
  check_outputs(models::olmoe<olmoe>, c, model_weights::from(experts_apart(c), "published"),
                inputs_of(c, {{"tokens", "ids"}}));
  check_gguf(c, models::olmoe<olmoe>, experts_of_gguf(c));
}
