// Experts: against the same in other words, against the reference, gradients against difference quotients,
// streams, weights in formats, and what is refused.

#include "../message_of.hpp"
#include "../streams/last_case.hpp"
#include "../streams/stream_rows_case.hpp"
#include "../training/gradient_case.hpp"
#include "../weights/temporary_folder.hpp"

#include <cmath>
#include <fovea/weights/from_floats.hpp>
#include <fovea/weights/gguf.hpp>
#include <fovea/weights/save_weights.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

/// Widths that end inside of panels, experts that many rows choose, few, or none.
constexpr auto chosen = model("chosen", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 21});
  const auto most = top_k(linear(x, "router", 7), 3);
  const expr shared = expert_linear(x, most.indices, "shared", 7, 19);
  g.output("shared", shared);
  g.output("own", expert_linear(tanh(shared), most.indices, "own", 9, 70));
  g.output("wide", expert_linear(x, argmax(x, -1, {.keep = true}), "wide", 21, 133));
  g.output("one", expert_linear(x, slice(most.indices, -1, 0, 1), "one", 7, 1));
});

constexpr auto mixture = model("mixture", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 21});
  const expr gates = softmax(linear(x, "router", 6, {.bias = false}));
  g.output("mixed", experts(x, gates, "experts", 13, {.active = 2, .normalised = true}));
  g.output("layers", repeat("layers", 2, x, [](expr y) {
             const expr weights = softmax(linear(y, "router", 5));
             return y + experts(rms_norm(y, "norm"), weights, "experts", 16, {.active = 3});
           }));
});

/// Experts, an order and places in the steps of a scan, and what they choose carried from step to step.
constexpr auto stepped = model("stepped", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6});
  g.output("y", scan(x, zeros(x, {B, 6}), [](expr x_t, expr h) {
             const expr gates = softmax(linear(h, "router", 4) + linear(x_t, "from_x", 4));
             const expr next = tanh(experts(x_t + h, gates, "experts", 5, {.active = 2}));
             return scan_step{sort(next).values, take_along(next, top_k(x_t, 6).indices, -1)};
           }));
});

/// The same by a product of all experts, of which those that are meant are taken.
constexpr auto in_other_words = model("in_other_words", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 21});
  const expr gates = softmax(linear(x, "router", 6, {.bias = false}));
  const auto [weights, which] = top_k(gates, 2);
  const expr place = unsqueeze(which, -1);
  const auto of_all = [&](const char* name, expr each, int out) { // each [B, T, 1 or 6, in] -> [B, T, 6, out]
    const expr w =
        permute(reshape(parameter(x, name, {6 * out, each.size(-1)}), {6, out, each.size(-1)}), {0, 2, 1});
    return reshape(matmul(unsqueeze(each, -2), w), {B, T, 6, out});
  };
  const expr one = reshape(x, {B, T, 1, 21});
  const expr all =
      of_all("experts.down.weight",
             silu(of_all("experts.gate.weight", one, 13)) * of_all("experts.up.weight", one, 13), 21);
  const expr taken = take_along(all, broadcast(place, {B, T, 2, 21}), 2);
  g.output("mixed", sum(taken * unsqueeze(weights / sum(weights, -1, {.keep = true}), -1), -2));
});

/// Of experts that no rounding changes.
constexpr auto chosen_by_input = model("chosen_by_input", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 70}), which = g.input<i32>("which", {B, T, 2});
  g.output("y", expert_linear(x, which, "e", 7, 45));
});

/// The same of a file that has the experts as axes of their own.
constexpr name_rule stacked_names[] = {{"e.weight", "exps.weight", naming::flattened}};
constexpr auto stacked = model(
    "stacked",
    [](graph& g) {
      const expr x = g.input<f32>("x", {B, T, 64}), which = g.input<i32>("which", {B, T, 2});
      g.output("y", expert_linear(x, which, "e", 7, 45));
    },
    stacked_names);

constexpr auto balance = model("balance", [](graph& g) {
  g.output("loss", expert_balance(softmax(linear(g.input<f32>("x", {B, T, 9}), "router", 6)), 2));
});

constexpr auto small_scores = model("small_scores", [](graph& g) {
  g.output("loss", expert_z_loss(linear(g.input<f32>("x", {B, T, 9}), "router", 6)));
});

} // namespace

TEST_CASE("experts give what all experts give where only some are taken", "[words]") {
  const named_values inputs = random_inputs(mixture, {{"B", 3}, {"T", 7}});
  auto tensors = random_tensors(mixture);
  std::erase_if(tensors, [](const auto& each) { return each.first.starts_with("layers"); });
  const named_values expected = run_model<reference>(in_other_words, model_weights::from(tensors), inputs);
  on_both_backends([&](auto backend) {
    const named_values found = run_model<decltype(backend)>(mixture, random_weights(mixture), inputs);
    const distance d =
        distance_of(std::span<const double>(found.at("mixed").values), expected.at("mixed"), 1e-5, 1e-5);
    CHECK(d.share <= 1);
  });
}

TEST_CASE("experts against the reference", "[words]") {
  compare_at_awkward_sizes(chosen);
  compare_at_awkward_sizes(mixture);
  compare(chosen, {{"B", 2}, {"T", 150}});
  compare_at_awkward_sizes(stepped);
}

