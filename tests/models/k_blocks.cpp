// Files that mix Q4_K, Q6_K and float32, as Q4_K_M does: each tensor stays in its own bytes.

#include "../compare_backends.hpp"
#include "../gguf_blocks.hpp"
#include "../training/loss_case.hpp"
#include "../weights/temporary_folder.hpp"

#include <fovea/backends/simd/isa/sets_here.hpp>
#include <fovea/weights/save_packed.hpp>
#include <fovea/weights/save_weights.hpp>
#include <fovea/weights/to_floats.hpp>

#include <cmath>
#include <random>
#include <string>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr name_rule mixed_names[] = {{"maps.*.q.weight", "blk.*.q", naming::rotary_halves(32)},
                                     {"maps.*.k.weight", "blk.*.k", naming::rows(0, 128)},
                                     {"maps.*.v.weight", "blk.*.v"},
                                     {"maps.*.down.weight", "blk.*.down"}};

/// Three maps of one value, a map per layer whose type differs, and a table that a product shares.
constexpr auto mixed = model(
    "mixed",
    [](graph& g) {
      expr ids = g.input<i32>("ids", {B, T});
      expr words = parameter(ids, "words", {300, 256});
      const expr x = repeat("maps", 2, gather(words, ids), [](expr y) {
        const expr q = linear(y, "q", 128, {.bias = false}), k = linear(y, "k", 128, {.bias = false}),
                   v = linear(y, "v", 128, {.bias = false});
        return y + tanh(linear(concat(axis(-1), q * k, v), "down", 256, {.bias = false}));
      });
      g.output("y", matmul(rms_norm(x, "norm"), transpose(words)));
    },
    mixed_names);

struct placed_tensor {
  const char* name;
  std::vector<std::uint64_t> shape;
  element_type type;
};
const std::vector<placed_tensor> of_file{
    {"words", {300, 256}, element_type::q6_k},     {"blk.0.q", {128, 256}, element_type::q4_k},
    {"blk.1.q", {128, 256}, element_type::q6_k},   {"blk.0.k", {160, 256}, element_type::q4_k},
    {"blk.1.k", {160, 256}, element_type::q4_k},   {"blk.0.v", {128, 256}, element_type::q6_k},
    {"blk.1.v", {128, 256}, element_type::q4_k},   {"blk.0.down", {256, 256}, element_type::q6_k},
    {"blk.1.down", {256, 256}, element_type::f32},
};

/// Such a file, and its values as float32.
struct mixed_file {
  temporary_folder folder;
  model_weights stored, values;

  mixed_file() : stored(written()), values(decoded(stored)) {}

private:
  model_weights written() {
    std::mt19937 random(4);
    std::normal_distribution<float> normal(0, 0.1f);
    gguf_writer file;
    for (const placed_tensor& one : of_file) {
      const auto count = static_cast<std::size_t>(one.shape[0] * one.shape[1]);
      if (one.type == element_type::f32) {
        std::vector<float> floats(count);
        for (float& x : floats) x = normal(random);
        file.add_tensor(one.name, ggml_number(one.type), one.shape, bytes_of(floats));
        continue;
      }
      const auto of = std::ranges::find(blocks_of_others, one.type, &block_type::type);
      file.add_tensor(one.name, ggml_number(one.type), one.shape,
                      random_blocks(*of, count / 256, random, to_half(3e-5f), to_half(1e-4f)));
    }
    file.add_tensor("norm.weight", ggml_number(element_type::f32), {256},
                    bytes_of(std::vector<float>(256, 1.f)));
    return load_weights(folder.write("mixed.gguf", file.file()));
  }
  static model_weights decoded(const model_weights& from) {
    std::map<std::string, weight_tensor> made;
    for (const auto& [name, tensor] : from.tensors()) {
      weight_tensor floats{tensor.shape, std::vector<float>(count_of(tensor))};
      to_floats(tensor.type, tensor.bytes, floats.values.data());
      made.emplace(name, std::move(floats));
    }
    return model_weights::from(std::move(made));
  }
};

named_values some_ids() { return random_inputs(mixed, {{"B", 2}, {"T", 5}}); }

template <class format>
std::vector<double> outputs(const model_weights& from, int threads = 1) {
  return run_model<format>(mixed, from, some_ids(), threads).at("y").values;
}

double difference(const std::vector<double>& x, const std::vector<double>& y) {
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < y.size(); ++i) apart += (x[i] - y[i]) * (x[i] - y[i]), size += y[i] * y[i];
  return std::sqrt(apart / size);
}

} // namespace

