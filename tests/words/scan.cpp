// Cells that a user writes with scan: the kernels, which are given the graph after its passes, against the
// specification, which runs it as it was declared.

#include <catch2/catch.hpp>

#include "../compare_backends.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

/// The minimal gated unit (Zhou et al. 2016, eq. 4): one gate forgets and resets.
constexpr expr minimal_gated_unit(expr x, expr h) {
  const expr f = sigmoid(linear(x, "forget.x", 6) + linear(h, "forget.h", 6, {.bias = false}));
  const expr candidate = tanh(linear(x, "new.x", 6) + linear(f * h, "new.h", 6, {.bias = false}));
  return (1 - f) * h + f * candidate;
}

/// Counts the nodes of a kind in a graph's scans, or outside of them.
constexpr int count_of(const graph_view& g, op kind, bool in_scans) {
  int n = 0;
  for (const node& one : g.nodes) n += one.kind == kind && g.region(one.region).is_scan() == in_scans;
  return n;
}

} // namespace

TEST_CASE("a cell of the user's own", "[scan]") {
  static constexpr auto m = model("minimal", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 5}), h = g.input<f32>("h", {B, 6});
    const auto y = scan(x, h, [](expr x_t, expr h_t) {
      const expr next = minimal_gated_unit(x_t, h_t);
      return scan_step{next, next};
    });
    g.output("y", y);
    g.output("last", y.state);
  });
  static_assert(count_of(decltype(m)::lowered::view, op::linear, false) == 2,
                "both projections of the input");
  static_assert(count_of(decltype(m)::lowered::view, op::linear, true) == 2);
  static_assert(m.flops({{B, 1}, {T, 10}}) == 10 * 2 * (2 * 5 * 6 + 2 * 6 * 6));
  compare_at_awkward_sizes(m);
}

TEST_CASE("a scan that is all that multiplies", "[scan]") {
  static constexpr auto m = model("alone", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 6}), h = g.input<f32>("h", {B, 6});
    const auto y = scan(x, h, [](expr x_t, expr h_t) {
      const expr next = tanh(x_t + batch_norm(linear(linear(h_t, "h", 6), "normed", 6), "norm"));
      return scan_step{next, next};
    });
    g.output("y", y);
  });
  compare_at_awkward_sizes(m);
}

TEST_CASE("a step that attends to a captured sequence", "[scan]") {
  static constexpr auto m = model("decoder", [](graph& g) {
    const expr words = g.input<i32>("words", {B, T}), source = g.input<f32>("source", {B, S, 7}),
               lengths = g.input<i32>("lengths", {B});
    const auto y = scan(embedding(words, "words", 9, 4), mean(source, S), [&](expr word, expr h) {
      const expr q = unsqueeze(linear(h, "query", 7), 1), k = linear(source, "key", 7);
      const expr context = reshape(attention(q, k, source, {.mask = padding(lengths)}), {B, 7});
      const expr next = tanh(linear(concat(axis(-1), word, context), "mix", 7) + linear(h, "state", 7));
      return scan_step{linear(next, "readout", 3), next};
    });
    g.output("y", y);
  });
  static_assert(count_of(decltype(m)::lowered::view, op::linear, false) == 1, "the keys are made once");
  compare_at_awkward_sizes(m);
}

TEST_CASE("several sequences, states and outputs, backwards, of unequal lengths", "[scan]") {
  compare_at_awkward_sizes(model("several", [](graph& g) {
    const std::array xs{g.input<f32>("x", {B, T, 3}), g.input<f32>("y", {B, T, 3})};
    const std::array states{g.input<f32>("a", {B, 3}), g.input<f32>("b", {B, 2, 3})};
    const auto made = scan(xs, states,
                           [](std::array<expr, 2> x, std::array<expr, 2> s) {
                             const expr a = tanh(x[0] * s[0] + relu(x[1]) * 0.5), b = s[1] + unsqueeze(a, 1);
                             return scan_step{std::array{a, sum(b, axis(1))}, std::array{a, b * 0.5}};
                           },
                           {.reverse = true, .lengths = g.input<i32>("lengths", {B})});
    g.output("first", made.output[0]);
    g.output("second", made.output[1]);
    g.output("a_last", made.state[0]);
    g.output("b_last", made.state[1]);
  }));
}

TEST_CASE("time along another axis, without a batch, and a running sum", "[scan]") {
  compare_at_awkward_sizes(model("first_axis", [](graph& g) {
    const expr x = g.input<f32>("x", {T, B, 3});
    const auto add = [](expr x_t, expr s) { return scan_step{s + x_t, s + x_t}; };
    g.output("sums", scan(x, constant(x, 0) + g.input<f32>("s", {B, 3}), add, {.over = T}));
    const expr row = g.input<f32>("row", {T, 4});
    g.output("alone", scan(row, g.input<f32>("start", {4}), add, {.over = axis(0)}));
    g.output("lstm", lstm(row, "rnn", 5));
  }));
}

