// A step of a small stream may run where nothing may wait: it allocates nothing, makes no system call and
// takes no lock. Held for layers of every kind, one by one and in a row, and for the voice activity detector.

#include <catch2/catch.hpp>

#include <array>
#include <map>
#include <string>
#include <type_traits>

#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fovea/fovea.hpp>
#include <fovea/models/sequential.hpp>
#include <fovea/models/silero_vad.hpp>

#include "counts.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;

namespace {

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto effect = model("effect", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 1});
  const expr filtered = tanh(conv1d(x, "filter", 8, 5, {.dilation = 3, .padding = causal}));
  g.output("y", linear(gru(filtered, "cell", 12), "out", 1) + x);
});

constexpr layer_config dense{.kind = layer_kind::dense, .out = 10, .activation = layer_activation::elu},
    convolution{.kind = layer_kind::conv1d,
                .out = 6,
                .activation = layer_activation::tanh,
                .taps = 3,
                .dilation = 2,
                .groups = 2},
    gated{.kind = layer_kind::gru, .out = 13}, remembering{.kind = layer_kind::lstm, .out = 7},
    normed{.kind = layer_kind::batchnorm, .activation = layer_activation::relu},
    sloped{.kind = layer_kind::prelu, .out = 1},
    shares{.kind = layer_kind::activation, .activation = layer_activation::softmax},
    squashed{.kind = layer_kind::activation, .activation = layer_activation::sigmoid};

constexpr sequential_config<1> of_dense{.in = 4, .layers = {dense}},
    of_convolution{.in = 4, .layers = {convolution}}, of_gru{.in = 4, .layers = {gated}},
    of_lstm{.in = 4, .layers = {remembering}}, of_norm{.in = 4, .layers = {normed}},
    of_slope{.in = 4, .layers = {sloped}}, of_shares{.in = 4, .layers = {shares}};
constexpr sequential_config<8> of_all{
    .in = 2, .layers = {dense, convolution, normed, gated, sloped, remembering, shares, squashed}};
constexpr layer_config wide{.kind = layer_kind::gru, .out = 64}, last{.kind = layer_kind::dense, .out = 1};
constexpr sequential_config<2> of_wide{.in = 1, .layers = {wide, last}};

template <class M>
model_weights some_weights(const M&) {
  std::map<std::string, weight_tensor> made;
  const graph_view& g = M::view;
  for (std::size_t p = 0; p < g.parameters.size(); ++p) {
    weight_tensor t;
    std::size_t count = 1;
    const shape& s = g.at(g.parameters[p].node).shape;
    for (int axis = 0; axis < s.rank; ++axis) {
      t.shape.push_back(static_cast<std::size_t>(g.number(s.dims[axis])));
      count *= t.shape.back();
    }
    t.values.assign(count, 0.05f);
    made[g.parameter_name(static_cast<int>(p)).text] = std::move(t);
  }
  return model_weights::from(std::move(made));
}

/// Where nothing can forbid system calls, as under an emulator.
constexpr int not_available = 3;

/// The exit status of a process that may only read, write and end, and calls f.
template <class F>
int status_without_system_calls(const F& f) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) _exit(not_available);
    f();
    syscall(SYS_exit, 0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

/// Steps of one position and of several, from the first on: `step` takes values [2, n, width] and gives one
/// of what comes out.
template <class stream_type, class F>
void check_real_time(stream_type& live, std::size_t width, int steps, const F& step) {
  const xt::xtensor<float, 3> one = xt::ones<float>({std::size_t{2}, std::size_t{1}, width}),
                              several = xt::ones<float>({std::size_t{2}, std::size_t{16}, width});
  const auto play = [&] {
    float sum = 0;
    for (int i = 0; i < steps; ++i) sum += step(live, one);
    for (int i = 0; i < steps / 20; ++i) sum += step(live, several);
    live.begin();
    return sum;
  };
  const int status = status_without_system_calls([&] { play(); });
  if (WIFEXITED(status) && WEXITSTATUS(status) == not_available)
    WARN("this system cannot forbid system calls: whether a step makes one is not tested here");
  else
    CHECK(status == 0);
  test::locks = 0;
  const long before = test::allocations;
  const float sum = play();
  CHECK(test::allocations == before);
  CHECK(test::locks == 0);
  CHECK(sum != 0);
}

template <class M>
void check_samples(const M& model, std::size_t width) {
  INFO(model.name << " of " << M::parameters() << " parameters");
  auto live = stream<T>(model, some_weights(model), {.capacity = {{B, 2}, {T, 16}}});
  if constexpr (std::is_same_v<M, std::remove_const_t<decltype(effect)>>)
    static_assert(decltype(live)::has_single_position); // others are taken by the steps of their plan
  check_real_time(live, width, 500,
                  [](auto& s, const auto& x) { return s.step("x"_in = x)["y"_out](1, 0, 0); });
}

} // namespace

TEST_CASE("a step of a small stream allocates nothing, makes no system call and takes no lock") {
  check_samples(effect, 1);
  check_samples(sequential<of_dense>, 4);
  check_samples(sequential<of_convolution>, 4);
  check_samples(sequential<of_gru>, 4);
  check_samples(sequential<of_lstm>, 4);
  check_samples(sequential<of_norm>, 4);
  check_samples(sequential<of_slope>, 4);
  check_samples(sequential<of_shares>, 4);
  check_samples(sequential<of_all>, 2);
  check_samples(sequential<of_wide>, 1);
}

TEST_CASE("nor does a chunk of the voice activity detector") {
  auto live = stream<T>(silero_vad, some_weights(silero_vad),
                        {.capacity = {{B, 2}, {T, 16}}, .regime = regime::small});
  check_real_time(live, 512, 40,
                  [](auto& s, const auto& x) { return s.step("samples"_in = x)["probability"_out](1, 0); });
}

TEST_CASE("a system call and a lock are seen") {
  CHECK(status_without_system_calls([] { getppid(); }) != 0);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  test::locks = 0;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  CHECK(test::locks == 1);
}
