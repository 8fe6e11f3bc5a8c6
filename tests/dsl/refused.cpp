#include <catch2/catch.hpp>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "refused.hpp"

using namespace fovea;
using namespace fovea::core;

// Sentences that no file of compile_fail/ shows; those do that the place and the compiler's error are right.

namespace {

constexpr dim B{"B"}, T{"T"}, S{"S"}, U{"U"}, V{"V"}, W{"W"};
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

expr features(graph& g) { return g.input<f32>("x", {B, T, 8}); }
expr nothing_but_a_number(graph& g) { return sum(g.input<f32>("x", {8}), axis(0)); }

} // namespace

TEST_CASE("a value without axes has no features and no positions") {
  CHECK(refused([](graph& g) { linear(nothing_but_a_number(g), "l", 3); }) ==
        "linear \"l\": expected features in the last axis, found a single number []");
  CHECK(refused([](graph& g) { softmax(nothing_but_a_number(g)); }) ==
        "softmax: there is no axis -1 in [], a single number");
  CHECK(refused([](graph& g) { sinusoidal_positions(nothing_but_a_number(g), {.width = 4}); }) ==
        "sinusoidal_positions: expected an axis of positions, found []");
  CHECK(refused([](graph& g) { normalised_positions(nothing_but_a_number(g)); }) ==
        "normalised_positions: expected an axis of positions, found []");
  CHECK(refused([](graph& g) {
          learned_positions(nothing_but_a_number(g), "p", {.context = 4, .width = 4});
        }) == "learned_positions \"p\": expected an axis of positions, found []");
  CHECK(refused([](graph& g) {
          layer_norm(g.input<f32>("x", {8}), "n", {.axes = {axis(0), axis(-1)}});
        }) == "layer_norm \"n\": 2 axes are named, and [8] has 1");
}

TEST_CASE("numbers outside their range are refused") {
  CHECK(refused([](graph& g) { linear(features(g), "l", T / 0); }) ==
        "linear \"l\": a dim's arithmetic is too long, exceeds 64 bits, or divides by a number below 1");
  CHECK(refused([](graph& g) { slice(features(g), T, 0, T / 0); }) ==
        "a dim's arithmetic is too long, exceeds 64 bits, or divides by a number below 1");
  CHECK(refused([](graph& g) { batch_norm(features(g), "n", {.epsilon = -1}); }) ==
        "batch_norm \"n\": expected a finite epsilon of at least 0, found -1");
  CHECK(refused([](graph& g) { batch_norm(features(g), "n", {.momentum = 1.5}); }) ==
        "batch_norm \"n\": expected a momentum of 0 to 1, found 1.5");
  CHECK(refused([](graph& g) { batch_norm(features(g), "n", {.momentum = -0.5}); }) ==
        "batch_norm \"n\": expected a momentum of 0 to 1, found -0.5");
  CHECK(refused([](graph& g) { sinusoidal_positions(features(g), {.base = 0}); }) ==
        "sinusoidal_positions: expected a finite base above 0, found 0");
  CHECK(refused([](graph& g) { gru(features(g), "r", 4, {.layers = 17}); }) ==
        "gru \"r\": expected 1 to 16 layers, found 17");
  CHECK(refused([](graph& g) { gru(features(g), "r", 4, {.layers = 0}); }) ==
        "gru \"r\": expected 1 to 16 layers, found 0");
  CHECK(refused([](graph& g) { gru(features(g), "r", 4, {.dropout = 1}); }) ==
        "gru \"r\": expected a dropout of at least 0 and below 1, found 1");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          gru.step(x, {x}, "r", 0);
        }) == "gru \"r\": expected a state of 0 features, found [B, T, 8]");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          attention(x, x, x, {.dropout = -0.5});
        }) == "attention: expected a dropout of at least 0 and below 1, found -0.5");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          attention(x, x, x, {.dropout = 1});
        }) == "attention: expected a dropout of at least 0 and below 1, found 1");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          attention(x, x, x, {.mode = local_m(0)});
        }) == "attention: expected a half window of at least 1, found 0");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          attention(x, x, x, {.mode = local_p("p", 0, 2)});
        }) == "attention \"p\": expected a hidden layer of at least 1, found 0");
  CHECK(refused([](graph& g) {
          cross_entropy(features(g), g.input<i32>("targets", {B, T}), {.smoothing = not_a_number});
        }) == "cross_entropy: expected a smoothing of at least 0 and below 1, found not a number");
  CHECK(refused([](graph& g) {
          cross_entropy(features(g), g.input<i32>("targets", {B, T}), {.smoothing = 1});
        }) == "cross_entropy: expected a smoothing of at least 0 and below 1, found 1");
}