TEST_CASE("the gradients of experts", "[words]") {
  check_gradients_of_words(chosen);
  check_gradients_of_words(mixture);
  check_gradients_of(stepped);
}

TEST_CASE("a stream mixes experts at each position", "[words]") {
  check_stream<T>(mixture, {{"B", 3}, {"T", 11}});
  check_rows<T>(mixture, {{"B", 3}, {"T", 17}});
  check_last<T>(mixture, {{"B", 3}, {"T", 11}});
  check_stream<T>(stepped, {{"B", 3}, {"T", 11}});
}

TEST_CASE("experts with weights in a format are experts with the rounded values", "[words]") {
  const named_values inputs = random_inputs(chosen_by_input, {{"B", 3}, {"T", 17}});
  const model_weights from = random_weights(chosen_by_input);
  const auto check = [&]<class format>(format) {
    const named_values found = run_model<format>(chosen_by_input, from, inputs, 3),
                       expected = run_model<f32>(chosen_by_input,
                                                 rounded_weights<format>(chosen_by_input, from), inputs);
    INFO(instruction_set() << ", " << name_of(format_named<format>));
    CHECK(found.at("y").values == expected.at("y").values);
  };
  check(bf16{});
  check(int8{});
  check(q4_0{});
  // These round the rows of x, too.
  const named_values found = run_model<integer_products<q8_0>>(chosen_by_input, from, inputs, 3),
                     plain = run_model<f32>(chosen_by_input, from, inputs);
  CHECK(distance_of(std::span<const double>(found.at("y").values), plain.at("y"), 0.02, 0.02).share <= 1);
}

TEST_CASE("experts in blocks of a file are read as they lie there", "[words]") {
  const named_values inputs = random_inputs(stacked, {{"B", 3}, {"T", 17}});
  const std::vector<float> values = random_tensors(stacked).at("e.weight").values;
  std::vector<std::byte> blocks(values.size() / block_length(element_type::q8_0) *
                                block_bytes(element_type::q8_0));
  from_floats(element_type::q8_0, values, blocks.data());
  const temporary_folder folder;
  save_gguf(folder / "e.gguf", {{"exps.weight", {element_type::q8_0, {7, 45, 64}, blocks}}});
  const model_weights file = load_weights(folder / "e.gguf");
  const std::vector<double> found = run_model<q8_0>(stacked, file, inputs).at("y").values;
  CHECK(found == run_model<f32>(stacked, file, inputs).at("y").values);
  save_weights<q8_0>(folder / "own.gguf", stacked, file);
  CHECK(found == run_model<q8_0>(stacked, load_weights(folder / "own.gguf"), inputs).at("y").values);
}

TEST_CASE("the loss that balances experts is their number of active ones where all are chosen alike",
          "[words]") {
  compare_at_awkward_sizes(balance);
  check_difference_quotients(balance, {{"B", 3}, {"T", 7}});
  on_both_backends([](auto backend) {
    const auto by_hand = model("by_hand", [](graph& g) {
      g.output("loss", expert_balance(g.input<f32>("gates", {"N", 4}), 2));
    });
    const auto loss = [&](std::vector<double> gates) {
      return run_model<decltype(backend)>(by_hand, model_weights::from({}),
                                          {{"gates", {{2, 4}, std::move(gates), false}}})
          .at("loss")
          .values[0];
    };
    CHECK(loss({0.375, 0.375, 0.125, 0.125, 0.125, 0.125, 0.375, 0.375}) == Approx(2));
    CHECK(loss({0.5, 0.5, 0, 0, 0.5, 0.5, 0, 0}) == Approx(4));
  });
}

TEST_CASE("the loss that keeps a router's scores small is the mean square of their log-sum-exp", "[words]") {
  compare_at_awkward_sizes(small_scores);
  check_difference_quotients(small_scores, {{"B", 3}, {"T", 7}});
  const auto by_hand = model("by_hand", [](graph& g) {
    g.output("loss", expert_z_loss(g.input<f32>("scores", {"N", 2})));
  });
  on_both_backends([&](auto backend) {
    // The sums of exp are e^1000 (1 + 1) and e^-3 (1 + e^-1).
    const double far = 1000 + std::log(2.0), near = -3 + std::log1p(std::exp(-1.0));
    CHECK(run_model<decltype(backend)>(by_hand, model_weights::from({}),
                                       {{"scores", {{2, 2}, {1000, 1000, -3, -4}, false}}})
              .at("loss")
              .values[0] == Approx((far * far + near * near) / 2));
  });
}

TEST_CASE("experts that are not there are refused", "[words]") {
  on_both_backends([](auto backend) {
    const auto by_input = model("by_input", [](graph& g) {
      g.output("y", expert_linear(g.input<f32>("x", {B, 3}), g.input<i32>("which", {B, 1}) + 0, "e", 4, 2));
    });
    const auto message = [&](double which) {
      return message_of<error>([&] {
        run_model<decltype(backend)>(by_input, random_weights(by_input),
                                     {{"x", {{1, 3}, {1, 2, 3}, false}}, {"which", {{1, 1}, {which}, true}}});
      });
    };
    CHECK(message(3) == "");
    CHECK(message(4).find("expert_linear: expected experts from 0 to 3, found 4") != std::string::npos);
    CHECK(message(-1).find("expert_linear: expected experts from 0 to 3, found -1") != std::string::npos);
  });
}
