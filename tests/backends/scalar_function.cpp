// Recorded lambdas are evaluated node by node, however often what they have computed is read.

#include <fovea/backends/scalar_function.hpp>
#include <fovea/dsl.hpp>

#include <catch2/catch.hpp>

using namespace fovea::core;

namespace {

/// (s + s) / 2, over and over: 2^14 readings of s.
constexpr scalar halved_sums(scalar s) {
  for (int i = 0; i < 14; ++i) s = (s + s) * 0.5;
  return s;
}

} // namespace

TEST_CASE("a recorded lambda reads its table once where its code does") {
  scalar_function f;
  scalar_node read{.kind = op::table_at, .operand_count = 1};
  read.operands[0] = f.append({.kind = op::head_index, .type = element::i32});
  halved_sums({&f, f.append(read), element::f32});

  int readings = 0;
  const auto values = values_of(f, {.head = 3}, [&](const scalar_node&, const auto& position) {
    ++readings;
    return 10.0 + static_cast<double>(position(0));
  });
  CHECK(values[static_cast<std::size_t>(f.count - 1)] == 13);
  CHECK(readings == 1);
}

TEST_CASE("integers divide with floor, and by 0 give 0") {
  const auto divide = exact::binary(op::divide, element::i32);
  CHECK(divide(-7, 2) == -4);
  CHECK(divide(7, -2) == -4);
  CHECK(divide(7, 0) == 0);
  CHECK(exact::binary(op::divide, element::f32)(-7, 2) == -3.5);
}