TEST_CASE("attention says which of its operands do not fit") {
  CHECK(refused([](graph& g) {
          const expr x = g.input<f32>("x", {8});
          attention(x, x, x, {.score = additive("a", 4)});
        }) ==
        "attention \"a\": expected [batch, positions, features] or [positions, features], found query [8] "
        "and key [8]");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          attention(x, x, x, {.mode = local_m(2, g.input<i32>("centres", {S}))});
        }) ==
        "attention: expected centres [queries] or [batch, queries] for the queries [B, T, 8], found [S]");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          attention(x, x, x, {.mode = local_m(2, g.input<i32>("centres", {S, T}))});
        }) ==
        "attention: expected centres [queries] or [batch, queries] for the queries [B, T, 8], found [S, T]");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          attention(x, x, x, {.mode = local_p("p", 4, 2, g.input<i32>("lengths", {S}))});
        }) == "attention \"p\": expected lengths [batch] for the queries [B, T, 8], found [S]");
  CHECK(refused([](graph& g) {
          const expr x = g.input<f32>("x", {T, 8});
          attention(x, x, x, {.mode = local_p("p", 4, 2, g.input<i32>("lengths", {T}))});
        }) == "attention \"p\": expected lengths [batch] for the queries [T, 8], found [T]");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          attention(x, linear(x, "k", 4), x, {.mode = local_m(2)});
        }) == "attention: a query head of [B, T, 8] has 8 features and a key head of [B, T, 4] has 4; they "
              "must be equal");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          attention(g.input<f32>("q", {8}), x, x, {.mode = local_m(2)});
        }) == "attention: expected [batch, positions, features] or [positions, features], found query [8], "
              "key [B, T, 8] and value [B, T, 8]");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          attend(g.input<f32>("scores", {T}), x, {.mode = local_m(2)});
        }) == "attend: expected scores [batch, queries, keys] and values [batch, keys, features], found [T] "
              "and [B, T, 8]");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          attention(x, x, x, {.mask = [](scalar q, scalar k, scalar, scalar) { return at({}, q) < k; }});
        }) == "attention: the mask lambda reads an empty expr by at");
  CHECK(refused([](graph& g) {
          const expr x = features(g), table = parameter(x, "table", {8});
          attention(x, x, x, {.score = [table](scalar s, scalar, scalar) { return s + at(table, 3); }});
        }) == "at: expected a position made of the lambda's own arguments, found only numbers");
}

TEST_CASE("a recorded lambda is bounded, and reads no table in a map") {
  CHECK(refused([](graph& g) {
          map(features(g), [](scalar a) {
            for (int i = 0; i < 48; ++i) a = a + 1;
            return a;
          });
        }) == "map: the lambda records at most 48 operations");
  CHECK(refused([](graph& g) {
          const expr x = features(g), table = parameter(x, "table", {8});
          map(g.input<i32>("ids", {B}), [table](scalar id) { return at(table, id); });
        }) == "map: the lambda reads a table by at, which only score and mask lambdas can; use gather");
}

