#include <fovea/models/bert.hpp>

#include "../training/loss_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using models::bert_config;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr bert_config tiny{.layers = 2, .heads = 4, .width = 32, .inner = 64, .vocab = 96, .context = 48};
constexpr bert_config wide{
    .layers = 6, .heads = 12, .width = 384, .inner = 1536, .vocab = 1000, .context = 128};

/// Layer after layer, with what each gives and its attention maps.
template <bool reads_on>
constexpr auto shown = model(
    "bert_shown",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {B, T}), types = g.input<i32>("types", {B, T});
      const attention_mask visible = reads_on ? causal : padding(g.input<i32>("lengths", {B}));
      const expr words = models::bert_words(tokens, tiny);
      expr x = models::bert_embeddings(words, tokens, types, tiny);
      g.output("hidden_states.0", x);
      for (int i = 0; i < tiny.layers; ++i) {
        const scope layer(x, "layer", i);
        x = models::bert_block(x, visible, tiny);
        g.output(i == 0 ? "attentions.0" : "attentions.1", last_attention_map(x));
        g.output(i == 0 ? "hidden_states.1" : "hidden_states.2", x);
      }
    },
    models::bert_names);

/// Without a pooler.
template <bert_config c>
constexpr auto encoder = model(
    "bert_encoder",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {B, T}), types = g.input<i32>("types", {B, T});
      g.output("hidden", models::bert_encoder(models::bert_words(tokens, c), tokens, types, {}, c));
    },
    models::bert_names);

/// How many of a row's positions are text, from the case's mask of ones and zeros.
xt::xtensor<std::int64_t, 1> lengths_of(const golden_case& c) {
  return xt::sum(integers<2>(c, "attention_mask"), {1});
}

/// The case's inputs under the names that the models give them.
named_values texts_of(const golden_case& c) {
  named_values made = inputs_of(c, {{"tokens", "ids"}, {"types", "token_type_ids"}});
  made["lengths"] = lengths_of_mask(c);
  return made;
}
named_values labelled_texts_of(const golden_case& c) {
  named_values made = texts_of(c);
  made["targets"] = made.at("labels");
  return made;
}

/// As transformers trains it: the vector of token 0, which fills texts up, has no gradient.
constexpr auto filled_up = model(
    "bert_filled_up",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {B, T}), types = g.input<i32>("types", {B, T}),
                 lengths = g.input<i32>("lengths", {B}), words = models::bert_words(tokens, tiny);
      const expr first = stop_gradient(slice(words, axis(0), 0, 1)),
                 others = slice(words, axis(0), 1, tiny.vocab);
      const expr x =
          models::bert_encoder(concat(axis(0), first, others), tokens, types, padding(lengths), tiny);
      g.output("last_hidden_state", x);
      g.output("pooler_output", models::bert_pooler(x, tiny));
    },
    models::bert_names);

xt::xtensor<std::int64_t, 2> zeros_like(const xt::xtensor<std::int64_t, 2>& ids) {
  return xt::zeros<std::int64_t>(ids.shape());
}

// MiniLM without a pooler: tables of words, positions and types and their norm; in each layer four matrices
// of width^2 and two of width x inner with their biases, and two norms.
static_assert(30522 * 384 + 512 * 384 + 2 * 384 + 2 * 384 +
                  6 * (4 * (384 * 384 + 384) + 2 * 384 * 1536 + 1536 + 384 + 4 * 384) ==
              22'565'376);
static_assert(models::sentence_encoder<models::minilm>.parameters() == 22'565'376);

// Of 2 texts of 128 tokens, two operations each for: the weights of a layer, for each token; 2 width numbers
// for each pair of positions of a text.
static_assert(models::sentence_encoder<models::minilm>.flops({{B, 2}, {T, 128}}) ==
              2LL * 6 * (256 * (4 * 384 * 384 + 2 * 384 * 1536) + 2 * 128 * 128 * 2 * 384));

} // namespace

TEST_CASE("BERT agrees with transformers' BertModel", "[bert]") {
  const golden_case c("hf_bert");
  const auto tokens = integers<2>(c, "ids"), types = integers<2>(c, "token_type_ids");
  on_both_backends([&](auto backend) {
    auto layers = compile<decltype(backend)>(shown<false>, weights_of(c), {.capacity = {{B, 3}, {T, 10}}});
    check_outputs<"hidden_states.0", "hidden_states.1", "hidden_states.2", "attentions.0", "attentions.1">(
        c, layers("tokens"_in = tokens, "types"_in = types, "lengths"_in = lengths_of(c)));

    auto net = compile<decltype(backend)>(models::bert<tiny>, weights_of(c), {.capacity = {{B, 3}, {T, 10}}});
    const auto out = net("lengths"_in = lengths_of(c), "tokens"_in = tokens, "types"_in = types);
    check(c, "output.last_hidden_state", out["hidden"_out]);
    check(c, "output.pooler_output", out["pooled"_out]);

    auto maps =
        compile<decltype(backend)>(models::bert_maps<tiny>, weights_of(c), {.capacity = {{B, 3}, {T, 10}}});
    const auto seen = maps("lengths"_in = lengths_of(c), "tokens"_in = tokens, "types"_in = types);
    const auto of_layers = layers("tokens"_in = tokens, "types"_in = types, "lengths"_in = lengths_of(c));
    const auto all = seen["maps"_out], first = of_layers["attentions.0"_out],
               second = of_layers["attentions.1"_out];
    check(c, "output.last_hidden_state", seen["hidden"_out]);
    REQUIRE(all.size() == first.size() + second.size());
    for (std::size_t b = 0; b < all.shape()[0]; ++b)
      for (std::size_t h = 0; h < 4; ++h)
        for (std::size_t i = 0; i < all.shape()[2]; ++i)
          for (std::size_t j = 0; j < all.shape()[3]; ++j)
            if (all(b, h, i, j) != first(b, h, i, j) || all(b, 4 + h, i, j) != second(b, h, i, j))
              FAIL("the maps differ from those of the layers");
  });
}

