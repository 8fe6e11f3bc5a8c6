#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace fovea::core::detail {

/// A number by which ranks tell whether they have the same. It is no guard against who means harm.
class digest {
public:
  void add(std::uint64_t x) {
    std::uint64_t z = (value_ += x + 0x9E3779B97F4A7C15); // splitmix64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    value_ = z ^ (z >> 31);
  }
  void add(double x) { add(std::as_bytes(std::span(&x, 1))); }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  void add(std::span<const std::byte> bytes) {
    add(std::uint64_t{bytes.size()});
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t next = 0;
      std::memcpy(&next, bytes.data() + at,
                  bytes.size() - at < sizeof next ? bytes.size() - at : sizeof next);
      add(next);
    }
  }
  std::uint64_t value() const { return value_; }

private:
  std::uint64_t value_ = 0;
};

} // namespace fovea::core::detail
