#include <fovea/models/gpt2.hpp>

#include "../compare_backends.hpp"
#include "../model_case.hpp"
#include "../runtime/decoding/trace.hpp"

#include <fovea/runtime/decoding/log_probability.hpp>
#include <fovea/runtime/decoding/lookup_draft.hpp>
#include <fovea/runtime/decoding/model_draft.hpp>
#include <fovea/runtime/decoding/saved_reader.hpp>
#include <fovea/runtime/decoding/speculate.hpp>
#include <fovea/runtime/decoding/stream_reader.hpp>
#include <fovea/runtime/decoding/whole_prefix.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, S{"S"}, T{"T"};

constexpr models::gpt2_config tiny{.layers = 2, .heads = 3, .width = 24, .vocab = 48, .context = 40};

/// Sutskever et al. 2014: the encoder's last state is the decoder's first.
constexpr auto translator = model("seq2seq", [](graph& g) {
  const expr source = embedding(g.input<i32>("source", {B, S}), "src_embedding", 24, 10);
  const expr target = embedding(g.input<i32>("tokens", {B, T}), "tgt_embedding", 20, 10);
  const expr lengths = g.input<i32>("source_lengths", {B});
  const recurrent_result read = lstm(source, "encoder", 14, {.lengths = lengths});
  const expr written = lstm(target, "decoder", 14, {.initial = read.state});
  g.output("logits", linear(written, "linear", 20));
});

token_ids ids_of(const golden_tensor& from) { return {from.values.begin(), from.values.end()}; }

} // namespace

TEST_CASE("decoding GPT-2 agrees with the reference at every step", "[decoding]") {
  const golden_case c("decode_gpt2");
  const std::vector<token_ids> prompts{ids_of(c.at("input.prompt0")), ids_of(c.at("input.prompt1"))};
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(models::gpt2<tiny>, weights_of(c), {.capacity = {{B, 8}, {T, 16}}});
    whole_prefix model([&](const auto& ids) { return net("tokens"_in = ids)["logits"_out]; });
    check_decoding(c, model, prompts);

    // The text that was written has the probability with which it was written.
    const hypothesis h = greedy(model, prompts[0], {.max_tokens = 9});
    token_ids text = prompts[0];
    text.insert(text.end(), h.ids.begin(), h.ids.end());
    const std::vector<double> log_p = log_probabilities(model, text);
    double sum = 0;
    for (std::size_t i = prompts[0].size() - 1; i < log_p.size(); ++i) sum += log_p[i];
    CHECK(sum == Approx(h.log_probability));

    // The network's own errors pass through.
    CHECK_THROWS_WITH(greedy(model, prompts[0], {.max_tokens = 14}),
                      "gpt2: input \"tokens\" [B, T]: axis 1 (T) is 17, expected 1 to 16, the capacity of T");
  });
}

TEST_CASE("decoding an encoder-decoder agrees with the reference at every step", "[decoding]") {
  const golden_case c("decode_seq2seq");
  const auto sources = integers<2>(c, "source_ids");
  const auto lengths = integers<1>(c, "source_lengths");
  const std::vector<token_ids> prompts(3, token_ids{1});
  on_both_backends([&](auto backend) {
    auto net =
        compile<decltype(backend)>(translator, weights_of(c), {.capacity = {{B, 12}, {S, 7}, {T, 12}}});
    whole_prefix model([&](const auto& ids, std::span<const std::size_t> text) {
      const xt::xtensor<std::int64_t, 2> source = xt::view(sources, xt::keep(text), xt::all());
      const xt::xtensor<std::int64_t, 1> length = xt::view(lengths, xt::keep(text));
      return net("source"_in = source, "source_lengths"_in = length, "tokens"_in = ids)["logits"_out];
    });
    check_decoding(c, model, prompts);
  });
}

TEST_CASE("a stream is decoded as the whole text run again", "[decoding][stream]") {
  const golden_case c("decode_gpt2");
  const std::vector<token_ids> prompts{ids_of(c.at("input.prompt0")), ids_of(c.at("input.prompt1"))};
  auto live = stream<T>(models::gpt2<tiny>, weights_of(c), {.capacity = {{B, 8}, {T, 16}}});
  stream_reader model(live, [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["logits"_out]; });
  check_decoding(c, model, prompts);

  auto net = compile(models::gpt2<tiny>, weights_of(c), {.capacity = {{B, 8}, {T, 16}}});
  whole_prefix whole([&](const auto& ids) { return net("tokens"_in = ids)["logits"_out]; });
  const sampling_options options{.temperature = 0.7, .top_p = 0.9, .seed = 3, .samples = 3};
  const auto drawn = sample(model, prompts, options, {.max_tokens = 9}),
             expected = sample(whole, prompts, options, {.max_tokens = 9});
  std::vector<token_ids> texts{{3}};
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    CHECK(drawn[i].ids == expected[i].ids);
    texts.push_back(drawn[i].ids);
    texts.back().resize(2 + i);
  }
  const auto ours = log_probabilities(model, texts), theirs = log_probabilities(whole, texts);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    REQUIRE(ours[i].size() == texts[i].size() - 1);
    for (std::size_t t = 0; t < ours[i].size(); ++t) CHECK(ours[i][t] == Approx(theirs[i][t]).epsilon(1e-4));
  }
  CHECK_THROWS_WITH(greedy(model, prompts[0], {.max_tokens = 14}),
                    "gpt2: stream: expected at most 16 positions, the capacity of T, found 1 more after 16");
}

