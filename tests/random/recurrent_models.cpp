#include "../laws/catalogue.hpp"
#include "random_sizes.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

const size_ranges texts{{"B", {1, 3}}, {"T", {1, 20}}}, pairs{{"B", {1, 3}}, {"T", {1, 12}}, {"S", {1, 15}}};

} // namespace

TEST_CASE("calls of recurrent networks", "[random]") {
  check_drawn_calls(rnn_language_model<small_rnn>, texts);
  check_drawn_calls(rnn_language_model<large_rnn>, texts);
  check_drawn_calls(rnn_classifier<small_classifier>, texts, {}, {{"lengths", 1}}); // the largest of words
  check_drawn_calls(rnn_tagger<small_tagger>, texts);
  check_drawn_calls(char_lm<small_char_lm>, texts);
  check_drawn_calls(window_lm<small_window>, {{"B", {1, 40}}});
}

TEST_CASE("calls of encoder-decoders that recur", "[random]") {
  check_drawn_calls(seq2seq<cho(30, 31, 12, 20)>, pairs);
  check_drawn_calls(bahdanau<small_bahdanau>, pairs);
  check_drawn_calls(luong<small_luong>, pairs);
}
