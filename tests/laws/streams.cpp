#include "../streams/stream_rows_case.hpp"
#include "small_models.hpp"

#include <fovea/models/gpt2.hpp>
#include <fovea/models/llama.hpp>
#include <fovea/models/mamba.hpp>
#include <fovea/models/rwkv.hpp>
#include <fovea/models/silero_vad.hpp>
#include <fovea/models/t5.hpp>
#include <fovea/models/tcn.hpp>
#include <fovea/models/transformer.hpp>

// Every causal model of the catalogue streams: a sequence equals its steps and its chunks.

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

inline constexpr dim T{"T"};

constexpr t5_config gated_t5{.layers = 2,
                             .heads = 3,
                             .head_width = 12,
                             .width = 20,
                             .inner = 24,
                             .vocab = 30,
                             .gated = true,
                             .tied = false,
                             .buckets = 6,
                             .max_distance = 11};
constexpr mamba_config small_mamba{
    .layers = 2, .width = 11, .inner = 19, .vocab = 13, .state = 5, .rank = 3, .window = 3};

} // namespace

TEST_CASE("GPT-2, Llama and the Transformer's decoder alone stream", "[laws]") {
  check_stream<T>(transformer_language_model<small_decoder>, {{"B", 2}, {"T", 21}});
  check_stream<T>(gpt2<small_gpt2>, {{"B", 2}, {"T", 21}});
  check_stream<T>(llama<small_llama>, {{"B", 2}, {"T", 21}});
}

TEST_CASE("the decoder of an encoder-decoder streams over what the encoder made", "[laws]") {
  check_stream<T>(t5<small_t5>, {{"B", 2}, {"T", 9}, {"S", 7}});
  check_stream<T>(t5<gated_t5>, {{"B", 2}, {"T", 17}, {"S", 5}});
  check_stream<T>(transformer<small_transformer>, {{"B", 2}, {"T", 9}, {"S", 7}});
}

TEST_CASE("dilated convolutions stream", "[laws]") {
  check_stream<T>(tcn<small_tcn>, {{"B", 2}, {"T", 21}});
  check_stream<T>(wavenet<small_wavenet>, {{"B", 2}, {"T", 21}});
}

TEST_CASE("linear attention and state spaces stream", "[laws]") {
  check_stream<T>(rwkv<uneven_rwkv<rwkv_version::v4>>, {{"B", 2}, {"T", 11}});
  check_stream<T>(rwkv<uneven_rwkv<rwkv_version::v5>>, {{"B", 2}, {"T", 11}});
  check_stream<T>(rwkv<uneven_rwkv<rwkv_version::v7>>, {{"B", 2}, {"T", 11}});
  check_stream<T>(mamba<small_mamba>, {{"B", 2}, {"T", 11}});
}

TEST_CASE("rows of the catalogue's models go at their own pace", "[laws]") {
  const std::map<std::string, std::size_t> sizes{{"B", 3}, {"T", 20}},
      with_source{{"B", 3}, {"T", 20}, {"S", 5}};
  check_rows<T>(gpt2<small_gpt2>, sizes);
  check_rows<T>(llama<small_llama>, sizes);
  check_rows<T>(t5<small_t5>, with_source);
  check_rows<T>(transformer<small_transformer>, with_source);
  check_rows<T>(wavenet<small_wavenet>, sizes);
  check_rows<T>(rwkv<uneven_rwkv<rwkv_version::v7>>, sizes);
  check_rows<T>(mamba<small_mamba>, sizes);
  check_rows<T>(silero_vad, sizes);
}

TEST_CASE("the voice activity detector streams chunk by chunk", "[laws]") {
  check_stream<T>(silero_vad, {{"B", 2}, {"T", 9}});
}
