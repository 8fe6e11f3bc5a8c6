#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <string>

#include <fovea/fovea.hpp>

#include "../message_of.hpp"

using namespace fovea;
using namespace fovea::core;

namespace {

inline constexpr dim B{"B"}, T{"T"};

/// Two inputs that share B, a table whose rows bound ids and T, and outputs of both element types.
constexpr auto declaration = model("calls", [](graph& g) {
  const expr tokens = g.input<i32>("tokens", {B, T}), x = g.input<f32>("x", {B, 3});
  const expr h =
      embedding(tokens, "words", 5, 3) + learned_positions(tokens, "positions", {.context = 6, .width = 3});
  const expr y = repeat("layer", 2, h, [](expr z) { return z + relu(linear(z, "mix", 3)); });
  g.output("y", mean(y, T) + x);
  g.output("best", argmax(y, axis(-1)));
});

model_weights some_weights() {
  const auto values = [](std::size_t n, float scale) {
    std::vector<float> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = scale * (static_cast<float>(i * 7 % 11) - 5);
    return v;
  };
  return model_weights::from({{"words.weight", {{5, 3}, values(15, 0.3f)}},
                              {"positions.weight", {{6, 3}, values(18, 0.1f)}},
                              {"layer.0.mix.weight", {{3, 3}, values(9, 0.2f)}},
                              {"layer.0.mix.bias", {{3}, values(3, 0.5f)}},
                              {"layer.1.mix.weight", {{3, 3}, values(9, -0.4f)}},
                              {"layer.1.mix.bias", {{3}, values(3, 0.1f)}}});
}

const xt::xtensor<int, 2> ids = {{0, 4, 2, 1}, {3, 3, 0, 4}};
const xt::xtensor<float, 2> x = {{1, 2, 3}, {-1, 0, 0.5f}};

template <class View>
std::vector<float> copied(const View& view) {
  return {view.begin(), view.end()};
}

/// Two models of one word, which take it from different tensors.
constexpr auto product = [](graph& g) {
  g.output("y", linear(g.input<f32>("x", {B, 32}), "l", 32, {.bias = false}));
};
constexpr name_rule one_of[] = {{"l.weight", "one"}, {"", "two", naming::ignored}},
                    two_of[] = {{"l.weight", "two"}, {"", "one", naming::ignored}};
constexpr auto first_product = model("first_product", product, one_of),
               second_product = model("second_product", product, two_of);

} // namespace

TEST_CASE("both backends give the same outputs, named and typed") {
  auto fast = compile(declaration, some_weights(), {.capacity = {{B, 2}}});
  auto plain = compile<reference>(declaration, some_weights(), {.capacity = {{B, 2}}});
  const auto a = fast("tokens"_in = ids, "x"_in = x);
  const auto b = plain("x"_in = x, "tokens"_in = ids);
  const auto y = a["y"_out], z = b["y"_out];
  REQUIRE(y.dimension() == 2);
  REQUIRE(y.shape()[0] == 2);
  REQUIRE(y.shape()[1] == 3);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j) CHECK(y(i, j) == Approx(z(i, j)).epsilon(1e-6).margin(1e-6));
  const auto best = a["best"_out], expected = b["best"_out];
  static_assert(std::is_same_v<std::decay_t<decltype(best(0, 0))>, std::int32_t>);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t t = 0; t < 4; ++t) CHECK(best(i, t) == expected(i, t));
}

TEST_CASE("any xtensor expression of the right rank is an input") {
  auto net = compile(declaration, some_weights(), {.capacity = {{B, 2}}});
  const auto expected = copied(net("tokens"_in = ids, "x"_in = x)["y"_out]);
  const xt::xarray<std::int64_t> any_rank = ids;
  CHECK(copied(net("tokens"_in = any_rank, "x"_in = x)["y"_out]) == expected);
  CHECK(copied(net("tokens"_in = ids + 0, "x"_in = x * 1.0)["y"_out]) == expected);
  CHECK(copied(net("tokens"_in = xt::xtensor<std::uint8_t, 2>(ids),
                   "x"_in = xt::xtensor<double, 2>(x))["y"_out]) == expected);
}