TEST_CASE("a file of Q4_K and Q6_K gives in either format what its values give", "[formats]") {
  const mixed_file file;
  // What is float32 in the file is rounded to the format that was asked for.
  const auto check = [&]<class format>(format) {
    INFO(name_of(format_named<format>));
    const auto expected = outputs<f32>(rounded_weights<format>(mixed, file.stored));
    CHECK(outputs<format>(file.stored) == expected);
    CHECK(outputs<format>(file.stored, 3) == expected);
    CHECK(difference(expected, outputs<f32>(file.values)) < 0.02);
  };
  check(q4_k{}), check(q6_k{});
  CHECK(outputs<f32>(file.stored) == outputs<f32>(file.values));
  const auto in_q8 = outputs<q8_0>(file.stored);
  CHECK(in_q8 == outputs<q8_0>(file.values));
}

TEST_CASE("products of integers take a file of Q4_K and Q6_K", "[formats]") {
  const mixed_file file;
  const auto check = [&]<class format, class decoded>(format, decoded) {
    INFO(name_of(format_named<format>));
    const auto found = outputs<format>(file.stored), near = outputs<decoded>(file.stored);
    CHECK(outputs<format>(file.stored, 3) == found);
    CHECK(found != near);
    CHECK(difference(found, near) < 0.02);
  };
  check(integer_products<q4_k>{}, q4_k{}), check(integer_products<q6_k>{}, q6_k{});
}

TEST_CASE("what a model keeps of a file of K blocks is saved as it was", "[formats]") {
  const mixed_file file;
  const auto saved = file.folder / "saved.gguf";
  save_weights<q4_k>(saved, mixed, file.stored);
  const model_weights again = load_weights(saved);
  const auto type_of = [&](const char* name) { return again.tensors().at(name).type; };
  CHECK(type_of("words") == element_type::q6_k);
  CHECK(type_of("maps.0.q.weight") == element_type::q4_k);
  CHECK(type_of("maps.1.q.weight") == element_type::q6_k);
  CHECK(type_of("maps.1.down.weight") == element_type::q4_k);
  CHECK(outputs<q4_k>(again) == outputs<q4_k>(file.stored));

  for (const simd::set_sizes& set : simd::sets_here()) {
    const auto in_panels = file.folder / "packed.gguf";
    save_packed(in_panels, decltype(mixed)::view, file.stored, mixed.names, format_named<q4_k>,
                {set.name, set.panel});
    CAPTURE(set.name);
    const model_weights packed = load_weights(in_panels);
    CHECK(outputs<q4_k>(packed) == outputs<q4_k>(file.stored));
    CHECK(outputs<f32>(packed) == outputs<f32>(rounded_weights<q4_k>(mixed, file.stored)));
    for (const std::size_t panel : {8u, 16u, 32u}) { // packed again, of panels of another set
      save_packed(file.folder / "again.gguf", decltype(mixed)::view, packed, mixed.names, format_named<q4_k>,
                  {"another", panel});
      CHECK(outputs<q4_k>(load_weights(file.folder / "again.gguf")) == outputs<q4_k>(file.stored));
    }
  }
}

TEST_CASE("a scale that is not finite is refused by the tensor's name", "[formats]") {
  for (const placed_tensor& one : of_file) {
    if (one.type == element_type::f32) continue;
    const auto of = std::ranges::find(blocks_of_others, one.type, &block_type::type);
    for (const std::size_t half : of->halves) {
      mixed_file file;
      auto tensors = file.stored.tensors();
      std::string bytes(reinterpret_cast<const char*>(tensors.at(one.name).bytes.data()),
                        tensors.at(one.name).bytes.size());
      set_half(bytes, 3 * block_bytes(one.type) + half, 0x7c00);
      gguf_writer changed;
      for (const auto& [name, tensor] : tensors) {
        const std::vector<std::uint64_t> shape(tensor.shape.begin(), tensor.shape.end());
        changed.add_tensor(name, ggml_number(tensor.type), shape,
                           name == one.name ? bytes
                                            : std::string(reinterpret_cast<const char*>(tensor.bytes.data()),
                                                          tensor.bytes.size()));
      }
      const model_weights bad = load_weights(file.folder.write("bad.gguf", changed.file()));
      CHECK_THAT(
          message_of<error>([&] { outputs<q4_k>(bad); }),
          Catch::Matchers::Contains(std::string("tensor '") + one.name + "': expected finite values; found"));
    }
  }
}
