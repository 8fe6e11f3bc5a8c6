#include "fuzzed.hpp"

#include <fovea/dsl.hpp>
#include <fovea/runtime/training/train.hpp>

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace fovea::core::fuzz {
namespace {

constexpr dim B{"B"};

/// A layer twice, and a state that is carried from step to step.
constexpr auto recurrent = model("recurrent", [](graph& g) {
  expr h = tanh(linear(g.input<f32>("x", {B, 2}), "in", 3) + g.input<f32>("h", {B, 3}));
  h = repeat("h", 2, h, [](expr y) { return tanh(linear(y, "up", 3, {.bias = false})); });
  g.output("new.h", h);
  g.output("loss", mse(linear(h, "out", 1), g.input<f32>("y", {B, 1})));
});

/// To resume computes nothing.
struct no_backend {
  struct model_code {};
  template <class M>
  struct engine {
    engine(const model_parameters&, std::span<const std::int64_t>, int, model_code) {}
    void parameters_changed() {}
  };
};

using gradients_of_it = decltype(gradients<false, true>(recurrent));
using trainer_of_it = trainer<std::remove_const_t<decltype(recurrent)>, adam, gradients_of_it, no_backend>;

model_weights zeros() {
  std::map<std::string, weight_tensor> tensors;
  const auto add = [&](const char* name, std::vector<std::size_t> shape, std::size_t size) {
    tensors[name] = {std::move(shape), std::vector<float>(size)};
  };
  add("in.weight", {3, 2}, 6), add("in.bias", {3}, 3), add("out.weight", {1, 3}, 3), add("out.bias", {1}, 1);
  add("h.0.up.weight", {3, 3}, 9), add("h.1.up.weight", {3, 3}, 9);
  return model_weights::from(std::move(tensors));
}

struct learned {
  explicit learned(const trainer_of_it& fit) : step(fit.steps()) {
    const model_weights now = fit.weights();
    for (const auto& [name, tensor] : now.tensors())
      values.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  }
  bool operator==(const learned&) const = default;

  std::int64_t step;
  std::string values;
};

} // namespace

/// Training goes on from a checkpoint; where that is refused, it is where it was.
void run(std::string_view input) {
  static const input_file file("checkpoint.safetensors");
  static trainer_of_it fit(recurrent, {}, zeros(), {.capacity = {{B, 4}}, .threads = 1, .accumulate = 2}, {},
                           {});
  static learned before(fit);
  try {
    fit.resume(file.holding(input));
    before = learned(fit);
  } catch (const error&) {
    require(learned(fit) == before);
  }
}

} // namespace fovea::core::fuzz