namespace {

/// An input that is read after an output of its shape is written, a state that begins as one, and one that is
/// given back as it is.
constexpr auto steps = model("steps", [](graph& g) {
  const expr in = g.input<f32>("x", {T, 5}), h = g.input<f32>("h", {5});
  g.output("more", in + 1.0f);
  const auto y = scan(relu(in), h,
                      [](expr at, expr before) {
                        const expr next = 0.5f * before + at;
                        return scan_step{next, next};
                      },
                      {.over = T});
  g.output("y", y.output);
  g.output("last", y.state);
  g.output("same", h);
});
const xt::xtensor<float, 2> five_wide = {{1, 2, 3, 4, 5}, {-1, 0, 1, 0, 2}, {3, 1, 4, 1, 5}};
const xt::xtensor<float, 1> begun = {8, 6, 4, 2, -2};

} // namespace

TEST_CASE("a call leaves its inputs as they are, wherever it reads them") {
  auto net = compile(steps, model_weights::from({}), {.capacity = {{T, 3}}});
  const auto expected = copied(net("x"_in = five_wide * 1, "h"_in = begun * 1)["y"_out]); // of copies
  xt::xtensor<float, 2> x_of_caller = five_wide;
  xt::xtensor<float, 1> h_of_caller = begun;
  const auto outputs = net("x"_in = x_of_caller, "h"_in = h_of_caller);
  CHECK(copied(outputs["y"_out]) == expected);
  CHECK((x_of_caller == five_wide));
  CHECK((h_of_caller == begun));
  h_of_caller.fill(7); // the outputs are views of the net's memory alone
  CHECK(copied(outputs["same"_out]) == copied(begun));
  CHECK(copied(outputs["y"_out]) == expected);
}

TEST_CASE("outputs of a call are inputs of the next") {
  auto net = compile(steps, model_weights::from({}), {.capacity = {{T, 3}}});
  auto apart = net;
  for (int round = 0; round < 3; ++round) {
    const auto before = net("x"_in = five_wide, "h"_in = begun);
    const xt::xtensor<float, 2> more = before["more"_out];
    const xt::xtensor<float, 1> last = before["last"_out];
    const auto expected = apart("x"_in = more, "h"_in = last);
    const auto found = net("x"_in = before["more"_out], "h"_in = before["last"_out]);
    CHECK(copied(found["more"_out]) == copied(expected["more"_out]));
    CHECK(copied(found["y"_out]) == copied(expected["y"_out]));
    CHECK(copied(found["same"_out]) == copied(last));
  }
}

