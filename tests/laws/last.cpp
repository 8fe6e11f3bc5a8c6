#include "../models/last_case.hpp"

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
using namespace fovea::models;
using namespace fovea::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr gpt2_config small_gpt2{.layers = 3, .heads = 3, .width = 48, .vocab = 130, .context = 80};
constexpr llama_config small_llama{
    .layers = 2, .heads = 6, .kv_heads = 2, .width = 48, .inner = 80, .vocab = 130};
constexpr transformer_config small_transformer{
    .layers = 2, .block = {.heads = 3, .width = 48, .inner = 80}, .source_vocab = 30, .target_vocab = 31};
constexpr t5_config small_t5{
    .layers = 2, .heads = 3, .head_width = 12, .width = 48, .inner = 80, .vocab = 30};
constexpr luong_config translator{
    .source_vocab = 9, .target_vocab = 8, .width = 5, .hidden = 6, .layers = 2, .input_feeding = false};
constexpr rnn_config words{.vocab = 50, .width = 16, .hidden = 24, .layers = 2},
    tied_words{.vocab = 40, .width = 16, .hidden = 16, .cell = cell_kind::gru, .tied = true};
constexpr rwkv_config small_rwkv{.version = rwkv_version::v7,
                                 .layers = 3,
                                 .width = 15,
                                 .inner = 22,
                                 .vocab = 13,
                                 .heads = 3,
                                 .decay_rank = 4,
                                 .rate_rank = 3,
                                 .value_rank = 2,
                                 .gate_rank = 6,
                                 .logarithm_of_rate = true};
constexpr wavenet_config small_wavenet{.blocks = 4, .classes = 16, .residual = 20, .skip = 33};

/// What a model computes less at 128 positions: no less than a product of so many numbers at 127 of them.
template <class M>
constexpr bool saves(const M& m, std::int64_t weights) {
  return m.flops({{B, 1}, {T, 128}}) - last<T>(m).flops({{B, 1}, {T, 128}}) >= 127 * 2 * weights;
}
static_assert(saves(gpt2<small_gpt2>, 48 * 130));
static_assert(saves(llama<small_llama>, 48 * 130));
static_assert(saves(rwkv<small_rwkv>, 15 * 13));
static_assert(saves(rnn_language_model<words>, 24 * 50));
static_assert(saves(rnn_language_model<tied_words>, 16 * 40));
static_assert(saves(wavenet<small_wavenet>, 33 * 33 + 33 * 16));

} // namespace

TEST_CASE("language models give the scores of the next token alone", "[laws]") {
  check_last<T>(gpt2<small_gpt2>, {{"B", 2}, {"T", 21}});
  check_last<T>(llama<small_llama>, {{"B", 2}, {"T", 21}});
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
  check_last_of_rows<T>(gpt2<small_gpt2>, sizes);
  check_last_of_rows<T>(llama<small_llama>, sizes);
  check_last_of_rows<T>(rwkv<small_rwkv>, sizes);
  check_last_of_rows<T>(rnn_language_model<words>, sizes);
  check_last_of_rows<T>(t5<small_t5>, {{"B", 3}, {"T", 12}, {"S", 7}});
}

TEST_CASE("where strides divide positions, the last is of those that are left", "[laws]") {
  check_last<T>(silero_vad, {{"B", 2}, {"T", 9}});
  check_last_of_rows<T>(silero_vad, {{"B", 3}, {"T", 9}});
}
