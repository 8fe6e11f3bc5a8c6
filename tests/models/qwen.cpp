#include <fovea/models/qwen.hpp>

#include "llama_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using models::llama_config;

namespace {

constexpr llama_config qwen2{.layers = 2,
                             .heads = 4,
                             .kv_heads = 2,
                             .width = 32,
                             .inner = 48,
                             .vocab = 96,
                             .base = 1000000,
                             .epsilon = 1e-6,
                             .tied = true,
                             .qkv_bias = true};
constexpr llama_config qwen3{.layers = 2,
                             .heads = 4,
                             .kv_heads = 2,
                             .width = 32,
                             .inner = 48,
                             .vocab = 96,
                             .base = 1000000,
                             .epsilon = 1e-6,
                             .tied = true,
                             .head_width = 16,
                             .head_norm = true};
constexpr llama_config longer{.layers = 2,
                              .heads = 4,
                              .kv_heads = 2,
                              .width = 64,
                              .inner = 48,
                              .vocab = 96,
                              .epsilon = 1e-6,
                              .tied = true,
                              .scaling = rope_scaling::yarn({.factor = 4, .positions = 1024}),
                              .qkv_bias = true};

// As the authors count them: 0.49B, of which 0.36B are no vectors of tokens; 0.6B, of which 0.44B.
static_assert(models::qwen<models::qwen2_5_0_5b>.parameters() == 494'032'768);
static_assert(models::qwen<models::qwen3_0_6b>.parameters() == 596'049'920);

} // namespace

TEST_CASE("Qwen2 agrees with transformers' Qwen2ForCausalLM", "[qwen]") {
  check_decoder(case_of_today("qwen2"), llama_shown<qwen2, models::qwen_names<qwen2>>, models::qwen<qwen2>,
                models::qwen_loss<qwen2>);
}

TEST_CASE("Qwen3 agrees with transformers' Qwen3ForCausalLM", "[qwen]") {
  check_decoder(case_of_today("qwen3"), llama_shown<qwen3, models::qwen_names<qwen3>>, models::qwen<qwen3>,
                models::qwen_loss<qwen3>);
}

TEST_CASE("Qwen's table reads llama.cpp's files", "[qwen]") {
  const golden_case two = case_of_today("qwen2"), three = case_of_today("qwen3");
  check_gguf(two, models::qwen<qwen2>, as_gguf(two));
  check_gguf(three, models::qwen<qwen3>, as_gguf(three));
}

TEST_CASE("Qwen2 with YaRN agrees with transformers'", "[qwen]") {
  check_decoder(case_of_today("yarn"), llama_shown<longer, models::qwen_names<longer>>, models::qwen<longer>,
                models::qwen_loss<longer>);
}
