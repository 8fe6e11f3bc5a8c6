// stories260K, a trained Llama of 260 thousand parameters, from llama2.c's files and from GGUF, against the
// logits and the greedy text of ../shared/data/stories260K.

#include "../each_format.hpp"
#include "../gguf_writer.hpp"
#include "../weights/temporary_folder.hpp"
#include "llama_names.hpp"

#include <fovea/fovea.hpp>
#include <fovea/models/llama.hpp>
#include <fovea/runtime/decoding/generate.hpp>
#include <fovea/runtime/decoding/stream_reader.hpp>
#include <fovea/weights/to_floats.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr models::llama_config stories{
    .layers = 5, .heads = 8, .kv_heads = 4, .width = 64, .inner = 172, .vocab = 512, .tied = true};

std::string folder() { return std::string(std::getenv("FOVEA_SHARED")) + "/data/stories260K/"; }

const nlohmann::json& reference_values() {
  static const nlohmann::json read = nlohmann::json::parse(std::ifstream(folder() + "reference.json"));
  return read;
}
token_ids greedy_ids() { return reference_values().at("greedy_token_ids_from_bos").get<token_ids>(); }

template <class backend>
xt::xtensor<float, 3> logits_of(const model_weights& from, const token_ids& ids) {
  auto net = compile<backend>(models::llama<stories>, from, {.capacity = {{B, 1}, {T, 256}}});
  xt::xtensor<token_id, 2> tokens({1, ids.size()});
  std::ranges::copy(ids, tokens.begin());
  return net("tokens"_in = tokens)["logits"_out];
}

/// The greatest difference to the reference logits after each token of the prompt.
template <class backend>
double error_of_logits(const model_weights& from) {
  const auto found = logits_of<backend>(from, reference_values().at("token_ids").get<token_ids>());
  const auto expected = reference_values().at("logits_per_position").get<std::vector<std::vector<double>>>();
  double greatest = 0;
  for (std::size_t t = 0; t < expected.size(); ++t)
    for (std::size_t i = 0; i < expected[t].size(); ++i)
      greatest = std::max(greatest, std::abs(static_cast<double>(found(0, t, i)) - expected[t][i]));
  return greatest;
}

/// The begin token and 200 more, one step of a stream each.
template <class format = f32>
token_ids streamed_ids(const model_weights& from) {
  auto live = stream<T, format>(models::llama<stories>, from, {.capacity = {{B, 1}, {T, 256}}});
  stream_reader model(live, [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["logits"_out]; });
  token_ids ids{1};
  greedy(model, token_ids{1}, {.max_tokens = 200}, [&](const generated_token& token) {
    ids.push_back(token.id);
    return true;
  });
  return ids;
}

/// The nearest float16 of a value in its normal range, by its bits.
std::uint16_t half_of(float value) {
  if (std::abs(value) < 0x1p-14f) return 0;
  int exponent = 0;
  const float fraction = std::frexp(std::abs(value), &exponent);        // 0.5 to 1
  const auto mantissa = static_cast<int>(std::lround(fraction * 2048)); // 1024 to 2048
  return static_cast<std::uint16_t>(((exponent + 13) << 10) + mantissa + (value < 0 ? 0x8000 : 0));
}

std::string f16_bytes(std::span<const float> values) {
  std::string bytes;
  for (const float value : values) bytes += bytes_of(half_of(value));
  return bytes;
}

/// Blocks of 32 as llama.cpp rounds them: to whole numbers of `most` steps from zero.
template <class packer>
std::string block_bytes_of(std::span<const float> values, float most, packer pack) {
  std::string bytes;
  for (std::size_t from = 0; from < values.size(); from += 32) {
    const auto block = values.subspan(from, 32);
    float greatest = 0;
    for (const float value : block) greatest = std::max(greatest, std::abs(value));
    const std::uint16_t scale = half_of(greatest / most);
    float rounded = 0;
    to_floats(element_type::f16, std::as_bytes(std::span(&scale, 1)), &rounded);
    std::array<int, 32> steps{};
    for (std::size_t i = 0; i < 32; ++i)
      steps[i] = rounded == 0 ? 0
                              : std::clamp(static_cast<int>(std::lround(block[i] / rounded)),
                                           -static_cast<int>(most), static_cast<int>(most));
    bytes += bytes_of(scale) + pack(steps);
  }
  return bytes;
}
std::string q8_0_bytes(std::span<const float> values) {
  return block_bytes_of(values, 127, [](const auto& steps) {
    std::string bytes;
    for (const int step : steps) bytes += static_cast<char>(step);
    return bytes;
  });
}
std::string q4_0_bytes(std::span<const float> values) {
  return block_bytes_of(values, 7, [](const auto& steps) {
    std::string bytes;
    for (std::size_t i = 0; i < 16; ++i)
      bytes += static_cast<char>((steps[i] + 8) | (steps[i + 16] + 8) << 4);
    return bytes;
  });
}

/// ggml's numbers of its types.
namespace ggml {
constexpr std::uint32_t f32 = 0, f16 = 1, q4_0 = 2, q8_0 = 8;
}

