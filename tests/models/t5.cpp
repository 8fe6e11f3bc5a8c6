#include "../compare_backends.hpp"
#include "../training/loss_case.hpp"

#include <fovea/models/t5.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, S{"S"}, T{"T"};

constexpr t5_config tiny{.layers = 2, .heads = 4, .head_width = 8, .width = 32, .inner = 64, .vocab = 96};
/// As version 1.1, with heads wider than the model.
constexpr t5_config gated{.layers = 2,
                          .heads = 3,
                          .head_width = 12,
                          .width = 20,
                          .inner = 24,
                          .vocab = 30,
                          .gated = true,
                          .tied = false,
                          .buckets = 6,
                          .max_distance = 11};

// A table of words, two of biases; in each layer of the encoder four matrices of width^2 and two of width x
// inner, in the decoder eight and two; norms.
static_assert(32128 * 512 + 2 * 32 * 8 + 6 * (12 * 512 * 512 + 4 * 512 * 2048 + 5 * 512) + 2 * 512 ==
              60'506'624);
static_assert(t5<t5_small>.parameters() == 60'506'624);

/// What the bias alone makes of scores that are all 0.
template <relative_bias_options o>
constexpr auto bias_alone = model("bias_alone", [](graph& g) {
  const expr zero = g.input<f32>("zero", {"T", o.heads});
  g.output("map", attention_map(zero, zero, zero,
                                {.heads = o.heads, .score = relative_bias(zero, "bias", o), .scale = 1}));
});

/// transformers' _relative_position_bucket, by logarithms.
int bucket_of(int distance, const relative_bias_options& o) {
  int buckets = o.buckets, first = 0, n = -distance;
  if (o.both) {
    buckets /= 2;
    if (distance > 0) first = buckets;
    n = std::abs(distance);
  }
  n = std::max(n, 0);
  const int exact = buckets / 2;
  if (n < exact) return first + n;
  const float share = std::log(static_cast<float>(n) / static_cast<float>(exact)) /
                      static_cast<float>(std::log(static_cast<double>(o.max_distance) / exact));
  const int wide = exact + static_cast<int>(share * static_cast<float>(buckets - exact));
  return first + std::min(wide, buckets - 1);
}

template <relative_bias_options o>
void check_bias(std::size_t positions) {
  const auto heads = static_cast<std::size_t>(o.heads), buckets = static_cast<std::size_t>(o.buckets);
  const golden_tensor table = values_of({buckets, heads}, false, "bias");
  const model_weights made =
      model_weights::from({{"bias.weight", {table.shape, {table.values.begin(), table.values.end()}}}});
  const named_values inputs{{"zero", {{positions, heads}, std::vector<double>(positions * heads), false}}};
  golden_tensor expected{{heads, positions, positions}, {}, false};
  for (std::size_t head = 0; head < heads; ++head)
    for (std::size_t q = 0; q < positions; ++q) {
      std::vector<double> row;
      double sum = 0;
      for (std::size_t k = 0; k < positions; ++k) {
        const auto bucket = static_cast<std::size_t>(bucket_of(static_cast<int>(k) - static_cast<int>(q), o));
        row.push_back(std::exp(table.values[bucket * heads + head]));
        sum += row.back();
      }
      for (const double x : row) expected.values.push_back(x / sum);
    }
  on_both_backends([&](auto backend) {
    const golden_tensor found = run_model<decltype(backend)>(bias_alone<o>, made, inputs).at("map");
    CHECK(found.shape == expected.shape);
    CHECK(distance_of(std::span<const double>(found.values), expected, 1e-5, 1e-8).share <= 1);
  });
}

/// The decoder's input of transformers: a begin token, then the labels but the last, 0 for those that do not
/// count.
xt::xtensor<std::int64_t, 2> shifted_labels(const golden_case& c) {
  const auto labels = integers<2>(c, "labels");
  xt::xtensor<std::int64_t, 2> made = xt::zeros<std::int64_t>(labels.shape());
  for (std::size_t b = 0; b < labels.shape()[0]; ++b)
    for (std::size_t t = 1; t < labels.shape()[1]; ++t)
      made(b, t) = std::max<std::int64_t>(labels(b, t - 1), 0);
  return made;
}

} // namespace

