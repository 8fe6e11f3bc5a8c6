// How far rotary positions turn, against transformers' own tables.

#include <fovea/backends/rope_turns.hpp>

#include "../golden_case.hpp"

using namespace fovea::core;
using namespace fovea::core::test;

namespace {

void check_turns(const char* name, const char* tensor, double base, const rope_scaling& scaling) {
  const golden_case c(name, std::filesystem::path(golden_folder) / "today");
  const golden_tensor& expected = c.at(tensor);
  const rope_turns found = rope_turns_of(base, 2 * expected.values.size(), scaling);
  REQUIRE(found.turns.size() == expected.values.size());
  for (std::size_t i = 0; i < found.turns.size(); ++i) {
    INFO(name << ", pair " << i);
    CHECK(found.turns[i] == Approx(expected.values[i]).epsilon(1e-6)); // theirs are of float32
  }
  const auto& amplitude = c.metadata().at("rope_attention_scaling");
  if (amplitude.contains("attention_scaling"))
    CHECK(found.amplitude == Approx(amplitude.at("attention_scaling").get<double>()).epsilon(1e-12));
}

} // namespace

TEST_CASE("rotary positions turn as transformers' do", "[rope]") {
  constexpr rope_divisors shorter{4, {1.0, 1.1, 1.25, 1.5}}, longer{4, {1.5, 2.0, 4.0, 7.0}};
  check_turns("qwen3", "output.rope.inv_freq", 1e6, {});
  check_turns("gemma3", "output.rope.full_attention_inv_freq", 1e6, {});
  check_turns("llama3_rope", "output.rope.inv_freq", 1e4,
              rope_scaling::llama3({.factor = 8, .positions = 64}));
  check_turns("yarn", "output.rope.inv_freq", 1e4, rope_scaling::yarn({.factor = 4, .positions = 1024}));
  check_turns("phi3_longrope", "output.rope.inv_freq", 1e4,
              rope_scaling::longrope(shorter, {.factor = 4, .positions = 32}));
  check_turns("phi3_longrope", "output.rope.long_inv_freq", 1e4,
              rope_scaling::longrope(longer, {.factor = 4, .positions = 32}));
}

TEST_CASE("linear scaling turns all pairs slower", "[rope]") {
  const rope_turns plain = rope_turns_of(1e4, 8, {}), slow = rope_turns_of(1e4, 8, rope_scaling::linear(4));
  for (std::size_t i = 0; i < 4; ++i) CHECK(slow.turns[i] == plain.turns[i] / 4);
  CHECK(slow.amplitude == 1);
}
