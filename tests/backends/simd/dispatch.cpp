#include "kernel_sets.hpp"
#include <catch2/catch.hpp>
#include <fovea/backends/simd/format_code.hpp>
#include <fovea/backends/simd/kernel_choice.hpp>
#include <string>
#include <vector>

using namespace fovea;
using namespace fovea::core::simd;

TEST_CASE("a set carries its name and every kernel") {
  for (const kernel_table* table : kernel_sets()) {
    CAPTURE(table->set.name);
    CHECK(table->set.panel % table->set.vector == 0);
    // Of a set whose float32 is as fast no kernel has run.
#define CHECK_PRESENT(name, type)                                                                            \
  if (kernel_name::name != kernel_name::rounded_attention) CHECK(table->name->run != nullptr);
    FOVEA_KERNELS(CHECK_PRESENT)
#undef CHECK_PRESENT
  }
  CHECK(set_named(FOVEA_LAST_SET) != nullptr); // which a program may link only on request
}

TEST_CASE("what a processor can do at best is measured by work that is done") {
  std::vector<float> ones(1000, 1.0f);
  for (const kernel_table* table : kernel_sets()) {
    CAPTURE(table->set.name);
    const std::size_t block = 8 * table->set.vector;
    CHECK(table->limits->run(7) == static_cast<float>(7 * table->limits->floats_a_step));
    CHECK(table->limits->read(ones.data(), ones.size()) == static_cast<float>(ones.size() / block * block));
  }
}

TEST_CASE("an unknown set is none") {
  for (const char* name : {"avx3", ""}) {
    CHECK(set_named(name) == nullptr);
    CHECK_FALSE(may_run(name));
  }
}

TEST_CASE("the environment chooses the set, and what is better does not run") {
  if (const char* wanted = std::getenv("FOVEA_ISA")) CHECK(std::string(instruction_set()) == wanted);
  bool in_use_or_worse = false;
  for (const set_sizes& set : sets_here()) {
    in_use_or_worse = in_use_or_worse || std::string(set.name) == instruction_set();
    CHECK(may_run(set.name) == in_use_or_worse);
  }
  CHECK(in_use_or_worse);
}

TEST_CASE("FOVEA_PLAIN leaves what a processor has beside a set", "[plain]") {
  const char* plain = std::getenv("FOVEA_PLAIN");
  for (const set_sizes& set : sets_here()) {
    CAPTURE(set.name);
    if (plain != nullptr) CHECK_FALSE(kernels_for_tests::plain_kernels(set).has_value());
  }
}

TEST_CASE("a model finds the kernels that it needs, and no others") {
  static constexpr auto some = choose_kernels<kernel_names{kernel_name::softmax, kernel_name::pool}, "">();
  const kernel_table found = kernels_of({.kernels = &some});
  CHECK(found.set.name == std::string(instruction_set()));
  CHECK(found.softmax == kernels().softmax);
  CHECK(found.pool == kernels().pool);
  CHECK(found.product == nullptr);
  CHECK(kernels_of({.kernels = &some, .format = &code_of_format<core::format_named<q8_0>>}).decoded_product ==
        kernels().decoded_product);
  static constexpr auto of_one = choose_kernels<kernel_names{kernel_name::softmax}, FOVEA_LEAST_SET>();
  CHECK(kernels_of({.kernels = &of_one}).set.name == std::string(FOVEA_LEAST_SET));
  CHECK(kernels_of({.kernels = &of_one}).softmax == &kernel_named<kernel_name::softmax>(FOVEA_LEAST_SET));
}

TEST_CASE("a format's kernels are of the set of the model") {
  static constexpr auto of_one = choose_kernels<kernel_names{kernel_name::pack}, FOVEA_LEAST_SET>();
  constexpr auto format = core::format_named<q8_0>;
  const kernel_table found =
      kernels_of({.kernels = &of_one, .format = &code_of_format<format, FOVEA_LEAST_SET>});
  CHECK(found.decoded_product == &kernel_named<kernel_name::decoded_product>(FOVEA_LEAST_SET));
  CHECK(found.gather_in_format == &kernel_named<kernel_name::gather_in_format>(FOVEA_LEAST_SET));
}

TEST_CASE("a model for a set that the processor lacks is refused") {
  static const kernel_choice none = {.set = "avx3"};
  CHECK_THROWS_WITH(
      kernels_of({.kernels = &none}),
      "the model is compiled for the instruction set avx3, which this processor lacks; it has " +
          std::string(instruction_set()));
}
