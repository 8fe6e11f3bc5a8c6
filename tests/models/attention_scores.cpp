// Attention by other scores than products, and hard attention.

#include "compare_backends.hpp"

using namespace fovea;
using namespace fovea::test;

TEST_CASE("additive scores and the largest of them agree with the reference case", "[attention]") {
  constexpr auto m = model("additive", [](graph& g) {
    const expr s = g.input<f32>("s", {"B", "T", 16}), h = g.input<f32>("h", {"B", "S", 12}),
               lengths = g.input<i32>("lengths", {"B"});
    // One network whose parameters all uses share.
    const expr e =
        sum(parameter(s, "v.weight", {1, 10}) * tanh(unsqueeze(linear(s, "W2", 10, {.bias = false}), 2) +
                                                     unsqueeze(linear(h, "W1", 10, {.bias = false}), 1)),
            axis(-1));
    const attend_options o{.mask = padding(lengths)}, choose{.mask = padding(lengths), .mode = hard};
    const expr context = attend(e, h, o);
    g.output("scores", e);
    g.output("weights", sum(attend_map(e, h, o), axis(1)));
    g.output("context", context);
    g.output("hard", sum(attend_map(e, h, choose), axis(1)));
    g.output("hard_context", attend(e, h, choose));
    g.output("concat", concat(axis(-1), context, s));
    const auto combine = scope(s, "combine");
    g.output("attentional",
             tanh(linear(s, "W1", 14, {.bias = false}) + linear(context, "W2", 14, {.bias = false})));
  });
  check_case(m, "score_additive");
}

TEST_CASE("a score by name is the network written out", "[attention]") {
  constexpr auto m = model("named", [](graph& g) {
    const expr q = g.input<f32>("q", {"B", "T", 6}), k = g.input<f32>("k", {"B", "S", 4});
    const expr named = attention(q, k, k, {.score = additive("w", 5)});
    const expr both = attention_map(q, k, k, {.score = concatenated("c", 5)});
    g.output("additive", named);
    g.output("concatenated", both);
    g.output("hard", attention(q, k, k, {.score = concatenated("d", 5), .mask = causal, .mode = hard}));
    g.output("heads", attention(q, q, q, {.heads = 3, .mask = causal, .mode = hard}));
  });
  compare(m, {{"B", 1}, {"T", 1}, {"S", 1}});
  compare(m, {{"B", 3}, {"T", 5}, {"S", 9}});
}
