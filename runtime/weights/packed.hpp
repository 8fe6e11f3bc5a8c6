#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include <sys/mman.h>

namespace fovea {

/// An owning buffer of floats, aligned to 64 bytes and not initialised: packed panels and converted weights
/// live in it. From 2 MiB on it is aligned to a huge page and asks the kernel for huge pages, so that
/// streaming through it costs few TLB misses.
class packed {
public:
  explicit packed(std::size_t count) : data_(allocate(count * sizeof(float))), size_(count) {}

  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

private:
  static constexpr std::size_t alignment = 64;
  static constexpr std::size_t huge_page = std::size_t{2} << 20;

  struct release {
    void operator()(float* data) const { std::free(data); }
  };

  static float* allocate(std::size_t bytes) {
    const std::size_t unit = bytes >= huge_page ? huge_page : alignment;
    // Whole cache lines, at least one, so that a vector load at the end stays inside.
    const std::size_t rounded =
        (bytes + alignment - 1) / alignment * alignment + (bytes == 0 ? alignment : 0);
    void* data = nullptr;
    if (::posix_memalign(&data, unit, rounded) != 0) throw std::bad_alloc();
    if (unit == huge_page) ::madvise(data, rounded, MADV_HUGEPAGE);
    return static_cast<float*>(data);
  }

  std::unique_ptr<float, release> data_;
  std::size_t size_;
};

} // namespace fovea
