#include <fovea/weights/expect_metadata.hpp>

#include "../gguf_writer.hpp"
#include "temporary_folder.hpp"

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using Catch::Matchers::EndsWith;

TEST_CASE("numbers that a checkpoint says of itself are held against the model's", "[weights]") {
  gguf_writer file;
  file.add("heads", std::uint32_t{8});
  file.add("epsilon", 1e-5f);
  file.add("base", 10000.0f);
  file.add("name", "llama");
  const temporary_folder folder;
  const model_weights from = load_weights(folder.write("x.gguf", file.file()));
  CHECK_NOTHROW(expect_metadata(from, {{"heads", 8}, {"epsilon", 1e-5}, {"base", 10000}, {"n_heads", 3}}));
  const auto refusal = [&](const std::map<std::string, double>& expected) {
    return message_of<error>([&] { expect_metadata(from, expected); });
  };
  CHECK_THAT(refusal({{"heads", 4}}), EndsWith("x.gguf: key 'heads': expected 4, as the model has; found 8"));
  CHECK_THAT(refusal({{"base", 500000}}),
             EndsWith("key 'base': expected 500000, as the model has; found 10000"));
  CHECK_THAT(refusal({{"epsilon", 1e-6}}), EndsWith("expected 1e-06, as the model has; found 1e-05"));
  CHECK_THAT(refusal({{"name", 1}}), EndsWith("expected 1, as the model has; found llama"));
}
