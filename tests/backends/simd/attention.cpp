#include "attention_case.hpp"
#include "kernel_sets.hpp"
// Attention against the formula in double: shapes that no vector divides, masks, biases, grouped heads, task
// splits.

#include <fovea/backends/simd/kernels/attention.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

using namespace attention_for_tests;

namespace {

void run(attention_args a) {
  auto scratch = scratch_of(kernels().attention->scratch(a)),
       shared = scratch_of(kernels().attention->shared(a));
  a.shared = shared.data();
  kernels().attention->run(a, 0, kernels().attention->tasks(a), scratch.data());
  kernels().attention->join(a);
}

void check(const shape& s, double tolerance = 1e-5) {
  operands x(s);
  INFO("batch " << s.batch << " heads " << s.heads << '/' << s.kv_heads << " queries " << s.queries
                << " keys " << s.keys << " widths " << s.key_width << ", " << s.value_width << " visibility "
                << static_cast<int>(s.see) << " bias " << static_cast<int>(s.bias));
  run(x.args);
  check_near(x.out, expected(x.args, as_it_is), tolerance);
}

} // namespace

TEST_CASE("attention: every number of queries and keys around a vector") {
  const std::size_t most = 2 * kernels().set.vector + 1;
  for (std::size_t queries = 1; queries <= most; ++queries)
    for (const std::size_t keys :
         {std::size_t{1}, std::size_t{2}, std::size_t{5}, most - 2, most, std::size_t{97}})
      check({.heads = 2, .kv_heads = 2, .queries = queries, .keys = keys});
  for (std::size_t keys = 1; keys <= most; ++keys) {
    check({.queries = 1, .keys = keys});
    check({.queries = 7, .keys = keys});
  }
}

TEST_CASE("attention: every head width around a vector") {
  for (std::size_t width = 1; width <= 2 * kernels().set.vector + 1; ++width)
    for (const std::size_t queries : {std::size_t{1}, std::size_t{3}, std::size_t{9}}) {
      check(
          {.heads = 3, .kv_heads = 3, .queries = queries, .keys = 19, .key_width = width, .value_width = 5});
      check(
          {.heads = 3, .kv_heads = 3, .queries = queries, .keys = 19, .key_width = 5, .value_width = width});
    }
  check({.heads = 2, .kv_heads = 2, .queries = 37, .keys = 41, .key_width = 127, .value_width = 131});
}

TEST_CASE("attention: what a query sees") {
  for_visibilities({1, 4, 17, 70}, [](const shape& s) { check(s); });
}

TEST_CASE("attention: long sequences, whose blocks share copies of the keys") {
  for (const auto see : {visibility::all, visibility::causal, visibility::window, visibility::intervals})
    check({.heads = 2,
           .kv_heads = 1,
           .queries = 301,
           .keys = 1025,
           .key_width = 7,
           .value_width = 3,
           .see = see,
           .bias = see == visibility::causal ? bias_kind::each_head : bias_kind::none});
  check({.heads = 32, .kv_heads = 32, .queries = 515, .keys = 1100, .key_width = 2, .value_width = 1});
}

TEST_CASE("attention: how many threads share a long sequence changes its tasks and no bit") {
  for (const auto see : {visibility::all, visibility::causal, visibility::window, visibility::intervals}) {
    const shape most{.batch = 2, .heads = 3, .queries = 1100, .keys = 1130, .see = see};
    operands one(most);
    run(one.args);
    check_near(one.out, expected(one.args, as_it_is));
    CHECK(kernels().attention->tasks(one.args) == 18);
    for (const auto& [threads, tasks] : {std::pair{2, 30}, {4, 54}, {64, 54}}) {
      operands x(most);
      x.args.threads = static_cast<std::size_t>(threads);
      CHECK(kernels().attention->tasks(x.args) == static_cast<std::size_t>(tasks));
      run(x.args);
      CHECK(std::memcmp(x.out.data(), one.out.data(), x.out.size() * sizeof(float)) == 0);
    }
  }
}

TEST_CASE("attention: many threads share a short sequence in smaller blocks, and change no bit") {
  for (const auto see : {visibility::all, visibility::causal, visibility::window, visibility::intervals})
    for (const std::size_t queries : {5u, 40u, 129u}) {
      const shape most{.batch = 2, .heads = 3, .queries = queries, .keys = 130, .see = see};
      operands one(most), many(most);
      many.args.threads = 64;
      run(one.args);
      run(many.args);
      CHECK(kernels().attention->tasks(many.args) >= kernels().attention->tasks(one.args));
      CHECK(std::memcmp(many.out.data(), one.out.data(), many.out.size() * sizeof(float)) == 0);
    }
}

