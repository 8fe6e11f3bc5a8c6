#include <fovea/models/deberta.hpp>

#include "decoder_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace fovea::models;

namespace {

constexpr deberta_config tiny{
    .layers = 2, .heads = 4, .width = 32, .inner = 48, .vocab = 96, .buckets = 8, .reach = 32};
constexpr deberta_config tiny_convolved = [] {
  deberta_config c = tiny;
  c.layers = 3;
  c.convolution = 3;
  return c;
}();

// As transformers counts the published models.
static_assert(deberta<deberta_v3_small>.parameters() == 141'304'320);
static_assert(deberta<deberta_v3_base>.parameters() == 183'831'552);
static_assert(deberta<deberta_v3_large>.parameters() == 434'012'160);
static_assert(deberta<deberta_v2_xlarge>.parameters() == 884'593'152);
static_assert(deberta<deberta_v2_xxlarge>.parameters() == 1'564'549'632);

/// Layer after layer, with what each gives.
template <deberta_config c>
constexpr auto shown = model(
    "deberta_shown",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"}),
                 words = bert_words(tokens, c.block());
      const deberta_distances distances = distances_of(tokens, c);
      const expr embedded = deberta_embeddings(words, tokens, c);
      expr x = embedded;
      for (int i = 0; i < c.layers; ++i) {
        g.output(hidden_state_names[i], x);
        {
          const scope layer(x, "layer", i);
          x = deberta_block(x, distances, padding(lengths), c);
        }
        if (i == 0 && c.convolution != 0) x = deberta_convolution(x, embedded, lengths, c);
      }
      g.output(hidden_state_names[c.layers], x);
      g.output("logits", bert_token_scores(x, words, c.block()));
    },
    deberta_names);

constexpr auto rows = model("deberta_rows", [](graph& g) {
  g.output("rows", to_float(distances_of(g.input<f32>("x", {1}), deberta_v3_base).rows));
});

/// The row for a distance, as transformers' make_log_bucket_position and what clamps it have it.
double row_of(int distance, int buckets, int reach) {
  const int exact = buckets / 2, far = std::abs(distance);
  const double wide =
      std::ceil(std::log(static_cast<double>(far) / exact) / std::log((reach - 1.0) / exact) * (exact - 1)) +
      exact;
  const double bucket = far <= exact ? far : wide;
  return std::clamp((distance < 0 ? -bucket : bucket) + buckets, 0.0, 2.0 * buckets - 1);
}

/// The inputs of the case as the models call them.
named_values inputs_of_case(const golden_case& c) {
  named_values inputs = inputs_of(c, {{"tokens", "ids"}, {"targets", "labels"}});
  inputs["lengths"] = lengths_of_mask(c);
  return inputs;
}

/// What transformers computes where a text is filled up has no meaning: there is no key that such a query may see.
template <deberta_config config>
void check_masked_language_model(const golden_case& c) {
  const std::vector<double>& mask = c.at("input.attention_mask").values;
  on_both_backends([&](auto backend) {
    named_values found = run_model<decltype(backend)>(shown<config>, weights_of(c), inputs_of_case(c));
    for (auto& [name, tensor] : found) {
      const std::string theirs = "output." + name;
      const std::vector<double>& right = c.at(theirs).values;
      const std::size_t width = tensor.shape[2];
      for (std::size_t i = 0; i < right.size(); ++i)
        if (mask[i / width] == 0) tensor.values[i] = right[i];
      check(c, theirs, std::span<const double>(tensor.values), tensor.shape);
    }
  });
  check_loss(deberta_masked_language_model_loss<config>, c, inputs_of_case(c));
}

} // namespace

TEST_CASE("DeBERTa agrees with transformers' DebertaV2ForMaskedLM", "[deberta]") {
  check_masked_language_model<tiny>(case_of_today("deberta_v2"));
}

TEST_CASE("DeBERTa with a convolution beside the first block agrees with transformers", "[deberta]") {
  check_masked_language_model<tiny_convolved>(case_of_today("deberta_v2_conv"));
}

TEST_CASE("DeBERTa's buckets are transformers'", "[deberta]") {
  on_both_backends([&](auto backend) {
    const golden_tensor found =
        run_model<decltype(backend)>(rows, random_weights(rows), {{"x", {{1}, {0.0}, false}}}).at("rows");
    for (int distance = -512; distance <= 512; ++distance) {
      INFO("distance " << distance);
      REQUIRE(found.values[static_cast<std::size_t>(distance + 512)] == row_of(distance, 256, 512));
    }
  });
}

TEST_CASE("DeBERTa's table reads the names of transformers' own head", "[deberta]") {
  const golden_case c = case_of_today("deberta_v2");
  std::map<std::string, weight_tensor> renamed;
  for (const auto& [name, tensor] : parameters_of(c)) {
    std::string theirs = name;
    if (const std::string of_head = "lm_predictions.lm_head."; name.starts_with(of_head)) {
      const std::string rest = name.substr(of_head.size());
      theirs = (rest == "bias" ? "cls.predictions." : "cls.predictions.transform.") + rest;
    }
    renamed[theirs] = tensor;
  }
  const auto scores = [&](const model_weights& from) {
    return run_model<f32>(deberta_masked_language_model<tiny>, from, inputs_of_case(c)).at("logits").values;
  };
  CHECK(scores(model_weights::from(renamed)) == scores(weights_of(c)));
}

TEST_CASE("DeBERTa's classifier reads the first token", "[deberta]") {
  const golden_case c = case_of_today("deberta_v2");
  constexpr std::size_t width = 32, classes = 3;
  auto parameters = parameters_of(c);
  std::uint64_t drawn = 0;
  const auto draw = [&](const char* name, const std::vector<std::size_t>& shape) {
    std::size_t size = 1;
    for (const std::size_t d : shape) size *= d;
    weight_tensor& made = parameters[name] = {shape, std::vector<float>(size)};
    for (float& x : made.values) x = static_cast<float>(splitmix64(drawn++) >> 40) / 67108864.0f - 0.125f;
    return made.values;
  };
  const auto pool = draw("deberta.pooler.dense.weight", {width, width}),
             pool_bias = draw("deberta.pooler.dense.bias", {width}),
             map = draw("classifier.weight", {classes, width}), map_bias = draw("classifier.bias", {classes});
  const golden_tensor& hidden = c.at("output.hidden_states.2");
  on_both_backends([&](auto backend) {
    const golden_tensor found =
        run_model<decltype(backend)>(deberta_classifier<tiny, 3>, model_weights::from(parameters),
                                     inputs_of_case(c))
            .at("logits");
    for (std::size_t text = 0; text < hidden.shape[0]; ++text) {
      const double* first = hidden.values.data() + text * hidden.shape[1] * width;
      std::vector<double> pooled(width);
      for (std::size_t i = 0; i < width; ++i) {
        double x = pool_bias[i];
        for (std::size_t j = 0; j < width; ++j) x += pool[i * width + j] * first[j];
        pooled[i] = x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
      }
      for (std::size_t i = 0; i < classes; ++i) {
        double x = map_bias[i];
        for (std::size_t j = 0; j < width; ++j) x += map[i * width + j] * pooled[j];
        CHECK(found.values[text * classes + i] == Approx(x).margin(1e-5));
      }
    }
  });
}
