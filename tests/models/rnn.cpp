#include "../streams/stream_case.hpp"
#include "../training/loss_case.hpp"

#include <fovea/models/rnn.hpp>
#include <fovea/models/window_lm.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

inline constexpr dim T{"T"};

template <class M>
void check_words(const M& m, const char* name) {
  const golden_case c(name);
  check_outputs(m, c, weights_of(c), inputs_of(c, {{"tokens", "ids"}}));
}
template <class M>
void check_words_loss(const M& m, const char* name, const char* targets = "targets") {
  const golden_case c(name);
  check_loss(m, c, inputs_of(c, {{"tokens", "ids"}, {"targets", targets}}));
}

constexpr rnn_config plain{.vocab = 30, .width = 12, .hidden = 16, .cell = cell_kind::elman};
constexpr rnn_config stacked{.vocab = 50, .width = 16, .hidden = 24, .layers = 2};
constexpr rnn_config tied_words{.vocab = 40, .width = 16, .hidden = 16, .tied = true};
constexpr rnn_config wide{.vocab = 500, .width = 64, .hidden = 128, .layers = 2};

constexpr window_lm_config window_of_3{.vocab = 40, .width = 8, .hidden = 16, .window = 3};
constexpr window_lm_config direct{.vocab = 30, .width = 6, .hidden = 12, .window = 4, .direct = true};

// A recurrent model is as large however long the text; each word more in a window costs width x hidden.
static_assert(rnn_language_model<plain>.parameters() == 30 * 12 + 16 * (12 + 16 + 2) + 30 * 16 + 30);
constexpr window_lm_config window_of_4{.vocab = 40, .width = 8, .hidden = 16, .window = 4};
static_assert(window_lm<window_of_4>.parameters() - window_lm<window_of_3>.parameters() == 8 * 16);

} // namespace

TEST_CASE("recurrent language models agree with the reference cases", "[rnn]") {
  check_words(rnn_language_model<plain>, "lm_elman");
  check_words(rnn_language_model<stacked>, "lm_lstm_2layer");
  check_words(rnn_language_model<tied_words>, "lm_lstm_tied");
  check_words(rnn_language_model<wide>, "lm_lstm_128");
  check_words_loss(rnn_language_model_loss<plain>, "lm_elman");
  check_words_loss(rnn_language_model_loss<stacked>, "lm_lstm_2layer");
  check_words_loss(rnn_language_model_loss<tied_words>, "lm_lstm_tied");
  check_words_loss(rnn_language_model_loss<wide>, "lm_lstm_128");
}

TEST_CASE("recurrent classifiers agree with the reference cases", "[rnn]") {
  constexpr rnn_classifier_config last{.vocab = 40, .width = 12, .hidden = 16, .classes = 3};
  constexpr rnn_classifier_config largest{
      .vocab = 40, .width = 12, .hidden = 16, .classes = 2, .pool = pooling::largest};
  check_words(rnn_classifier<last>, "classifier_gru_last");
  check_words(rnn_classifier<largest>, "classifier_gru_max");
  check_words_loss(rnn_classifier_loss<last>, "classifier_gru_last", "labels");
  check_words_loss(rnn_classifier_loss<largest>, "classifier_gru_max", "labels");
}

TEST_CASE("the mean over real positions leaves out what lies behind the end", "[rnn]") {
  constexpr rnn_classifier_config mean_of{
      .vocab = 40, .width = 12, .hidden = 16, .classes = 3, .pool = pooling::mean};
  const golden_case c("classifier_gru_last");
  on_both_backends([&](auto backend) {
    named_values one = inputs_of(c, {{"tokens", "ids"}});
    const named_values all = run_model<decltype(backend)>(rnn_classifier<mean_of>, weights_of(c), one);
    // The second sentence by itself, cut to its 3 words.
    one["tokens"] = {{1, 3}, {}, true};
    for (std::size_t i = 0; i < 3; ++i) one["tokens"].values.push_back(c.at("input.ids").values[9 + i]);
    one["lengths"] = {{1}, {3}, true};
    const named_values alone = run_model<decltype(backend)>(rnn_classifier<mean_of>, weights_of(c), one);
    for (std::size_t i = 0; i < 16; ++i)
      CHECK(alone.at("pooled").values[i] == Approx(all.at("pooled").values[16 + i]).margin(1e-6));
  });
}

TEST_CASE("a sequence of no positions is pooled to zeros", "[rnn]") {
  constexpr rnn_classifier_config mean_of{
      .vocab = 40, .width = 12, .hidden = 16, .classes = 3, .pool = pooling::mean};
  constexpr rnn_classifier_config largest{
      .vocab = 40, .width = 12, .hidden = 16, .classes = 3, .pool = pooling::largest};
  const golden_case c("classifier_gru_last");
  const auto check = [&]<class M>(const M& model, auto backend) {
    named_values given = inputs_of(c, {{"tokens", "ids"}});
    const named_values all = run_model<decltype(backend)>(model, weights_of(c), given);
    given["lengths"].values[1] = 0;
    const named_values made = run_model<decltype(backend)>(model, weights_of(c), given);
    for (std::size_t i = 0; i < 32; ++i)
      CHECK(made.at("pooled").values[i] == (i < 16 ? all.at("pooled").values[i] : 0));
  };
  on_both_backends([&](auto backend) {
    check(rnn_classifier<mean_of>, backend);
    check(rnn_classifier<largest>, backend);
  });
}

TEST_CASE("a tagger that reads both ways agrees with the reference case", "[rnn]") {
  constexpr rnn_tagger_config tagger{.vocab = 40, .width = 12, .hidden = 12, .tags = 5};
  check_words(rnn_tagger<tagger>, "tagger_bilstm");
  check_words_loss(rnn_tagger_loss<tagger>, "tagger_bilstm", "labels");
}

TEST_CASE("the language model of a fixed window agrees with the reference cases", "[window_lm]") {
  check_words(window_lm<window_of_3>, "window_lm");
  check_words(window_lm<direct>, "window_lm_direct");
  check_words_loss(window_lm_loss<window_of_3>, "window_lm");
  check_words_loss(window_lm_loss<direct>, "window_lm_direct");
}

TEST_CASE("recurrent language models stream", "[rnn]") {
  check_stream<T>(rnn_language_model<plain>, {{"B", 2}, {"T", 9}});
  check_stream<T>(rnn_language_model<stacked>, {{"B", 2}, {"T", 9}});
}
