// What a backend has to be, by two that are and a third that counts what another does.

#include "../compare_backends.hpp"

using namespace fovea;
using namespace fovea::core::test;
using core::backend_for, core::streaming_backend_for, core::simd::backend;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr auto reader = model("reader", [](graph& g) {
  g.output("y", linear(gru(g.input<f32>("x", {B, T, 3}), "rnn", 5), "out", 2));
});
constexpr auto lesson = model("lesson", [](graph& g) {
  g.output("loss", mse(linear(g.input<f32>("x", {B, 3}), "out", 2), g.input<f32>("y", {B, 2})));
});
using declared = std::remove_const_t<decltype(reader)>;

static_assert(backend_for<reference, declared>);
static_assert(backend_for<backend, declared>);
static_assert(streaming_backend_for<backend, declared, T>);
static_assert(!backend_for<f32, declared>);

/// Its code is the other's with the number of nodes, which its engine finds again.
template <class other>
struct counting {
  struct model_code {
    typename other::model_code of_other;
    int nodes;
  };
  template <class M>
  static constexpr model_code code_of_model() {
    return {other::template code_of_model<M>(), M::view.node_count()};
  }
  template <class M>
  struct engine : other::template engine<M> {
    using base = typename other::template engine<M>;
    engine(core::model_parameters parameters, std::span<const std::int64_t> capacity, int threads,
           model_code code)
        : base(std::move(parameters), capacity, threads, code.of_other) {
      REQUIRE(code.nodes == M::view.node_count());
    }
    engine(const engine& from, std::span<const std::int64_t> capacity) : base(from, capacity) {}
    void run(std::span<const std::int64_t> sizes) {
      ++runs;
      base::run(sizes);
    }
  };
  static void update(const core::optimizer_args& a) {
    ++updates;
    other::update(a);
  }
  static inline int runs = 0, updates = 0;
};

/// The same where no small stream has a way of its own.
struct counting_streams : counting<backend> {
  struct stream_code {
    model_code step, begin;
  };
  template <class M, dim time>
  static constexpr stream_code code_of_stream() {
    return {code_of_model<core::detail::step_of<typename M::source, time>>(),
            code_of_model<core::detail::begin_of<typename M::source, time>>()};
  }
  template <class, dim>
  struct single_position {
    static constexpr bool exists = false;
  };
};

/// An optimizer of one's own.
struct wrapped {
  double rate = 1e-3, weight_decay = 1e-2;

  static constexpr int moments = 2;
  static constexpr const char* moment_names[] = {"mean", "squares"};
  void update(const auto& u) const { adamw{.rate = rate, .weight_decay = weight_decay}.update(u); }
};

} // namespace

TEST_CASE("a third backend runs a model") {
  using third = counting<reference>;
  static_assert(backend_for<third, declared>);
  const auto weights = random_weights(reader);
  const xt::xtensor<float, 3> x = xt::linspace<float>(-1, 1, 2 * 4 * 3).reshape({2, 4, 3});
  auto net = compile<third>(reader, weights, {.capacity = {{B, 2}, {T, 4}}});
  auto exact = compile<reference>(reader, weights, {.capacity = {{B, 2}, {T, 4}}});
  third::runs = 0;
  CHECK(net("x"_in = x)["y"_out] == exact("x"_in = x)["y"_out]);
  auto copy = net;
  CHECK(copy("x"_in = x)["y"_out] == exact("x"_in = x)["y"_out]);
  CHECK(third::runs == 2);
}

TEST_CASE("a third backend trains, and the optimizer's rule is its own") {
  using third = counting<reference>;
  const auto weights = random_weights(lesson);
  const xt::xtensor<float, 2> x{{1, 2, 3}, {-1, 0, 1}}, y{{1, 0}, {0, 1}};
  auto fit = train<third>(lesson, wrapped{}, weights, {.capacity = {{B, 2}}});
  auto exact = train<reference>(lesson, adamw{}, weights, {.capacity = {{B, 2}}});
  third::runs = third::updates = 0;
  for (int step = 0; step < 3; ++step)
    CHECK(fit.step("x"_in = x, "y"_in = y).loss == exact.step("x"_in = x, "y"_in = y).loss);
  CHECK(values_of(fit.weights()) == values_of(exact.weights()));
  CHECK(third::runs == 3);
  CHECK(third::updates == 3 * 2); // a weight and a bias
  CHECK(fit.evaluate("x"_in = x, "y"_in = y)["loss"_out]() ==
        exact.evaluate("x"_in = x, "y"_in = y)["loss"_out]());
  CHECK(third::runs == 4);
}

TEST_CASE("a third backend streams") {
  static_assert(streaming_backend_for<counting_streams, declared, T>);
  const auto weights = random_weights(reader);
  const xt::xtensor<float, 3> x = xt::linspace<float>(-1, 1, 2 * 4 * 3).reshape({2, 4, 3});
  const compile_options options{.capacity = {{B, 2}, {T, 4}}};
  auto live = stream<T, counting_streams>(reader, weights, options);
  auto whole = compile(reader, weights, options);
  const xt::xtensor<float, 3> expected = whole("x"_in = x)["y"_out];
  counting_streams::runs = 0;
  for (std::size_t t = 0; t < 4; ++t) {
    const xt::xtensor<float, 3> y = live.step("x"_in = xt::view(x, xt::all(), xt::range(t, t + 1)))["y"_out];
    CHECK(xt::allclose(y, xt::view(expected, xt::all(), xt::range(t, t + 1)), 1e-5, 1e-6));
  }
  CHECK(counting_streams::runs == 4);
}
