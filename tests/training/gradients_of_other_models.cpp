// Gradients of models of the catalogue, in settings that no reference case has: against difference quotients,
// and kernels against the specification.

#include "gradient_case.hpp"

#include <fovea/models/attention_decoder.hpp>
#include <fovea/models/bert.hpp>
#include <fovea/models/sequential.hpp>
#include <fovea/models/silero_vad.hpp>
#include <fovea/models/t5.hpp>
#include <fovea/models/transformer.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

constexpr transformer_language_model_config decoder{
    .layers = 2,
    .block = {.heads = 3, .width = 12, .inner = 14, .norm_first = true, .bias = false},
    .vocab = 11,
    .embedding = {.scaled = false, .positions = position_kind::learned, .context = 20},
    .final_norm = false};

// Of one layer: with random weights, deeper ones amplify what rounding does to a gradient.
constexpr t5_config gated{.layers = 1,
                          .heads = 3,
                          .head_width = 4,
                          .width = 10,
                          .inner = 12,
                          .vocab = 11,
                          .gated = true,
                          .tied = false,
                          .buckets = 6,
                          .max_distance = 11};

template <attention_decoder_config c>
constexpr auto decoder_loss = model("attention_decoder",
                                    [](graph& g) { declare_attention_decoder_loss<c>(g); });

constexpr attention_decoder_config side_by_side{.source_vocab = 9,
                                                .target_vocab = 8,
                                                .width = 5,
                                                .hidden = 6,
                                                .encoder_layers = 2,
                                                .both = true,
                                                .attended_layer = 0,
                                                .start = start_state::added,
                                                .alignment = alignment::concatenated,
                                                .alignment_width = 7,
                                                .readout = readout::joined};
constexpr attention_decoder_config chosen{.source_vocab = 9,
                                          .target_vocab = 8,
                                          .width = 5,
                                          .hidden = 6,
                                          .cell = cell_kind::elman,
                                          .alignment = alignment::dot,
                                          .previous_state = true,
                                          .context_in_recurrence = true,
                                          .readout = readout::state,
                                          .mode = hard};

constexpr bert_config sentences{
    .layers = 2, .heads = 3, .width = 12, .inner = 14, .vocab = 11, .context = 20, .types = 11};

// Each kind of layer and of activation.
constexpr sequential_config<9> layers{
    .in = 2,
    .layers = {{{.kind = layer_kind::dense, .out = 6, .activation = layer_activation::tanh},
                {.kind = layer_kind::conv1d,
                 .out = 4,
                 .activation = layer_activation::sigmoid,
                 .taps = 3,
                 .dilation = 2,
                 .groups = 2},
                {.kind = layer_kind::prelu, .out = 4},
                {.kind = layer_kind::gru, .out = 5},
                {.kind = layer_kind::batchnorm, .activation = layer_activation::elu},
                {.kind = layer_kind::dense, .out = 4, .activation = layer_activation::relu, .bias = false},
                {.kind = layer_kind::lstm, .out = 3},
                {.kind = layer_kind::prelu, .out = 1},
                {.kind = layer_kind::activation, .activation = layer_activation::softmax}}}};

} // namespace

TEST_CASE("gradients of the Transformer's decoder alone, and of T5 with gates", "[transformer]") {
  check_gradients_of(transformer_language_model_loss<decoder>);
  check_gradients_of(t5_loss<gated>);
}
TEST_CASE("gradients of decoders that attend in other ways", "[attention_decoder]") {
  check_gradients_of(decoder_loss<side_by_side>);
  check_gradients_of(decoder_loss<chosen>);
}
TEST_CASE("gradients of the sentence encoder", "[bert]") { check_gradients_of(sentence_encoder<sentences>); }
TEST_CASE("gradients of layers after layers", "[sequential]") { check_gradients_of(sequential<layers>); }
TEST_CASE("gradients of the voice activity detector", "[silero_vad]") {
  check_difference_quotients(silero_vad, {{"B", 1}, {"T", 2}});
  compare(gradients(silero_vad), {{"B", 2}, {"T", 3}});
}
