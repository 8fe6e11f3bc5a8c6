// RWKV with its trained weights against the logits and greedy texts of ../shared/data/rwkv: the whole text at
// once, byte by byte, and in chunks.

#include <fovea/fovea.hpp>
#include <fovea/models/rwkv.hpp>
#include <fovea/runtime/decoding/generate.hpp>
#include <fovea/runtime/decoding/stream_reader.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr rwkv_config v4{.version = rwkv_version::v4, .layers = 4, .width = 128, .inner = 256, .vocab = 256};
constexpr rwkv_config v5{
    .version = rwkv_version::v5, .layers = 12, .width = 64, .inner = 256, .vocab = 256, .heads = 8};
constexpr rwkv_config v7{.version = rwkv_version::v7,
                         .layers = 12,
                         .width = 64,
                         .inner = 256,
                         .vocab = 256,
                         .decay_rank = 32,
                         .rate_rank = 32,
                         .value_rank = 32,
                         .gate_rank = 32};

/// The largest difference of the last position's scores from the reference.
template <class view>
double difference(const view& logits, const std::vector<double>& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < 256; ++i)
    worst = std::max(worst, std::abs(static_cast<double>(logits(0, logits.shape()[1] - 1, i)) - expected[i]));
  return worst;
}

template <rwkv_config c>
void check_reference(const std::string& name) {
  INFO(name << ", " << instruction_set());
  const std::string folder = std::string(std::getenv("FOVEA_SHARED")) + "/data/rwkv/";
  std::ifstream file(folder + "reference.json");
  const auto cases = nlohmann::json::parse(file).at("cases");
  const auto found =
      std::find_if(cases.begin(), cases.end(), [&](const auto& each) { return each.at("model") == name; });
  REQUIRE(found != cases.end());
  const auto expected = found->at("last_logits").template get<std::vector<double>>();
  const auto bytes = found->at("greedy_bytes").template get<std::vector<token_id>>();
  const std::string text = found->at("prompt");
  const std::vector<token_id> prompt(text.begin(), text.end());
  const xt::xtensor<token_id, 2> ids = xt::adapt(prompt, std::array<std::size_t, 2>{1, prompt.size()});
  const model_weights from = load_weights(folder + "tiny-rwkv-" + name + "-FP32.bin");

  auto exact = compile<reference>(rwkv<c>, from, {.capacity = {{B, 1}, {T, 19}}});
  CHECK(difference(exact("tokens"_in = ids)["logits"_out], expected) < 5e-6);
  auto net = compile(rwkv<c>, from, {.capacity = {{B, 1}, {T, 19}}});
  CHECK(difference(net("tokens"_in = ids)["logits"_out], expected) < 1e-4);

  auto live = stream<T>(rwkv<c>, from, {.capacity = {{B, 1}, {T, 43}}});
  for (const std::size_t chunk : {1u, 4u, 19u}) {
    live.begin();
    for (std::size_t at = 0; at < 19; at += chunk) {
      const xt::xtensor<token_id, 2> some =
          xt::view(ids, xt::all(), xt::range(at, std::min<std::size_t>(at + chunk, 19)));
      const auto logits = live.step("tokens"_in = some)["logits"_out];
      if (at + chunk >= 19) CHECK(difference(logits, expected) < 1e-4);
    }
  }
  stream_reader model(live,
                      [](auto& s, const auto& next) { return s.step("tokens"_in = next)["logits"_out]; });
  const auto made = greedy(model, prompt, {.max_tokens = 24});
  CHECK(std::vector<token_id>(made.ids.begin(), made.ids.end()) ==
        std::vector<token_id>(bytes.end() - 24, bytes.end()));
}

} // namespace

TEST_CASE("RWKV 4 gives its reference logits and text", "[rwkv]") { check_reference<v4>("4v0-660K"); }
TEST_CASE("RWKV 5 gives its reference logits and text", "[rwkv]") { check_reference<v5>("5v2-730K"); }
TEST_CASE("RWKV 7 gives its reference logits and text", "[rwkv]") { check_reference<v7>("7v0-834K"); }

TEST_CASE("RWKV 4's float16 file holds the float32 file's values, rounded", "[rwkv]") {
  const std::string file = std::string(std::getenv("FOVEA_SHARED")) + "/data/rwkv/tiny-rwkv-4v0-660K-FP";
  const model_weights exact = load_weights(file + "32.bin"), rounded = load_weights(file + "16.bin");
  std::vector<wanted_parameter> all;
  for (const auto& [name, tensor] : exact.tensors()) all.push_back({name, tensor.shape});
  const auto before = exact.resolve(all), after = rounded.resolve(all);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t at = 0; at < before[i].size; ++at) {
      const float value = before[i].data[at];
      // Half a unit in the last place of ten bits, or of the smallest float16.
      const float most = std::max(std::abs(value) * 0x1p-11f, 0x1p-25f);
      if (std::abs(after[i].data[at] - value) > most) FAIL_CHECK(all[i].name << " at " << at);
    }
  CHECK(rounded.tensors().at("emb.weight").type == element_type::f16);
}
