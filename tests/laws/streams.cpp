#include "../models/stream_case.hpp"

#include <fovea/models/gpt2.hpp>
#include <fovea/models/llama.hpp>
#include <fovea/models/t5.hpp>
#include <fovea/models/tcn.hpp>
#include <fovea/models/transformer.hpp>

// Every causal model of the catalogue streams: a sequence equals its steps and its chunks.

using namespace fovea;
using namespace fovea::models;
using namespace fovea::test;

namespace {

inline constexpr dim T{"T"};

constexpr gpt2_config small_gpt2{.layers = 3, .heads = 3, .width = 48, .vocab = 30, .context = 80};
constexpr llama_config small_llama{
    .layers = 2, .heads = 6, .kv_heads = 2, .width = 48, .inner = 80, .vocab = 30};
constexpr transformer_config small_transformer{
    .layers = 2, .block = {.heads = 3, .width = 48, .inner = 80}, .source_vocab = 30, .target_vocab = 31};
constexpr transformer_language_model_config small_decoder{
    .layers = 2, .block = {.heads = 3, .width = 48, .inner = 80}, .vocab = 30};
constexpr t5_config small_t5{
    .layers = 2, .heads = 3, .head_width = 12, .width = 48, .inner = 80, .vocab = 30};
constexpr tcn_config small_tcn{.blocks = 4, .in = 6, .channels = 36};
constexpr wavenet_config small_wavenet{.blocks = 4, .classes = 16, .residual = 20, .skip = 33};

} // namespace

TEST_CASE("GPT-2, Llama and the Transformer's decoder alone stream", "[laws]") {
  check_stream<T>(transformer_language_model<small_decoder>, {{"B", 2}, {"T", 21}});
  check_stream<T>(gpt2<small_gpt2>, {{"B", 2}, {"T", 21}});
  check_stream<T>(llama<small_llama>, {{"B", 2}, {"T", 21}});
}

TEST_CASE("the decoder of an encoder-decoder streams over what the encoder made", "[laws]") {
  check_stream<T>(t5<small_t5>, {{"B", 2}, {"T", 9}, {"S", 7}});
  check_stream<T>(transformer<small_transformer>, {{"B", 2}, {"T", 9}, {"S", 7}});
}

TEST_CASE("dilated convolutions stream", "[laws]") {
  check_stream<T>(tcn<small_tcn>, {{"B", 2}, {"T", 21}});
  check_stream<T>(wavenet<small_wavenet>, {{"B", 2}, {"T", 21}});
}
