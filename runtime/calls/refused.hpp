#pragma once

#include <cstddef>
#include <cstdint>

#include <fovea/backends/xtensor.hpp>
#include <fovea/runtime/calls/keys.hpp>

namespace fovea::core {

namespace detail {

/// For a static_assert in a function that is not to be called.
template <class...>
inline constexpr bool never = false;

} // namespace detail

/// What stands for a call, a stream or a model that was refused, so that the one sentence stays the only
/// error: it takes whatever it is given, and its outputs are arrays, of which all can be asked that is asked
/// of an output.
struct refused_value {
  template <class... anything>
  refused_value operator()(const anything&...) const {
    return {};
  }
  template <class... anything>
  void begin(const anything&...) const {}
  template <class... anything>
  refused_value step(const anything&...) const {
    return {};
  }
  template <class... anything>
  refused_value evaluate(const anything&...) const {
    return {};
  }
  float loss = 0;
  template <class... anything>
  void load(const anything&...) const {}
  template <class... anything>
  void reorder(const anything&...) const {}
  template <class... anything>
  void copy(const anything&...) const {}
  template <class... anything>
  void reset(const anything&...) const {}
  template <class... anything>
  void rewind(const anything&...) const {}
  template <class... anything>
  refused_value save(const anything&...) const {
    return {};
  }

  template <fixed_name name>
  xt::xarray<float> operator[](output_key<name>) const {
    return {};
  }
  refused_value weights() const { return {}; }
  template <fixed_name name>
  refused_value operator[](parameter_key<name>) const {
    return {};
  }
  xt::xarray<float> operator[](std::size_t) const { return {}; }

  template <class... anything>
  std::int64_t position(const anything&...) const {
    return 0;
  }
  std::int64_t state_bytes() const { return 0; }
  std::int64_t arena_bytes() const { return 0; }
  int threads() const { return 0; }
};

} // namespace fovea::core
