#include "../run_model.hpp"

#include <fovea/models/self_attention.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

constexpr projection_config one_head{.head_width = 12}, two_heads{.heads = 2, .head_width = 8};

/// A model of x [B, T, width] whose outputs are y and the weights of its attention.
template <int width, class F>
constexpr auto of_x(F) {
  return model("self_attention", [](graph& g) {
    const expr y = F{}(g.input<f32>("x", {"B", "T", width}));
    g.output("y", y);
    g.output("weights", last_attention_map(y));
  });
}
template <int width, class F>
constexpr auto of_x_and_numbers(F) {
  return model("self_attention", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", width});
    g.output("y", F{}(g, x));
    g.output("weights", last_attention_map(x));
  });
}

constexpr auto torch_names = multi_head_names(16);
constexpr auto torch_names_24 = multi_head_names(24);

} // namespace

TEST_CASE("attention without parameters", "[self_attention]") {
  constexpr auto declared = model("self_attention", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 8});
    g.output("y", parameter_free_attention(x));
    g.output("weights", reshape(last_attention_map(x), {"B", "T", "T"}));
  });
  check_case(declared, "self_attention_free");
}

TEST_CASE("one head, scaled or not", "[self_attention]") {
  check_case(of_x<16>([](expr x) { return unscaled_attention(x, one_head); }), "attention_single_unscaled");
  check_case(of_x<16>([](expr x) { return scaled_attention(x, {.head_width = 12, .bias = true}); }),
             "attention_single_scaled");
}

TEST_CASE("causal attention, with as many key heads, fewer, or one", "[self_attention]") {
  check_case(of_x<16>([](expr x) { return causal_attention(x, two_heads); }), "attention_causal");
  check_case(
      of_x<16>([](expr x) { return causal_attention(x, {.heads = 4, .kv_heads = 2, .head_width = 8}); }),
      "attention_gqa");
  check_case(of_x<16>([](expr x) {
               return causal_attention(x, {.heads = 4, .kv_heads = 1, .head_width = 8, .bias = true});
             }),
             "attention_multi_query");
}

TEST_CASE("causal attention over more positions than a tile holds", "[self_attention]") {
  check_case(of_x<32>([](expr x) { return causal_attention(x, {.heads = 4, .head_width = 8}); }),
             "attention_long");
  check_case(of_x<32>([](expr x) { return causal_attention(x, {.heads = 2, .head_width = 16}); }),
             "attention_256");
}

TEST_CASE("window, distance and soft cap", "[self_attention]") {
  check_case(of_x<16>([](expr x) { return sliding_window_attention(x, 4, two_heads); }), "attention_window");
  check_case(of_x<16>([](expr x) { return alibi_attention(x, {.heads = 4, .head_width = 4}); }),
             "attention_alibi");
  check_case(of_x<16>([](expr x) { return soft_capped_attention(x, 2, two_heads); }), "attention_softcap");
}

TEST_CASE("prefix and padding, by numbers of each batch row", "[self_attention]") {
  check_case(of_x_and_numbers<16>([](graph& g, expr x) {
               return prefix_attention(x, g.input<i32>("prefix", {"B"}), two_heads);
             }),
             "attention_prefix");
  check_case(of_x_and_numbers<16>([](graph& g, expr x) {
               return self_attention(x, two_heads,
                                     options_of(two_heads, padding(g.input<i32>("lengths", {"B"}))));
             }),
             "attention_padding");
}

TEST_CASE("cross-attention to a memory of another width", "[self_attention]") {
  check_case(of_x_and_numbers<16>([](graph& g, expr x) {
               const expr memory = g.input<f32>("memory", {"B", "S", 20});
               return cross_attention(x, memory, two_heads,
                                      options_of(two_heads, padding(g.input<i32>("lengths", {"B"}))));
             }),
             "attention_cross");
}

TEST_CASE("multi-head attention under torch's names", "[self_attention]") {
  check_case(model(
                 "multi_head",
                 [](graph& g) {
                   const expr x = g.input<f32>("x", {"B", "T", 16});
                   g.output("y", multi_head_attention(x, x, {.heads = 4, .width = 16}));
                   g.output("weights", last_attention_map(x));
                 },
                 torch_names),
             "mha_torch");
  check_case(model(
                 "multi_head",
                 [](graph& g) {
                   const expr x = g.input<f32>("x", {"B", "T", 24});
                   const fovea::attention_mask seen = causal & padding(g.input<i32>("lengths", {"B"}));
                   g.output("y", multi_head_attention(x, x, {.heads = 3, .width = 24, .mask = seen}));
                   g.output("weights", last_attention_map(x));
                 },
                 torch_names_24),
             "mha_torch_causal_padded");
  check_case(
      model(
          "multi_head",
          [](graph& g) {
            const expr x = g.input<f32>("x", {"B", "T", 16}), memory = g.input<f32>("memory", {"B", "S", 12});
            const fovea::attention_mask seen = padding(g.input<i32>("lengths", {"B"}));
            g.output("y", multi_head_attention(x, memory, {.heads = 2, .width = 16, .mask = seen}));
            g.output("weights", last_attention_map(x));
          },
          torch_names),
      "mha_torch_cross");
}
