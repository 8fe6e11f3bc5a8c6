#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <fovea/backends/tensor_view.hpp>
#include <fovea/runtime/calls/keys.hpp>
#include <fovea/runtime/calls/lookup.hpp>
#include <fovea/runtime/calls/refused.hpp>
#include <fovea/runtime/calls/sizes.hpp>

namespace fovea::core {

namespace detail {

/// An xtensor view of output i of a model, where a call of these sizes left it.
template <class model, std::size_t i>
auto output_view(const void* data, const call_sizes& sizes) {
  constexpr node n = model::view.at(model::view.outputs[i].node);
  using value = std::conditional_t<n.type == element::f32, float, std::int32_t>;
  std::array<std::size_t, n.shape.rank> shape{};
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    shape[axis] = static_cast<std::size_t>(sizes.sizes()[n.shape.dims[axis]]);
  return tensor_view<value, n.shape.rank>(static_cast<const value*>(data), shape);
}

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
      (std::get<i>(views_).emplace(output_view<model, i>(from.output(i), sizes)), ...);
    }
    (std::make_index_sequence<count>{});
  }
  template <std::size_t i>
  const auto& get() const {
    return *std::get<i>(views_);
  }

private:
  template <std::size_t... i>
  static auto none(std::index_sequence<i...>) -> std::tuple<
      std::optional<decltype(output_view<model, i>(nullptr, std::declval<const call_sizes&>()))>...>;

  decltype(none(std::make_index_sequence<count>{})) views_;
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
