// Do threads help, and what does a machine that others use too cost?
//
//     threads [--threads N] [--only sizes|processes|load]... [--calls N] [--json FILE]
//
// sizes: N threads (2 unless told otherwise) and one (one_us), from a block of an encoder that takes some
// microseconds to a prompt that takes some ten milliseconds, called again and again, and small ones a
// millisecond after each call, when workers have fallen asleep.
// processes: N threads, and N processes of one thread each side by side: what they take for a call together
// (processes_us).
// load: calls while a process of the same priority is busy on every processor, and alone (alone_us, the
// median); 99 of 100 end within late_us. Needs the ordinary priority, for the busy processes have no other.

#include "measure.hpp"
#include "program.hpp"
#include "random_weights.hpp"
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fovea/fovea.hpp>
#include <fovea/models/bert.hpp>
#include <fovea/models/gpt2.hpp>
#include <fovea/models/kim_cnn.hpp>
#include <fovea/models/transformer.hpp>
#include <functional>
#include <memory>
#include <sched.h>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace fovea;
using namespace fovea::core;

inline constexpr dim B{"B"}, T{"T"};
using call = std::function<void()>;

/// One model at one size, compiled for a number of threads when it is needed.
struct subject {
  std::string name;
  std::function<call(int threads)> compiled;
};

template <int width>
constexpr auto block = model("block", [](graph& g) {
  const models::transformer_block_config c{.heads = width / 32, .width = width, .inner = 4 * width};
  g.output("y", models::encoder_block(g.input<f32>("x", {B, T, width}), {}, c));
});

template <int width>
subject block_of(std::size_t tokens) {
  return {"a block of width " + std::to_string(width) + ", T = " + std::to_string(tokens), [=](int threads) {
            const auto& m = block<width>;
            auto net = std::make_shared<decltype(compile(m, bench::random_weights(m)))>(
                compile(m, bench::random_weights(m), {.capacity = {{B, 1}, {T, 64}}, .threads = threads}));
            const xt::xtensor<float, 3> x = xt::ones<float>({std::size_t{1}, tokens, std::size_t{width}});
            return [=] { (*net)("x"_in = x); };
          }};
}

xt::xtensor<int, 2> ids(std::size_t batch, std::size_t tokens) {
  xt::xtensor<int, 2> made({batch, tokens});
  for (std::size_t i = 0; i < made.size(); ++i) made.data()[i] = static_cast<int>(i * 37 % 1000);
  return made;
}

subject minilm(std::size_t batch, std::size_t tokens) {
  return {"MiniLM, " + std::to_string(batch) + " x " + std::to_string(tokens), [=](int threads) {
            const auto& m = models::sentence_encoder<models::minilm>;
            static const model_weights from = bench::random_weights(m);
            auto net = std::make_shared<decltype(compile(m, from))>(
                compile(m, from, {.capacity = {{"B", 8}, {"T", 128}}, .threads = threads}));
            const xt::xtensor<int, 2> tokens_in = ids(batch, tokens), types = xt::zeros<int>({batch, tokens});
            const xt::xtensor<int, 1> lengths = xt::ones<int>({batch}) * static_cast<int>(tokens);
            return [=] { (*net)("tokens"_in = tokens_in, "types"_in = types, "lengths"_in = lengths); };
          }};
}

template <class M>
subject of_tokens(const char* name, const M& m, std::size_t tokens) {
  return {name, [&m, tokens](int threads) {
            static const model_weights from = bench::random_weights(m);
            auto net = std::make_shared<decltype(compile(m, from))>(
                compile(m, from, {.capacity = {{"B", 1}, {"T", 128}}, .threads = threads}));
            return [=, in = ids(1, tokens)] { (*net)("tokens"_in = in); };
          }};
}

subject prompt() {
  static constexpr models::gpt2_config c{
      .layers = 4, .heads = 12, .width = 768, .vocab = 8192, .context = 128};
  return of_tokens("a prompt of 128, 4 layers of GPT-2", models::gpt2<c>, 128);
}

subject sentence() {
  static constexpr models::kim_cnn_config c{.vocab = 18765, .width = 300, .classes = 2};
  return of_tokens("Kim's CNN, T = 64", models::kim_cnn<c>, 64);
}

bench::timings times_of(const call& f, int calls, std::chrono::microseconds rest = {}) {
  bench::timings us;
  for (int i = 0; i < calls; ++i) {
    if (rest.count() > 0) std::this_thread::sleep_for(rest);
    us.take(1, f);
  }
  return us;
}

/// So many calls that they take that long.
int calls_in(double us, const call& f) {
  f();
  return std::max(3, static_cast<int>(us / bench::best_us(3, f)));
}

