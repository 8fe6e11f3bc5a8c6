#pragma once

#include <fovea/weights/weight_format.hpp>

namespace fovea::core::test {

/// f(format) for each format whose values are decoded, f32 not among them.
template <class F>
void for_decoded_formats(const F& f) {
  all_formats::each([&]<class format>(format of) {
    if constexpr (traits_of<format>.bits < 32 && !traits_of<format>.rounds_rows) f(of);
  });
}

/// For those of them that files hold.
template <class F>
void for_formats_of_files(const F& f) {
  for_decoded_formats([&]<class format>(format of) {
    if constexpr (traits_of<format>.in_files()) f(of);
  });
}

/// Whether what was rounded once stays as it is: several scales are not found again.
template <class format>
inline constexpr bool keeps_rounded = !traits_of<format>.is_k();

/// f(format, format of the same values that are decoded) for each whose products round what they multiply.
template <class F>
void for_rounding_formats(const F& f) {
  all_formats::each([&]<class format>(format of) {
    if constexpr (traits_of<format>.rounds_rows)
      for_decoded_formats([&]<class decoded>(decoded same) {
        if constexpr (traits_of<decoded>.stored == traits_of<format>.stored) f(of, same);
      });
  });
}

/// What rounding may change of a value, as a share of it, or of the largest that has its scale.
template <class format>
constexpr double rounding_of() {
  constexpr format_traits of = traits_of<format>;
  return of.together > 0 ? 1.0 / (1 << of.bits) : of.stored == element_type::f16 ? 0x1p-12 : 0x1p-9;
}

} // namespace fovea::core::test
