// top_k, sort and take_along: PyTorch's results and gradients, what equals and NaN give, the kernels against
// the reference, gradients against difference quotients, streams against the whole sequence.

#include "../message_of.hpp"
#include "../streams/last_case.hpp"
#include "../streams/stream_rows_case.hpp"
#include "../training/gradient_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};
constexpr double infinity = std::numeric_limits<double>::infinity(),
                 no_number = std::numeric_limits<double>::quiet_NaN();

constexpr auto of_pytorch = model("of_pytorch", [](graph& g) {
  const expr x = g.input<f32>("x", {3, 17}), ties = g.input<f32>("x_ties", {3, 17}),
             index = g.input<i32>("index", {3, 6});
  const auto most = top_k(x, 5);
  g.output("topk_values", most.values);
  g.output("topk_indices", most.indices);
  const auto rising = sort(x), falling = sort(x, {.descending = true});
  g.output("sort", rising.values);
  g.output("sort_indices", rising.indices);
  g.output("sort_descending", falling.values);
  g.output("sort_descending_indices", falling.indices);
  g.output("take", take_along(x, index, -1));
  const auto [values, indices] = top_k(ties, 5);
  g.output("ties_topk_values", values);
  g.output("ties_topk_indices", indices);
  g.output("ties_sort_indices", sort(ties).indices);
});

constexpr auto chosen = model("chosen", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 37}), h = tanh(linear(x, "h", 5));
  const auto most = top_k(x, 9);
  g.output("values", most.values);
  g.output("indices", most.indices);
  g.output("one", top_k(h, 1).values);
  g.output("rising", sort(x).values);
  g.output("falling", sort(h, {.descending = true}).values);
  // The same places of another value, twice.
  g.output("others", take_along(2 * x, most.indices, -1) + take_along(sin(x), most.indices, 2));
  // Places of one axis in front of others; some often, some never.
  const expr heads = reshape(h, {B, T, 5, 1}) * reshape(slice(x, -1, 0, 6), {B, T, 1, 6});
  g.output("inside",
           take_along(heads, permute(top_k(permute(heads, {0, 1, 3, 2}), 3).indices, {0, 1, 3, 2}), 2));
  g.output("layers", repeat("layers", 2, h, [](expr z) { return sort(linear(z, "l", 5)).values; }));
});

/// Along an axis known only at run time.
constexpr auto along_time = model("along_time", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6}), turned = permute(x, {0, 2, 1});
  const auto sorted = sort(turned);
  g.output("sorted", sorted.values);
  g.output("back", take_along(x, permute(sorted.indices, {0, 2, 1}), T));
  g.output("largest", top_k(turned, 1).values);
});

} // namespace

TEST_CASE("top_k, sort and take_along agree with PyTorch", "[words]") {
  const golden_case c("select", std::filesystem::path(golden_folder) / "today");
  check_case(of_pytorch, c, weights_of(c), inputs_of(c));
}

TEST_CASE("of equals the first counts, and NaN is larger than all numbers, as in PyTorch", "[words]") {
  on_both_backends([](auto backend) {
    const auto net = model("by_hand", [](graph& g) {
      const expr x = g.input<f32>("x", {"N", 6});
      g.output("most", top_k(x, 3).indices);
      g.output("rising", sort(x).indices);
      g.output("falling", sort(x, {.descending = true}).indices);
    });
    const named_values found = run_model<decltype(backend)>(
        net, model_weights::from({}),
        {{"x",
          {{3, 6},
           {1, 2, 1, 2, 0, -0., no_number, 3, infinity, no_number, -infinity, 3, 7, 7, 7, 7, 7, 7},
           false}}});
    CHECK(found.at("most").values == std::vector<double>{1, 3, 0, 0, 3, 2, 0, 1, 2});
    CHECK(found.at("rising").values ==
          std::vector<double>{4, 5, 0, 2, 1, 3, 4, 1, 5, 2, 0, 3, 0, 1, 2, 3, 4, 5});
    CHECK(found.at("falling").values ==
          std::vector<double>{1, 3, 0, 2, 4, 5, 0, 3, 2, 1, 5, 4, 0, 1, 2, 3, 4, 5});
  });
}

TEST_CASE("top_k, sort and take_along against the reference", "[words]") {
  compare_at_awkward_sizes(chosen);
  compare_at_awkward_sizes(along_time);
}

TEST_CASE("the gradients of top_k, sort and take_along", "[words]") {
  check_gradients_of_words(chosen);
  check_gradients_of_words(along_time);
}

TEST_CASE("a stream chooses at each position by itself", "[words]") {
  check_stream<T>(chosen, {{"B", 3}, {"T", 11}});
  check_rows<T>(chosen, {{"B", 3}, {"T", 17}});
  check_last<T>(chosen, {{"B", 3}, {"T", 11}});
}

TEST_CASE("indices outside of their axis, and axes with too few elements, are refused", "[words]") {
  on_both_backends([](auto backend) {
    const auto by_input = model("by_input", [](graph& g) {
      const expr x = g.input<f32>("x", {B, T}), by = g.input<i32>("by", {B, 2});
      g.output("taken", take_along(x, by, T));
      g.output("two", top_k(x, 2).values);
    });
    const auto message = [&](std::size_t length, double index) {
      return message_of<error>([&] {
        run_model<decltype(backend)>(
            by_input, model_weights::from({}),
            {{"x", {{1, length}, std::vector<double>(length), false}}, {"by", {{1, 2}, {0, index}, true}}});
      });
    };
    CHECK(message(3, 2) == "");
    CHECK(message(3, 3).find("take_along: expected indices from 0 to 2, found 3") != std::string::npos);
    CHECK(message(3, -1).find("take_along: expected indices from 0 to 2, found -1") != std::string::npos);
    const auto rows = model("rows", [](graph& g) {
      g.output("rows", gather(g.input<f32>("table", {T, 3}), g.input<i32>("by", {1})));
    });
    CHECK(message_of<error>([&] {
            run_model<decltype(backend)>(
                rows, model_weights::from({}),
                {{"table", {{2, 3}, std::vector<double>(6), false}}, {"by", {{1}, {2}, true}}});
          }).find("gather: expected ids from 0 to 1") != std::string::npos);
    CHECK(message(1, 0).find("top_k: expected at least 2 elements of the last axis") != std::string::npos);
  });
}