TEST_CASE("the scores of the next token alone are decoded as all are", "[decoding][stream]") {
  const golden_case c("decode_gpt2");
  const std::vector<token_ids> prompts{ids_of(c.at("input.prompt0")), ids_of(c.at("input.prompt1"))};
  const compile_options options{.capacity = {{B, 8}, {T, 16}}};
  auto live = stream<T>(last<T>(models::gpt2<tiny>), weights_of(c), options);
  stream_reader model(live, [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["logits"_out]; });
  check_decoding(c, model, prompts);
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(last<T>(models::gpt2<tiny>), weights_of(c), options);
    whole_prefix whole([&](const auto& ids) { return net("tokens"_in = ids)["logits"_out]; });
    check_decoding(c, whole, prompts);
  });

  CHECK(log_probabilities(model, {3, 5}).size() == 1);
  CHECK_THROWS_WITH(
      log_probabilities(model, {3, 5, 7, 1}),
      "scores of the next token: expected those after each of 3 ids, found those after the last "
      "alone; the probability of a text is by a model without last<T>(...)");
}

TEST_CASE("GPT-2 that checks what a draft proposes says what it says token by token", "[decoding][stream]") {
  const golden_case c("decode_gpt2");
  constexpr models::gpt2_config small{.layers = 1, .heads = 2, .width = 8, .vocab = 48, .context = 40};
  const compile_options options{.capacity = {{B, 1}, {T, 40}}};
  const auto step = [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["logits"_out]; };
  const auto check = [&](auto& model) {
    auto drafted = stream<T>(last<T>(models::gpt2<small>), random_weights(models::gpt2<small>), options);
    stream_reader of_draft(drafted, step);
    auto again = stream<T>(last<T>(models::gpt2<tiny>), weights_of(c), options);
    stream_reader of_model(again, step);
    for (const char* name : {"input.prompt0", "input.prompt1"}) {
      const token_ids prompt = ids_of(c.at(name));
      const stopping_options where{.max_tokens = 41 - prompt.size()}; // the last one is not read
      const hypothesis expected = greedy(model, prompt, where);
      const auto check_draft = [&](auto draft) {
        const speculated_text text = speculate(model, draft, prompt, {.temperature = 0}, where);
        CHECK(text.ids == expected.ids);
        CHECK(text.log_probability == Approx(expected.log_probability).epsilon(1e-5));
        return text;
      };
      check_draft(model_draft(of_draft));
      const speculated_text right = check_draft(model_draft(of_model, 5));
      CHECK(right.accepted == right.proposed);
      const lookup_draft lookup({.tokens = 6, .longest = 2});
      CHECK(check_draft(lookup).accepted > 0);
      const sampling_options how{.temperature = 0.3, .seed = 5};
      auto draft = lookup;
      CHECK(speculate(model, draft, prompt, how, where).ids == sample(model, prompt, how, where)[0].ids);
    }
  };
  auto live = stream<T>(models::gpt2<tiny>, weights_of(c), options);
  stream_reader model(live, step);
  check(model);
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(models::gpt2<tiny>, weights_of(c), options);
    whole_prefix whole([&](const auto& ids) { return net("tokens"_in = ids)["logits"_out]; });
    check(whole);
  });

  auto of_last = stream<T>(last<T>(models::gpt2<tiny>), weights_of(c), options);
  stream_reader last_alone(of_last, step);
  lookup_draft lookup;
  CHECK_THROWS_WITH(speculate(last_alone, lookup, {1, 2, 1, 2}, {.temperature = 0}, {}),
                    Catch::Matchers::Contains("found those after the last alone; give it the model without "
                                              "last<T>(...)"));
}

