#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "refused.hpp"

using namespace fovea;
using namespace fovea::core;

namespace {

constexpr dim B{"B"}, T{"T"}, S{"S"}, D{"D", 768};

std::string text(const dim& d) {
  sentence s;
  s << d;
  return s.text;
}

} // namespace

TEST_CASE("equal sizes are equal dims, however they were written") {
  STATIC_REQUIRE((D == 768 && dim("W", 768) == D));
  STATIC_REQUIRE(T + S == S + T);
  STATIC_REQUIRE(T * S * 2 == 2 * (S * T));
  STATIC_REQUIRE((T + 1) * (T - 1) == T * T - 1);
  STATIC_REQUIRE(T + S - S == T);
  STATIC_REQUIRE(!(T + S - S).mentions(S));
  STATIC_REQUIRE((2 * T + 1) / 2 == T);
  STATIC_REQUIRE((4 * T + 6) / 4 == T + 1 + (dim(2) / 4));
  STATIC_REQUIRE((6 * T + 3) / 4 == T + (2 * T + 3) / 4);
  STATIC_REQUIRE((2 * T + 2) / 4 == (T + 1) / 2);
  STATIC_REQUIRE(T / 2 / 3 == T / 6);
  STATIC_REQUIRE((T / 2 + 1) / 3 == (T + 2) / 6);
  STATIC_REQUIRE((T - 5 + 2 * 2) / 1 == T - 1);
  STATIC_REQUIRE(dim(-7) / 2 == -4);
}

TEST_CASE("different sizes are different dims") {
  STATIC_REQUIRE((!(T == S) && !(T == 768) && !(T + 1 == T) && !(T / 2 == (T + 1) / 2)));
  STATIC_REQUIRE(!(T * T == T * S));
}

TEST_CASE("a dim says what it is and what it mentions") {
  STATIC_REQUIRE((T.is_symbol() && !D.is_symbol() && !(T + 1).is_symbol() && !(2 * T).is_symbol() &&
                  !(T / 2).is_symbol()));
  STATIC_REQUIRE(((T / 2 + S).mentions(T) && !(T / 2 + S).mentions(B)));
  STATIC_REQUIRE((D.is_number() && D.number() == 768 && (T - T).is_number() && (T - T).number() == 0));
}

TEST_CASE("a size tells a symbol where that stands in one term, beside other symbols alone") {
  STATIC_REQUIRE(
      (T.tells("T") && (4 * T).tells("T") && (2 * T + S - 1).tells("T") && (B * T + T / 1 - T).tells("T")));
  STATIC_REQUIRE(((10 - T).tells("T") && (B * T + S / 2).tells("T")));
  STATIC_REQUIRE(
      (!(T / 2).tells("T") && !(T * T).tells("T") && !(B * T + T).tells("T") && !(T + T / 2).tells("T")));
  STATIC_REQUIRE((!T.tells("S") && !(S / 2 * T).tells("T") && !D.tells("T")));
}

TEST_CASE("what outgrows the form, or divides by what is not positive, says so and stays so") {
  constexpr dim large = std::int64_t{1} << 62;
  STATIC_REQUIRE((T * large * 2).overflow);
  STATIC_REQUIRE((T * large + T * large).overflow);
  STATIC_REQUIRE((T / (std::int64_t{1} << 62) / 4).overflow);
  STATIC_REQUIRE(((T / (std::int64_t{1} << 62) + 2) / 3).overflow);
  STATIC_REQUIRE((T / 2 + T / 3 + T / 5 + T / 7 + T / 11).overflow);
  STATIC_REQUIRE((B + T + S + dim("U") + dim("V") + dim("W")).overflow);
  STATIC_REQUIRE(((T / 0).overflow && (T / -2 + 1).overflow && (B * T * S * T * B).overflow));
  STATIC_REQUIRE((dim(~std::uint64_t{0}).overflow && !dim(~std::uint32_t{0}).overflow));
  STATIC_REQUIRE(((dim(std::int64_t{1} << 62) * 4).overflow && !(dim(1 << 20) * (1 << 20)).overflow));
}

