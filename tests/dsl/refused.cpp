#include <catch2/catch.hpp>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "refused.hpp"

using namespace fovea;

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
        }) ==
        "attention_map: a query head of [B, T, 8] has 8 features and a key head of [B, T, 4] has 4; they "
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
  const std::string text = detail::finished_graph(*g).error.text;
  CHECK(text.substr(text.find(": ") + 2) ==
        "slice: no input says how large S is; expected an axis S in the shape of an input");
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
  CHECK(mask(padding(nothing)).function.empty());
}