TEST_CASE("contract says which axes cannot be matched") {
  CHECK(refused([](graph& g) {
          contract(g.input<f32>("x", {T, 8}), g.input<f32>("y", {T, T, 8}), 8);
        }) == "contract: T occurs twice in [T, T, 8] and once in [T, 8]");
  CHECK(refused([](graph& g) {
          contract(g.input<f32>("x", {T, T, 8}), g.input<f32>("y", {T, 8}), 8);
        }) == "contract: T occurs twice in [T, T, 8] and once in [T, 8]");
  CHECK(refused([](graph& g) {
          contract(g.input<f32>("x", {B, T, S, 8}), g.input<f32>("y", {U, V, W, B + 1, 8}), 8);
        }) == "contract: [B, T, S, 8] and [U, V, W, B + 1, 8] would make more than 6 axes");
  CHECK(refused([](graph& g) {
          const expr x = g.input<f32>("x", {B, T, 8});
          contract(x, x, {8, 8});
        }) == "contract: 8 is named twice");
  CHECK(refused([](graph& g) {
          const expr x = g.input<f32>("x", {B, T, S, U, V, 8});
          contract(x, x, 8);
        }) == "contract: [B, T, S, U, V, 8] and [B, T, S, U, V, 8] would make more than 6 axes");
}

TEST_CASE("shapes that cannot be are refused") {
  CHECK(refused([](graph& g) {
          gather(g.input<f32>("table", {9, 2, 3, 4, 5, 6}), g.input<i32>("ids", {B, T}));
        }) == "gather: rows of [9, 2, 3, 4, 5, 6] by ids [B, T] would have more than 6 axes");
  CHECK(refused([](graph& g) {
          unsqueeze(g.input<f32>("x", {1, 2, 3, 4, 5, 6}), 0);
        }) == "unsqueeze: [1, 2, 3, 4, 5, 6] has 6 axes already");
  CHECK(refused([](graph& g) {
          permute(features(g), {0, 1, 3});
        }) == "permute: there is no axis 3 in [B, T, 8]; its axes are 0 to 2");
  CHECK(refused([](graph& g) {
          permute(features(g), {0, 1, -4});
        }) == "permute: there is no axis -4 in [B, T, 8]; its axes are 0 to 2");
  CHECK(refused([](graph& g) { slice(features(g), axis(-4), 0, 1); }) ==
        "slice: there is no axis -4 in [B, T, 8]; its axes are 0 to 2");
  CHECK(refused([](graph& g) {
          reshape(g.input<f32>("x", {B, T, S, U, V}), {B * T, S * U, V});
        }) == "cannot reshape [B, T, S, U, V] to [B*T, S*U, V]: the number of elements is too long an "
              "expression to compare");
  CHECK(refused([](graph& g) { states_of(features(g)); }) ==
        "states_of: expected [layers * directions, batch, hidden], found [B, T, 8]");
  CHECK(refused([](graph& g) { states_of(g.input<f32>("x", {8})); }) ==
        "states_of: expected [layers * directions, batch, hidden], found [8]");
  CHECK(refused([](graph& g) {
          states_of(g.input<f32>("x", {33, B, 8}));
        }) == "states_of: expected [layers * directions, batch, hidden], found [33, B, 8]");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          scan(x, x,
               [](expr, expr s) {
                 return scan_step{sum(sum(sum(s, T), axis(0)), axis(0)), s};
               },
               {.over = axis(1)});
        }) == "scan: the body gives [], which has no place for time as axis 1");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          linear(x, parameter(x, "w", {3, 8}), parameter(x, "b", {4}));
        }) == "linear: expected a parameter [3] as the bias, found [4]");
  CHECK(refused([](graph& g) {
          cross_entropy(features(g), g.input<f32>("targets", {B, T}));
        }) == "cross_entropy: expected int32 targets, found float32 [B, T]");
}

