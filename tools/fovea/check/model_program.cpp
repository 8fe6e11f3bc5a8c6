#include "model_program.hpp"

#include "../failure.hpp"

#include <fovea/base/in_quotes.hpp>
#include <fovea/weights/safetensors.hpp>

#include <algorithm>
#include <cctype>

namespace tool {
namespace {

namespace fs = std::filesystem;

std::map<std::string, numbers> read_numbers(const fs::path& path) {
  const fovea::core::safetensors_file file(path);
  std::map<std::string, numbers> made;
  for (const auto& [name, tensor] : file.tensors()) made[name] = numbers_of(tensor);
  return made;
}

text_values values_of(const std::vector<std::string>& backends) {
  text_values values{{"simd", ""}, {"reference", ""}};
  for (const std::string& one : backends) values[one] = "yes";
  return values;
}

} // namespace

model_program::model_program(const model_source& of, const std::vector<std::string>& backends)
    : program_("check.cpp.in", of, values_of(backends)) {
  const fs::path described = program_.folder() / "boundary.txt";
  program_.run({"describe", described.string()});
  boundary_ = read_boundary(described);
}

std::map<std::string, numbers> model_program::outputs(const std::string& backend, const fs::path& weights,
                                                      const std::map<std::string, numbers>& inputs) const {
  const fs::path in = program_.folder() / "inputs.safetensors",
                 out = program_.folder() / "outputs.safetensors";
  save_numbers(in, inputs);
  program_.run({"run", backend, weights.string(), in.string(), out.string()});
  return read_numbers(out);
}

std::map<std::string, numbers> model_program::drawn_inputs(std::uint64_t seed,
                                                           const std::vector<std::string>& sizes) const {
  const fs::path in = program_.folder() / "inputs.safetensors";
  std::vector<std::string> words{"draw", std::to_string(seed), in.string()};
  for (const std::string& one : sizes) {
    const std::size_t at = one.find('=');
    const std::string number = at == one.npos ? "" : one.substr(at + 1);
    const bool fits = at != 0 && !number.empty() && number.size() < 10 &&
                      std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c) != 0; }) &&
                      std::stol(number) > 0;
    if (!fits) throw failure("--size " + fovea::core::in_quotes(one) + ": expected DIM=NUMBER, as in T=16");
    words.push_back(one);
  }
  require_dims(boundary_, sizes);
  program_.run(words);
  return read_numbers(in);
}

} // namespace tool
