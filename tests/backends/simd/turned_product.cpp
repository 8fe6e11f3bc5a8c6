#include "kernel_sets.hpp"
#include <catch2/catch.hpp>

using namespace fovea::core::simd;

TEST_CASE("a turned product is the plain sum, whatever the tasks") {
  std::mt19937 random(7);
  struct size {
    std::size_t rows, columns, depth;
  };
  for (const auto* table : kernel_sets())
    for (const size s : {size{1, 1, 1}, size{3, 70, 5}, size{8, 32, 256}, size{9, 33, 257}, size{17, 5, 530},
                         size{200, 65, 3}, size{97, 300, 40}, size{50, 600, 20}, size{12, 40, 0}}) {
      CAPTURE(table->set.name, s.rows, s.columns, s.depth);
      const std::size_t a_row = s.rows + 1, b_row = s.columns + 3, out_row = s.columns + 2;
      std::vector<float> sums(s.rows + 1, 99.f);
      const auto a = random_floats(s.depth * a_row + 1, random),
                 b = random_floats(s.depth * b_row + 1, random);
      std::vector<float> whole(s.rows * out_row, 99.f), parts = whole;
      turned_product_args args{a.data(), b.data(), whole.data(), s.rows, s.columns,
                               s.depth,  a_row,    b_row,        out_row};
      aligned_floats scratch(table->turned_product->scratch(args));
      const std::size_t tasks = table->turned_product->tasks(args);
      table->turned_product->run(args, 0, tasks, scratch.data());
      args.out = parts.data(), args.sums = sums.data();
      for (std::size_t task = tasks; task-- > 0;)
        table->turned_product->run(args, task, task + 1, scratch.data());
      CHECK(whole == parts);
      for (const std::size_t threads : {3u, 64u}) {
        std::vector<float> shared(s.rows * out_row, 99.f), shared_sums(s.rows + 1, 99.f);
        turned_product_args many = args;
        many.out = shared.data(), many.sums = shared_sums.data(), many.threads = threads;
        table->turned_product->run(many, 0, table->turned_product->tasks(many), scratch.data());
        CHECK(whole == shared);
        CHECK(sums == shared_sums);
      }
      double worst = 0;
      bool outside_is_left = true;
      for (std::size_t i = 0; i < s.rows; ++i)
        for (std::size_t j = 0; j < out_row; ++j) {
          double sum = 0;
          for (std::size_t k = 0; k < s.depth; ++k)
            if (j < s.columns)
              sum += static_cast<double>(a[k * a_row + i]) * static_cast<double>(b[k * b_row + j]);
          const auto found = static_cast<double>(whole[i * out_row + j]);
          if (j < s.columns)
            worst = std::max(worst, std::abs(sum - found));
          else
            outside_is_left &= whole[i * out_row + j] == 99.f;
        }
      CHECK(worst < 1e-5 * std::sqrt(static_cast<double>(s.depth) + 1));
      CHECK(outside_is_left);
      double worst_sum = 0;
      for (std::size_t i = 0; i < s.rows; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < s.depth; ++k) sum += static_cast<double>(a[k * a_row + i]);
        worst_sum = std::max(worst_sum, std::abs(sum - static_cast<double>(sums[i])));
      }
      CHECK(worst_sum < 1e-5 * std::sqrt(static_cast<double>(s.depth) + 1));
      CHECK(sums.back() == 99.f);
    }
}
