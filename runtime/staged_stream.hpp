#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <fovea/backends/tensor_view.hpp>
#include <fovea/backends/xtensor.hpp>
#include <fovea/dsl/passes/shard.hpp>
#include <fovea/runtime/passed_value.hpp>
#include <fovea/runtime/stream.hpp>
#include <fovea/runtime/training/rank_group.hpp>

namespace fovea::core {

namespace detail {

/// The name of input or output i of a graph, as a key has it.
template <class graph, bool input, std::size_t i>
inline constexpr auto key_name = []() consteval {
  constexpr const char* text = (input ? graph::view.inputs : graph::view.outputs)[i].name;
  constexpr std::size_t length = std::string_view(text).size();
  char copied[length + 1] = {};
  for (std::size_t k = 0; k < length; ++k) copied[k] = text[k];
  return fixed_name<length + 1>(copied);
}
();

/// Which of the values that stages send each other has that name; -1: none.
consteval int number_of_passed(const char* name) {
  for (int i = 0; i < stage_traffic::most; ++i)
    if (same_text(stage_traffic::names[i], name)) return i;
  return -1;
}

/// A value of a model's boundary as an xtensor view of where it was kept.
template <class graph, int id>
auto view_of(const passed_value& kept) {
  constexpr node n = graph::view.at(id);
  using value = std::conditional_t<n.type == element::f32, float, std::int32_t>;
  std::array<std::size_t, n.shape.rank> shape{};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) shape[axis] = kept.shape[axis];
  return tensor_view<value, n.shape.rank>(reinterpret_cast<const value*>(kept.bytes.data()), shape);
}

/// One stage of a model as a stream, on the rank that has it.
template <class stage, dim time, class format>
class stage_of_stream {
  using step_model = step_of<typename stage::source, time>;
  using begin_model = begin_of<typename stage::source, time>;
  using stream_type = std::remove_cvref_t<decltype(stream<time, format>(
      std::declval<const stage&>(), std::declval<const model_weights&>(), std::declval<const compile_options&>()))>;
  static_assert(stream_type::latency == 0, "stream_stages: a stage looks at later positions, which the next stage would "
                                           "take for earlier ones; give the model causal masks and windows [F0346]");

public:
  stage_of_stream(const stage& model, const model_weights& weights, const compile_options& options)
      : stream_(stream<time, format>(model, weights, own(options))) {}

  stream_type& operator*() { return stream_; }
  const stream_type& operator*() const { return stream_; }

  template <class... bindings>
  void begin(const bindings&... given) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      static_assert(((number_of_passed(begin_model::view.inputs[i].name) < 0) && ...),
                    "stream_stages: a stage needs what an earlier one computes before the first position; stages of a "
                    "stream pass what moves along its dim alone [F0347]");
      stream_.begin((input_key<key_name<begin_model, true, i>>{} = found<key_name<begin_model, true, i>>(given...))...);
    }
    (std::make_index_sequence<begin_model::view.inputs.size()>{});
  }

  /// Takes what was given and what earlier stages passed, and adds what it passes or gives.
  template <class... bindings>
  void step(passed_values& values, const bindings&... given) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      const auto out =
          stream_.step((input_key<key_name<step_model, true, i>>{} = argument<i>(values, given...))...);
      keep(values, out, std::make_index_sequence<step_model::view.outputs.size()>{});
    }
    (std::make_index_sequence<step_model::view.inputs.size()>{});
  }

private:
  /// Without the dims that are other stages'.
  static compile_options own(compile_options options) {
    std::erase_if(options.capacity, [](const dim_size& d) {
      for (const dim& form : stage::view.forms)
        if (form == d.symbol) return false;
      return true;
    });
    return options;
  }
  /// What a call gives for an input.
  template <fixed_name name, fixed_name first, class E, class... rest>
  static const auto& found(const binding<first, E>& one, const rest&... others) {
    if constexpr (std::string_view(name.text) == std::string_view(first.text))
      return one.value;
    else
      return found<name>(others...);
  }
  template <std::size_t i, class... bindings>
  static decltype(auto) argument(const passed_values& values, const bindings&... given) {
    constexpr int number = number_of_passed(step_model::view.inputs[i].name);
    if constexpr (number >= 0)
      return view_of<step_model, step_model::view.inputs[i].node>(values.passed[number]);
    else
      return found<key_name<step_model, true, i>>(given...);
  }
  template <class outputs, std::size_t... i>
  static void keep(passed_values& values, const outputs& out, std::index_sequence<i...>) {
    const auto one = [](passed_value& to, const auto& from) {
      to.set(std::as_bytes(std::span(from.data(), from.size())), from.shape());
    };
    (one(values.named(step_model::view.outputs[i].name, number_of_passed(step_model::view.outputs[i].name)),
         out[output_key<key_name<step_model, false, i>>{}]),
     ...);
  }

  stream_type stream_;
};

} // namespace detail

/// What a step of a staged stream gave, by name; valid until the next step.
template <class M>
class staged_outputs {
public:
  explicit staged_outputs(const detail::passed_values& values) : values_(&values) {}

  template <fixed_name name>
  requires detail::holds<detail::checked_output<M, name>>
  auto operator[](output_key<name>) const {
    constexpr auto i = static_cast<std::size_t>(detail::find_output<M, name>());
    return detail::view_of<M, M::view.outputs[i].node>(values_->given.at(name.text));
  }

private:
  const detail::passed_values* values_;
};
