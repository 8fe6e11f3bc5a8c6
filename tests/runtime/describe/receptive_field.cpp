// What describe says that a value sees is held against numbers: an input that is changed at one position
// changes the output only where it is said to be seen.

#include "../../compare_backends.hpp"

#include <fovea/fovea.hpp>
#include <fovea/runtime/describe/receptive_field.hpp>

#include <catch2/catch.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};
constexpr std::size_t length = 13, width = 4;
constexpr axis over_time = axis(1);

/// Holds the output `y` [B, T, ...] of a model of x [B, T, 4].
template <class F>
void check_seen(const char* what, F) {
  static constexpr auto made = model("made", [](graph& g) {
    g.output("y", F{}(g.input<f32>("x", {B, T, 4})));
  });
  using M = std::remove_cvref_t<decltype(made)>;
  const receptive_field seen =
      receptive_fields(M::view, T)[static_cast<std::size_t>(M::view.outputs[0].node)];
  auto net = compile<reference>(made, random_weights(made), {.capacity = {{"B", 1}, {"T", length}}});
  const golden_tensor values = values_of({1, length, width}, false, what);
  xt::xtensor<float, 3> x({1, length, width});
  std::copy(values.values.begin(), values.values.end(), x.begin());
  const auto run = [&] {
    const auto out = net("x"_in = x);
    const auto y = out["y"_out];
    return std::vector<float>(y.begin(), y.end());
  };
  const std::vector<float> before = run();
  const std::size_t row = before.size() / length;
  bool any = false;
  for (std::size_t at = 0; at < length; ++at) {
    const xt::xtensor<float, 3> kept = x;
    for (std::size_t i = 0; i < width; ++i) x(0, at, i) += 1.5f + static_cast<float>(i);
    const std::vector<float> after = run();
    x = kept;
    for (std::size_t t = 0; t < length; ++t) {
      if (std::equal(after.begin() + static_cast<std::ptrdiff_t>(t * row),
                     after.begin() + static_cast<std::ptrdiff_t>((t + 1) * row),
                     before.begin() + static_cast<std::ptrdiff_t>(t * row)))
        continue;
      any = true;
      const double apart = static_cast<double>(t) - static_cast<double>(at);
      INFO(what << ": sees " << seen.text() << ", and position " << at << " changes position " << t);
      CHECK((seen.moves && apart <= seen.before && -apart <= seen.after));
    }
  }
  CHECK((any || !seen.moves));
}

/// Attention under causal and a mask of the user's, or under the latter alone.
template <class F>
constexpr expr looking(expr x, F mask) {
  return attention(x, x, x, {.mask = causal & attention_mask(mask)});
}
template <class F>
constexpr expr looking_anywhere(expr x, F mask) {
  return attention(x, x, x, {.mask = attention_mask(mask)});
}

} // namespace

TEST_CASE("what masks show is no more than they are said to", "[describe]") {
  check_seen("one position of before",
             [](expr x) { return looking(x, [](scalar q, scalar k) { return k == q - 3; }); });
  check_seen("a number that is not whole", [](expr x) {
    return looking(x, [](scalar q, scalar k) { return to_float(k) >= to_float(q) - 2.5; });
  });
  check_seen("one position ahead",
             [](expr x) { return looking_anywhere(x, [](scalar q, scalar k) { return k == q + 2; }); });
  check_seen("two windows",
             [](expr x) { return looking(x, [](scalar q, scalar k) { return q - k < 2 || k == q - 5; }); });
  check_seen("by the place of the query",
             [](expr x) { return looking_anywhere(x, [](scalar q, scalar k) { return k + k <= q; }); });
  check_seen("a window around", [](expr x) { return attention(x, x, x, {.mask = window(3, 2)}); });
}

TEST_CASE("what moves positions sees no more than it is said to", "[describe]") {
  check_seen("backwards", [](expr x) { return reverse(x, over_time); });
  check_seen("backwards twice", [](expr x) { return reverse(reverse(x, over_time), over_time); });
  check_seen("features backwards", [](expr x) { return reverse(x, axis(-1)); });
  check_seen("pairs of positions", [](expr x) {
    const expr of_each = sum(x, axis(-1));
    return unsqueeze(of_each, 2) * unsqueeze(of_each, 1);
  });
  check_seen("a position becomes another axis's", [](expr x) {
    const expr row = unsqueeze(unsqueeze(sum(x, axis(-1)), 1), 1); // [B, 1, 1, T]
    return unsqueeze(x, 3) + row;
  });
  check_seen("from the end", [](expr x) {
    return concat(over_time, slice(x, over_time, -2, T), slice(x, over_time, 0, -2));
  });
  check_seen("the first beside each", [](expr x) { return x + slice(x, over_time, 0, 1); });
  check_seen("the last beside each", [](expr x) { return x * slice(x, over_time, -1, T); });
  check_seen("a position of the middle", [](expr x) { return x - relu(slice(x, over_time, 5, 6)); });
  check_seen("the first as a map", [](expr x) {
    return matmul(x, unsqueeze(reshape(slice(x, over_time, 0, 1), {B, 4}), 2));
  });
  check_seen("the last as a beginning", [](expr x) {
    const expr first = reshape(slice(x, over_time, -1, T), {B, 4});
    return scan(x, first, [](expr now, expr h) { return scan_step{now + h, now}; }).output;
  });
  check_seen("the first in each step", [](expr x) {
    const expr first = reshape(slice(x, over_time, 2, 3), {B, 4});
    return scan(x, zeros(x, {B, 4}), [&](expr now, expr h) { return scan_step{now * first, h}; }).output;
  });
  check_seen("later", [](expr x) { return slice(pad(x, over_time, 2, 0), over_time, 0, T); });
  check_seen("sums so far", [](expr x) { return cumsum(x, over_time); });
  check_seen("sums of features", [](expr x) { return cumsum(x, axis(2)); });
  check_seen("what is seen of the whole", [](expr x) { return x - mean(x, over_time, {.keep = true}); });
}

TEST_CASE("windows and recurrences see no more than they are said to", "[describe]") {
  check_seen("causal", [](expr x) { return conv1d(x, "a", 3, 3, {.dilation = 2, .padding = causal}); });
  check_seen("same", [](expr x) { return conv1d(x, "a", 3, 4, {.padding = same}); });
  check_seen("pooled", [](expr x) {
    return slice(max_pool(pad(x, over_time, 0, 2), 3, {.stride = 1}), over_time, 0, T);
  });
  check_seen("layers", [](expr x) {
    return repeat("r", 3, x, [](expr y) { return conv1d(y, "a", 4, 2, {.padding = causal}); });
  });
  check_seen("recurrent", [](expr x) { return expr(gru(x, "r", 3)); });
  check_seen("recurrent from the end", [](expr x) { return expr(gru(x, "r", 3, {.reverse = true})); });
}