TEST_CASE("outputs are the inputs of the next call crosswise, inputs that are handed on among them") {
  static constexpr auto leap = model("leap", [](graph& g) {
    const expr now = g.input<f32>("now", {B, 3}), before = g.input<f32>("before", {B, 3});
    const expr step = g.input<i32>("step", {B}), last = g.input<i32>("last", {B});
    g.output("next", 2.0f * now - before);
    g.output("now", reshape(now, {B, 3}));
    g.output("before", before);
    g.output("step", last);
    g.output("last", step);
    g.output("larger", argmax(now, axis(-1)));
  });
  const xt::xtensor<float, 2> now = {{1, 2, 3}, {4, -5, 6}}, before = {{0.5f, 2, 1}, {3, -4, 8}};
  const xt::xtensor<int, 1> step = {3, 4}, last = {5, 6};
  for (const regime how : {regime::small, regime::large}) {
    auto net = compile(leap, model_weights::from({}), {.capacity = {{B, std::size_t{2}}}, .regime = how});
    auto apart = compile<reference>(leap, model_weights::from({}), {.capacity = {{B, 2}}});
    auto out = net("now"_in = now, "before"_in = before, "step"_in = step, "last"_in = last);
    xt::xtensor<float, 2> next_apart = 2.0f * now - before, now_apart = now;
    xt::xtensor<int, 1> step_apart = last, last_apart = step;
    for (int round = 0; round < 3; ++round) {
      out = net("now"_in = out["next"_out], "before"_in = out["now"_out], "step"_in = out["step"_out],
                "last"_in = out["last"_out]);
      const auto expected = apart("now"_in = next_apart, "before"_in = now_apart, "step"_in = step_apart,
                                  "last"_in = last_apart);
      CHECK(copied(out["next"_out]) == copied(expected["next"_out]));
      CHECK(copied(out["now"_out]) == copied(expected["now"_out]));
      CHECK(copied(out["before"_out]) == copied(expected["before"_out]));
      CHECK(copied(out["step"_out]) == copied(expected["step"_out]));
      CHECK(copied(out["last"_out]) == copied(expected["last"_out]));
      const xt::xtensor<float, 2> next = expected["next"_out], still = expected["now"_out];
      const xt::xtensor<int, 1> one = expected["step"_out], other = expected["last"_out];
      next_apart = next, now_apart = still, step_apart = one, last_apart = other;
    }
    const xt::xtensor<float, 2> was_now = out["now"_out], was_before = out["before"_out];
    out = net("now"_in = out["before"_out], "before"_in = out["now"_out], "step"_in = step, "last"_in = last);
    CHECK(copied(out["now"_out]) == copied(was_before));
    CHECK(copied(out["before"_out]) == copied(was_now));
  }
}

TEST_CASE("what a call could not take is not read by the next") {
  auto net = compile(declaration, some_weights(), {.capacity = {{B, 2}}});
  {
    const xt::xtensor<float, 2> short_lived = x * 3.0f;
    const xt::xtensor<int, 2> beyond = {{0, 9, 2, 1}, {3, 3, 0, 4}};
    CHECK_THROWS_AS(net("x"_in = short_lived, "tokens"_in = beyond), error);
  }
  const auto expected = copied(net("tokens"_in = ids, "x"_in = x)["y"_out]);
  CHECK(copied(net("tokens"_in = ids, "x"_in = x * 1.0)["y"_out]) == expected);
}

TEST_CASE("a smaller call after a larger one equals a fresh one, and a copy equals its original") {
  auto net = compile(declaration, some_weights(), {.capacity = {{B, 2}, {T, 6}}});
  const xt::xtensor<int, 2> one = {{2, 1}};
  const xt::xtensor<float, 2> offset = {{0, 0, 1}};
  net("tokens"_in = ids, "x"_in = x);
  const auto again = copied(net("tokens"_in = one, "x"_in = offset)["y"_out]);
  auto fresh = compile(declaration, some_weights(), {.capacity = {{B, 1}, {T, 2}}});
  CHECK(copied(fresh("tokens"_in = one, "x"_in = offset)["y"_out]) == again);
  auto copy = net;
  const auto whole = copied(copy("tokens"_in = ids, "x"_in = x)["y"_out]);
  CHECK(copied(net("tokens"_in = ids, "x"_in = x)["y"_out]) == whole);
}

TEST_CASE("threads do not change a bit", "[threads]") {
  std::vector<float> first;
  for (const int threads : {1, 2, 3}) {
    auto net = compile(declaration, some_weights(), {.capacity = {{B, 2}}, .threads = threads});
    CHECK(net.threads() == threads);
    const auto y = copied(net("tokens"_in = ids, "x"_in = x)["y"_out]);
    if (first.empty()) first = y;
    CHECK(y == first);
  }
}

TEST_CASE("the working memory is what the declaration says") {
  auto net = compile(declaration, some_weights(), {.capacity = {{B, 2}}});
  CHECK(net.arena_bytes() == declaration.arena_bytes({{B, 2}, {T, 6}}));
}

TEST_CASE("parameters are read by name and layer") {
  auto net = compile(declaration, some_weights(), {.capacity = {{B, 2}}});
  CHECK(net.weights()["layer.mix.weight"_param][1](0, 0) == Approx(2.0f));
  CHECK(net.weights()["layer.*.mix.bias"_param][0](1) == Approx(1.0f));
  CHECK(net.weights()["words.weight"_param][0](4, 2) == Approx(0.3f * 5));
}