TEST_CASE("names are not empty, and an interface is bounded") {
  CHECK(refused([](graph& g) { g.input<f32>("", {B}); }) == "input: the name is empty");
  CHECK(refused([](graph& g) { g.output("", features(g)); }) == "output: the name is empty");
  CHECK(refused([](graph& g) { linear(features(g), "", 4); }) == "a name is empty");
  CHECK(refused([](graph& g) { parameter(features(g), "", {4}); }) == "parameter: the name is empty");
  static constexpr const char* names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i",
                                          "j", "k", "l", "m", "n", "o", "p", "q"};
  CHECK(refused([](graph& g) {
          for (const char* name : names) g.input<f32>(name, {B});
        }) == "input \"q\": a model has at most 16 inputs");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          for (const char* name : names) g.output(name, x);
        }) == "output \"q\": a model has at most 16 outputs");
}

TEST_CASE("a symbol that a slice alone has is refused at the slice") {
  const auto g = std::make_unique<graph>();
  const expr x = g->input<f32>("x", {B, 8});
  g->output("y", slice(x, B, S, S + 1));
  CHECK(words_of(detail::finished_graph(*g).error.text) ==
        "slice: no input says how large S is; expected an axis S in the shape of an input");
}

TEST_CASE("elementwise words say which of their sides do not fit") {
  CHECK(refused([](graph& g) {
          features(g) - g.input<f32>("y", {B, T, 7});
        }) ==
        "cannot subtract [B, T, 8] and [B, T, 7]: the last axis is 8 and 7; sizes must be equal, or one of "
        "them 1");
  CHECK(refused([](graph& g) {
          features(g) / g.input<f32>("y", {B, S, 8});
        }) ==
        "cannot divide [B, T, 8] and [B, S, 8]: the last axis but one is T and S; a size known only at run "
        "time fits itself and 1");
  CHECK(refused([](graph& g) {
          max(features(g), g.input<f32>("y", {2, 1, T, 8})) + g.input<f32>("z", {7});
        }) ==
        "cannot add [2, B, T, 8] and [7]: the last axis is 8 and 7; sizes must be equal, or one of them 1");
  CHECK(refused([](graph& g) {
          max(features(g), g.input<f32>("y", {S, 8}));
        }) ==
        "cannot join [B, T, 8] and [S, 8] by max: the last axis but one is T and S; a size known only at run "
        "time fits itself and 1");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          (x < 0) || x;
        }) == "||: expected booleans on both sides, found boolean [B, T, 8] and float32 [B, T, 8]");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          x + (x < 0);
        }) == "+: expected numbers on both sides, found float32 [B, T, 8] and boolean [B, T, 8]; use "
              "to_float or where");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          where(g.input<f32>("y", {7}) < 0, x, x);
        }) == "where: the condition [7] and the choices [B, T, 8] and [B, T, 8] do not broadcast");
  CHECK(refused([](graph& g) { dropout(features(g), -0.1); }) ==
        "dropout: expected a rate of at least 0 and below 1, found -0.1");
  CHECK(refused([](graph& g) { -(features(g) < 0); }) ==
        "-: expected numbers, found boolean [B, T, 8]; use where(condition, a, b)");
}

TEST_CASE("affine words say which shapes they take") {
  CHECK(refused([](graph& g) { matmul(features(g), g.input<f32>("y", {8})); }) ==
        "matmul: expected at least two axes on both sides, found [B, T, 8] and [8]");
  CHECK(refused([](graph& g) {
          matmul(g.input<f32>("x", {8, 3}), g.input<f32>("y", {8, 5}));
        }) ==
        "matmul: cannot multiply [8, 3] by [8, 5]: the inner sizes are 3 and 8; transpose the left side");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          linear(x, x);
        }) == "linear: expected a parameter [out, 8] to multiply [B, T, 8] by, found [B, T, 8]");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          linear(x, parameter(x, "w", {8}));
        }) == "linear: expected a parameter [out, 8] to multiply [B, T, 8] by, found [8]");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          linear(x, parameter(x, "w", {3, 8}), g.input<f32>("b", {3}));
        }) == "linear: expected a parameter [3] as the bias, found [3]");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          linear(x, parameter(x, "w", {3, 8}), parameter(x, "b", {3, 1}));
        }) == "linear: expected a parameter [3] as the bias, found [3, 1]");
  CHECK(refused([](graph& g) {
          linear(g.input<f32>("x", {8, T}), "l", 4);
        }) ==
        "linear \"l\": the last axis of [8, T] is T, known only at run time; expected a number of features");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          linear(g.input<f32>("y", {8, T}), parameter(x, "w", {3, 8}));
        }) == "linear: the last axis of [8, T] is T, known only at run time; expected a number of features");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          bilinear(x, x, "b", 0);
        }) == "bilinear \"b\": expected a number of output features of 1 to 2147483647, found 0");
  CHECK(refused([](graph& g) {
          bilinear(features(g), g.input<f32>("y", {B, T}), "b", 3);
        }) == "bilinear \"b\": the last axis of [B, T] is T, known only at run time; expected a number of "
              "features");
  CHECK(refused([](graph& g) { gather(nothing_but_a_number(g), g.input<i32>("ids", {B})); }) ==
        "gather: expected a table of at least one axis, found []");
}