void compare_sizes(int many, bench::report& rows) {
  constexpr auto rest = std::chrono::milliseconds(1);
  std::vector<subject> subjects{block_of<64>(4), block_of<64>(16), block_of<256>(8), block_of<256>(64)};
  for (const std::size_t tokens : {8u, 16u, 32u, 128u}) subjects.push_back(minilm(1, tokens));
  subjects.push_back(sentence());
  subjects.push_back(prompt());
  for (const subject& s : subjects) {
    const std::array<call, 2> calls{s.compiled(1), s.compiled(many)};
    const int count = calls_in(2e4, calls[0]);
    for (const bool rested : {false, true}) {
      if (rested && count < 10) continue;
      std::array<bench::timings, 2> medians;
      for (int round = 0; round < 15; ++round)
        for (std::size_t i : {0u, 1u})
          medians[i].add(
              (rested ? times_of(calls[i], std::min(count, 40), rest) : times_of(calls[i], count)).median());
      rows.add("threads/sizes/" + s.name + (rested ? ", rested" : ""), medians[1]);
      rows.note("one_us", medians[0].best());
    }
  }
}

/// Another process: it does what `work` says and ends.
class process {
public:
  template <class F>
  explicit process(F work) : id_(fork()) {
    if (id_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (id_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    work();
    _exit(0);
  }
  ~process() {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  process(const process&) = delete;
  process& operator=(const process&) = delete;

private:
  pid_t id_;
};

/// A process of one thread that times as many calls as it is asked for.
class timed_process {
public:
  explicit timed_process(const subject& s)
      : asked_(), answered_(), child_([&] {
          const call f = s.compiled(1);
          f();
          for (int calls = 0; asked_.get(calls);)
            answered_.put(bench::time_us([&] {
                            for (int i = 0; i < calls; ++i) f();
                          }) /
                          calls);
        }) {}
  void begin(int calls) { asked_.put(calls); }
  double us() {
    double value = 0;
    answered_.get(value);
    return value;
  }

private:
  struct channel {
    channel() {
      if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    }
    ~channel() { close(ends[0]), close(ends[1]); }
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;
    template <class value>
    void put(const value& v) {
      if (write(ends[1], &v, sizeof v) != static_cast<ssize_t>(sizeof v))
        throw std::system_error(errno, std::generic_category(), "write");
    }
    template <class value>
    bool get(value& v) {
      return read(ends[0], &v, sizeof v) == static_cast<ssize_t>(sizeof v);
    }
    int ends[2];
  };

  channel asked_, answered_;
  process child_;
};

void compare_processes(int many, bench::report& rows) {
  for (const subject& s : {minilm(1, 128), minilm(8, 128), prompt()}) {
    std::vector<std::unique_ptr<timed_process>> others; // begun before any thread is
    for (int i = 0; i < many; ++i) others.push_back(std::make_unique<timed_process>(s));
    const call ours = s.compiled(many);
    const int calls = calls_in(1e5, ours);
    bench::timings threads_us, processes_us;
    for (int round = 0; round < 20; ++round) {
      threads_us.add(bench::time_us([&] {
                       for (int i = 0; i < calls; ++i) ours();
                     }) /
                     calls);
      for (const auto& other : others) other->begin(calls / many + 1);
      double rate = 0;
      for (const auto& other : others) rate += 1 / other->us();
      processes_us.add(1 / rate);
    }
    rows.add("threads/processes/" + s.name, threads_us);
    rows.note("processes_us", processes_us.best());
  }
}

void compare_load(int many, int calls, bench::report& rows) {
  if (sched_getscheduler(0) != SCHED_OTHER) throw std::runtime_error("load: needs the ordinary priority");
  for (const subject& s : {block_of<64>(16), block_of<256>(64), minilm(1, 16), minilm(1, 128)})
    for (const int threads : {1, many}) {
      const call f = s.compiled(threads);
      f();
      bench::timings alone, loaded, late;
      for (int round = 0; round < 3; ++round) {
        alone.add(times_of(f, calls).median());
        std::vector<std::unique_ptr<process>> busy;
        for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
          busy.push_back(std::make_unique<process>([] {
            for (volatile unsigned turns = 0;;) turns = turns + 1;
          }));
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const bench::timings now = times_of(f, calls);
        loaded.add(now.median());
        late.add(now.percentile(99));
      }
      rows.add("threads/load/" + s.name + ", " + std::to_string(threads) +
                   (threads > 1 ? " threads" : " thread"),
               loaded);
      rows.note("alone_us", alone.best());
      rows.note("late_us", late.best());
    }
}

} // namespace

int main(int count, char** words) {
  std::vector<std::string> only{"sizes", "processes", "load"};
  int calls = 1000;
  return bench::run(
      "Times models by one thread and by several, alone and on a machine that others use too.", count, words,
      [&](bench::report& rows) {
        const int many = std::max(2, rows.threads);
        for (const std::string& part : only) {
          if (part == "sizes") compare_sizes(many, rows);
          if (part == "processes") compare_processes(many, rows);
          if (part == "load") compare_load(many, calls, rows);
        }
      },
      [&](CLI::App& app) {
        app.add_option("--only", only, "parts to time")->check(CLI::IsMember({"sizes", "processes", "load"}));
        app.add_option("--calls", calls, "of which a median is taken under load")
            ->check(CLI::Range(10, 1000000));
      });
}
