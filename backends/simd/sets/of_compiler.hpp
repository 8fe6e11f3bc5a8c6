#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fovea/backends/simd/sets/from_others.hpp>

namespace fovea::core::simd {

/// Of the vectors that compilers have for every processor, of four numbers.
template <class Set>
struct of_compiler : from_others<Set> {
  typedef float four_floats __attribute__((vector_size(16)));
  typedef std::int32_t four_integers __attribute__((vector_size(16)));

  struct mask {
    using register_type = four_integers; // all bits of a lane, or none
    register_type data;

    mask() = default;
    explicit mask(bool x) : data(register_type{} - x) {}
    explicit mask(register_type x) : data(x) {}
    friend mask operator!(const mask& x) { return mask(~x.data); }
    friend mask operator&(const mask& x, const mask& y) { return mask(x.data & y.data); }
    friend mask operator&&(const mask& x, const mask& y) { return mask(x.data & y.data); }
    friend mask operator||(const mask& x, const mask& y) { return mask(x.data | y.data); }
  };

  template <class T, class Register>
  struct four {
    using register_type = Register;
    static constexpr size_t size = 4;
    register_type data;

    four() = default;
    explicit four(T x) : data{x, x, x, x} {}
    explicit four(register_type x) : data(x) {}
    explicit operator register_type() const { return data; }
    T get(size_t i) const { return data[i]; }

    static four load_unaligned(const T* from) {
      four x;
      std::memcpy(&x.data, from, sizeof x.data);
      return x;
    }
    static four load_aligned(const T* from) {
      return load_unaligned(static_cast<const T*>(__builtin_assume_aligned(from, sizeof(register_type))));
    }
    void store_unaligned(T* to) const { std::memcpy(to, &data, sizeof data); }
    void store_aligned(T* to) const {
      store_unaligned(static_cast<T*>(__builtin_assume_aligned(to, sizeof(register_type))));
    }

    four operator-() const { return four(-data); }
    friend four operator+(const four& x, const four& y) { return four(x.data + y.data); }
    friend four operator-(const four& x, const four& y) { return four(x.data - y.data); }
    friend four operator*(const four& x, const four& y) { return four(x.data * y.data); }
    friend four operator/(const four& x, const four& y) { return four(x.data / y.data); }
    friend four operator&(const four& x, const four& y) { return four(x.data & y.data); }
    friend four operator|(const four& x, const four& y) { return four(x.data | y.data); }
    friend four operator^(const four& x, const four& y) { return four(x.data ^ y.data); }
    friend four operator<<(const four& x, int by) { return four(x.data << by); }
    friend four operator>>(const four& x, int by) { return four(x.data >> by); }
    four& operator+=(const four& y) { return *this = *this + y; }
    four& operator-=(const four& y) { return *this = *this - y; }
    friend mask operator<(const four& x, const four& y) { return mask(x.data < y.data); }
    friend mask operator<=(const four& x, const four& y) { return mask(x.data <= y.data); }
    friend mask operator>(const four& x, const four& y) { return mask(x.data > y.data); }
    friend mask operator>=(const four& x, const four& y) { return mask(x.data >= y.data); }
    friend mask operator==(const four& x, const four& y) { return mask(x.data == y.data); }
    friend mask operator!=(const four& x, const four& y) { return mask(x.data != y.data); }
  };
  using floats = four<float, four_floats>;
  using integers = four<std::int32_t, four_integers>;