TEST_CASE("layers count on through repeats of one name") {
  static constexpr auto twice = model("twice", [](graph& g) {
    const auto mix = [](expr z) { return linear(z, "mix", 2, {.bias = false}); };
    const expr in = g.input<f32>("x", {2});
    g.output("y", repeat("h", 1, repeat("h", 2, in, mix), mix, {.first = 2}));
  });
  const auto diagonal = [](float value) { return weight_tensor{{2, 2}, {value, 0, 0, value}}; };
  auto net = compile(twice, model_weights::from({{"h.0.mix.weight", diagonal(1)},
                                                 {"h.1.mix.weight", diagonal(2)},
                                                 {"h.2.mix.weight", diagonal(3)}}));
  const auto mix = net.weights()["h.mix.weight"_param];
  for (std::size_t layer = 0; layer < 3; ++layer) CHECK(mix[layer](0, 0) == static_cast<float>(layer + 1));
  CHECK(message_of<error>([&] { mix[3]; }) ==
        "parameter h.0.mix.weight: expected a layer from 0 to 2, found 3");
}

TEST_CASE("a name made by a repeat and by a numbered scope is one too many") {
  static constexpr auto clash = model("clash", [](graph& g) {
    const expr in = g.input<f32>("x", {2});
    const expr y = repeat("h", 2, in, [](expr z) { return linear(z, "mix", 2, {.bias = false}); });
    const auto layer = scope(y, "h", 1);
    g.output("y", linear(y, "mix", 2, {.bias = false}));
  });
  const weight_tensor any{{2, 2}, {1, 0, 0, 1}};
  CHECK(message_of<error>([&] {
          compile(clash, model_weights::from({{"h.0.mix.weight", any}, {"h.1.mix.weight", any}}));
        }) ==
        "parameter h.1.mix.weight is made twice, by a repeat and by a numbered scope or another repeat; "
        "to share it, keep the expr of the first and use it again");
}

TEST_CASE("a call that does not fit is refused before anything runs") {
  auto net = compile(declaration, some_weights(), {.capacity = {{B, 2}, {T, 5}}});
  const auto before = copied(net("tokens"_in = ids, "x"_in = x)["y"_out]);
  const auto refused = [&](const auto& tokens, const auto& offsets) {
    return message_of<error>([&] { net("tokens"_in = tokens, "x"_in = offsets); });
  };
  CHECK(refused(xt::xtensor<int, 2>(xt::zeros<int>({2, 6})), x) ==
        "calls: input \"tokens\" [B, T]: axis 1 (T) is 6, expected 1 to 5, the capacity of T");
  CHECK(refused(xt::xtensor<int, 2>(xt::zeros<int>({0, 2})), x) ==
        "calls: input \"tokens\" [B, T]: axis 0 (B) is 0, expected 1 to 2, the capacity of B");
  CHECK(refused(xt::xtensor<int, 2>(xt::zeros<int>({1, 2})), x) ==
        "calls: input \"x\" [B, 3]: axis 0 (B) is 2, but another input has B = 1");
  CHECK(refused(ids, xt::xtensor<float, 2>(xt::zeros<float>({2, 4}))) ==
        "calls: input \"x\" [B, 3]: axis 1 is 4, expected 3");
  CHECK(refused(xt::xarray<int>(xt::zeros<int>({2})), x) ==
        "calls: input \"tokens\" [B, T]: expected 2 axes, found 1");
  CHECK(refused(xt::xtensor<int, 2>{{0, 5}, {0, 0}}, x) ==
        "calls: input \"tokens\" [B, T]: tokens[0, 1] is 5, expected 0 to 4");
  CHECK(refused(xt::xtensor<int, 2>{{0, 1}, {-1, 0}}, x) ==
        "calls: input \"tokens\" [B, T]: tokens[1, 0] is -1, expected 0 to 4");
  CHECK(refused(xt::xtensor<std::int64_t, 2>{{0, 1}, {4294967296, 0}}, x) ==
        "calls: input \"tokens\" [B, T]: 4294967296 does not fit 32 bits");
  CHECK(copied(net("tokens"_in = ids, "x"_in = x)["y"_out]) == before);
}

