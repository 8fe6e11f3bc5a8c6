#pragma once

// Rounded rows whose products with weights of 0 to 255 are summed in 16 bits, four at a time, before they join the sums
// of 32. Two lanes of numbers, one behind the other, meet the weights of two steps: their first two bytes are one four,
// their last two the other. A four is within the limit where its positive numbers sum to at most 128, and its negative
// ones to at least -128, for 255 * 128 is less than 2^15. What is beyond it goes behind the rows, as further numbers for
// the same weights. Sums of integers have no order, so that they stay what they are.

#include <cstdint>
#include <cstring>
#include <fovea/backends/simd/kernels/rounded_rows.hpp>

namespace fovea::core::simd::detail {

/// Whether a dot product has sums of 16 bits for rows of a layout: `typename dot::limited`.
///   ready(bytes)          weights of 0 to 255
///   pairs, add_pairs, add_sum_of_pairs  as pair_product.hpp says
///   beyond(numbers)       bit s: whether eight of 32 numbers, from 8 s on, are beyond the limit
///   beyond_of_8(numbers)  the same of eight
///   halve(from, to)       half of eight numbers goes to `to`
///   excess                as byte_dot has it
template <class dot, class layout>
concept limits_rows = layout::scaled_by_row && !layout::of_4_bits && requires {
  typename dot::limited;
};

/// A rounded row, and its numbers beyond the limit: a count, and for each a place and eight numbers. Place p belongs to
/// the weights of steps 2 p and 2 p + 1.
class limited_row {
public:
  static constexpr size_t group_bytes = rounded_rows::group_bytes, places = group_bytes / 8;
  /// Groups of bytes that it takes.
  static constexpr size_t groups_of(size_t groups) { return 2 * groups; }

  /// Row `row` of `count` rows of rounded_rows, in a block of `together` rows from `first` on.
  limited_row(const rounded_rows& rows, size_t count, size_t row, size_t first, size_t together)
      : numbers_(rows.bytes + (first * rows.groups + row - first) * group_bytes),
        beyond_(rows.bytes + (count + row) * rows.groups * group_bytes), apart_(together * group_bytes),
        groups_(rows.groups) {}

  /// Whether there is room for what is beyond the limit.
  bool within() const { return read(beyond_) != too_many; }
  /// f(place, eight numbers) for each.
  template <class F>
  [[gnu::always_inline]] void for_beyond(const F& f) const {
    const unsigned char* at = beyond_ + head;
    for (std::uint32_t left = read(beyond_); left > 0; --left, at += entry) f(read(at), at + head);
  }

  /// Whether there was room. If not, the row is as it was.
  template <class limited>
  bool limit() const {
    std::uint32_t count = 0;
    for (size_t g = 0; g < groups_ && count != too_many; ++g)
      for (unsigned beyond = limited::beyond(group(g)), s = 0; beyond >> s != 0 && count != too_many; ++s)
        if (beyond >> s & 1u) count = move<limited>(static_cast<std::uint32_t>(g * places + s), count);
    write(beyond_, count);
    return count != too_many;
  }
  void restore() const {
    if (within()) write(beyond_, restored(read(beyond_)));
  }

private:
  static constexpr size_t head = sizeof(std::uint32_t), entry = head + 8;
  static constexpr std::uint32_t too_many = ~std::uint32_t{0};
  unsigned char *numbers_, *beyond_;
  size_t apart_, groups_;

  static std::uint32_t read(const unsigned char* at) {
    std::uint32_t number;
    std::memcpy(&number, at, sizeof number);
    return number;
  }
  static void write(unsigned char* at, std::uint32_t number) { std::memcpy(at, &number, sizeof number); }

  unsigned char* group(size_t g) const { return numbers_ + g * apart_; }
  unsigned char* entry_at(std::uint32_t i) const { return beyond_ + head + i * entry; }

  /// Halves the numbers of a place until all parts are within the limit. How many entries there are then.
  template <class limited>
  std::uint32_t move(std::uint32_t place, std::uint32_t count) const {
    std::uint32_t within = count; // entries before this one are
    for (unsigned char* from = group(place / places) + place % places * 8;;
         from = entry_at(within++) + head) {
      for (; limited::beyond_of_8(from); ++count) {
        if (head + (count + 1) * entry > groups_ * group_bytes) return restored(count);
        write(entry_at(count), place);
        limited::halve(from, entry_at(count) + head);
      }
      if (within == count) return count;
    }
  }
  /// The numbers are as they were before `count` entries were made.
  std::uint32_t restored(std::uint32_t count) const {
    for (std::uint32_t i = 0; i < count; ++i) {
      const unsigned char* at = entry_at(i);
      unsigned char* numbers = group(read(at) / places) + read(at) % places * 8;
      for (size_t k = 0; k < 8; ++k) numbers[k] = static_cast<unsigned char>(numbers[k] + at[head + k]);
    }
    return too_many;
  }
};

/// Brings `together` rows from `first` on within the limit, of the `count` that there are: all of them or none.
template <class limited>
inline void limit_rows(const rounded_rows& rows, size_t count, size_t first, size_t together) {
  const auto row = [&](size_t r) { return limited_row(rows, count, first + r, first, together); };
  size_t within = 0;
  while (within < together && row(within).template limit<limited>()) ++within;
  if (within < together)
    while (within > 0) row(--within).restore();
}
/// Whether they are.
inline bool are_within(const rounded_rows& rows, size_t count, size_t first, size_t together) {
  size_t r = 0;
  while (r < together && limited_row(rows, count, first + r, first, together).within()) ++r;
  return r == together;
}

} // namespace fovea::core::simd::detail
