#include <catch2/catch.hpp>
#include <cstdlib>
#include <fovea/backends/simd/isa/dispatch.hpp>
#include <string>

using namespace fovea;
using namespace fovea::core;

TEST_CASE("a table carries its name and every kernel") {
  for (const char* name : {"portable", "baseline", "avx2", "avx512"}) {
    const auto* table = simd::table_for(name);
    if (!table) continue;
    CHECK(std::string(table->instruction_set) == name);
    CHECK(table->panel % table->vector == 0);
    for (const bool present :
         {table->pack_tasks != nullptr, table->pack != nullptr, table->product_tasks != nullptr,
          table->product != nullptr, table->gather_tasks != nullptr, table->gather != nullptr,
          table->attention_tasks != nullptr, table->attention_scratch != nullptr, table->attention != nullptr,
          table->attention_shared != nullptr, table->join_attention != nullptr, table->norm_tasks != nullptr,
          table->layer_norm != nullptr, table->rms_norm != nullptr, table->softmax_tasks != nullptr,
          table->softmax != nullptr, table->log_softmax != nullptr, table->reduce_tasks != nullptr,
          table->reduce != nullptr})
      CHECK(present);
  }
  CHECK(simd::table_for("portable") != nullptr);
}

TEST_CASE("an unknown set has no table") {
  CHECK(simd::table_for("avx3") == nullptr);
  CHECK(simd::table_for("") == nullptr);
}

TEST_CASE("the environment chooses the set") {
  if (const char* wanted = std::getenv("FOVEA_ISA")) CHECK(std::string(instruction_set()) == wanted);
  CHECK(simd::table_for(instruction_set()) == &simd::kernels());
}
