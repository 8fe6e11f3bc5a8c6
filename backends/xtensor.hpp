#pragma once

// The one header that includes xtensor: its headers moved in 0.26.

#if __has_include(<xtensor/containers/xarray.hpp>)
#include <xtensor/containers/xadapt.hpp>
#include <xtensor/containers/xarray.hpp>
#include <xtensor/containers/xtensor.hpp>
#include <xtensor/core/xmath.hpp>
#include <xtensor/core/xnoalias.hpp>
#include <xtensor/core/xvectorize.hpp>
#include <xtensor/views/xview.hpp>
#else
#include <xtensor/xstorage.hpp>
#if defined(__clang__) && __clang_major__ >= 19
// Since clang 19 a template with defaults also matches one with fewer parameters (P0522), and two of
// xtensor's partial specialisations then fit a shape alike. Whole ones come before both.
namespace xt {
template <>
struct rebind_container<int, svector<std::size_t>> {
  using type = svector<int>;
};
template <>
struct rebind_container<std::ptrdiff_t, svector<std::size_t>> {
  using type = svector<std::ptrdiff_t>;
};
template <>
struct rebind_container<std::size_t, svector<std::size_t>> {
  using type = svector<std::size_t>;
};
} // namespace xt
#endif
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xvectorize.hpp>
#include <xtensor/xview.hpp>
#endif
