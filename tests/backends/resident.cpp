// The memory that weights take, as Linux counts it.

#include "../weights/temporary_folder.hpp"

#include <fovea/fovea.hpp>
#include <fovea/runtime/backend_of.hpp>
#include <fovea/weights/converted.hpp>
#include <fovea/weights/save_packed.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace fovea;
using namespace fovea::core;

namespace {

inline constexpr dim B{"B"}, T{"T"};
constexpr int width = 2048;

constexpr void layers(graph& g) {
  expr x = g.input<f32>("x", {B, width});
  for (const char* name : {"a", "b", "c"}) x = relu(linear(x, name, width));
  g.output("y", x);
}
constexpr double weight_bytes = 3.0 * width * width * sizeof(float);

constexpr auto wide = model("wide", [](graph& g) { layers(g); });
/// The same of a checkpoint whose matrices lie the other way round.
constexpr name_rule turned_names[] = {{"*.weight", "*.weight", naming::transposed}};
constexpr auto turned = model(
    "turned", [](graph& g) { layers(g); }, turned_names);

/// Keys and values of 32 MiB.
constexpr auto attentive = model("attentive", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 256});
  g.output("y", attention(x, x + 1, x + 2, {.mask = causal}));
});
constexpr std::int64_t most_positions = 16384;
constexpr double kept_bytes = 2.0 * 256 * most_positions * sizeof(float);

struct resident_bytes {
  double own = 0, of_files = 0;
};

/// What the system counts; nothing where it has no such file.
std::optional<resident_bytes> resident() {
  std::ifstream status("/proc/self/status");
  std::map<std::string, double> found;
  for (std::string name, rest; status >> name && std::getline(status, rest);)
    if (name == "RssAnon:" || name == "RssFile:") found[name] = 1024 * std::stod(rest);
  if (found.size() != 2) return std::nullopt;
  return resident_bytes{found["RssAnon:"], found["RssFile:"]};
}

/// Why memory cannot be counted here; empty where it can.
std::string no_count() {
  if (!resident()) return "this system does not say what memory a program has in /proc/self/status";
  const double before = resident()->own;
  {
    packed touched(std::size_t{16} << 20);
    std::fill_n(touched.data(), touched.size(), 1.0f);
  }
  const bool is_given_back = resident()->own < before + 16e6;
  return is_given_back ? "" : "memory that is freed stays with this program";
}

/// A checkpoint of `wide`, and what the numbers in it take.
void save_checkpoint(const std::filesystem::path& path, element_type type) {
  std::vector<float> values(static_cast<std::size_t>(width) * width);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i * 2654435761u % 1024) / 32768 - 0.015625f;
  const std::vector<float> zeros(width);
  const stored_tensor whole{element_type::f32, {width, width}, std::as_bytes(std::span(values))};
  const std::vector<std::byte> bytes = converted(whole, type);
  std::map<std::string, stored_tensor> tensors;
  for (const std::string name : {"a", "b", "c"}) {
    tensors[name + ".weight"] = {type, {width, width}, bytes};
    tensors[name + ".bias"] = {element_type::f32, {width}, std::as_bytes(std::span(zeros))};
  }
  save_safetensors(path, tensors);
}

/// What loading a model from a file, and calling it, adds.
template <class M>
resident_bytes taken_by(const M& of, const std::filesystem::path& path) {
  const resident_bytes before = *resident();
  const model_weights weights = load_weights(path);
  auto net = compile(of, weights, {.capacity = {{B, 1}}, .threads = 1});
  const xt::xtensor<float, 2> x = xt::ones<float>({1, width});
  net("x"_in = x);
  const resident_bytes after = *resident();
  return {after.own - before.own, after.of_files - before.of_files};
}

} // namespace

TEST_CASE("a checkpoint's weights are in memory once, and packed ones where their file has them",
          "[memory]") {
  if (const std::string reason = no_count(); !reason.empty()) {
    WARN("not counted: " << reason);
    return;
  }
  const temporary_folder folder;
  const std::filesystem::path file = folder / "wide.safetensors", packed_file = folder / "wide.gguf";
  const auto type = GENERATE(element_type::f32, element_type::f16);
  CAPTURE(element_name(type), instruction_set());
  save_checkpoint(file, type);

  const resident_bytes as_it_is = taken_by(wide, file);
  CHECK(as_it_is.own < 1.2 * weight_bytes);
  CHECK(as_it_is.of_files < 0.2 * weight_bytes);

  const resident_bytes other_way_round = taken_by(turned, file);
  CHECK(other_way_round.own < 1.2 * weight_bytes);
  CHECK(other_way_round.of_files < 0.2 * weight_bytes);

  save_packed(packed_file, decltype(wide)::view, load_weights(file), wide.names, weight_format::f32,
              {instruction_set(), panel_of(instruction_set())});
  const resident_bytes packed = taken_by(wide, packed_file);
  CHECK(packed.own < 0.1 * weight_bytes);
  CHECK(packed.of_files < 1.2 * weight_bytes);
}

TEST_CASE("keys and values that a stream has no positions for yet take no memory", "[memory]") {
  if (const std::string reason = no_count(); !reason.empty()) {
    WARN("not counted: " << reason);
    return;
  }
  const double before = resident()->own;
  auto live = stream<T>(attentive, model_weights::from({}),
                        {.capacity = {{B, 1}, {T, most_positions}}, .threads = 1});
  const xt::xtensor<float, 3> x = xt::ones<float>({1, 1, 256});
  for (int sequence = 0; sequence < 2; ++sequence) {
    live.begin();
    live.step("x"_in = x);
  }
  CHECK(resident()->own - before < 0.5 * kept_bytes);
}
