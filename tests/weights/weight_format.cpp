#include <fovea/weights/weight_format.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace fovea;
using namespace fovea::core;

namespace {

/// "a, b", and with `last` between the last two: "a, b or c".
std::string joined(const std::vector<std::string>& names, const std::string& last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : last) + names[i];
  return text;
}

} // namespace

TEST_CASE("sentences of the compiler list all formats") {
  std::vector<std::string> names, of_integers;
  for (const format_traits& each : all_formats::traits)
    if (const std::string name = each.name, products = "integer_products<"; name.starts_with(products))
      of_integers.push_back(name.substr(products.size(), name.size() - products.size() - 1));
    else
      names.push_back(name);
  CHECK(FOVEA_FORMATS == joined(names, ", ") + ", or integer_products of " + joined(of_integers, " or "));
}

TEST_CASE("a type names its place in the list of formats") {
  static_assert(is_weight_format<f32> && is_weight_format<integer_products<q4_0>>);
  static_assert(!is_weight_format<float> && !is_weight_format<integer_products<f16>>);
  static_assert(format_named<f32> == weight_format::f32 && format_named<float> == weight_format::f32);
  static_assert(sums_integers(format_named<integer_products<int8>>) && !sums_integers(format_named<int8>));
  static_assert(rounds_rows(format_named<bf16_products>) && !sums_integers(format_named<bf16_products>));
  CHECK(name_of(format_named<integer_products<q8_0>>) == std::string("integer_products<q8_0>"));
  std::size_t place = 0;
  all_formats::each([&]<class format>(format) {
    CHECK(format_named<format> == weight_format{static_cast<std::uint8_t>(place++)});
    CHECK(name_of(format_named<format>) == std::string(traits_of<format>.name));
  });
  CHECK(place == std::size(all_formats::traits));
}
