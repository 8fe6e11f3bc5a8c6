#include "../laws/catalogue.hpp"
#include "random_sizes.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

const size_ranges texts{{"B", {1, 3}}, {"T", {1, 30}}}, pairs{{"B", {1, 3}}, {"T", {1, 20}}, {"S", {1, 25}}};

} // namespace

TEST_CASE("calls of encoders", "[random]") {
  check_drawn_calls(sentence_encoder<small_bert>, texts, {}, {{"lengths", 1}}); // a mean of words
  check_drawn_calls(bert_masked_language_model<small_bert>, texts);
  check_drawn_calls(vit<small_vit>, {{"B", {1, 4}}});
}

TEST_CASE("calls of encoder-decoders", "[random]") {
  check_drawn_calls(t5<small_t5>, pairs);
  check_drawn_calls(transformer<small_transformer>, pairs);
}

TEST_CASE("steps of encoder-decoders", "[random]") {
  constexpr dim T{"T"};
  check_drawn_steps<T>(t5<small_t5>, pairs);
  check_drawn_steps<T>(transformer<small_transformer>, pairs);
}