TEST_CASE("T5 agrees with transformers' T5ForConditionalGeneration", "[t5]") {
  const golden_case c("hf_t5");
  const auto source = integers<2>(c, "ids");
  const xt::xtensor<std::int64_t, 1> lengths = xt::sum(integers<2>(c, "attention_mask"), {1});
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(t5<tiny>, weights_of(c), {.capacity = {{B, 2}, {S, 11}, {T, 21}}});
    {
      const auto out =
          net("source_ids"_in = source, "source_lengths"_in = lengths, "decoder_ids"_in = shifted_labels(c));
      check(c, "output.encoder_last_hidden_state", out["memory"_out]);
      check(c, "output.logits", out["logits"_out]);
    }
    const xt::xtensor<std::int64_t, 2> first = xt::view(source, xt::range(0, 1), xt::all());
    const xt::xtensor<std::int64_t, 1> length = xt::view(lengths, xt::range(0, 1));
    check_greedy(c, [&](const auto& ids) {
      return net("source_ids"_in = first, "source_lengths"_in = length, "decoder_ids"_in = ids)["logits"_out];
    });
  });
}

TEST_CASE("T5's loss and gradients agree with transformers'", "[t5]") {
  const golden_case c("hf_t5");
  named_values inputs = inputs_of(c, {{"source_ids", "ids"}, {"targets", "labels"}});
  inputs["source_lengths"] = lengths_of_mask(c);
  const auto shifted = shifted_labels(c);
  inputs["decoder_ids"] = {inputs.at("labels").shape, {shifted.begin(), shifted.end()}, true};
  check_loss(t5_loss<tiny>, c, inputs);
}

TEST_CASE("distances fall into the buckets of transformers' T5", "[t5]") {
  check_bias<relative_bias_options{.heads = 2}>(301);
  check_bias<relative_bias_options{.heads = 2, .both = false}>(301);
  check_bias<relative_bias_options{.heads = 1, .buckets = 6, .max_distance = 11}>(40);
  check_bias<relative_bias_options{.heads = 3, .buckets = 5, .max_distance = 7, .both = false}>(23);
}

TEST_CASE("a gated T5 with a head of its own is the same on both backends", "[t5]") {
  compare_at_awkward_sizes(t5<gated>);
}

TEST_CASE("T5's table reads second copies, a table of old, and version 1.1", "[t5]") {
  const golden_case c("hf_t5");
  const auto logits = [&](const auto& m, const std::map<std::string, weight_tensor>& from) {
    auto net = compile(m, model_weights::from(from), {.capacity = {{B, 2}, {S, 11}, {T, 8}}});
    const xt::xtensor<std::int64_t, 1> lengths = xt::sum(integers<2>(c, "attention_mask"), {1});
    const auto out = net("source_ids"_in = integers<2>(c, "ids"), "source_lengths"_in = lengths,
                         "decoder_ids"_in = shifted_labels(c))["logits"_out];
    return std::vector<float>(out.begin(), out.end());
  };
  const auto whole = parameters_of(c);
  const std::vector<float> expected = logits(t5<tiny>, whole);
  auto more = whole;
  for (const char* copy : {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"})
    more[copy] = whole.at("shared.weight");
  more["decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"] =
      whole.at("decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight");
  CHECK(logits(t5<tiny>, more) == expected);

  // Version 1.1 with a gate, and a head of its own.
  constexpr t5_config newer = [] {
    t5_config n = tiny;
    n.gated = true, n.tied = false;
    return n;
  }();
  auto gates = whole;
  for (const std::string stack : {"encoder", "decoder"})
    for (const std::string block : {"0", "1"}) {
      const std::string layer =
          stack + ".block." + block + ".layer." + (stack == "encoder" ? "1" : "2") + ".DenseReluDense.wi";
      gates[layer + "_1.weight"] = gates.at(layer + ".weight");
      gates[layer + "_0.weight"] = gates.at(layer + ".weight");
      gates.erase(layer + ".weight");
    }
  CHECK_THROWS_WITH(logits(t5<newer>, gates), Catch::Contains("'lm_head.weight' [96, 32]"));
  gates["lm_head.weight"] = whole.at("shared.weight");
  CHECK(logits(t5<newer>, gates) != expected);
  gates.erase("decoder.block.1.layer.2.DenseReluDense.wi_0.weight");
  CHECK_THROWS_WITH(logits(t5<newer>, gates),
                    Catch::Contains("decoder.block.1.layer.2.DenseReluDense.wi_0.weight"));
}