TEST_CASE("attention: scratch of a long sequence is enough for shorter ones") {
  operands x({.batch = 2, .heads = 3, .queries = 1100, .keys = 1130});
  for (const std::size_t threads : {1u, 2u, 4u, 64u}) {
    x.args.threads = threads, x.args.batch = 2, x.args.queries = 1100;
    const std::size_t room = kernels().attention->scratch(x.args);
    for (const std::size_t batch : {1u, 2u})
      for (const std::size_t queries : {1u, 127u, 128u, 511u, 512u, 1024u, 1100u}) {
        x.args.batch = batch, x.args.queries = queries;
        CHECK(kernels().attention->scratch(x.args) <= room);
      }
  }
}

TEST_CASE("attention: a row without keys gives zeros, even beside NaN values") {
  for (const std::size_t queries : {std::size_t{2}, std::size_t{40}}) {
    operands x({.queries = queries, .keys = 23, .see = visibility::intervals});
    std::fill(x.lower.begin(), x.lower.end(), 7);
    std::fill(x.upper.begin(), x.upper.end(), 7);
    std::fill(x.v.begin(), x.v.end(), not_a_number);
    run(x.args);
    for (std::size_t i = 0; i < queries; ++i)
      for (std::size_t c = 0; c < x.args.value_width; ++c) CHECK(x.out[i * x.args.out_row + c] == 0);
  }
}

TEST_CASE("attention: bounds beyond the keys are cut") {
  for (const std::size_t queries : {std::size_t{2}, std::size_t{40}}) {
    operands wide({.queries = queries, .keys = 23, .see = visibility::causal});
    std::fill(wide.lower.begin(), wide.lower.end(), -5);
    std::fill(wide.upper.begin(), wide.upper.end(), 1000);
    run(wide.args);
    operands all({.queries = queries, .keys = 23});
    check_near(wide.out, expected(all.args, as_it_is));
  }
}

TEST_CASE("attention: biases and caps") {
  for (const auto bias : {bias_kind::each_key, bias_kind::each_head, bias_kind::full})
    for (const std::size_t queries : {std::size_t{1}, std::size_t{6}, std::size_t{35}})
      for (const float cap : {0.0f, 2.0f})
        check({.batch = 2,
               .heads = 4,
               .kv_heads = 2,
               .queries = queries,
               .keys = 103,
               .see = visibility::causal,
               .bias = bias,
               .soft_cap = cap});
}

TEST_CASE("attention: grouped heads") {
  for (const std::size_t kv_heads : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{6}})
    for (const std::size_t queries : {std::size_t{1}, std::size_t{3}, std::size_t{20}})
      check({.batch = 2, .heads = 6, .kv_heads = kv_heads, .queries = queries, .keys = 29, .key_width = 12});
}

TEST_CASE("attention: the keys of a few queries in parts") {
  for (const auto see : {visibility::all, visibility::causal, visibility::window, visibility::intervals})
    for (const std::size_t keys : {1023u, 1024u, 1025u, 2600u})
      for (const std::size_t queries : {1u, 3u, 4u, 5u}) {
        operands one({.batch = 2, .heads = 4, .kv_heads = 1, .queries = queries, .keys = keys, .see = see});
        run(one.args);
        check_near(one.out, expected(one.args, as_it_is));
      }
  for (const std::size_t kv_heads : {1u, 2u, 8u})
    for (const std::size_t value_width : {1u, 16u, 19u}) {
      operands grouped({.batch = 3,
                        .heads = 8,
                        .kv_heads = kv_heads,
                        .queries = 2,
                        .keys = 4100,
                        .value_width = value_width,
                        .bias = bias_kind::full});
      run(grouped.args);
      check_near(grouped.out, expected(grouped.args, as_it_is));
    }
}

