#include "check.hpp"

#include "comparison.hpp"
#include "model_program.hpp"
#include "reference.hpp"

#include "../command.hpp"
#include "../failure.hpp"

#include <fovea/base/in_quotes.hpp>
#include <fovea/weights/stored_tensor.hpp>

#include <program/text.hpp>
#include <terminal/terminal.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tool {
namespace {

namespace fs = std::filesystem;

struct arguments {
  model_source of;
  fs::path weights, reference;
  std::vector<std::string> inputs, outputs, backends, sizes;
  double rtol = -1, atol = -1; // below 0: the reference's
  std::uint64_t seed = 1;
  bool json = false;
};

void declare_options(CLI::App& command, arguments& a) {
  command.add_option("HEADER", a.of.header, "The header that declares the model")->required();
  command.add_option("MODEL", a.of.model, "The model as an expression, as in 'gpt<small>'")->required();
  command.add_option("--weights", a.weights, "Its weights: a file of any known format, or a folder")
      ->required();
  auto* const reference = command.add_option(
      "--reference", a.reference,
      "A safetensors file with input.NAME and output.NAME. Without one, the backend simd is "
      "held against the backend reference on inputs that are drawn");
  command
      .add_option("--input", a.inputs,
                  "OURS=THEIRS for an input's name; OURS=count(THEIRS) of a mask, OURS=length(THEIRS) or "
                  "OURS=zeros(THEIRS)")
      ->needs(reference)
      ->allow_extra_args(false);
  command.add_option("--output", a.outputs, "OURS=THEIRS for an output's name")
      ->needs(reference)
      ->allow_extra_args(false);
  command.add_option("--backend", a.backends, "simd or reference; both where none is named")
      ->check(CLI::IsMember({"simd", "reference"}))
      ->allow_extra_args(false);
  command.add_option("--rtol", a.rtol, "The tolerance relative to a value")->check(CLI::NonNegativeNumber);
  command.add_option("--atol", a.atol, "The tolerance relative to the largest value, or 1")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--size", a.sizes, "DIM=NUMBER, as in T=16, of inputs that are drawn")
      ->excludes(reference)
      ->allow_extra_args(false);
  command.add_option("--seed", a.seed, "Of inputs that are drawn");
  add_model_options(command, a.of);
  add_json(command, a.json);
}

std::string names_of(const std::map<std::string, numbers>& all) {
  std::vector<std::string> names;
  for (const auto& [name, values] : all) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The outputs that both have, compared.
std::vector<comparison> compare_all(const std::map<std::string, numbers>& found,
                                    const reference_values& expected, const std::string& backend,
                                    const std::string& source) {
  std::vector<comparison> made;
  for (const auto& [name, values] : found) {
    const auto other = expected.outputs.find(name);
    if (other == expected.outputs.end()) continue;
    if (values.shape != other->second.shape)
      throw failure(fmt::format("{}: output {}: the model gives {}, expected {}", source,
                                fovea::core::in_quotes(name), fovea::core::shape_text(values.shape),
                                fovea::core::shape_text(other->second.shape)));
    comparison one = compare(values, other->second, expected.within);
    one.output = name, one.backend = backend;
    made.push_back(std::move(one));
  }
  if (made.empty())
    throw failure(fmt::format("{}: none of its outputs {} is one of the model's, {} (--output OURS=THEIRS)",
                              source, names_of(expected.outputs), names_of(found)));
  return made;
}

std::string index_text(const comparison& one) { return fmt::format("[{}]", fmt::join(one.index, ", ")); }

std::string text_of(const std::vector<comparison>& all) {
  std::size_t width = 6;
  for (const comparison& one : all) width = std::max(width, one.output.size() + index_text(one).size());
  std::string text = fmt::format("{:<9}  {:<{}}  {:>14}  {:>14}  {:>9}\n", "backend", "worst", width, "found",
                                 "expected", "tolerance");
  for (const comparison& one : all)
    text += fmt::format("{:<9}  {:<{}}  {:>14.8g}  {:>14.8g}  {:>7.3g} %\n", one.backend,
                        one.output + index_text(one), width, one.found, one.expected, 100 * one.share);
  return text;
}

/// A number, or its name where JSON has none.
nlohmann::ordered_json number_json(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "NaN" : x > 0 ? "Infinity" : "-Infinity";
}

nlohmann::ordered_json json_of(const std::vector<comparison>& all, const arguments& a,
                               const tolerance& within) {
  nlohmann::ordered_json outputs = nlohmann::json::array();
  for (const comparison& one : all)
    outputs.push_back({{"output", one.output},
                       {"backend", one.backend},
                       {"index", one.index},
                       {"found", number_json(one.found)},
                       {"expected", number_json(one.expected)},
                       {"share_of_tolerance", number_json(one.share)},
                       {"beyond", one.beyond},
                       {"elements", one.elements}});
  const bool passes = std::ranges::all_of(all, &comparison::passes);
  return {{"model", a.of.model}, {"weights", a.weights.string()}, {"reference", a.reference.string()},
          {"rtol", within.rtol}, {"atol", within.atol},           {"passes", passes},
          {"outputs", outputs}};
}

int work(const arguments& a) {
  require_header(a.of);
  if (!fs::exists(a.weights)) throw failure("there are no weights " + a.weights.string());
  const bool drawn = a.reference.empty();
  reference_values expected;
  if (!drawn) expected = read_reference(a.reference, a.inputs, a.outputs);
  if (a.rtol >= 0) expected.within.rtol = a.rtol;
  if (a.atol >= 0) expected.within.atol = a.atol;
  std::vector<std::string> backends = a.backends;
  if (drawn || backends.empty()) backends = {"simd", "reference"};

  std::vector<comparison> all;
  {
    const std::size_t steps = 1 + backends.size();
    std::size_t done = 0;
    terminal::progress_bar bar("checking", "steps", steps);
    bar.show(done++);
    const model_program program(a.of, backends);
    require_names(program.boundary(), a.inputs, a.outputs);
    if (!drawn) require_inputs(program.boundary(), expected, a.reference);
    if (drawn) {
      expected.inputs = program.drawn_inputs(a.seed, a.sizes);
      bar.show(done++);
      expected.outputs = program.outputs("reference", a.weights, expected.inputs);
      backends = {"simd"};
    }
    for (const std::string& backend : backends) {
      bar.show(done++);
      for (comparison& one : compare_all(program.outputs(backend, a.weights, expected.inputs), expected,
                                         backend, drawn ? a.of.header.string() : a.reference.string()))
        all.push_back(std::move(one));
    }
  }
  if (a.json)
    print_json(json_of(all, a, expected.within));
  else
    program::print(text_of(all));
  const auto worst = std::ranges::max_element(all, {}, &comparison::share);
  if (worst->passes()) return 0;
  program::notice(
      "fovea",
      fmt::format("{}{} of the backend {} is {:.8g}, expected {:.8g}: {:.3g} times the tolerance; {} of "
                  "{} elements are beyond it",
                  worst->output, index_text(*worst), worst->backend, worst->found, worst->expected,
                  worst->share, worst->beyond, worst->elements));
  return 1;
}

} // namespace

void declare_check(CLI::App& app, int& status) {
  add_command(app, status, "check", "Holds a model's numbers against reference values, and names the worst",
              declare_options, work);
}

} // namespace tool