TEST_CASE("norms say what they cannot normalise") {
  CHECK(refused([](graph& g) { rms_norm(nothing_but_a_number(g), "n"); }) ==
        "rms_norm \"n\": expected features in the last axis, found a single number []");
  CHECK(refused([](graph& g) { batch_norm(nothing_but_a_number(g), "n"); }) ==
        "batch_norm \"n\": expected features in the last axis, found a single number []");
  CHECK(refused([](graph& g) { group_norm(g.input<f32>("x", {8}), "n", 2); }) ==
        "group_norm \"n\": expected [batch, ..., features], found [8]");
  CHECK(refused([](graph& g) {
          group_norm(g.input<f32>("x", {8, T}), "n", 2);
        }) == "group_norm \"n\": the last axis of [8, T] is T, known only at run time; expected a number of "
              "features");
  CHECK(refused([](graph& g) { group_norm(features(g), "n", 0); }) ==
        "group_norm \"n\": 0 groups do not divide the 8 features of [B, T, 8]");
  CHECK(refused([](graph& g) { layer_norm(features(g), "n", {.epsilon = 1.0 / 0.0}); }) ==
        "layer_norm \"n\": expected a finite epsilon of at least 0, found infinity");
  CHECK(refused([](graph& g) { batch_norm(features(g), "n", {.epsilon = 1.0 / 0.0}); }) ==
        "batch_norm \"n\": expected a finite epsilon of at least 0, found infinity");
  CHECK(refused([](graph& g) { layer_norm(features(g), "n", {.axes = {axis(7)}}); }) ==
        "layer_norm \"n\": there is no axis 7 in [B, T, 8]; its axes are 0 to 2");
}