TEST_CASE("attention: a query beside others has the bits that it has alone") {
  // 1,021 features are rows of 4,096 bytes here, of which fewer are read at once.
  for (const auto& [heads, kv_heads, width] :
       {std::tuple{2u, 2u, 5u}, {6u, 3u, 40u}, {4u, 1u, 64u}, {8u, 2u, 67u}, {4u, 1u, 1021u}})
    for (const auto see : {visibility::all, visibility::causal}) {
      const shape s{.heads = heads,
                    .kv_heads = kv_heads,
                    .queries = 4,
                    .keys = 150,
                    .key_width = width,
                    .value_width = width,
                    .see = see};
      operands together(s);
      run(together.args);
      check_near(together.out, expected(together.args, as_it_is));
      for (std::size_t query = 0; query < s.queries; ++query) {
        INFO(heads << ':' << kv_heads << " x " << width << ", query " << query);
        operands alone(s);
        alone.args.queries = 1;
        alone.args.q += query * alone.args.q_row;
        alone.args.out += query * alone.args.out_row;
        if (see != visibility::all) alone.args.lower += query, alone.args.upper += query;
        run(alone.args);
        const float* of_others = together.args.out + query * together.args.out_row;
        CHECK(std::memcmp(alone.args.out, of_others, heads * width * sizeof(float)) == 0);
      }
    }
}

TEST_CASE("attention: how many threads share the keys of a few queries changes no bit") {
  for (const auto& [heads, kv_heads, width, keys] :
       {std::tuple{8u, 4u, 5u, 600u}, {6u, 6u, 40u, 1500u}, {14u, 7u, 160u, 70u}}) {
    const shape s{.batch = 2,
                  .heads = heads,
                  .kv_heads = kv_heads,
                  .queries = 2,
                  .keys = keys,
                  .key_width = width,
                  .value_width = width,
                  .see = visibility::window};
    operands one(s);
    run(one.args);
    check_near(one.out, expected(one.args, as_it_is));
    const std::size_t alone = kernels().attention->tasks(one.args);
    for (const std::size_t threads : {2u, 3u, 5u, 64u}) {
      operands x(s);
      x.args.threads = threads;
      const std::size_t tasks = kernels().attention->tasks(x.args);
      CHECK(tasks >= std::min(2 * threads, alone * kv_heads));
      CHECK(tasks <= alone * kv_heads);
      run(x.args);
      CHECK(std::memcmp(x.out.data(), one.out.data(), x.out.size() * sizeof(float)) == 0);
    }
  }
}

TEST_CASE("attention: what parts of the keys leave fits where smaller calls do, too") {
  const shape most{.batch = 40, .heads = 6, .kv_heads = 2, .queries = 7, .keys = 5000};
  const std::size_t room = kernels().attention->shared(operands(most).args);
  for (const std::size_t batch : {1u, 2u, 7u, 15u, 16u, 17u, 40u})
    for (const std::size_t keys : {1024u, 5000u}) {
      shape s = most;
      s.batch = batch, s.queries = 4, s.keys = keys;
      const operands x(s);
      CHECK(kernels().attention->shared(x.args) <= room);
      // Rows of what they leave: in whole lines, and one for the largest score and the sum.
      const std::size_t row = (x.args.value_width + 15) / 16 * 16 + 16,
                        tasks = kernels().attention->tasks(x.args);
      CHECK(tasks * x.args.heads * x.args.queries * row <= kernels().attention->shared(x.args));
    }
}

TEST_CASE("attention: large scores neither overflow nor lose the largest") {
  for (const std::size_t queries : {std::size_t{1}, std::size_t{33}}) {
    operands x({.queries = queries, .keys = 211, .key_width = 16, .scale = 1, .spread = 30});
    run(x.args);
    // Scores of thousands in float: the weights of near ties differ from the exact ones by some 1e-4.
    check_near(x.out, expected(x.args, as_it_is), 0.3);
    for (const float y : x.out) CHECK((std::isnan(y) || std::abs(y) < 200));
  }
  for (const float score : {-1e30f, 1e30f}) // equal scores weigh the same whatever they are
    for (const std::size_t queries : {std::size_t{2}, std::size_t{9}}) {
      operands x({.queries = queries, .keys = 50, .key_width = 1, .scale = 1});
      for (std::size_t i = 0; i < queries; ++i) x.q[i * x.args.q_row] = score;
      for (std::size_t j = 0; j < 50; ++j) x.k[j * x.args.k_row] = 1;
      run(x.args);
      check_near(x.out, expected(x.args, as_it_is));
    }
}

