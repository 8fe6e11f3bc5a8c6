// A model that ranks compute together, against the whole.

#include "../compare_backends.hpp"
#include "../message_of.hpp"
#include "../weights/temporary_folder.hpp"

#include <fovea/dsl/passes/tensor_parallel.hpp>
#include <fovea/models/llama.hpp>
#include <fovea/runtime/ranks/thread_ranks.hpp>
#include <fovea/runtime/stream.hpp>
#include <fovea/weights/from_floats.hpp>
#include <fovea/weights/part_of_rank.hpp>
#include <fovea/weights/safetensors.hpp>
#include <fovea/weights/weights.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

/// Products of all kinds: with biases and scores, gated, of one number, and some that cannot be divided.
inline constexpr auto mixed = model("mixed", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  const expr y = repeat("h", 3, x, [](expr h) {
    const expr a = attention(linear(h, "q", 16), linear(h, "k", 8), linear(h, "v", 8),
                             {.heads = 4, .kv_heads = 2, .mask = causal});
    const expr b = h + linear(a, "proj", 8);
    const expr gate = linear(b, "gate", 12);
    return layer_norm(
        b + linear(silu(gate) * (linear(b, "up", 12, {.bias = false}) + 1), "down", 8, {.bias = false}),
        "norm");
  });
  g.output("y", y);
  g.output("z", linear(relu(linear(y, "last", 6)), "out", 4));
  g.output("twice", linear(y, "shared", 4));
});

inline constexpr models::llama_config tiny{
    .layers = 2, .heads = 4, .kv_heads = 2, .width = 16, .inner = 24, .vocab = 30};
inline constexpr const auto& llama = models::llama<tiny>;

/// The same in a file of float16, which is converted as it is read.
model_weights in_float16(const model_weights& of, const temporary_folder& folder) {
  std::map<std::string, std::vector<std::byte>> bytes;
  std::map<std::string, stored_tensor> stored;
  for (const auto& [name, tensor] : of.tensors()) {
    const std::size_t count = count_of(tensor);
    std::vector<std::byte>& halves = bytes[name];
    halves.resize(2 * count);
    from_floats(element_type::f16, {reinterpret_cast<const float*>(tensor.bytes.data()), count},
                halves.data());
    stored[name] = {element_type::f16, tensor.shape, halves};
  }
  save_safetensors(folder / "half.safetensors", stored);
  return load_weights(folder / "half.safetensors");
}

template <class backend>
void check_ranks(const model_weights& weights = random_weights(mixed)) {
  const named_values inputs = random_inputs(mixed, {{"B", 2}, {"T", 5}});
  const named_values whole = run_model<backend>(mixed, weights, inputs);
  run_ranks(2, [&](const rank_group& group) {
    constexpr auto part = tensor_parallel<2>(mixed);
    using part_type = std::remove_cvref_t<decltype(part)>;
    compile_options how = test::detail::fitting<part_type>(inputs);
    how.group = group;
    auto net = compile<backend>(part, weights, how);
    const named_values found = call_model(part, net, inputs);
    for (const auto& [name, value] : whole)
      if (distance_of(std::span<const double>(found.at(name).values), value, 2e-5, 2e-5).share > 1)
        throw error("rank " + std::to_string(group.rank()) + " has another " + name);
  });
}

} // namespace

TEST_CASE("ranks that have parts of heads and features come to what one comes to", "[tensor_parallel]") {
  check_ranks<reference>();
  check_ranks<f32>();
}

TEST_CASE("a rank's part of what is converted stays as long as the rank has it", "[tensor_parallel]") {
  const temporary_folder folder;
  check_ranks<f32>(in_float16(random_weights(mixed), folder));

  std::vector<std::vector<float>> kept;
  const auto holder = std::make_shared<const int>(0);
  const std::vector<float> values{0, 1, 2, 3, 4, 5};
  weight_view part{.data = values.data(), .size = 6, .holder = holder};
  part_of_rank(part, std::array<std::size_t, 2>{2, 3}, 0, 1, 2, kept);
  CHECK(part.data == values.data() + 3);
  CHECK(part.size == 3);
  CHECK(part.holder == holder);
}

TEST_CASE("ranks stream together, each with its heads' keys and values", "[tensor_parallel]") {
  // Of each layer q, k, v and proj, gate, up and down.
  constexpr auto part = tensor_parallel<2>(llama);
  static_assert(llama.parameters() - part.parameters() == 2 * (2 * 16 * 16 + 2 * 8 * 16 + 3 * 24 * 16) / 2);
  const model_weights weights = random_weights(llama);
  const xt::xtensor<int, 2> first = {{1, 2, 3}, {9, 8, 7}}, second = {{4}, {6}};
  const auto logits_of = [&](auto& live) {
    std::vector<float> all;
    for (const xt::xtensor<int, 2>& ids : {first, second}) {
      const auto& logits = live.step("tokens"_in = ids)["logits"_out];
      all.insert(all.end(), logits.begin(), logits.end());
    }
    return all;
  };
  compile_options how{.capacity = {{B, 2}, {T, 8}}, .threads = 1};
  auto whole = stream<T>(llama, weights, how);
  const std::vector<float> expected = logits_of(whole);
  std::vector<std::vector<float>> found(2);
  run_ranks(2, [&](const rank_group& group) {
    compile_options own = how;
    own.group = group;
    auto live = stream<T>(part, weights, own);
    if (2 * live.state_bytes() != whole.state_bytes()) throw error("expected half of the keys and values");
    auto copy = live;
    found[static_cast<std::size_t>(group.rank())] = logits_of(copy);
  });
  CHECK(found[1] == found[0]);
  REQUIRE(found[0].size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found[0][i] == Approx(expected[i]).margin(2e-5));
}

TEST_CASE("parts of weights are kept in a format", "[tensor_parallel]") {
  const model_weights weights = random_weights(mixed);
  const named_values inputs = random_inputs(mixed, {{"B", 2}, {"T", 5}});
  const named_values whole = run_model<f32>(mixed, weights, inputs);
  constexpr auto part = tensor_parallel<2>(mixed);
  run_ranks(2, [&](const rank_group& group) {
    auto net = compile<q8_0>(part, weights, {.capacity = {{B, 2}, {T, 5}}, .group = group});
    for (const auto& [name, value] : call_model(part, net, inputs))
      if (distance_of(std::span<const double>(value.values), whole.at(name), 0.05, 0.05).share > 1)
        throw error("rank " + std::to_string(group.rank()) + " has another " + name);
  });
}

TEST_CASE("a model of several ranks needs as many", "[tensor_parallel]") {
  const model_weights weights = random_weights(mixed);
  CHECK(message_of<error>([&] {
          compile(tensor_parallel<2>(mixed), weights, {.capacity = {{B, 1}, {T, 1}}});
        }) == "mixed: group: expected 2 ranks, which compute the model together, found 1");
}