TEST_CASE("a model that forgets what came before checks proposals by its saved state", "[decoding][stream]") {
  static constexpr auto m = model("windows", [](graph& g) {
    const expr x = embedding(g.input<i32>("tokens", {B, T}), "words", 20, 8);
    const expr h = gru(x + attention(x, x, x, {.mask = window(4)}), "rnn", 8);
    g.output("logits", linear(conv1d(h, "conv", 8, 3, {.padding = causal}), "head", 20) * 4.0);
  });
  const auto step = [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["logits"_out]; };
  auto live = stream<T>(m, random_weights(m), {.capacity = {{B, 2}, {T, 16}}});
  static_assert(!decltype(live)::can_rewind);
  stream_reader token_by_token(live, step);
  saved_reader model(live, step);
  const token_ids prompt{3, 4, 5, 3, 4};
  const stopping_options where{.max_tokens = 60};
  lookup_draft draft({.tokens = 5});
  std::size_t accepted = 0, proposed = 0;
  for (const double temperature : {0.0, 0.3, 1.0}) {
    const sampling_options how{.temperature = temperature, .seed = 7};
    const hypothesis expected = sample(token_by_token, prompt, how, where)[0];
    const speculated_text text = speculate(model, draft, prompt, how, where);
    CHECK(text.ids == expected.ids);
    CHECK(text.log_probability == Approx(expected.log_probability).epsilon(1e-5));
    accepted += text.accepted, proposed += text.proposed;
  }
  CHECK(accepted > 0);
  CHECK(proposed > accepted);

  // Two rows, of which a step is taken back in part and as a whole.
  const auto scores_of = [](const token_scores& s, std::size_t row) {
    return std::vector<float>(s.last(row).begin(), s.last(row).end());
  };
  model.begin(2);
  model.step(token_ids{1, 2, 7, 8});
  const auto expected = scores_of(model.step(token_ids{5, 6}), 1);
  model.begin(2);
  model.step(token_ids{1, 2, 7, 8});
  model.step(token_ids{9, 9, 9, 9});
  model.rewind(2);
  CHECK(scores_of(model.step(token_ids{5, 6}), 1) == expected);
  model.rewind(1);
  model.step(token_ids{5, 11, 6, 12});
  model.rewind(1);
  model.rewind(1);
  CHECK(scores_of(model.step(token_ids{5, 6}), 1) == expected);
  CHECK_THROWS_WITH(model.rewind(2),
                    "saved_reader: expected to rewind at most the 1 ids of the last step; found 2");
}

TEST_CASE("a streamed encoder-decoder agrees with the reference at every step", "[decoding][stream]") {
  const golden_case c("decode_seq2seq");
  const auto sources = integers<2>(c, "source_ids");
  const auto lengths = integers<1>(c, "source_lengths");
  auto live = stream<T>(translator, weights_of(c), {.capacity = {{B, 12}, {S, 7}, {T, 12}}});
  stream_reader model(
      live, [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["logits"_out]; },
      [&](auto& s) { s.begin("source"_in = sources, "source_lengths"_in = lengths); });
  check_decoding(c, model, std::vector<token_ids>(3, token_ids{1}));
}

TEST_CASE("a stream may be begun for as many texts as are decoded", "[decoding][stream]") {
  const golden_case c("decode_seq2seq");
  const auto sources = integers<2>(c, "source_ids");
  const auto lengths = integers<1>(c, "source_lengths");
  auto live = stream<T>(translator, weights_of(c), {.capacity = {{B, 12}, {S, 7}, {T, 12}}});
  stream_reader model(
      live, [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["logits"_out]; },
      [&](auto& s, std::size_t rows) {
        const xt::xtensor<int, 2> source = xt::view(sources, xt::range(std::size_t{0}, rows), xt::all());
        const xt::xtensor<int, 1> length = xt::view(lengths, xt::range(std::size_t{0}, rows));
        s.begin("source"_in = source, "source_lengths"_in = length);
      });
  const auto all = greedy(model, std::vector<token_ids>(3, token_ids{1}), {.max_tokens = 6});
  const auto two = greedy(model, std::vector<token_ids>(2, token_ids{1}), {.max_tokens = 6});
  REQUIRE(two.size() == 2);
  CHECK(two[0].ids == all[0].ids);
  CHECK(two[1].ids == all[1].ids);
  CHECK(greedy(model, token_ids{1}, {.max_tokens = 6}).ids == all[0].ids);
}

TEST_CASE("a network may ask which text a row goes back to, and return its scores as a container") {
  // Each text repeats a word of its own; beams mix the rows.
  whole_prefix model([](const auto& ids, std::span<const std::size_t> text) {
    xt::xtensor<float, 3> scores = xt::zeros<float>({ids.shape()[0], ids.shape()[1], std::size_t{5}});
    for (std::size_t row = 0; row < text.size(); ++row)
      for (std::size_t t = 0; t < ids.shape()[1]; ++t) scores(row, t, text[row] + 1) = 3;
    return scores;
  });
  const std::vector<token_ids> prompts{{0, 0}, {0}, {0, 0, 0}};
  const auto found = beam_search(model, prompts, {.width = 2}, {.max_tokens = 3});
  for (std::size_t p = 0; p < prompts.size(); ++p)
    CHECK(found[p][0].ids == token_ids(3, static_cast<token_id>(p) + 1));
}
