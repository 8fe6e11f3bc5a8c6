#include "../laws/catalogue.hpp"
#include "random_sizes.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

inline constexpr dim T{"T"};
const size_ranges sizes{{"B", {1, 3}}, {"T", {1, 24}}};

} // namespace

TEST_CASE("calls of language models", "[random]") {
  check_drawn_calls(gpt2<small_gpt2>, sizes);
  check_drawn_calls(llama<small_llama>, sizes);
  check_drawn_calls(transformer_language_model<small_decoder>, sizes);
  check_drawn_calls(rwkv<small_rwkv<rwkv_version::v4>>, sizes);
  check_drawn_calls(rwkv<small_rwkv<rwkv_version::v7>>, sizes);
  check_drawn_calls(mamba<small_mamba>, sizes);
}

TEST_CASE("calls of language models that round", "[random]") {
  check_drawn_rounding(llama<small_llama>, sizes);
}

TEST_CASE("steps of language models", "[random]") {
  check_drawn_steps<T>(llama<small_llama>, sizes);
  check_drawn_steps<T>(rwkv<small_rwkv<rwkv_version::v7>>, sizes);
  check_drawn_steps<T>(mamba<small_mamba>, sizes);
}

TEST_CASE("rows of language models", "[random]") { check_drawn_rows<T>(llama<small_llama>, sizes); }
