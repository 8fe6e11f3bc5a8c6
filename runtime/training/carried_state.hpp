#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fovea/backends/xtensor.hpp>
#include <fovea/base/error.hpp>
#include <fovea/base/file_path.hpp>
#include <fovea/dsl/passes/gradient_name.hpp>
#include <fovea/runtime/calls/inputs.hpp>
#include <fovea/runtime/calls/keys.hpp>
#include <fovea/runtime/calls/lookup.hpp>
#include <fovea/runtime/calls/outputs.hpp>
#include <fovea/runtime/ranks/rank_group.hpp>
#include <fovea/runtime/training/rows_of_ranks.hpp>
#include <fovea/weights/stored_tensor.hpp>
#include <fovea/weights/weights.hpp>

namespace fovea::core::detail {

/// The output of a model that is its input NAME of the next call, "new.NAME"; -1: there is none.
template <class M>
constexpr int carried_output_of(std::size_t input) {
  const gradient_name name("new.", M::view.inputs[input].name);
  for (std::size_t i = 0; i < M::view.outputs.size(); ++i)
    if (same_text(M::view.outputs[i].name, name.text)) return static_cast<int>(i);
  return -1;
}

/// The model for `checked_call`: what is carried on need not be given.
template <class M>
struct carrying {
  static constexpr const auto& view = M::view;
  static constexpr bool holds(std::size_t input) { return carried_output_of<M>(input) >= 0; }
};

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
      s << "; expected both to be float32 and of one shape" << sentence_id{316};
    }
    for (std::size_t o = 0; o < M::view.outputs.size() && s.empty(); ++o) {
      const std::string_view name = M::view.outputs[o].name;
      bool taken = !name.starts_with("new.");
      for (std::size_t i = 0; i < M::view.inputs.size(); ++i)
        taken |= carried_output_of<M>(i) == static_cast<int>(o);
      if (taken) continue;
      s << "train: the output \"" << name.data() << "\" is carried on into an input \"" << name.data() + 4;
      list(s << "\", and there is none; the inputs are ", M::view.inputs);
      s << sentence_id{317};
    }
    return s;
  }
  static constexpr sentence error = check();
};

