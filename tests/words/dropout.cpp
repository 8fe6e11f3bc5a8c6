// Where models drop, and that nothing else changes.

#include <fovea/models/bahdanau.hpp>
#include <fovea/models/bert.hpp>
#include <fovea/models/luong.hpp>
#include <fovea/models/rnn.hpp>
#include <fovea/models/transformer.hpp>

#include <catch2/catch.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;

namespace {

template <class M>
constexpr int dropped(const M&) {
  int count = 0;
  for (int id = 0; id < M::view.node_count(); ++id) count += M::view.at(id).kind == op::dropout;
  return count;
}

template <double rate>
constexpr bahdanau_config bahdanau_of{.source_vocab = 7,
                                      .target_vocab = 9,
                                      .width = 3,
                                      .hidden = 5,
                                      .alignment = 4,
                                      .maxout = 6,
                                      .dropout = rate};
template <double rate>
constexpr luong_config luong_of{
    .source_vocab = 7, .target_vocab = 9, .width = 3, .hidden = 5, .layers = 2, .dropout = rate};
template <double rate>
constexpr transformer_config transformer_of{.layers = 2,
                                            .block = {.heads = 2, .width = 6, .inner = 10, .dropout = rate},
                                            .source_vocab = 7,
                                            .target_vocab = 9};

template <double rate>
constexpr rnn_classifier_config rnn_of{.vocab = 7, .width = 3, .hidden = 5, .classes = 2, .dropout = rate};
template <double rate>
constexpr bert_config bert_of{
    .layers = 2, .heads = 2, .width = 6, .inner = 10, .vocab = 7, .context = 9, .dropout = rate};

constexpr auto kept = model("kept", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 3});
  g.output("y", dropout(linear(dropout(x, 0), "out", 2), 0.0));
});

template <class A, class B>
constexpr bool same_parameters(const A&, const B&) {
  return A::parameters() == B::parameters();
}

} // namespace

TEST_CASE("dropout at the rate 0 is what it is given") {
  STATIC_REQUIRE(dropped(kept) == 0);
  STATIC_REQUIRE(kept.view.node_count() == 4); // x, weight, bias and the product
}

TEST_CASE("translators drop word vectors and what is read from them, where they are told to") {
  // Both sides' word vectors, and what the scores are made of.
  STATIC_REQUIRE(dropped(bahdanau_loss<bahdanau_of<0.2>>) == 3);
  STATIC_REQUIRE(dropped(luong_loss<luong_of<0.2>>) == 3);
  // What both stacks read, and two and three sums of a block.
  STATIC_REQUIRE(dropped(transformer_loss<transformer_of<0.1>>) == 2 + 2 + 3);
  STATIC_REQUIRE(dropped(bahdanau_loss<bahdanau_of<0.0>>) == 0);
  STATIC_REQUIRE(dropped(luong_loss<luong_of<0.0>>) == 0);
  STATIC_REQUIRE(dropped(transformer_loss<transformer_of<0.0>>) == 0);
  STATIC_REQUIRE(same_parameters(bahdanau_loss<bahdanau_of<0.2>>, bahdanau_loss<bahdanau_of<0.0>>));
  STATIC_REQUIRE(same_parameters(luong_loss<luong_of<0.2>>, luong_loss<luong_of<0.0>>));
  STATIC_REQUIRE(
      same_parameters(transformer_loss<transformer_of<0.1>>, transformer_loss<transformer_of<0.0>>));
}

TEST_CASE("classifiers drop what they read and what they add, where they are told to") {
  // Word vectors, and what is classified.
  STATIC_REQUIRE(dropped(rnn_classifier_loss<rnn_of<0.5>>) == 2);
  STATIC_REQUIRE(dropped(rnn_classifier_loss<rnn_of<0.0>>) == 0);
  // The sum of the embeddings, and of a block the attention's weights and two sums.
  STATIC_REQUIRE(dropped(bert_classifier_loss<bert_of<0.1>, 2>) == 1 + 3);
  STATIC_REQUIRE(dropped(bert_classifier_loss<bert_of<0.0>, 2>) == 0);
  STATIC_REQUIRE(same_parameters(rnn_classifier_loss<rnn_of<0.5>>, rnn_classifier_loss<rnn_of<0.0>>));
  STATIC_REQUIRE(
      same_parameters(bert_classifier_loss<bert_of<0.1>, 2>, bert_classifier_loss<bert_of<0.0>, 2>));
}
