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

TEST_CASE("a stream looks around places in an encoder, its own or predicted ones", "[stream]") {
  check(model("local", [](graph& g) {
    const expr source = g.input<f32>("source", {B, S, 6}), lengths = g.input<i32>("lengths", {B});
    const expr x = g.input<f32>("x", {B, T, 6});
    const expr h = x + attention(x, source, source, {.mask = padding(lengths), .mode = local_m(2)});
    g.output("y", h + attention(h, source, source, {.mode = local_p("place", 5, 2, lengths)}));
    g.output("map", attention_map(h, source, source, {.mode = local_m(3)}));
  }));
}