/// The weights of llama2.c's file as a GGUF file, its matrices in a type where their rows are whole blocks.
model_weights as_gguf(const model_weights& from, std::uint32_t type) {
  gguf_writer file;
  file.add("general.architecture", "llama");
  file.add("llama.block_count", std::uint32_t{stories.layers});
  for (const auto& [name, tensor] : from.tensors()) {
    std::vector<float> values(tensor.bytes.size() / sizeof(float));
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    const bool plain = tensor.shape.size() == 1 || (type != ggml::f16 && tensor.shape.back() % 32 != 0);
    const std::uint32_t written = plain ? ggml::f32 : type;
    file.add_tensor(gguf_name(name), written, {tensor.shape.begin(), tensor.shape.end()},
                    written == ggml::f32    ? bytes_of(values)
                    : written == ggml::f16  ? f16_bytes(values)
                    : written == ggml::q8_0 ? q8_0_bytes(values)
                                            : q4_0_bytes(values));
  }
  const temporary_folder place;
  return load_weights(place.write("stories260K.gguf", file.file()));
}

} // namespace

static_assert(models::llama<stories>.parameters() == 264'128 - 4'096); // without the rotary tables

TEST_CASE("stories260K from llama2.c's file gives the reference logits") {
  const model_weights trained = load_weights(folder() + "stories260K.bin");
  CHECK(trained.metadata().at("seq_len") == "512");
  CHECK(error_of_logits<f32>(trained) < 1e-4);
  CHECK(error_of_logits<reference>(trained) < 1e-5);
}

TEST_CASE("stories260K writes the reference text token by token") {
  const model_weights trained = load_weights(folder() + "stories260K.bin");
  CHECK(streamed_ids(trained) == greedy_ids());

  // The specification has no stream: after each token of the whole text it prefers the next.
  const token_ids ids = greedy_ids();
  const auto scores = logits_of<reference>(trained, ids);
  for (std::size_t t = 0; t + 1 < ids.size(); ++t)
    CHECK(most_likely({&scores(0, t, 0), scores.shape()[2]}) == ids[t + 1]);
}

TEST_CASE("stories260K from llama2.c's int8 file stays within the rounding that was published") {
  const model_weights rounded = load_weights(folder() + "stories260K-q8.bin");
  CHECK(error_of_logits<f32>(rounded) < 0.17);
  CHECK(error_of_logits<reference>(rounded) < 0.17);
  CHECK(error_of_logits<f32>(rounded) > 0.01);
}

TEST_CASE("stories260K from GGUF writes the same text") {
  const model_weights trained = load_weights(folder() + "stories260K.bin");
  const model_weights written = as_gguf(trained, ggml::f32);
  CHECK(written.metadata().at("general.architecture") == "llama");
  CHECK(streamed_ids(written) == greedy_ids());
  CHECK(error_of_logits<reference>(written) < 1e-5);
  CHECK(error_of_logits<f32>(as_gguf(trained, ggml::f16)) < 0.02);
  CHECK(error_of_logits<f32>(as_gguf(trained, ggml::q8_0)) < 0.3);
  CHECK(error_of_logits<f32>(as_gguf(trained, ggml::q4_0)) < 5);
}

namespace {

/// How well a text is predicted after its first token.
template <class format>
double perplexity_of(const model_weights& from, const token_ids& ids) {
  const auto scores = logits_of<format>(from, ids);
  double sum = 0;
  for (std::size_t t = 0; t + 1 < ids.size(); ++t) {
    double total = 0;
    const auto score = [&](token_id id) {
      return static_cast<double>(scores(0, t, static_cast<std::size_t>(id)));
    };
    for (token_id id = 0; id < stories.vocab; ++id) total += std::exp(score(id));
    sum += std::log(total) - score(ids[t + 1]);
  }
  return std::exp(sum / static_cast<double>(ids.size() - 1));
}

/// How many tokens are those of the reference text before the first other one.
template <class format>
std::size_t same_tokens(const model_weights& from) {
  const token_ids found = streamed_ids<format>(from), expected = greedy_ids();
  std::size_t count = 0;
  while (count < std::min(found.size(), expected.size()) && found[count] == expected[count]) ++count;
  return count;
}

} // namespace

TEST_CASE("stories260K with its weights in other formats predicts as well, and begins the same text") {
  const model_weights trained = load_weights(folder() + "stories260K.bin");
  const token_ids text = greedy_ids();
  const double plain = perplexity_of<f32>(trained, text);
  const auto check_one = [&]<class format>(format) {
    INFO(name_of(format_named<format>));
    const double margin = rounding_of<format>() * (traits_of<format>.bits == 16 ? 0.4 : 2.5);
    CHECK(perplexity_of<format>(trained, text) / plain == Approx(1).margin(margin));
  };
  for_decoded_formats(check_one);
  for_rounding_formats([&](auto format, auto) { check_one(format); });
  CHECK(same_tokens<f16>(trained) == text.size());
  CHECK(same_tokens<q8_0>(trained) > 60);
}
