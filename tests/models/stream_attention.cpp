// Attention of positions as they come over what does not move: every score, mode, bias and map.

#include <catch2/catch.hpp>

#include "stream_rows_case.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

template <class M>
void check(const M& model) {
  check_stream<T>(model, {{"B", 2}, {"T", 9}, {"S", 6}});
  check_rows<T>(model, {{"B", 3}, {"T", 17}, {"S", 5}});
}

} // namespace

TEST_CASE("a stream attends to an encoder by networks, by maps and hard", "[stream]") {
  check(model("scores", [](graph& g) {
    const expr source = g.input<f32>("source", {B, S, 6}), lengths = g.input<i32>("lengths", {B});
    const expr x = g.input<f32>("x", {B, T, 6});
    const expr h = x + attention(x, source, source, {.score = additive("add", 5), .mask = padding(lengths)});
    const expr near = attention(h, source, source, {.heads = 2, .mode = hard});
    g.output("y", h + attention(h, source, source, {.score = concatenated("join", 4)}) + near);
    g.output("map", attention_map(h, source, source, {.heads = 3, .mask = padding(lengths)}));
  }));
}

TEST_CASE("what is said of keys is kept with them", "[stream]") {
  // Texts packed into one sequence see themselves alone; keys have weights of their own.
  const auto packed = model("packed", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 6}), texts = g.input<i32>("texts", {B, T});
    const mask same_text([texts](scalar q, scalar k, scalar, scalar batch) {
      return at(texts, batch, q) == at(texts, batch, k);
    });
    const expr weight = sum(x, axis(-1)), bias = reshape(linear(x, "bias", 1), {B, 1, 1, T});
    const score weighted([weight](scalar s, scalar q, scalar k, scalar, scalar batch) {
      return s * at(weight, batch, k) - at(weight, batch, q);
    });
    expr y = attention(x, x, x, {.heads = 2, .mask = causal & same_text});
    y = y + attention(x, x, x, {.score = weighted, .mask = causal});
    g.output("y", y + attention(x, x, x, {.mask = window(4), .bias = bias}));
  });
  check_stream<T>(packed, {{"B", 2}, {"T", 100}});
  check_rows<T>(packed, {{"B", 3}, {"T", 17}});
}

TEST_CASE("a stream looks around places in an encoder, its own or predicted ones", "[stream]") {
  check(model("local", [](graph& g) {
    const expr source = g.input<f32>("source", {B, S, 6}), lengths = g.input<i32>("lengths", {B});
    const expr x = g.input<f32>("x", {B, T, 6});
    const expr h = x + attention(x, source, source, {.mask = padding(lengths), .mode = local_m(2)});
    g.output("y", h + attention(h, source, source, {.mode = local_p("place", 5, 2, lengths)}));
    g.output("map", attention_map(h, source, source, {.mode = local_m(3)}));
  }));
}