TEST_CASE("a capacity that does not fit is refused") {
  const auto refused = [](const compile_options& options) {
    return message_of<error>([&] { compile(declaration, some_weights(), options); });
  };
  CHECK(refused({}) == "calls: the dim B has no bound; give one, as in {.capacity = {{B, 512}}}");
  CHECK(refused({.capacity = {{B, 0}}}) == "calls: capacity of B: expected at least 1, found 0");
  CHECK(refused({.capacity = {{B, std::int64_t{1} << 31}}}) ==
        "calls: capacity of B: expected at most 2147483647, found 2147483648");
  CHECK(refused({.capacity = {{B, 2}, {T, 3}, {B, 4}}}) ==
        "calls: capacity of B: expected one, found 2 and 4");
  CHECK(refused({.capacity = {{B, 2}}, .threads = -1}) == "calls: threads: expected at least 0, found -1");
  CHECK(refused({.capacity = {{B, 1}, {T, 7}}}) ==
        "calls: capacity of T: the model allows at most 6, found 7");
  CHECK(refused({.capacity = {{B, 1}, {dim{"H"}, 7}}}) == "calls: capacity of H: the model has no such dim");
  CHECK(refused({.capacity = {{2 * B, 4}}}) == "calls: capacity of 2*B: expected a dim known at run time");
}

TEST_CASE("a capacity that no memory holds is refused") {
  const auto wide = model("wide", [](graph& g) {
    const expr in = g.input<f32>("x", {B, T, 4});
    g.output("y", attention(linear(in, "q", 4), in, in, {.mask = causal}));
  });
  const model_weights from = initial_weights(wide, 1);
  const compile_options all{.capacity = {{B, 2147483647}, {T, 2147483647}}};
  const std::string expected = "wide: there is not enough memory for the model and its capacity, "
                               "B = 2147483647, T = 2147483647";
  CHECK(message_of<error>([&] { compile(wide, from, all); }) == expected);
  CHECK(message_of<error>([&] { stream<T>(wide, from, all); }) == expected);
}

TEST_CASE("a size that an operation leaves nothing of is refused, by the call and by the capacity") {
  constexpr auto valid_only = model("short", [](graph& g) {
    g.output("y", conv1d(g.input<f32>("x", {B, T, 2}), "conv", 3, 4));
  });
  const model_weights from = model_weights::from(
      {{"conv.weight", {{3, 2, 4}, std::vector<float>(24)}}, {"conv.bias", {{3}, {1, 2, 3}}}});
  auto net = compile(valid_only, from, {.capacity = {{B, 1}, {T, 9}}});
  const auto call = [&](std::size_t length) {
    return copied(net("x"_in = xt::xtensor<float, 3>::from_shape({1, length, 2}))["y"_out]);
  };
  CHECK(call(4).size() == 3);
  CHECK_THAT(message_of<error>([&] { call(3); }),
             Catch::Matchers::Contains("conv1d: axis 1 of [B, T - 3, 3] would be 0 with B = 1, T = 3; "
                                       "expected at least 1"));
  CHECK_THAT(message_of<error>([&] {
               compile(valid_only, from, {.capacity = {{B, 1}, {T, 2}}});
             }),
             Catch::Matchers::Contains("would be -1 with B = 1, T = 2"));
}