/// The dim that counts the rows of a batch: the first axis of the first input that has one. -1: none has.
template <class M>
constexpr int rows_of_batch() {
  for (const named_value& input : M::view.inputs)
    if (const shape& s = M::view.at(input.node).shape; s.rank > 0) return s[0];
  return -1;
}

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

  /// Errors name the model, and how its next call is made a first one.
  carried_state(const char* model_name, const char* how_to_begin)
      : model_name_(model_name), how_to_begin_(how_to_begin) {}

  /// The next call is a first one.
  void begin() {
    for (auto& one : carried_) one = {};
  }

  /// call(given..., what is carried and not given). Throws fovea::error where what is given has other sizes
  /// than the call before.
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

  /// Takes what a call that is over has left for the next one.
  template <class engine>
  void take(const engine& from, const call_sizes& sizes) {
    [&]<std::size_t... k>(std::index_sequence<k...>) { (take_one<k>(from, sizes), ...); }
    (std::make_index_sequence<count>{});
  }

  /// By the names of the inputs, the rows of all ranks, which call this together; what has no values is not
  /// there. Throws fovea::error that names the file where ranks have states that are no rows.
  std::map<std::string, weight_tensor> kept(const file_path& file, const rank_group& group) const {
    std::map<std::string, weight_tensor> all;
    for (std::size_t k = 0; k < count; ++k) {
      if (carried_[k].values.empty()) continue;
      const std::string name = M::view.inputs[inputs[k]].name;
      if (row_axes[k] < 0 && group.size() > 1)
        throw error(file.string() + ": is not written, for each rank carries a \"" + name +
                    "\" of its own that has no rows of the batch; expected to save after begin()");
      all[name] = rows_of_all(carried_[k], row_axes[k], group);
    }
    return all;
  }
  /// Takes this rank's rows of what was kept. Throws fovea::error that names the file where that is not of this
  /// model, or does not divide among the ranks.
  void restore(const std::map<std::string, weight_tensor>& kept, const file_path& file,
               const rank_group& group) {
    std::array<weight_tensor, count> restored{};
    std::size_t known = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const auto found = kept.find(M::view.inputs[inputs[k]].name);
      if (found == kept.end()) continue;
      ++known;
      restored[k] = found->second;
      const shape& s = M::view.at(M::view.inputs[inputs[k]].node).shape;
      bool fits = restored[k].shape.size() == s.rank;
      for (std::size_t axis = 0; fits && axis < s.rank; ++axis)
        fits = M::view.is_number(s.dims[axis])
                   ? restored[k].shape[axis] == static_cast<std::size_t>(M::view.number(s.dims[axis]))
                   : restored[k].shape[axis] > 0;
      const auto refuse = [&](const std::string& expected) {
        throw error(file.string() + ": expected the tensor carried." + found->first + " to be " + expected +
                    ", found " + shape_text(restored[k].shape));
      };
      sentence expected;
      M::view.write_shape(expected, s);
      if (!fits) refuse(expected.text);
      if (!divides(restored[k], row_axes[k], group))
        refuse(std::string(expected.text) + " whose rows divide among " + std::to_string(group.size()) +
               " ranks");
      restored[k] = rows_of_rank(restored[k], row_axes[k], group);
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
  /// Of each the axis of the batch's rows; -1: it has none.
  static constexpr auto row_axes = [] {
    std::array<int, count> found{};
    for (std::size_t k = 0; k < count; ++k) {
      const shape& s = M::view.at(M::view.inputs[inputs[k]].node).shape;
      found[k] = -1;
      for (std::size_t axis = 0; axis < s.rank && found[k] < 0; ++axis)
        if (s.dims[axis] == rows_of_batch<M>()) found[k] = static_cast<int>(axis);
    }
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

  template <std::size_t k, class engine>
  void take_one(const engine& from, const call_sizes& sizes) {
    constexpr auto output = static_cast<std::size_t>(carried_output_of<M>(inputs[k]));
    constexpr const node& n = M::view.at(M::view.outputs[output].node);
    const auto values = output_view<n.type, n.shape.rank>(from.output(output), n.shape, sizes);
    carried_[k].shape.assign(values.shape().begin(), values.shape().end());
    carried_[k].values.assign(values.begin(), values.end());
  }

  /// The size that a dim has in what is given, or 0 where nothing that is given has it.
  template <fixed_name... names, class... tensors>
  static std::size_t size_of(int d, const binding<names, tensors>&... given) {
    if (M::view.is_number(d)) return static_cast<std::size_t>(M::view.number(d));
    std::size_t size = 0;
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
    const weight_tensor& before = carried_[k];
    const bool first = before.values.empty();
    std::array<std::size_t, s.rank> sizes{};
    std::size_t size = 1;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      const std::size_t now = size_of(s.dims[axis], given...);
      sizes[axis] = first ? std::max<std::size_t>(1, now) : before.shape[axis];
      if (now != 0 && now != sizes[axis]) refuse_sizes<k>(axis, sizes[axis], now);
      size *= sizes[axis];
    }
    if (first) zeros_[k].assign(size, 0);
    return input_key<name_of_input<k>()>{} =
               xt::adapt((first ? zeros_[k] : before.values).data(), size, xt::no_ownership(), sizes);
  }

  template <std::size_t k>
  [[noreturn]] void refuse_sizes(std::size_t axis, std::size_t before, std::size_t now) const {
    sentence what, size;
    M::view.write_shape(what << "input \"" << M::view.inputs[inputs[k]].name << "\" ", shape_of<k>);
    size << M::view.dim_of(shape_of<k>.dims[axis]);
    throw error(std::string(model_name_) + ": " + what.text + ": it is carried on from a call with " +
                size.text + " = " + std::to_string(before) + ", and this one has " + size.text + " = " +
                std::to_string(now) + "; " + how_to_begin_ + " starts anew");
  }

  const char *model_name_, *how_to_begin_;
  std::array<weight_tensor, count> carried_{};    // without values: before the first call
  std::array<std::vector<float>, count> zeros_{}; // which it takes
};

} // namespace fovea::core::detail
