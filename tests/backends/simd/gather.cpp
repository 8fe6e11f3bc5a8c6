#include "kernel_sets.hpp"
#include <catch2/catch.hpp>

using namespace fovea::core::simd;

TEST_CASE("gather copies the rows that the ids name, from plain and from packed tables") {
  std::mt19937 random(5);
  for (const auto* table : kernel_sets())
    for (const std::size_t width : {1u, 3u, 8u, 17u, 64u})
      for (const std::size_t rows : {1u, 2u, 15u, 16u, 17u, 50u}) {
        CAPTURE(table->set.name, width, rows);
        const std::size_t vocabulary = 2 * table->set.panel + 3;
        const auto plain = random_floats(vocabulary * width, random);
        aligned_floats panels(panel_floats(table->set.panel, vocabulary, width));
        const pack_args packing{plain.data(), vocabulary, width, width, 1, panels.data()};
        table->pack->run(packing, 0, table->pack->tasks(packing));
        std::vector<std::int32_t> ids(rows);
        for (auto& id : ids) id = static_cast<std::int32_t>(random() % vocabulary);
        ids[0] = static_cast<std::int32_t>(vocabulary - 1);
        for (const bool paneled : {false, true}) {
          std::vector<float> out(rows * (width + 2), 9.f);
          const gather_args args{paneled ? panels.data() : plain.data(),
                                 paneled,
                                 width,
                                 rows,
                                 ids.data(),
                                 out.data(),
                                 width + 2};
          for (std::size_t task = table->gather->tasks(args); task-- > 0;)
            table->gather->run(args, task, task + 1);
          bool right = true;
          for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t k = 0; k < width + 2; ++k) {
              const float expected = k < width ? plain[static_cast<std::size_t>(ids[i]) * width + k] : 9.f;
              right = right && out[i * (width + 2) + k] == expected;
            }
          CHECK(right);
        }
      }
}