TEST_CASE("attention says which of its options do not fit") {
  const auto attended = [](auto options) {
    return refused([&](graph& g) {
      const expr x = features(g);
      attention(x, x, x, options(x));
    });
  };
  using o = attention_options;
  CHECK(attended([](expr) { return o{.heads = 2, .score = general("g")}; }) ==
        "attention \"g\": the score `general` takes one head, found 2");
  CHECK(attended([](expr) { return o{.heads = 2, .score = additive("a", 3)}; }) ==
        "attention \"a\": a score by a network takes one head, found 2");
  CHECK(attended([](expr) { return o{.heads = 2, .kv_heads = -1}; }) ==
        "attention: -1 key heads do not divide 2 query heads");
  CHECK(attended([](expr) { return o{.heads = 40000}; }) ==
        "attention: expected 1 to 32767 heads, found 40000");
  CHECK(attended([](expr) { return o{.heads = 16}; }) ==
        "attention: 16 heads do not divide the 8 features of the query [B, T, 8]; 8 heads or 16 features "
        "would fit");
  CHECK(attended([](expr) { return o{.heads = 2, .soft_cap = 1.0 / 0.0}; }) ==
        "attention: expected a finite soft cap of at least 0, found infinity");
  CHECK(attended([](expr x) {
          return o{.heads = 2, .bias = parameter(x, "bias", {2, 2, 2, 2, 2})};
        }) == "attention: the bias [2, 2, 2, 2, 2] does not broadcast to the scores [B, 2, T, T]");
  CHECK(attended([](expr) { return o{.heads = 2, .mask = window(1 << 30, (1 << 30) + 1)}; }) ==
        "attention: window: expected 0 to 1073741824 positions on either side of the query's own, found "
        "1073741825");
  CHECK(attended([](expr) { return o{.mask = causal & padding(0)}; }) ==
        "attention: padding: expected 1 to 1073741824 keys, found 0");
  CHECK(attended([](expr) { return o{.mask = padding(0) | causal}; }) ==
        "attention: padding: expected 1 to 1073741824 keys, found 0");
  CHECK(attended([](expr x) {
          return o{
              .score = [x](scalar s, scalar q, scalar k) { return s + at(parameter(x, "t", {8}), q, k); }};
        }) == "at: expected 1 position in the table [8], found 2");
  CHECK(attended([](expr x) {
          return o{.score = [x](scalar s, scalar q, scalar k) {
            return s + at(parameter(x, "t", {8, 8}), to_float(q), k);
          }};
        }) == "at: expected integer positions in the table [8, 8], found a float32 one");
  CHECK(attended([](expr x) {
          return o{.score = [x](scalar s, scalar q, scalar k) {
            return s + at(parameter(x, "t", {8, 8}), q < k, k);
          }};
        }) == "at: expected integer positions in the table [8, 8], found a boolean one");
  CHECK(attended([](expr x) {
          return o{.heads = 2, .score = [x](scalar s, scalar q, scalar k, scalar h) {
                     return s + at(parameter(x, "t", {3, 8, 8}), h, q, k);
                   }};
        }) == "attention: the score lambda reads axis 0 of [3, 8, 8] by head, of which there are 2");
  CHECK(attended([](expr x) {
          return o{.score = [x](scalar s, scalar q, scalar k, scalar h, scalar b) {
            return s + at(parameter(x, "t", {3, 1, 8, 8}), b, h, q, k);
          }};
        }) == "attention: the score lambda reads axis 0 of [3, 1, 8, 8] by batch row, of which there are B");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          attention(rope(x, {.heads = 4}), x, x, {.heads = 2});
        }) == "attention: rope turns the query [B, T, 8] as 4 heads of 2 features, attention reads it as 2 "
              "of 4");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          attention(x, x, g.input<f32>("v", {S, T, 8}));
        }) == "attention: query [B, T, 8], key [B, T, 8] and value [S, T, 8] must have the same batch axis");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          attend(g.input<f32>("scores", {S, T, T}), x);
        }) == "attend: expected scores [batch, queries, keys] and values [batch, keys, features], found "
              "[S, T, T] and [B, T, 8]");
}

