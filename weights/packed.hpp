#pragma once

#include <cstddef>
#include <fovea/base/memory.hpp>
#include <memory>

namespace fovea::core {

/// An owning buffer of floats, by allocate_lines() and not initialised: packed panels and converted weights
/// live in it.
class packed {
public:
  explicit packed(std::size_t count)
      : data_(static_cast<float*>(allocate_lines(count * sizeof(float)))), size_(count) {}

  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

private:
  struct release {
    void operator()(float* data) const { free_lines(data); }
  };

  std::unique_ptr<float, release> data_;
  std::size_t size_;
};

} // namespace fovea::core
