// Llama 3 and Mistral, which are Llama with other positions, or with a window.

#include "llama_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using models::llama_config;

namespace {

constexpr llama_config llama3{.layers = 2,
                              .heads = 4,
                              .kv_heads = 2,
                              .width = 32,
                              .inner = 48,
                              .vocab = 96,
                              .tied = true,
                              .head_width = 16,
                              .scaling = rope_scaling::llama3({.factor = 8, .positions = 64})};
constexpr llama_config mistral{
    .layers = 2, .heads = 4, .kv_heads = 2, .width = 32, .inner = 48, .vocab = 96, .window = 5};

static_assert(models::llama<models::llama_3_2_1b>.parameters() == 1'235'814'400);
static_assert(models::llama<models::smollm2_135m>.parameters() == 134'515'008);
static_assert(models::llama<models::mistral_7b>.parameters() == 7'241'732'096);

} // namespace

TEST_CASE("Llama with Llama 3's positions agrees with transformers'", "[llama]") {
  check_decoder(case_of_today("llama3_rope"), llama_shown<llama3, models::llama_names<llama3>>,
                models::llama<llama3>, models::llama_loss<llama3>);
}

TEST_CASE("Llama with a window agrees with transformers' MistralForCausalLM", "[llama]") {
  check_decoder(case_of_today("mistral"), llama_shown<mistral, models::llama_names<mistral>>,
                models::llama<mistral>, models::llama_loss<mistral>);
}