TEST_CASE("recurrences inside a repeat, and a repeat inside a step", "[scan]") {
  static constexpr auto m = model("nested", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 6});
    const expr deep = repeat("layer", 3, x, [](expr y) { return y + gru(y, "rnn", 6); });
    const auto y = scan(deep, g.input<f32>("h", {B, 6}), [](expr x_t, expr h) {
      const expr next = repeat("depth", 2, tanh(x_t + h), [](expr z) { return tanh(linear(z, "mix", 6)); });
      return scan_step{next, next};
    });
    g.output("y", y);
  });
  static_assert(m.parameters() == 3 * 18 * (6 + 6 + 2) + 2 * 6 * 7);
  compare_at_awkward_sizes(m);
}

TEST_CASE("a scan inside a scan", "[scan]") {
  compare_at_awkward_sizes(model("inner", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4}), source = g.input<f32>("source", {B, S, 4});
    g.output("y", scan(x, g.input<f32>("h", {B, 4}), [&](expr x_t, expr h) {
               const auto inner = scan(source, h, [&](expr s, expr z) {
                 const expr next = tanh(s * z + linear(x_t, "x", 4) + linear(s, "s", 4));
                 return scan_step{next, next};
               });
               return scan_step{mean(inner.output, S), inner.state};
             }));
  }));
}

TEST_CASE("what a scan takes and carries has rows of its own, or one for all", "[scan]") {
  // A sequence that all rows share, a counter beside states of rows, and a state beside sequences of rows.
  compare_at_awkward_sizes(model("of_all_rows", [](graph& g) {
    const expr x = g.input<f32>("x", {T, 4}), s = g.input<f32>("s", {B, 4});
    const auto y = scan(x, s,
                        [](expr x_t, expr now) {
                          return scan_step{now * 0.9 + x_t, now * 0.9 + x_t};
                        },
                        {.over = axis(0)});
    g.output("y", y.output);
    g.output("last", y.state);
  }));
  compare_at_awkward_sizes(model("counted", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4}), h = g.input<f32>("h", {B, 4}), n = g.input<f32>("n", {1});
    const auto y = scan(x, std::array{h, n}, [](expr x_t, auto s) {
      const expr next = s[0] * 0.5 + x_t * s[1];
      return scan_step{next, std::array{next, s[1] + 1.0}};
    });
    g.output("y", y.output);
  }));
  compare_at_awkward_sizes(model("of_one_state", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4}), s = g.input<f32>("s", {4});
    g.output("y", scan(x, s, [](expr x_t, expr now) { return scan_step{x_t * now, now * 0.5}; }).output);
  }));
}

TEST_CASE("what a scan's step renames has the shape that it is given", "[scan]") {
  compare_at_awkward_sizes(model("of_features", [](graph& g) {
    const expr x = g.input<f32>("x", {T, 8, 4}), decay = unsqueeze(parameter(x, "a", {8}), 1);
    g.output("y", scan(x, zeros(x, {8, 4}),
                       [&](expr now, expr h) {
                         const expr next = decay * h + now;
                         return scan_step{next, next};
                       },
                       {.over = axis(0)})
                      .output);
  }));
  compare_at_awkward_sizes(model("folded", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 8}), w = parameter(x, "w", {4});
    g.output("y", scan(x, zeros(x, {B, 8}), [&](expr now, expr h) {
                    return scan_step{now + h, reshape(tanh(reshape(h + now, {2 * B, 4}) * w), {B, 8})};
                  }).output);
    g.output("halves", scan(x, zeros(x, {B, 8}), [](expr now, expr h) {
                         const expr next = h * 0.5 + now;
                         return scan_step{reshape(next, {2 * B, 4}), next};
                       }).output);
  }));
}

TEST_CASE("a state that is an input or a parameter is carried on", "[scan]") {
  compare_at_awkward_sizes(model("before", [](graph& g) {
    const expr x = g.input<f32>("x", {T, B, 2, 3}), none = zeros(x, {B, 2, 3});
    const auto differences = [](expr now, expr before) { return scan_step{now - before, now}; };
    g.output("y", scan(x, none, differences, {.over = axis(0)}).output);
    g.output("backwards", scan(x, none, differences, {.over = axis(0), .reverse = true}).output);
    const auto both = scan(x, std::array{none, none},
                           [](expr now, auto s) {
                             return scan_step{now + s[1], std::array{now, s[0]}};
                           },
                           {.over = axis(0)});
    g.output("two", both.output);
  }));
  compare_at_awkward_sizes(model("gated", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4}), first = broadcast(constant(x, 1), {4});
    const auto layers =
        repeat("l", 3, std::array<expr, 2>{x, first}, [](std::array<expr, 2> a) -> std::array<expr, 2> {
          return {a[0] * a[1], parameter(a[0], "gate", {4})};
        });
    g.output("y", layers[0]);
  }));
}

TEST_CASE("what a scan gives behind a sequence's end has the type of its other steps", "[scan]") {
  constexpr auto m = model("typed", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 5}), lengths = g.input<i32>("lengths", {"B"});
    const auto y = scan(x, mean(x, axis(1)) * 0.0,
                        [](expr step, expr before) {
                          const expr now = before + step;
                          return scan_step{std::array{argmax(now, axis(-1)), now > 0.0}, now};
                        },
                        {.lengths = lengths});
    g.output("best", y.output[0]);
    g.output("rows", embedding(y.output[0], "words", 5, 3));
    g.output("is positive", to_float(y.output[1]));
    g.output("state", y.state);
  });
  compare(m, {{"B", 3}, {"T", 4}});
}
