#include "rotary.hpp"

#include "../../failure.hpp"

#include <fovea/backends/rope_turns.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/weights/to_floats.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tool {
namespace {

/// The word for a scaling of this type, which is linear, llama3 or yarn.
std::string scaling_text(settings& given, const std::string& type, int context, const checkpoint& from) {
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

std::string rope_scaling_of(settings& given, int context, const checkpoint& from) {
  const char* key = given.has("rope_type") ? "rope_type" : "type";
  const std::string type = given.one_of(key, {"default", "linear", "llama3", "yarn"});
  given.expect("type", type);
  given.expect("partial_rotary_factor", 1.0);
  return type == "default" ? "" : scaling_text(given, type, context, from);
}

/// Llama 3's scaling, of which a GGUF file keeps by how much it slows each pair of features down, and no setting. All
/// models of Llama 3 were trained on 8,192 positions before; a smaller one on as many as it takes.
std::string llama3_by_tensor(const checkpoint& from, const std::string& tensor, const decoder_sizes& s,
                             double base) {
  const std::vector<float> found = values_of(from, tensor);
  const double factor = *std::ranges::max_element(found);
  const auto width = static_cast<std::size_t>(s.head_width);
  const std::vector<double> plain = fovea::core::rope_turns_of(base, width, {}).turns;
  for (const int positions : {8192, s.context}) {
    const auto scaling = fovea::rope_scaling::llama3(
        {.factor = factor, .low = 1, .high = 4, .positions = static_cast<double>(positions)});
    const std::vector<double> slowed = fovea::core::rope_turns_of(base, width, scaling).turns;
    bool same = true;
    for (std::size_t i = 0; i < plain.size(); ++i)
      same = same && std::abs(plain[i] / slowed[i] - static_cast<double>(found[i])) <= 1e-4 * factor;
    if (same)
      return fmt::format("rope_scaling::llama3({{.factor = {}, .low = 1, .high = 4, .positions = {}}})",
                         number_text(factor, from), positions);
  }
  throw failure(fmt::format(
      "{}: tensor {}: expected by how much Llama 3 slows each pair of features down, for a base of {} and "
      "8192 or {} positions; found other numbers",
      from.weights_of_file.source(), fovea::core::in_quotes(tensor), base, s.context));
}

} // namespace

std::vector<float> values_of(const checkpoint& from, const std::string& tensor) {
  const fovea::stored_tensor& stored = from.tensors.at(tensor);
  std::vector<float> values(fovea::core::count_of(stored));
  fovea::core::to_floats(stored.type, stored.bytes, values.data());
  return values;
}

rotary_positions rotary_of_decoder(checkpoint& from, tensor_list& tensors, const decoder_sizes& s,
                                   double base) {
  settings& config = from.config;
  if (!from.gguf) return rotary_of(config, s.context, from, base);
  rotary_positions found{config.number("rope_theta", base)};
  std::string type = config.one_of("rope_type", {"none", "linear", "yarn"});
  if (!config.has("rope_type") && config.has("factor")) type = "linear"; // as llama.cpp takes it
  if (type != "none") found.scaling = scaling_text(config, type, s.context, from);
  config.expect("attn_factor", 1.0);
  config.pass_over({"original_max_position_embeddings", "rope_finetuned"});
  if (const std::string tensor = "rope_freqs.weight"; tensors.has(tensor)) {
    tensors.expect(tensor, {s.head_width / 2});
    found = {found.base, llama3_by_tensor(from, tensor, s, found.base), true};
  }
  return found;
}

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
