#include "../streams/last_case.hpp"
#include "small_models.hpp"

#include <fovea/models/gpt2.hpp>
#include <fovea/models/llama.hpp>
#include <fovea/models/luong.hpp>
#include <fovea/models/rnn.hpp>
#include <fovea/models/rwkv.hpp>
#include <fovea/models/silero_vad.hpp>
#include <fovea/models/t5.hpp>
#include <fovea/models/tcn.hpp>
#include <fovea/models/transformer.hpp>

// Every model of the catalogue that says something at each position says the same at its last one alone.

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr gpt2_config wordy_gpt2 = [] {
  gpt2_config c = small_gpt2;
  c.vocab = 130;
  return c;
}();
constexpr llama_config wordy_llama = [] {
  llama_config c = small_llama;
  c.vocab = 130;
  return c;
}();
constexpr rwkv_config small_rwkv = uneven_rwkv<rwkv_version::v7>;
constexpr luong_config translator{
    .source_vocab = 9, .target_vocab = 8, .width = 5, .hidden = 6, .layers = 2, .input_feeding = false};
constexpr rnn_config words{.vocab = 50, .width = 16, .hidden = 24, .layers = 2},
    tied_words{.vocab = 40, .width = 16, .hidden = 16, .cell = cell_kind::gru, .tied = true};
/// What a model computes less at 128 positions: no less than a product of so many numbers at 127 of them.
template <class M>
constexpr bool saves(const M& m, std::int64_t weights) {
  return m.flops({{B, 1}, {T, 128}}) - last<T>(m).flops({{B, 1}, {T, 128}}) >= 127 * 2 * weights;
}
static_assert(saves(gpt2<wordy_gpt2>, 48 * 130));
static_assert(saves(llama<wordy_llama>, 48 * 130));
static_assert(saves(rwkv<small_rwkv>, 15 * 13));
static_assert(saves(rnn_language_model<words>, 24 * 50));
static_assert(saves(rnn_language_model<tied_words>, 16 * 40));
static_assert(saves(wavenet<small_wavenet>, 33 * 33 + 33 * 16));

} // namespace

TEST_CASE("language models give the scores of the next token alone", "[laws]") {
  check_last<T>(gpt2<wordy_gpt2>, {{"B", 2}, {"T", 21}});
  check_last<T>(llama<wordy_llama>, {{"B", 2}, {"T", 21}});
  check_last<T>(rwkv<small_rwkv>, {{"B", 2}, {"T", 11}});
  check_last<T>(rnn_language_model<words>, {{"B", 2}, {"T", 11}});
  check_last<T>(rnn_language_model<tied_words>, {{"B", 2}, {"T", 11}});
  check_last<T>(wavenet<small_wavenet>, {{"B", 2}, {"T", 21}});
}

TEST_CASE("encoder-decoders give the scores of the next word alone", "[laws]") {
  check_last<T>(t5<small_t5>, {{"B", 2}, {"T", 9}, {"S", 7}});
  check_last<T>(transformer<small_transformer>, {{"B", 2}, {"T", 9}, {"S", 7}});
  check_last<T>(luong<translator>, {{"B", 2}, {"T", 9}, {"S", 7}});
}

TEST_CASE("rows at their own pace are given where each is", "[laws]") {
  const std::map<std::string, std::size_t> sizes{{"B", 3}, {"T", 12}};
  check_last_of_rows<T>(gpt2<wordy_gpt2>, sizes);
  check_last_of_rows<T>(llama<wordy_llama>, sizes);
  check_last_of_rows<T>(rwkv<small_rwkv>, sizes);
  check_last_of_rows<T>(rnn_language_model<words>, sizes);
  check_last_of_rows<T>(t5<small_t5>, {{"B", 3}, {"T", 12}, {"S", 7}});
}

TEST_CASE("where strides divide positions, the last is of those that are left", "[laws]") {
  check_last<T>(silero_vad, {{"B", 2}, {"T", 9}});
  check_last_of_rows<T>(silero_vad, {{"B", 3}, {"T", 9}});
}
