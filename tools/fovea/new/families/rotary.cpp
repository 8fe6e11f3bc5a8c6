#include "rotary.hpp"

#include <fmt/format.h>

namespace tool {
namespace {

std::string rope_scaling_of(settings& given, int context, const checkpoint& from) {
  const char* key = given.has("rope_type") ? "rope_type" : "type";
  const std::string type = given.one_of(key, {"default", "linear", "llama3", "yarn"});
  given.expect("type", type);
  given.expect("partial_rotary_factor", 1.0);
  if (type == "default") return "";
  const auto number = [&](const char* name, double otherwise) {
    return number_text(given.number(name, otherwise), from);
  };
  const std::string factor = number_text(given.number("factor"), from);
  if (type == "linear") return fmt::format("rope_scaling::linear({})", factor);
  const std::string positions = std::to_string(given.whole("original_max_position_embeddings", context));
  if (type == "llama3")
    return fmt::format("rope_scaling::llama3({{.factor = {}, .low = {}, .high = {}, .positions = {}}})",
                       factor, number("low_freq_factor", 1), number("high_freq_factor", 4), positions);
  given.expect("truncate", true);
  std::string rest;
  if (given.has("attention_factor")) rest = ", .amplitude = " + number("attention_factor", 1);
  return fmt::format("rope_scaling::yarn({{.factor = {}, .positions = {}, .slow = {}, .fast = {}{}}})",
                     factor, positions, number("beta_slow", 1), number("beta_fast", 32), rest);
}

} // namespace

rotary_positions rotary_in(settings& given, double base, int context, const checkpoint& from) {
  const double own = given.number("rope_theta", base);
  rotary_positions found{own, rope_scaling_of(given, context, from)};
  given.finish("rotary position");
  return found;
}

double rotary_base_of(settings& config, settings& given, double base) {
  const double beside = config.number("rope_theta", base), own = given.number("rope_theta", beside);
  if (config.has("rope_theta") && own != beside)
    given.fail("rope_theta", fmt::format("expected {}, as rope_theta beside it says; found {}", beside, own));
  return own;
}

rotary_positions rotary_of(settings& config, int context, const checkpoint& from, double base) {
  rotary_positions found{config.number("rope_theta", base)};
  for (const char* key : {"rope_scaling", "rope_parameters"})
    if (auto given = config.within(key))
      found = rotary_in(*given, rotary_base_of(config, *given, found.base), context, from);
  return found;
}

} // namespace tool
