#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fovea/backends/xtensor.hpp>
#include <fovea/dsl/passes/gradient_name.hpp>
#include <fovea/runtime/calls/inputs.hpp>
#include <fovea/runtime/calls/keys.hpp>
#include <fovea/runtime/calls/lookup.hpp>
#include <fovea/runtime/error.hpp>
#include <fovea/runtime/weights/weights.hpp>

namespace fovea::detail {

/// The output of a model that is its input NAME of the next call, "new.NAME"; -1: there is none.
template <class M>
constexpr int carried_output_of(std::size_t input) {
  const gradient_name name("new.", M::view.inputs[input].name);
  for (std::size_t i = 0; i < M::view.outputs.size(); ++i)
    if (same_text(M::view.outputs[i].name, name.text)) return static_cast<int>(i);
  return -1;
}

/// The sentence where what is carried does not fit; empty if all is well.
template <class M>
struct checked_carried {
  static constexpr sentence check() {
    sentence s;
    for (std::size_t i = 0; i < M::view.inputs.size() && s.empty(); ++i) {
      const int output = carried_output_of<M>(i);
      if (output < 0) continue;
      const named_value &to = M::view.inputs[i], &from = M::view.outputs[static_cast<std::size_t>(output)];
      const node &in = M::view.at(to.node), &out = M::view.at(from.node);
      if (in.type == element::f32 && out.type == element::f32 && in.shape == out.shape) continue;
      s << "train: the output \"" << from.name << "\" ";
      M::view.write_shape(s << name_of(out.type) << ' ', out.shape);
      s << " is carried on into the input \"" << to.name << "\" ";
      M::view.write_shape(s << name_of(in.type) << ' ', in.shape);
      s << "; expected both to be float32 and of one shape";
    }
    return s;
  }
  static constexpr sentence error = check();
};

/// What is carried from call to call: of each input NAME for which the model has an output "new.NAME", what
/// that output was, and zeros in the first call.
template <class M>
class carried_state {
public:
  static constexpr std::size_t count = [] {
    std::size_t n = 0;
    for (std::size_t i = 0; i < M::view.inputs.size(); ++i) n += carried_output_of<M>(i) >= 0;
    return n;
  }();

  /// The next call is a first one.
  void begin() {
    for (auto& one : carried_) one = {};
  }

  /// call(given..., what is carried and not given).
  template <class F, fixed_name... names, class... tensors>
  auto with(F call, const binding<names, tensors>&... given) {
    constexpr auto missing = [] {
      std::array<std::size_t, count + 1> found{};
      std::size_t& n = found[count];
      for (std::size_t k = 0; k < count; ++k)
        if (((find_input<M, names>() != static_cast<int>(inputs[k])) && ...)) found[n++] = k;
      return found;
    }();
    return [&]<std::size_t... n>(std::index_sequence<n...>) {
      return call(given..., held<missing[n]>(given...)...);
    }
    (std::make_index_sequence<missing[count]>{});
  }

  /// Takes what a call that is over has left for the next one. The outputs of `engine`, in the model's order.
  template <class engine>
  void take(const engine& from, std::span<const std::int64_t> sizes) {
    for (std::size_t k = 0; k < count; ++k) {
      const auto output = static_cast<std::size_t>(carried_output_of<M>(inputs[k]));
      const shape& s = M::view.at(M::view.outputs[output].node).shape;
      weight_tensor& to = carried_[k];
      to.shape.assign(s.rank, 0);
      std::size_t size = 1;
      for (int axis = 0; axis < s.rank; ++axis)
        size *= to.shape[static_cast<std::size_t>(axis)] = static_cast<std::size_t>(sizes[s[axis]]);
      const auto* values = static_cast<const float*>(from.output(output));
      to.values.assign(values, values + size);
    }
  }

  /// By the names of the inputs; what has no values is not there.
  std::map<std::string, weight_tensor> kept() const {
    std::map<std::string, weight_tensor> all;
    for (std::size_t k = 0; k < count; ++k)
      if (!carried_[k].values.empty()) all[M::view.inputs[inputs[k]].name] = carried_[k];
    return all;
  }
  /// Throws fovea::error that names the file where what was kept is not of this model.
  void restore(const std::map<std::string, weight_tensor>& kept, const std::filesystem::path& file) {
    std::array<weight_tensor, count> restored{};
    std::size_t known = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const auto found = kept.find(M::view.inputs[inputs[k]].name);
      if (found == kept.end()) continue;
      ++known;
      restored[k] = found->second;
      if (const auto rank = M::view.at(M::view.inputs[inputs[k]].node).shape.rank;
          restored[k].shape.size() != rank)
        throw error(file.string() + ": expected the tensor carried." + found->first + " to have " +
                    std::to_string(rank) + " axes, found " + std::to_string(restored[k].shape.size()));
    }
    if (known != kept.size())
      throw error(file.string() + ": there are tensors carried that this model does not carry");
    carried_ = std::move(restored);
  }

private:
  static constexpr auto inputs = [] {
    std::array<std::size_t, count> found{};
    std::size_t n = 0;
    for (std::size_t i = 0; i < M::view.inputs.size(); ++i)
      if (carried_output_of<M>(i) >= 0) found[n++] = i;
    return found;
  }();
  template <std::size_t k>
  static constexpr const shape& shape_of = M::view.at(M::view.inputs[inputs[k]].node).shape;

  template <std::size_t k>
  static consteval auto name_of_input() {
    constexpr const char* name = M::view.inputs[inputs[k]].name;
    constexpr std::size_t length = std::char_traits<char>::length(name);
    char text[length + 1] = {};
    for (std::size_t i = 0; i < length; ++i) text[i] = name[i];
    return fixed_name<length + 1>(text);
  }

  /// The size that a dim has in what is given, or 1 where nothing that is given has it.
  template <fixed_name... names, class... tensors>
  static std::size_t size_of(int d, const binding<names, tensors>&... given) {
    if (M::view.is_number(d)) return static_cast<std::size_t>(M::view.number(d));
    std::size_t size = 1;
    [[maybe_unused]] const auto look = [&](int input, const auto& value) {
      if constexpr (tensor_like<std::decay_t<decltype(value)>>) {
        if (input < 0) return;
        const shape& s = M::view.at(M::view.inputs[static_cast<std::size_t>(input)].node).shape;
        for (std::size_t axis = 0; axis < s.rank && axis < value.dimension(); ++axis)
          if (s.dims[axis] == d) size = static_cast<std::size_t>(value.shape()[axis]);
      }
    };
    (look(find_input<M, names>(), given.value), ...);
    return size;
  }

  template <std::size_t k, fixed_name... names, class... tensors>
  auto held(const binding<names, tensors>&... given) {
    constexpr const shape& s = shape_of<k>;
    weight_tensor& one = carried_[k];
    if (one.values.empty()) {
      std::size_t size = 1;
      one.shape.assign(s.rank, 0);
      for (int axis = 0; axis < s.rank; ++axis)
        size *= one.shape[static_cast<std::size_t>(axis)] = size_of(s[axis], given...);
      one.values.assign(size, 0);
    }
    std::array<std::size_t, s.rank> dims{};
    std::copy(one.shape.begin(), one.shape.end(), dims.begin());
    return input_key<name_of_input<k>()>{} =
               xt::adapt(std::as_const(one.values).data(), one.values.size(), xt::no_ownership(), dims);
  }

  std::array<weight_tensor, count> carried_{}; // without values: before the first call
};

} // namespace fovea::detail
