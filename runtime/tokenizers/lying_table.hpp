#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace fovea::core {

/// A table that is made here, or lies where others keep it, as in a mapped file. To be changed it is copied first.
template <typename T>
requires std::is_trivially_copyable_v<T>
class lying_table {
public:
  lying_table() = default;
  lying_table(std::vector<T> made) : made_(std::move(made)), all_(made_) {}
  /// Where it lies it must stay as long as this and its copies do.
  explicit lying_table(std::span<const T> there) : all_(there) {}

  lying_table(const lying_table& other)
      : made_(other.made_), all_(other.is_made() ? std::span<const T>(made_) : other.all_) {}
  lying_table(lying_table&& other) noexcept
      : made_(std::move(other.made_)), all_(std::exchange(other.all_, {})) {
  } // a vector's elements stay where they are
  lying_table& operator=(lying_table other) noexcept {
    made_.swap(other.made_);
    std::swap(all_, other.all_);
    return *this;
  }

  const T& operator[](std::size_t at) const { return all_[at]; }
  std::span<const T> all() const { return all_; }
  const T* data() const { return all_.data(); }
  std::size_t size() const { return all_.size(); }

  /// f(elements), a vector.
  template <typename F>
  void change(F f) {
    if (!is_made()) made_.assign(all_.begin(), all_.end());
    f(made_);
    all_ = made_;
  }

private:
  bool is_made() const { return all_.data() == made_.data(); }

  std::vector<T> made_;
  std::span<const T> all_;
};

} // namespace fovea::core
