#include <fovea/weights/weights.hpp>

#include "../gguf_writer.hpp"
#include "temporary_folder.hpp"

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <algorithm>

#include <numeric>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

// dim, hidden_dim, n_layers, n_heads, n_kv_heads, vocab_size, seq_len
const std::vector<std::int32_t> sizes{8, 6, 2, 2, 1, 5, 3};
constexpr std::size_t dim = 8, hidden = 6, layers = 2, kv = 4, vocab = 5, head = 4, context = 3;
constexpr std::size_t of_layers = layers * (2 * dim + 2 * dim * dim + 2 * kv * dim + 3 * dim * hidden);
constexpr std::size_t without_output = vocab * dim + of_layers + dim;

std::string counted(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return bytes_of(values);
}

model_weights opened(const std::string& bytes) {
  const temporary_folder folder;
  return load_weights(folder.write("x.bin", bytes));
}
std::string refusal(const std::string& bytes) {
  return message_of<error>([&] { opened(bytes); });
}

float first(const model_weights& from, const std::string& name) {
  const std::vector<wanted_parameter> all = [&] {
    std::vector<wanted_parameter> wanted;
    for (const auto& [one, tensor] : from.tensors()) wanted.push_back({one, tensor.shape});
    return wanted;
  }();
  const auto views = from.resolve(all);
  const auto at = std::ranges::find(all, name, &wanted_parameter::name);
  REQUIRE(at != all.end());
  return *views[static_cast<std::size_t>(at - all.begin())].data;
}

std::string newer_header(std::uint32_t version, std::vector<std::int32_t> of, bool shared,
                         std::uint32_t group = 0) {
  std::string header = bytes_of(std::uint32_t{0x616b3432}) + bytes_of(version) + bytes_of(of);
  header += bytes_of(static_cast<std::uint8_t>(shared));
  if (group > 0) header += bytes_of(group);
  header.resize(256);
  return header;
}

} // namespace

TEST_CASE("llama2.c's first format, its output shared or its own", "[llama2c]") {
  const model_weights shared = opened(bytes_of(sizes) + counted(without_output + context * head));
  CHECK(shared.tensors().size() == 2 + 9 * layers);
  CHECK(shared.metadata().at("n_kv_heads") == "1");
  CHECK(shared.tensors().at("layers.1.feed_forward.w2.weight").shape == std::vector<std::size_t>{8, 6});
  // Arrays hold all layers in a row.
  CHECK(first(shared, "tok_embeddings.weight") == 0);
  CHECK(first(shared, "layers.0.attention_norm.weight") == vocab * dim);
  CHECK(first(shared, "layers.1.attention_norm.weight") == vocab * dim + dim);
  CHECK(first(shared, "layers.1.attention.wq.weight") == vocab * dim + 2 * dim + dim * dim);
  CHECK(first(shared, "layers.0.attention.wk.weight") == vocab * dim + 2 * dim + 2 * dim * dim);
  CHECK(first(shared, "norm.weight") == without_output - dim);

  std::vector<std::int32_t> own = sizes;
  own[5] = -5;
  const model_weights unshared =
      opened(bytes_of(own) + counted(without_output + context * head + vocab * dim));
  CHECK(unshared.tensors().at("output.weight").shape == std::vector<std::size_t>{5, 8});
  CHECK(first(unshared, "output.weight") == without_output + context * head);
  CHECK(unshared.metadata().at("vocab_size") == "5");
}

TEST_CASE("llama2.c's version 1 holds the norms first and no rotary tables", "[llama2c]") {
  const model_weights shared = opened(newer_header(1, sizes, true) + counted(without_output));
  CHECK(first(shared, "layers.1.ffn_norm.weight") == 3 * dim);
  CHECK(first(shared, "norm.weight") == 4 * dim);
  CHECK(first(shared, "tok_embeddings.weight") == 5 * dim);
  CHECK(first(shared, "layers.1.attention.wk.weight") == 5 * dim + vocab * dim + 2 * dim * dim + kv * dim);
  const model_weights own = opened(newer_header(1, sizes, false) + counted(without_output + vocab * dim));
  CHECK(first(own, "output.weight") == without_output);
}

TEST_CASE("llama2.c's int8 groups are multiplied by their scales, also across rows", "[llama2c]") {
  constexpr std::size_t group = 4; // w2 has rows of 6
  std::string file = newer_header(2, sizes, true, group) + counted(5 * dim);
  const auto matrix = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) file += static_cast<char>(static_cast<int>(i % 256) - 128);
    for (std::size_t i = 0; i < count / group; ++i) file += bytes_of(static_cast<float>(i + 1));
  };
  matrix(vocab * dim);
  for (const std::size_t size :
       {dim * dim, kv * dim, kv * dim, dim * dim, hidden * dim, dim * hidden, hidden * dim})
    for (std::size_t layer = 0; layer < layers; ++layer) matrix(size);
  const model_weights found = opened(file);
  std::vector<wanted_parameter> wanted;
  for (const auto& [name, tensor] : found.tensors()) wanted.push_back({name, tensor.shape});
  const auto views = found.resolve(wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i].name == "layers.1.feed_forward.w2.weight")
      for (std::size_t at = 0; at < views[i].size; ++at)
        CHECK(views[i].data[at] == (static_cast<float>(at) - 128) * static_cast<float>(at / group + 1));
  CHECK(first(found, "norm.weight") == 4 * dim);
}

TEST_CASE("each malformed file of llama2.c is refused with a sentence of its own", "[llama2c]") {
  const std::string body = counted(without_output + context * head);
  CHECK(refusal(bytes_of(sizes) + body).empty());
  const std::string wanted = std::to_string(body.size());
  CHECK_THAT(refusal((bytes_of(sizes) + body).substr(0, 100)),
             EndsWith("x.bin: the file is cut short: expected " + wanted +
                      " bytes behind the header of a llama2.c model of these sizes; found 72"));
  CHECK_THAT(refusal(bytes_of(sizes) + body + "more"),
             EndsWith("x.bin: expected " + wanted +
                      " bytes behind the header of a llama2.c model of these sizes; found " +
                      std::to_string(body.size() + 4)));
  CHECK_THAT(refusal(newer_header(3, sizes, true)), EndsWith("expected llama2.c's version 1 or 2; found 3"));
  CHECK_THAT(refusal(newer_header(1, sizes, true).substr(0, 60)), Contains("the file is cut short"));
  CHECK_THAT(refusal(newer_header(2, sizes, true)),
             Contains("expected groups of at least one value; found 0"));
  CHECK_THAT(
      refusal(newer_header(2, sizes, true, 7)),
      EndsWith("tensor 'tok_embeddings.weight' [5, 8]: expected a whole number of groups of 7 values"));
  // Each size in turn: zero, below zero, or no divisor.
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    auto bad = sizes;
    bad[i] = i == 3 ? 3 : i == 4 ? 2 : 0;
    if (i == 4) bad[3] = 1;
    CHECK_THAT(refusal(newer_header(1, bad, true)),
               Contains("expected sizes above zero") && Contains("n_heads"));
    // Without a magic number such a header could be anything.
    CHECK_THAT(refusal(bytes_of(bad) + body), Contains("expected weights in a known format"));
  }
  // Sizes whose product exceeds any file.
  CHECK_THAT(refusal(newer_header(1, {1 << 24, 1 << 24, 1 << 12, 2, 1, 1 << 24, 1 << 24}, true)),
             Contains("the file is cut short: expected "));
}