TEST_CASE("BERT's gradients agree with transformers'", "[bert]") {
  const golden_case c("hf_bert");
  check_gradients(filled_up, c, weights_of(c), texts_of(c));
}

TEST_CASE("BERT's classifier agrees with transformers' BertForSequenceClassification", "[bert]") {
  const golden_case c("hf_bert_classify");
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(models::bert_classifier<tiny, 3>, weights_of(c),
                                          {.capacity = {{B, 4}, {T, 9}}});
    check_outputs<"logits">(c,
                            net("tokens"_in = integers<2>(c, "ids"),
                                "types"_in = integers<2>(c, "token_type_ids"), "lengths"_in = lengths_of(c)));
  });
}

TEST_CASE("a text of no tokens is embedded as zeros", "[bert]") {
  constexpr auto pooled = model("pooled", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    g.output("sentence", models::mean_pooled(x, g.input<i32>("lengths", {B})));
  });
  on_both_backends([&](auto backend) {
    const named_values made = run_model<decltype(backend)>(
        pooled, model_weights::from({}),
        {{"x", {{2, 3, 4}, std::vector<double>(24, 1), false}}, {"lengths", {{2}, {2, 0}, true}}});
    for (std::size_t i = 0; i < 8; ++i) CHECK(made.at("sentence").values[i] == Approx(i < 4 ? 0.5 : 0));
  });
}

TEST_CASE("BERT's scores of hidden tokens agree with transformers' BertForMaskedLM", "[bert]") {
  const golden_case c("hf_bert_mlm");
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(models::bert_masked_language_model<tiny>, weights_of(c),
                                          {.capacity = {{B, 2}, {T, 12}}});
    check_outputs<"logits">(c,
                            net("tokens"_in = integers<2>(c, "ids"),
                                "types"_in = integers<2>(c, "token_type_ids"), "lengths"_in = lengths_of(c)));
  });
}

TEST_CASE("BERT read from left to right agrees with transformers' BertLMHeadModel", "[bert]") {
  const golden_case c("hf_bert_decoder");
  const auto tokens = integers<2>(c, "ids");
  on_both_backends([&](auto backend) {
    auto layers = compile<decltype(backend)>(shown<true>, weights_of(c), {.capacity = {{B, 2}, {T, 9}}});
    check_outputs<"hidden_states.0", "hidden_states.1", "hidden_states.2", "attentions.0", "attentions.1">(
        c, layers("tokens"_in = tokens, "types"_in = zeros_like(tokens)));

    auto net = compile<decltype(backend)>(models::bert_language_model<tiny>, weights_of(c),
                                          {.capacity = {{B, 2}, {T, 25}}});
    check_outputs<"logits">(c, net("tokens"_in = tokens, "types"_in = zeros_like(tokens)));
    check_greedy(c, [&](const auto& ids) {
      return net("tokens"_in = ids, "types"_in = zeros_like(ids))["logits"_out];
    });
  });
}

TEST_CASE("the losses and gradients of BERT's heads agree with transformers'", "[bert]") {
  const golden_case labelled("hf_bert_classify"), hidden("hf_bert_mlm"), read("hf_bert_decoder");
  check_loss(models::bert_classifier_loss<tiny, 3>, labelled, labelled_texts_of(labelled));
  check_loss(models::bert_masked_language_model_loss<tiny>, hidden, labelled_texts_of(hidden));
  named_values texts = next_token_inputs(read);
  texts["types"] = {texts.at("tokens").shape, std::vector<double>(texts.at("tokens").values.size()), true};
  check_loss(models::bert_language_model_loss<tiny>, read, texts);
}

TEST_CASE("an encoder of MiniLM's width agrees with transformers, weights by formula", "[bert]") {
  const golden_case c("hf_bert_384_formula");
  const model_weights made = weights_of(c);
  const auto tokens = integers<2>(c, "ids");
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(encoder<wide>, made, {.capacity = {{B, 2}, {T, 16}}});
    check_parts(c, "", net("tokens"_in = tokens, "types"_in = zeros_like(tokens))["hidden"_out]);
  });
}