  static floats fma(const floats& x, const floats& y, const floats& z) {
    return floats(x.data * y.data + z.data); // one expression, which compilers may fuse
  }
  template <class Vector>
  static Vector select(const mask& m, const Vector& yes, const Vector& no) {
    return Vector(m.data ? yes.data : no.data);
  }
  template <class Vector>
  static Vector min(const Vector& x, const Vector& y) {
    return select(x < y, x, y);
  }
  template <class Vector>
  static Vector max(const Vector& x, const Vector& y) {
    return select(x > y, x, y);
  }
  static floats abs(const floats& x) { return from_bits(bits(x) & integers(0x7fffffff)); }
  static integers abs(const integers& x) { return max(x, integers(0) - x); }
  static floats copysign(const floats& x, const floats& sign) {
    return from_bits(bits(abs(x)) | (bits(sign) ^ bits(abs(sign))));
  }
  static floats trunc(const floats& x) {
    const mask has_fraction = abs(x) < floats(0x1p23f);
    const auto whole = select(has_fraction, x, floats(0.f)).data;
    const floats rounded(__builtin_convertvector(__builtin_convertvector(whole, four_integers), four_floats));
    return select(has_fraction, copysign(rounded, x), x);
  }
  static floats floor(const floats& x) {
    const floats whole = trunc(x);
    return select(whole > x, whole - floats(1.f), whole);
  }

  static floats to_float(const integers& x) { return floats(__builtin_convertvector(x.data, four_floats)); }
  static integers bits(const floats& x) { return integers(std::bit_cast<four_integers>(x.data)); }
  static floats from_bits(const integers& x) { return floats(std::bit_cast<four_floats>(x.data)); }
  static mask float_mask(const mask& m) { return m; }
  static mask integer_mask(const mask& m) { return m; }

  // Of the C library, lane by lane: within an ulp.
  static floats sqrt(const floats& x) {
    return each(x, [](float y) { return std::sqrt(y); });
  }
  static floats log(const floats& x) {
    return each(x, [](float y) { return std::log(y); });
  }
  static floats sin(const floats& x) {
    return each(x, [](float y) { return std::sin(y); });
  }
  static floats cos(const floats& x) {
    return each(x, [](float y) { return std::cos(y); });
  }
  static floats power(const floats& x, const floats& y) {
    floats made;
    for (size_t i = 0; i < floats::size; ++i)
      made.data[i] = static_cast<float>(std::exp(double{y.data[i]} * std::log(double{x.data[i]})));
    return made;
  }

  static floats load_four_times(const float* from) { return floats(from[0]); }
  static floats load_fours(const float* from, size_t) { return floats::load_unaligned(from); }
  template <class Vector>
  static Vector in_register(const Vector& x) {
    return x;
  }

  static integers load_bytes(const unsigned char* from) {
    integers x;
    std::memcpy(&x.data, from, sizeof x.data);
    return x;
  }
  static integers load_uint8(const unsigned char* from) { return load_narrow<std::uint8_t>(from); }
  static integers load_int8(const unsigned char* from) { return load_narrow<std::int8_t>(from); }
  static integers load_uint16(const unsigned char* from) { return load_narrow<std::uint16_t>(from); }
  static void store_low_bytes(const integers& x, unsigned char* to) {
    for (size_t i = 0; i < integers::size; ++i) to[i] = static_cast<unsigned char>(x.data[i]);
  }

  template <bool of_4_bits>
  struct byte_dot {
    typedef std::int16_t eight __attribute__((vector_size(16))); // two of a lane: a product of bytes fits
    using sums = integers;
    static constexpr int excess = of_4_bits ? 3 : 0;
    struct weights {
      eight even, odd;
    };

    static weights ready(const integers& bytes) {
      const auto two = std::bit_cast<eight>(bytes.data);
      return {two << 8 >> 8, two >> 8};
    }
    static integers add(const integers& sum, const weights& w, const integers& numbers) {
      const weights x = ready(numbers);
      const integers pairs(std::bit_cast<four_integers>(w.even * x.even + w.odd * x.odd));
      return sum + (pairs << 16 >> 16) + (pairs >> 16);
    }
  };

private:
  template <class F>
  static floats each(floats x, const F& f) {
    for (size_t i = 0; i < floats::size; ++i) x.data[i] = f(x.data[i]);
    return x;
  }
  template <class T>
  static integers load_narrow(const unsigned char* from) {
    typedef T narrow __attribute__((vector_size(4 * sizeof(T))));
    narrow x;
    std::memcpy(&x, from, sizeof x);
    return integers(__builtin_convertvector(x, four_integers));
  }
};

} // namespace fovea::core::simd
