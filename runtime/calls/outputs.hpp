#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <fovea/backends/tensor_view.hpp>
#include <fovea/base/numbered_bases.hpp>
#include <fovea/runtime/calls/keys.hpp>
#include <fovea/runtime/calls/lookup.hpp>
#include <fovea/runtime/calls/refused.hpp>
#include <fovea/runtime/calls/sizes.hpp>

namespace fovea::core {

namespace detail {

template <element type>
using output_value = std::conditional_t<type == element::f32, float, std::int32_t>;

/// An xtensor view of what a call of these sizes left, values of that type and shape.
template <element type, std::size_t rank>
tensor_view<output_value<type>, rank> output_view(const void* data, const shape& of,
                                                  const call_sizes& sizes) {
  std::array<std::size_t, rank> now{};
  for (std::size_t axis = 0; axis < rank; ++axis)
    now[axis] = static_cast<std::size_t>(sizes.sizes()[of.dims[axis]]);
  return {static_cast<const output_value<type>*>(data), now};
}

/// The same, kept.
template <element type, std::size_t rank>
class kept_view {
public:
  void set(const void* data, const shape& of, const call_sizes& sizes) {
    view_.emplace(output_view<type, rank>(data, of, sizes));
  }
  const auto& get() const { return *view_; }

private:
  std::optional<tensor_view<output_value<type>, rank>> view_;
};

/// xtensor views of a model's outputs, where the last call left them. They are kept from call to call: making
/// one takes longer than a sample of a small stream.
template <class model>
class output_views {
  static constexpr std::size_t count = model::view.outputs.size();

public:
  output_views() = default;
  /// Views are of one object's memory: a copy starts without.
  output_views(const output_views&) {}
  output_views(output_views&&) = default;
  output_views& operator=(const output_views&) = delete;

  /// After a call of an engine with these sizes.
  template <class engine>
  void set(const engine& from, const call_sizes& sizes) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (static_cast<view<i>&>(views_).set(from.output(i), node_of<i>.shape, sizes), ...);
    }
    (std::make_index_sequence<count>{});
  }
  template <std::size_t i>
  const auto& get() const {
    return static_cast<const view<i>&>(views_).get();
  }

private:
  template <std::size_t i>
  static constexpr const node& node_of = model::view.at(model::view.outputs[i].node);
  template <std::size_t i>
  struct view : kept_view<node_of<i>.type, node_of<i>.shape.rank> {};

  numbered_bases<view, count> views_;
};

/// The names that are none of a model's outputs, in a base as those of `refused_calls`.
template <class model>
struct refused_outputs {
  template <fixed_name name, class why = refusal<checked_output<model, name>>>
  __attribute__((unavailable("the model has no such output"))) xt::xarray<float>
  operator[](output_key<name>) const {
    return {};
  }
  __attribute__((unavailable("an output is named as in out[\"logits\"_out] [F0326]"))) xt::xarray<float>
  operator[](const char*) const {
    return {};
  }
};

} // namespace detail

/// The outputs of a call, by name: out["logits"_out] is an xtensor view, valid until the next call on the
/// same object.
template <class model>
class call_outputs : detail::refused_outputs<model> {
public:
  explicit call_outputs(const detail::output_views<model>& views) : views_(&views) {}

  template <fixed_name name>
  requires detail::holds<detail::checked_output<model, name>>
  const auto& operator[](output_key<name>) const {
    return views_->template get<static_cast<std::size_t>(detail::find_output<model, name>())>();
  }
  using detail::refused_outputs<model>::operator[];

private:
  const detail::output_views<model>* views_;
};

} // namespace fovea::core