TEST_CASE("attention: any split into tasks gives the same bits") {
  for (const auto& [queries, keys] :
       {std::pair<std::size_t, std::size_t>{1, 90}, {90, 90}, {1030, 1030}, {1, 5000}}) {
    const shape s{
        .batch = 2, .heads = 3, .kv_heads = 3, .queries = queries, .keys = keys, .see = visibility::causal};
    operands together(s), apart(s);
    run(together.args);
    auto scratch = scratch_of(kernels().attention->scratch(apart.args)),
         shared = scratch_of(kernels().attention->shared(apart.args));
    apart.args.shared = shared.data();
    for (std::size_t task = kernels().attention->tasks(apart.args); task-- > 0;)
      kernels().attention->run(apart.args, task, task + 1, scratch.data());
    kernels().attention->join(apart.args);
    CHECK(std::memcmp(together.out.data(), apart.out.data(), together.out.size() * sizeof(float)) == 0);
  }
}

TEST_CASE("attention: no queries, no keys") {
  operands none({.queries = 4, .keys = 1});
  none.args.queries = 0;
  CHECK(kernels().attention->tasks(none.args) == 0);
  for (const std::size_t queries : {std::size_t{2}, std::size_t{20}}) {
    operands x({.queries = queries, .keys = 1});
    x.args.keys = 0;
    run(x.args);
    CHECK(x.out[0] == 0);
  }
}

namespace {

using arch = fovea::core::simd::native;
using scores = fovea::core::simd::vec<arch>;
using positions = fovea::core::simd::int_vec<arch>;

/// A penalty that grows with the distance, and a mask: every third key counted from the query's own, in head
/// 1 only.
struct sparse_alibi {
  scores operator()(const scores& score, std::size_t batch, std::size_t head, const positions& query,
                    const positions& key) const {
    float value[scores::size];
    std::int32_t i[scores::size], j[scores::size];
    score.store_unaligned(value);
    query.store_unaligned(i);
    key.store_unaligned(j);
    for (std::size_t lane = 0; lane < scores::size; ++lane)
      value[lane] = static_cast<float>(one(value[lane], batch, head, i[lane], j[lane]));
    return scores::load_unaligned(value);
  }
  static double one(double score, std::size_t batch, std::size_t head, std::int64_t query, std::int64_t key) {
    if (head == 1 && (key - query) % 3 != 0) return -std::numeric_limits<double>::infinity();
    return score - 0.125 * static_cast<double>(batch + 1) * static_cast<double>(std::abs(query - key));
  }
};

} // namespace

TEST_CASE("attention: a function of the caller's changes scores and hides keys") {
  for (const std::size_t queries :
       {std::size_t{1}, std::size_t{4}, std::size_t{5}, std::size_t{13}, std::size_t{40}})
    for (const auto see : {visibility::all, visibility::causal})
      for (const std::size_t keys : {110u, 1100u}) {
        operands x({.batch = 2, .heads = 2, .kv_heads = 1, .queries = queries, .keys = keys, .see = see});
        auto scratch = scratch_of(fovea::core::simd::attention_scratch<arch>(x.args)),
             shared = scratch_of(fovea::core::simd::attention_shared(x.args));
        x.args.shared = shared.data();
        fovea::core::simd::attention<arch>(x.args, sparse_alibi{}, 0,
                                           fovea::core::simd::attention_tasks<arch>(x.args), scratch.data());
        fovea::core::simd::join_attention<arch>(x.args);
        check_near(x.out, expected(x.args, [](double score, std::size_t b, std::size_t h, std::size_t i,
                                              std::size_t j) {
                     return sparse_alibi::one(score, b, h, static_cast<std::int64_t>(i),
                                              static_cast<std::int64_t>(j));
                   }));
      }
}

TEST_CASE("attention: what a call needs for itself, any smaller one has room in") {
  std::mt19937 random(7);
  const auto up_to = [&](std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(1, most)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    attention_args most;
    most.kv_heads = up_to(4), most.heads = most.kv_heads * up_to(8);
    most.batch = up_to(9), most.key_width = up_to(90), most.value_width = up_to(90);
    most.queries = up_to(round % 2 == 0 ? 9 : 1500), most.keys = up_to(3000);
    attention_args less = most;
    less.batch = up_to(most.batch), less.queries = up_to(most.queries), less.keys = up_to(most.keys);
    INFO(less.queries << " queries of " << most.queries << ", " << less.keys << " keys of " << most.keys
                      << ", " << most.heads << " heads of " << most.kv_heads);
    REQUIRE(kernels().attention->scratch(less) <= kernels().attention->scratch(most));
    REQUIRE(kernels().attention->shared(less) <= kernels().attention->shared(most));
  }
}
