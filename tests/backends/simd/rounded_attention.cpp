// Attention by integers of 16 bits against the formula in double, in each set that has it.

#include "attention_case.hpp"
#include "kernel_sets.hpp"
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <tuple>
#include <utility>

using namespace attention_for_tests;
using fovea::core::simd::kernel_table;

namespace {

/// f(kernel) for those that a processor has.
template <class F>
void for_kernels(const F& f) {
  for (const kernel_table* table : kernel_sets()) {
    if (table->rounded_attention->run == nullptr) continue; // float32's products are as fast there
    INFO(table->set.name);
    f(*table->rounded_attention);
  }
}

using fovea::core::simd::rounded_attention_kernel;

/// All tasks at once, or each by itself from the last to the first.
void run(const rounded_attention_kernel& kernel, attention_args a, bool apart = false) {
  guarded_floats scratch = scratch_of(kernel.scratch(a)), shared = scratch_of(kernel.shared(a));
  a.shared = shared.data();
  const auto run_tasks = [&](auto tasks_of_kernel, std::size_t tasks) {
    if (!apart) return tasks_of_kernel(a, 0, tasks, scratch.data());
    for (std::size_t task = tasks; task-- > 0;) tasks_of_kernel(a, task, task + 1, scratch.data());
  };
  run_tasks(kernel.round, kernel.round_tasks(a));
  run_tasks(kernel.run, kernel.tasks(a));
}

bool same(const guarded_floats& x, const guarded_floats& y) {
  return std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

/// Numbers of queries, keys and values have 11 bits and more, weights 12. Values are normally distributed: 2e-3 is the
/// sum of 96 roundings by chance, and what scores are off by.
constexpr double near_enough = 2.5e-3;

void check(const shape& s, double tolerance = near_enough) {
  INFO("batch " << s.batch << " heads " << s.heads << '/' << s.kv_heads << " queries " << s.queries
                << " keys " << s.keys << " widths " << s.key_width << ", " << s.value_width << " visibility "
                << static_cast<int>(s.see) << " bias " << static_cast<int>(s.bias));
  for_kernels([&](const auto& kernel) {
    operands x(s), shared(s);
    run(kernel, x.args);
    check_near(x.out, expected(x.args, as_it_is), tolerance);
    shared.args.threads = 2;
    CHECK(kernel.round_tasks(shared.args) > 0);
    run(kernel, shared.args);
    CHECK(same(shared.out, x.out));
  });
}

} // namespace

TEST_CASE("rounded attention: every number of queries and keys around a vector and a tile") {
  const std::size_t most = 2 * kernels().set.vector + 1;
  for (std::size_t queries = 1; queries <= most; ++queries)
    for (const std::size_t keys : {std::size_t{1}, std::size_t{2}, std::size_t{5}, most, std::size_t{95},
                                   std::size_t{96}, std::size_t{97}, std::size_t{194}})
      check({.heads = 2, .kv_heads = 2, .queries = queries, .keys = keys});
}

TEST_CASE("rounded attention: every head width around two vectors") {
  for (std::size_t width = 1; width <= 4 * kernels().set.vector + 1; ++width)
    for (const std::size_t queries : {3u, 33u}) {
      shape s{
          .heads = 3, .kv_heads = 3, .queries = queries, .keys = 19, .key_width = width, .value_width = 5};
      s.scale = 1 / std::sqrt(static_cast<float>(width));
      check(s);
      std::swap(s.key_width, s.value_width);
      check(s);
    }
  for (const std::size_t width : {64u, 65u, 128u, 129u, 512u, 513u})
    check({.queries = 20, .keys = 97, .key_width = width, .value_width = 31, .scale = 0.02f});
}

TEST_CASE("rounded attention: sums of the largest numbers have room") {
  // The widest of each number of bits, and one more.
  for (const std::size_t width : {1u, 2u, 3u, 8u, 9u, 32u, 33u, 128u, 129u, 512u, 513u})
    for_kernels([&](const auto& kernel) {
      operands x({.queries = 17, .keys = 193, .key_width = width, .value_width = 3, .scale = 1e-3f});
      for (guarded_floats* all : {&x.q, &x.k, &x.v})
        for (float& one : *all)
          if (!std::isnan(one)) one = -7.9999f; // the largest below the next power of two
      run(kernel, x.args);
      check_near(x.out, expected(x.args, as_it_is), 1e-3);
    });
}

TEST_CASE("rounded attention: what a query sees") {
  for_visibilities({1, 17, 70, 130}, [](const shape& s) { check(s); });
}

TEST_CASE("rounded attention: biases, caps and grouped heads") {
  for (const auto bias : {bias_kind::each_key, bias_kind::each_head, bias_kind::full})
    for (const float cap : {0.0f, 2.0f})
      check({.batch = 2,
             .heads = 6,
             .kv_heads = 2,
             .queries = 35,
             .keys = 103,
             .see = visibility::causal,
             .bias = bias,
             .soft_cap = cap});
}

TEST_CASE("rounded attention: how many threads share it changes its tasks and no bit") {
  for (const auto see : {visibility::all, visibility::causal, visibility::window, visibility::intervals})
    for_kernels([&](const auto& kernel) {
      const shape most{.batch = 2, .heads = 3, .queries = 1100, .keys = 1130, .see = see};
      operands one(most);
      run(kernel, one.args);
      check_near(one.out, expected(one.args, as_it_is), near_enough);
      CHECK(kernel.tasks(one.args) == 18);
      for (const auto& [threads, tasks] : {std::pair{2, 18}, {4, 54}, {64, 210}}) {
        operands x(most);
        x.args.threads = static_cast<std::size_t>(threads);
        CHECK(kernel.tasks(x.args) == static_cast<std::size_t>(tasks));
        run(kernel, x.args);
        CHECK(same(x.out, one.out));
        operands apart(most);
        apart.args.threads = x.args.threads;
        run(kernel, apart.args, true);
        CHECK(same(apart.out, one.out));
      }
    });
}

TEST_CASE("rounded attention: tiles that no cache holds are not rounded before the tasks") {
  for_kernels([](const auto& kernel) {
    const shape s{.queries = 130, .keys = 4099, .key_width = 512, .value_width = 3, .scale = 0.02f};
    operands one(s), two(s);
    two.args.threads = 2;
    CHECK(kernel.round_tasks(two.args) == 0);
    run(kernel, one.args);
    run(kernel, two.args);
    CHECK(same(two.out, one.out));
  });
}

TEST_CASE("rounded attention: any split into tasks gives the same bits") {
  for_kernels([](const auto& kernel) {
    const shape s{
        .batch = 2, .heads = 3, .kv_heads = 3, .queries = 1030, .keys = 1030, .see = visibility::causal};
    operands together(s);
    run(kernel, together.args);
    for (const std::size_t threads : {1u, 2u}) {
      operands apart(s);
      apart.args.threads = threads;
      run(kernel, apart.args, true);
      CHECK(same(together.out, apart.out));
    }
  });
}

TEST_CASE("rounded attention: scratch of a long sequence is enough for shorter ones") {
  for_kernels([](const auto& kernel) {
    operands x({.batch = 2, .heads = 3, .queries = 1100, .keys = 1130});
    for (const std::size_t threads : {1u, 2u, 4u, 64u}) {
      x.args.threads = threads, x.args.batch = 2, x.args.queries = 1100, x.args.keys = 1130;
      const std::size_t room = kernel.scratch(x.args), shared = kernel.shared(x.args);
      for (const std::size_t batch : {1u, 2u})
        for (const std::size_t queries : {1u, 127u, 128u, 511u, 512u, 1024u, 1100u})
          for (const std::size_t keys : {1u, 96u, 97u, 500u, 1130u}) {
            x.args.batch = batch, x.args.queries = queries, x.args.keys = keys;
            CHECK(kernel.scratch(x.args) <= room);
            CHECK(kernel.shared(x.args) <= shared);
          }
    }
  });
}

TEST_CASE("rounded attention: a key that a query does not see changes no bit of its result") {
  for_kernels([](const auto& kernel) {
    const shape s{.queries = 150, .keys = 150, .key_width = 24, .value_width = 10, .see = visibility::causal};
    for (const std::size_t threads : {1u, 2u}) {
      operands one(s), other(s);
      constexpr std::size_t changed = 70; // this key and those behind
      for (std::size_t i = changed * other.args.k_row; i < other.k.size(); ++i) other.k[i] *= 300;
      for (std::size_t i = changed * other.args.v_row; i < other.v.size(); ++i) other.v[i] *= -1e5f;
      one.args.threads = other.args.threads = threads;
      run(kernel, one.args);
      run(kernel, other.args);
      CHECK(std::memcmp(one.out.data(), other.out.data(), changed * one.args.out_row * sizeof(float)) == 0);
      CHECK(one.out[changed * one.args.out_row] != other.out[changed * one.args.out_row]);
    }
  });
}

TEST_CASE("rounded attention: values of very different sizes keep their own precision") {
  for_kernels([](const auto& kernel) {
    for (const float size : {1e-12f, 1e-4f, 1.0f, 1e6f, 1e12f}) {
      operands x({.queries = 40, .keys = 130, .key_width = 16, .value_width = 12, .spread = 3});
      for (float& v : x.v) v *= size;
      run(kernel, x.args);
      guarded_floats scaled = x.out;
      for (float& v : scaled) v /= size;
      std::vector<double> want = expected(x.args, as_it_is);
      for (double& v : want) v /= static_cast<double>(size);
      check_near(scaled, want, 3 * near_enough);
    }
    // A key whose value is zero takes most of the weight, as the first token often does.
    operands sink({.queries = 40, .keys = 130, .key_width = 16, .value_width = 12});
    for (std::size_t d = 0; d < 16; ++d) sink.k[d] = 0;
    for (std::size_t d = 0; d < 12; ++d) sink.v[d] = 0;
    for (std::size_t i = 0; i < 40; ++i) sink.q[i * sink.args.q_row] = 2;
    sink.k[0] = 20;
    run(kernel, sink.args);
    check_near(sink.out, expected(sink.args, as_it_is), near_enough);
  });
}

TEST_CASE("rounded attention: what is not finite, or too large, is NaN where it is seen and nowhere else") {
  constexpr std::size_t where = 101,
                        window = 5; // key `where` is seen from query `where` on, for five queries
  for (const float value : {not_a_number, std::numeric_limits<float>::infinity(), -0x1p126f})
    for_kernels([&](const auto& kernel) {
      const shape s{.queries = 140, .keys = 140, .key_width = 9, .value_width = 5, .see = visibility::window};
      const auto check_rows = [&](operands& x, std::size_t first, std::size_t count) {
        for (const std::size_t threads : {1u, 2u}) {
          x.args.threads = threads;
          run(kernel, x.args);
          for (std::size_t row = 0; row < s.queries; ++row)
            for (std::size_t c = 0; c < s.value_width; ++c) {
              CAPTURE(value, threads, row, c);
              CHECK(std::isnan(x.out[row * x.args.out_row + c]) == (row >= first && row < first + count));
            }
        }
      };
      operands of_value(s);
      of_value.v[where * of_value.args.v_row + 4] = value;
      check_rows(of_value, where, window);
      if (std::isfinite(value)) return; // such queries and keys have scores that are finite
      operands of_query(s), of_key(s);
      of_query.q[where * of_query.args.q_row + 3] = value;
      check_rows(of_query, where, 1);
      of_key.k[where * of_key.args.k_row + 8] = value;
      check_rows(of_key, where, window);
    });
}

TEST_CASE("rounded attention: keys and values as a stream keeps them") {
  using fovea::core::format_named;
  for (const auto format : {format_named<fovea::f16>, format_named<fovea::bf16>, format_named<fovea::q8_0>})
    for (const kernel_table* table : kernel_sets()) {
      if (table->rounded_attention->run == nullptr) continue;
      INFO(table->set.name << ", " << fovea::core::name_of(format));
      const shape s{.heads = 4,
                    .kv_heads = 2,
                    .queries = 37,
                    .keys = 131,
                    .key_width = 64,
                    .value_width = 32,
                    .see = visibility::window,
                    .scale = 0.125f};
      operands x(s);
      const std::vector<double> want = expected(x.args, as_it_is);
      const auto kept = [&](const float* from, std::size_t row, std::size_t width) {
        const std::size_t floats = fovea::core::kept_floats(format, width);
        guarded_floats to(s.keys * floats);
        for (std::size_t j = 0; j < s.keys; ++j)
          table->keep->run({.x = from + j * row,
                            .rows = 1,
                            .width = width,
                            .out = to.data() + j * floats,
                            .format = format},
                           0, 1);
        return to;
      };
      const guarded_floats k = kept(x.args.k, x.args.k_row, 2 * s.key_width),
                           v = kept(x.args.v, x.args.v_row, 2 * s.value_width);
      x.args.k = k.data(), x.args.k_row = k.size() / s.keys;
      x.args.v = v.data(), x.args.v_row = v.size() / s.keys;
      x.args.key_format = x.args.value_format = format;
      run(*table->rounded_attention, x.args);
      check_near(x.out, want,
                 format == format_named<fovea::f16> ? 4e-3 : 4e-2); // with the cache's own rounding
    }
}

TEST_CASE("rounded attention: at worst all weights of a tile are off by half a step") {
  for_kernels([](const auto& kernel) {
    operands x({.queries = 33, .keys = 300, .key_width = 8, .value_width = 3, .spread = 4});
    for (float& v : x.v)
      if (!std::isnan(v)) v = 0.75f;
    run(kernel, x.args);
    check_near(x.out, expected(x.args, as_it_is), 0.75 * 96 / 8190);
  });
}

TEST_CASE("rounded attention: rows without keys give zeros, and no queries no tasks") {
  for_kernels([](const auto& kernel) {
    operands x({.queries = 40, .keys = 23, .see = visibility::intervals});
    std::fill(x.lower.begin(), x.lower.end(), 7);
    std::fill(x.upper.begin(), x.upper.end(), 7);
    std::fill(x.v.begin(), x.v.end(), not_a_number);
    run(kernel, x.args);
    for (std::size_t i = 0; i < 40; ++i)
      for (std::size_t c = 0; c < x.args.value_width; ++c) CHECK(x.out[i * x.args.out_row + c] == 0);
    x.args.queries = 0;
    CHECK(kernel.tasks(x.args) == 0);
    operands empty({.queries = 20, .keys = 1});
    empty.args.keys = 0;
    run(kernel, empty.args);
    CHECK(empty.out[0] == 0);
  });
}