TEST_CASE("positions say what they are asked for") {
  const auto context = "learned_positions \"p\": expected a .context and a .width of at least 1, found ";
  CHECK(refused([](graph& g) { learned_positions(features(g), "p", {.context = 0, .width = 8}); }) ==
        std::string(context) + "0 and 8");
  CHECK(refused([](graph& g) { learned_positions(features(g), "p", {.context = T, .width = 8}); }) ==
        std::string(context) + "T and 8");
  CHECK(refused([](graph& g) { learned_positions(features(g), "p", {.context = 4, .width = 0}); }) ==
        std::string(context) + "4 and 0");
  CHECK(refused([](graph& g) { learned_positions(features(g), "p", {.context = 4, .width = T}); }) ==
        std::string(context) + "4 and T");
  CHECK(refused([](graph& g) {
          sinusoidal_positions(g.input<f32>("x", {B, 8, T}));
        }) == "sinusoidal_positions: expected an even number of features, found T");
  CHECK(refused([](graph& g) { sinusoidal_positions(features(g), {.base = 1.0 / 0.0}); }) ==
        "sinusoidal_positions: expected a finite base above 0, found infinity");
  CHECK(refused([](graph& g) { rope(g.input<f32>("x", {8})); }) ==
        "rope: expected [..., positions, features], found [8]");
  CHECK(refused([](graph& g) {
          rope(g.input<f32>("x", {8, T}));
        }) == "rope: the last axis of [8, T] is T, known only at run time; expected a number of features");
  CHECK(refused([](graph& g) { rope(features(g), {.heads = 0}); }) ==
        "rope: 0 heads do not divide the 8 features of [B, T, 8]");
  CHECK(refused([](graph& g) { rope(features(g), {.base = 1.0 / 0.0}); }) ==
        "rope: expected a finite base above 0, found infinity");
  CHECK(refused([](graph& g) { rope(features(g), {.heads = 2, .width = 6}); }) ==
        "rope: expected an even number of at most 4 features of a head to turn, found 6");
  CHECK(refused([](graph& g) { relative_bias(features(g), "r", {.buckets = 1, .both = false}); }) ==
        "relative_bias \"r\": expected at least 2 buckets and a .max_distance above 0 and below "
        "1073741824, found 1 and 128");
  CHECK(refused([](graph& g) { relative_bias(features(g), "r", {.max_distance = 1 << 30}); }) ==
        "relative_bias \"r\": expected an even number of at least 4 buckets and a .max_distance above 8 and "
        "below 1073741824, found 32 and 1073741824");
}

TEST_CASE("recurrences say which shapes and numbers they take") {
  CHECK(refused([](graph& g) {
          gru(g.input<f32>("x", {B, S, T, 8}), "r", 4);
        }) == "gru \"r\": expected [batch, time, features] or [time, features], found [B, S, T, 8]");
  CHECK(refused([](graph& g) {
          gru(g.input<f32>("x", {B, 8, T}), "r", 4);
        }) ==
        "gru \"r\": the last axis of [B, 8, T] is T, known only at run time; expected a number of features");
  CHECK(refused([](graph& g) { gru(features(g), "r", 0); }) ==
        "gru \"r\": expected 1 to 715827882 hidden units, found 0");
  CHECK(refused([](graph& g) { gru(features(g), "r", 4, {.dropout = -0.5}); }) ==
        "gru \"r\": expected a dropout of at least 0 and below 1, found -0.5");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          gru.step(g.input<f32>("y", {8, T}), {x}, "r", 8);
        }) ==
        "gru \"r\": the last axis of [8, T] is T, known only at run time; expected a number of features");
  CHECK(refused([](graph& g) {
          const expr x = features(g), number = sum(sum(sum(x, T), axis(0)), axis(0));
          gru.step(x, {number}, "r", 8);
        }) == "gru \"r\": expected a state of 8 features, found []");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          stack_states({x}, 33);
        }) == "stack_states: expected 1 to 32 states, found 33");
  CHECK(refused([](graph& g) { repeat("h", 2, features(g), [](expr x) { return x; }, {.first = -1}); }) ==
        "repeat \"h\": expected .first to be 0 to 2147483645, found -1");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          scan(x, x, [](expr a, expr s) { return scan_step{a, s}; }, {.lengths = g.input<i32>("l", {B, T})});
        }) == "scan: expected .lengths as int32 [batch] and a state of [batch, ...], found int32 [B, T] and "
              "a state [B, T, 8]");
}

