#pragma once

#include <cstddef>
#include <memory>
#include <tuple>

#include <fovea/backends/xtensor.hpp>
#include <fovea/dsl/ill_formed.hpp>

namespace fovea::core {

template <class T, std::size_t rank>
class tensor_view;

} // namespace fovea::core

// What xtensor asks of a container of someone else's.
namespace xt {

template <class T, std::size_t rank>
struct xcontainer_inner_types<fovea::core::tensor_view<T, rank>>
    : xcontainer_inner_types<xtensor_adaptor<xbuffer_adaptor<const T*, no_ownership, std::allocator<T>>, rank,
                                             layout_type::row_major>> {};

template <class T, std::size_t rank>
struct xiterable_inner_types<fovea::core::tensor_view<T, rank>>
    : xcontainer_iterable_types<fovea::core::tensor_view<T, rank>> {};

} // namespace xt

namespace fovea::core {

namespace detail {

/// A tensor must have as many axes as what is assigned to it: xtensor cuts the others off.
template <std::size_t found, std::size_t expected>
struct checked_rank {
  static constexpr sentence check() {
    constexpr auto axes = static_cast<int>(expected);
    sentence s;
    if (found < expected)
      s << "a value of " << axes << (axes == 1 ? " axis" : " axes") << " does not fit a tensor of "
        << static_cast<int>(found) << "; assign it to an xt::xtensor of " << axes << ", or to an xt::xarray"
        << sentence_id{319};
    return s;
  }
  static constexpr sentence error = check();
};

} // namespace detail

/// What a call returns and parameters are read through: a constant xtensor view of memory that someone else
/// owns, rows last. Assigned, by itself or within an expression, to a tensor of fewer axes it is a
/// compile-time error of one sentence.
template <class T, std::size_t rank>
class tensor_view : public xt::xexpression<tensor_view<T, rank>>,
                    public xt::xstrided_container<tensor_view<T, rank>> {
  using base = xt::xstrided_container<tensor_view>;

public:
  using shape_type = typename base::shape_type;

  tensor_view(const T* data, const shape_type& sizes) : memory_(data, xt::compute_size(sizes)) {
    this->shape_impl() = sizes;
    xt::compute_strides(sizes, xt::layout_type::row_major, this->strides_impl(), this->backstrides_impl());
  }

  /// Whether xtensor may assign this to memory of the given strides as it lies: it asks at each assignment,
  /// and a tensor's strides are an array of its rank.
  template <class strides>
  bool has_linear_assign(const strides& of_target) const noexcept {
    if constexpr (requires { std::tuple_size<strides>::value; }) {
      using checked = detail::checked_rank<std::tuple_size_v<strides>, rank>;
      if constexpr (!checked::error.empty()) static_cast<void>(sizeof(detail::report_of<checked>));
    }
    return base::has_linear_assign(of_target);
  }

private:
  using memory = typename base::storage_type;
  friend xt::xcontainer<tensor_view>;

  memory& storage_impl() noexcept { return memory_; }
  const memory& storage_impl() const noexcept { return memory_; }

  memory memory_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::tensor_view;
} // namespace fovea
