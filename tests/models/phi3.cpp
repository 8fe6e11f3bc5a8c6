#include <fovea/models/phi3.hpp>

#include "llama_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using models::llama_config;

namespace {

inline constexpr rope_divisors short_divisors{4, {1.0, 1.1, 1.25, 1.5}},
    long_divisors{4, {1.5, 2.0, 4.0, 7.0}};

constexpr llama_config phi3_of(const rope_divisors& divisors) {
  return {.layers = 2,
          .heads = 4,
          .kv_heads = 2,
          .width = 32,
          .inner = 48,
          .vocab = 96,
          .scaling = rope_scaling::longrope(divisors, {.factor = 4, .positions = 32})};
}
constexpr llama_config phi3 = phi3_of(short_divisors), long_phi3 = phi3_of(long_divisors);

static_assert(models::phi3<models::phi3_mini_4k>.parameters() == 3'821'079'552);

/// A longer text, for which other divisors are.
constexpr auto long_text = model(
    "long_text",
    [](graph& g) {
      g.output("long_logits", models::llama_logits(g.input<i32>("long_ids", {"B", "T"}), long_phi3));
    },
    models::phi3_names<long_phi3>);

} // namespace

TEST_CASE("Phi-3 agrees with transformers' Phi3ForCausalLM", "[phi3]") {
  const golden_case c = case_of_today("phi3_longrope");
  check_decoder(c, llama_shown<phi3, models::phi3_names<phi3>>, models::phi3<phi3>, models::phi3_loss<phi3>);
  check_outputs(long_text, c, weights_of(c), inputs_of(c));
}

TEST_CASE("Phi-3's table reads llama.cpp's files", "[phi3]") {
  const golden_case c = case_of_today("phi3_longrope");
  std::map<std::string, weight_tensor> parameters = as_gguf(c);
  parameters["rope_factors_long.weight"] = parameters["rope_factors_short.weight"] = {{4}, {1, 1, 1, 1}};
  check_gguf(c, models::phi3<phi3>, std::move(parameters));
}