TEST_CASE("shape words say where there is no place") {
  CHECK(refused([](graph& g) { unsqueeze(features(g), -5); }) ==
        "unsqueeze: there is no place -5 in [B, T, 8]; its places are 0 to 3");
  CHECK(refused([](graph& g) { pad(features(g), axis(5), 1, 1); }) ==
        "pad: there is no axis 5 in [B, T, 8]; its axes are 0 to 2");
  CHECK(refused([](graph& g) { pad(features(g), T, 0, -1); }) ==
        "pad: expected counts of 0 to 1073741823, found 0 and -1");
  CHECK(refused([](graph& g) { pad(features(g), T, 2000000000, 0); }) ==
        "pad: expected counts of 0 to 1073741823, found 2000000000 and 0");
  CHECK(refused([](graph& g) { pad(features(g), T, 0, 2000000000); }) ==
        "pad: expected counts of 0 to 1073741823, found 0 and 2000000000");
  CHECK(refused([](graph& g) { reverse(features(g), axis(5)); }) ==
        "reverse: there is no axis 5 in [B, T, 8]; its axes are 0 to 2");
  CHECK(refused([](graph& g) {
          const expr x = features(g);
          concat(axis(5), x, x);
        }) == "concat: there is no axis 5 in [B, T, 8]; its axes are 0 to 2");
  CHECK(refused([](graph& g) { slice(features(g), axis(2), -9, 8); }) ==
        "slice: from -1 to 8 is outside the axis of 8 in [B, T, 8]");
  CHECK(refused([](graph& g) {
          broadcast(features(g), {T, 8});
        }) == "cannot broadcast [B, T, 8] to [T, 8]: only axes of 1 and missing leading axes stretch");
  CHECK(refused([](graph& g) { conv_transpose1d(features(g), "c", 4, 3, {.output_padding = -1}); }) ==
        "conv_transpose1d \"c\": expected an output_padding of at least 0 and below the stride or the "
        "dilation, 1 and 1, found -1");
  CHECK(refused([](graph& g) { const scope inside(features(g), "s", -7); }) ==
        "scope \"s\": expected a number of at least 0, found -7");
}

TEST_CASE("a word outside a graph makes nothing") {
  const expr nothing;
  CHECK(!linear(nothing, "l", 3).valid());
  CHECK(!(nothing + 1).valid());
  CHECK(!attention(nothing, nothing, nothing).valid());
  CHECK(!repeat("h", 2, nothing, [](expr x) { return x; }).valid());
  CHECK(!expr(gru(nothing, "r", 4)).valid());
  CHECK(states_of(nothing).count == 0);
  CHECK(nothing.rank() == 0);
  CHECK(nothing.size(3) == 1);
  CHECK(attention_mask(padding(nothing)).function.empty());
}

TEST_CASE("words made of others say their own name") {
  const auto six_axes = [](graph& g) { return g.input<f32>("x", {1, 2, 1, 2, 1, 2}); };
  CHECK(refused([](graph& g) { stack(4, features(g)); }) ==
        "stack: there is no place 4 in [B, T, 8]; its places are 0 to 3");
  CHECK(refused([&](graph& g) { stack(0, six_axes(g)); }) == "stack: [1, 2, 1, 2, 1, 2] has 6 axes already");
  CHECK(refused([](graph& g) {
          one_hot(g.input<i32>("x", {1, 2, 1, 2, 1, 2}), 3);
        }) == "one_hot: [1, 2, 1, 2, 1, 2] has 6 axes already");
  CHECK(refused([](graph& g) { one_hot(g.input<i32>("x", {B}), 0); }) ==
        "one_hot: axis 0 is 0, expected 1 to 2147483647");
  CHECK(refused([](graph& g) { clamp(features(g), not_a_number, 1); }) ==
        "clamp: expected the lower bound first, found not a number and 1");
  CHECK(refused([](graph& g) {
          kl_divergence(nothing_but_a_number(g), sum(g.input<f32>("y", {8}), axis(0)));
        }) == "kl_divergence: expected classes in the last axis, found a single number []");
  CHECK(refused([](graph& g) { variance(features(g), 3); }) ==
        "variance: there is no axis 3 in [B, T, 8]; its axes are 0 to 2");
  CHECK(refused([](graph& g) {
          reshape(g.input<f32>("x", {B * T, S * U, V * W}), {-1});
        }) == "cannot reshape [B*T, S*U, V*W]: the number of elements is too long an expression to compare");
  CHECK(refused([](graph& g) {
          learned_positions(g.input<i32>("x", {B, 7}), "p", {.context = 8, .width = 4, .offset = 2});
        }) == "learned_positions \"p\": the 7 positions of [B, 7] from .offset 2 exceed the context of 8");
}
