// A step of a small stream may run where nothing may wait: it makes no system call and takes no lock. (That
// it allocates nothing is tested in allocations.cpp.)

#include <catch2/catch.hpp>

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fovea/fovea.hpp>

namespace {

std::atomic<long> locks{0};

} // namespace

// Takes the place of the C library's, and counts.
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  using function = int (*)(pthread_mutex_t*);
  static const auto real = reinterpret_cast<function>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++locks;
  return real(mutex);
}

namespace {

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto effect = model("effect", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 1});
  const expr filtered = tanh(conv1d(x, "filter", 8, 5, {.dilation = 3, .padding = causal}));
  g.output("y", linear(gru(filtered, "cell", 12), "out", 1) + x);
});

weights some_weights() {
  std::map<std::string, weight_tensor> made;
  const graph_view& g = effect.view;
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
  return weights::from(std::move(made));
}

/// The exit status of a process that may only read, write and end, and calls f.
template <class F>
int status_without_system_calls(const F& f) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    constexpr int not_available = 3;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) _exit(not_available);
    f();
    syscall(SYS_exit, 0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

} // namespace

TEST_CASE("a step of a small stream makes no system call and takes no lock") {
  auto live = stream<T>(effect, some_weights(), {.capacity = {{B, 2}, {T, 16}}});
  static_assert(decltype(live)::has_single_position);
  const xt::xtensor<float, 3> one = xt::ones<float>({2, 1, 1}), several = xt::ones<float>({2, 16, 1});
  const auto play = [&] {
    float sum = 0;
    for (int i = 0; i < 500; ++i) sum += live.step("x"_in = one)["y"_out](1, 0, 0);
    for (int i = 0; i < 20; ++i) sum += live.step("x"_in = several)["y"_out](1, 15, 0);
    live.begin();
    return sum;
  };
  CHECK(status_without_system_calls([&] { play(); }) == 0);
  locks = 0;
  CHECK(play() != 0);
  CHECK(locks == 0);
}

TEST_CASE("a system call and a lock are seen") {
  CHECK(status_without_system_calls([] { getppid(); }) != 0);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  locks = 0;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  CHECK(locks == 1);
}