TEST_CASE("a dim reads as it would be written") {
  CHECK(text(0) == "0");
  CHECK(text(D) == "D=768");
  CHECK(text(2 * T + 1) == "2*T + 1");
  CHECK(text(1 + S * T - 3 * B) == "-3*B + S*T + 1");
  CHECK(text((T + 2) / 3) == "(T + 2)/3");
  CHECK(text(T / 2 * 4) == "4*T/2");
}

TEST_CASE("the normal form keeps the size of any arithmetic") {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  struct pair {
    dim form;
    std::int64_t size;
  };
  int compared = 0, equal = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::int64_t b = 1 + below(9), t = 1 + below(60), s = 1 + below(60);
    const auto size_of = [&](const char* name) {
      return std::strcmp(name, "B") == 0 ? b : std::strcmp(name, "T") == 0 ? t : s;
    };
    pair made[12] = {{B, b}, {T, t}, {S, s}, {3, 3}};
    for (int n = 4; n < 12; ++n) {
      const pair &x = made[below(n)], &y = made[below(n)];
      const std::int64_t divisor = 1 + below(7);
      const std::int64_t floor = x.size / divisor - (x.size % divisor != 0 && x.size < 0 ? 1 : 0);
      switch (below(4)) {
        case 0:
          made[n] = {x.form + y.form, x.size + y.size};
          break;
        case 1:
          made[n] = {x.form - y.form, x.size - y.size};
          break;
        case 2:
          made[n] = {x.form * y.form, x.size * y.size};
          break;
        default:
          made[n] = {x.form / divisor, floor};
          break;
      }
      if (made[n].form.overflow) {
        made[n] = made[0];
        continue;
      }
      INFO(text(made[n].form) << " at B " << b << ", T " << t << ", S " << s);
      REQUIRE(made[n].form.evaluate(size_of) == made[n].size);
      for (int i = 0; i < n; ++i) {
        ++compared;
        if (!(made[i].form == made[n].form)) continue;
        ++equal;
        REQUIRE(made[i].size == made[n].size);
      }
    }
  }
  CHECK(compared > 100000);
  CHECK(equal > 1000);
}

TEST_CASE("sums and products in any order are one form") {
  const dim parts[] = {2 * T, S * B, T / 3, dim(5), (S + 1) / 2};
  int order[] = {0, 1, 2, 3, 4};
  dim sum = 0;
  for (int i : order) sum = sum + parts[i];
  do {
    dim other = 0;
    for (int i : order) other = other + parts[i];
    REQUIRE(other == sum);
  } while (std::next_permutation(order, order + 5));
  REQUIRE_FALSE(sum.overflow);
}

TEST_CASE("the least integer, which has no opposite, is more than a dim holds") {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  CHECK(dim(least).overflow);
  CHECK((dim(least + 1) - 1).overflow);
  CHECK((dim(std::int64_t{1} << 62) * -2).overflow);
  CHECK_FALSE(dim(least + 1).overflow);
  CHECK(refused([](graph& g) { g.input<f32>("x", {dim(least)}); }) ==
        refused([](graph& g) { g.input<f32>("x", {T * T * T * T * T}); }));
  CHECK(refused([](graph& g) { linear(g.input<f32>("x", {T, 8}), "l", dim(least + 1)); }) != "");
}

TEST_CASE("a size lies within its bounds, whatever its symbols are up to theirs") {
  const auto sizes = [](std::int64_t t, std::int64_t s) {
    return [=](const char* symbol) { return symbol[0] == 'T' ? t : s; };
  };
  for (const dim& form :
       {T - S, 2 * T + 3, (T - S) / 2, 7 - T / 3, T * S - S * S, (2 * T - S + 1) / 3 * S, dim(5)}) {
    const dim::range bounds = form.range_up_to(sizes(9, 7));
    for (std::int64_t t = 0; t <= 9; ++t)
      for (std::int64_t s = 0; s <= 7; ++s) {
        const std::int64_t size = form.evaluate(sizes(t, s));
        REQUIRE(bounds.least <= size);
        REQUIRE(size <= bounds.most);
      }
  }
  CHECK((T - S).range_up_to(sizes(9, 7)).most == 9);
  CHECK((2 * T + 3).range_up_to(sizes(9, 7)).most == (2 * T + 3).evaluate(sizes(9, 7)));
}