TEST_CASE("a slice that lies outside its axis at the sizes of a call is refused") {
  static constexpr dim S{"S"};
  constexpr auto parts = model("parts", [](graph& g) {
    const expr y = g.input<f32>("y", {B, T, 4}), z = g.input<f32>("z", {B, S, 4});
    g.output("first", slice(y, axis(1), 0, 5));
    g.output("beside", concat(axis(1), slice(y, axis(1), 0, S), z));
  });
  const xt::xtensor<float, 3> two = xt::ones<float>({1, 2, 4}), six = xt::ones<float>({1, 6, 4}),
                              seven = xt::ones<float>({1, 7, 4});
  const auto check = [&](auto net) {
    CHECK_THAT(message_of<error>([&] { net("y"_in = two, "z"_in = two); }),
               Catch::Contains("calls.cpp:") &&
                   Catch::EndsWith("slice: from 0 to 5 is outside the axis of 2 in [B, T, 4] with B = 1, T = "
                                   "2, S = 2"));
    CHECK_THAT(message_of<error>([&] { net("y"_in = six, "z"_in = seven); }),
               Catch::EndsWith("slice: from 0 to 7 is outside the axis of 6 in [B, T, 4] with B = 1, T = 6, "
                               "S = 7"));
    const auto out = net("y"_in = seven, "z"_in = six);
    CHECK(out["first"_out].shape()[1] == 5);
    CHECK(out["beside"_out].shape()[1] == 12);
  };
  const compile_options options{.capacity = {{B, 1}, {T, 8}, {S, 8}}};
  check(compile(parts, model_weights::from({}), options));
  check(compile<reference>(parts, model_weights::from({}), options));
}

TEST_CASE("positions beyond a table of them are refused, whatever they are counted from") {
  constexpr auto positions = model("positions", [](graph& g) {
    const expr y = g.input<f32>("y", {B, T, 3});
    const expr longer = pad(y, axis(1), 1, 0);
    g.output("y", longer + learned_positions(longer, "table", {.context = 5, .width = 3}));
  });
  const model_weights table = model_weights::from({{"table.weight", {{5, 3}, std::vector<float>(15, 0.5f)}}});
  const xt::xtensor<float, 3> four = xt::ones<float>({1, 4, 3}), five = xt::ones<float>({1, 5, 3});
  const auto check = [&](auto net) {
    CHECK_THAT(
        message_of<error>([&] { net("y"_in = five); }),
        Catch::EndsWith("gather: expected at most 5 positions, the rows of its table, found 6 with B = 1, "
                        "T = 5"));
    CHECK(net("y"_in = four)["y"_out](0, 4, 0) == 1.5f);
  };
  const compile_options options{.capacity = {{B, 1}, {T, 8}}};
  check(compile(positions, table, options));
  check(compile<reference>(positions, table, options));
}

TEST_CASE("memory is enough for sizes that shrink while others grow") {
  static constexpr dim S{"S"};
  constexpr auto rest = model("rest", [](graph& g) {
    const expr y = g.input<f32>("y", {B, T, 3}), z = g.input<f32>("z", {B, S, 3});
    g.output("y", exp(slice(y, axis(1), S, T)));
    g.output("z", mean(z, S));
  });
  auto net = compile(rest, model_weights::from({}), {.capacity = {{B, 1}, {T, 400}, {S, 300}}});
  CHECK(net.arena_bytes() == rest.arena_bytes({{B, 1}, {T, 400}, {S, 300}}));
  const xt::xtensor<float, 3> y = xt::zeros<float>({1, 400, 3}), z = xt::ones<float>({1, 1, 3});
  const auto out = net("y"_in = y, "z"_in = z);
  REQUIRE(out["y"_out].shape()[1] == 399);
  CHECK(copied(out["y"_out]) == std::vector<float>(399 * 3, 1));
}

TEST_CASE("models that take a parameter from different tensors of one checkpoint do not share it",
          "[calls]") {
  const auto all = [](float value) { return core::weight_tensor{{32, 32}, std::vector<float>(1024, value)}; };
  const model_weights weights = model_weights::from({{"one", all(1)}, {"two", all(2)}});
  const compile_options how{.capacity = {{B, 8}}};
  auto first = compile(first_product, weights, how);
  auto second = compile(second_product, weights, how);
  const xt::xtensor<float, 2> x = xt::ones<float>({8, 32});
  CHECK(first("x"_in = x)["y"_out](7, 31) == 32);
  CHECK(second("x"_in = x)["y"_out](7, 31) == 64);
}
