#include "laws_case.hpp"

#include <fovea/models/deberta.hpp>
#include <fovea/models/m2m100.hpp>
#include <fovea/models/mamba2.hpp>
#include <fovea/models/moonshine.hpp>
#include <fovea/models/parakeet.hpp>
#include <fovea/models/patchtst.hpp>
#include <fovea/models/sam_vision.hpp>
#include <fovea/models/siglip.hpp>
#include <fovea/models/transducer.hpp>
#include <fovea/models/wav2vec2.hpp>
#include <fovea/models/wav2vec2_conformer.hpp>
#include <fovea/models/whisper.hpp>
#include <fovea/models/xlstm.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

constexpr deberta_config small_deberta{
    .layers = 2, .heads = 3, .width = 48, .inner = 80, .vocab = 30, .buckets = 8, .reach = 32};
constexpr m2m100_config small_m2m100{
    .layers = 2, .block = {.heads = 3, .width = 48, .inner = 80, .norm_first = true}, .vocab = 30};
constexpr mamba2_config small_mamba2{
    .layers = 2, .width = 20, .heads = 6, .vocab = 30, .head_width = 7, .groups = 2, .state = 8};
constexpr moonshine_config small_moonshine{
    .layers = 2, .heads = 3, .width = 48, .inner = 80, .rotary = 8, .vocab = 30};
constexpr parakeet_config small_parakeet{.layers = 2,
                                         .heads = 3,
                                         .width = 48,
                                         .inner = 80,
                                         .vocab = 30,
                                         .blank = 0,
                                         .mels = 20,
                                         .halvings = 2,
                                         .channels = 12,
                                         .window = 5};
constexpr patchtst_config small_patchtst{
    .layers = 2, .heads = 3, .width = 48, .inner = 80, .context = 50, .horizon = 7, .patch = 8, .stride = 3};
// Windows that do not divide the plane, and a layer behind whole turns.
constexpr sam_vision_config small_sam{.layers = 3,
                                      .heads = 3,
                                      .width = 48,
                                      .inner = 80,
                                      .period = 2,
                                      .image = 20,
                                      .patch = 4,
                                      .window = 3,
                                      .features = 20};
constexpr transformer_block_config small_tower{
    .heads = 3, .width = 48, .inner = 80, .norm_first = true, .activation = activation::gelu_tanh};
constexpr clip_config small_siglip{.layers = 2,
                                   .text = small_tower,
                                   .vocab = 30,
                                   .context = 40,
                                   .picture_layers = 2,
                                   .picture = small_tower,
                                   .image = 20,
                                   .patch = 4,
                                   .joint = 48};
constexpr transducer_config small_transducer{
    .features = 20, .vocab = 30, .layers = 2, .hidden = 36, .joint = 24, .width = 20, .context = 2};
constexpr wav2vec2_config small_wav2vec2{.layers = 2,
                                         .heads = 3,
                                         .width = 48,
                                         .inner = 80,
                                         .vocab = 30,
                                         .features = 20,
                                         .convolutions = 3,
                                         .windows = {10, 8, 4},
                                         .strides = {5, 4, 4},
                                         .position_window = 10,
                                         .position_groups = 4};
constexpr wav2vec2_conformer_config small_conformer{.base = small_wav2vec2, .window = 5};
constexpr wav2vec2_conformer_config small_rotary_conformer{
    .base = small_wav2vec2, .window = 5, .rotary = true};
constexpr whisper_config small_whisper{.layers = 2,
                                       .decoder_layers = 1,
                                       .block = whisper_block(3, 48, 80),
                                       .vocab = 30,
                                       .mels = 20,
                                       .frames = 70,
                                       .context = 40};
constexpr xlstm_config small_xlstm{
    .layers = 2, .heads = 3, .width = 24, .inner = 40, .vocab = 30, .key_width = 12};

} // namespace

TEST_CASE("laws of readers of texts", "[laws]") {
  check_laws(deberta<small_deberta>);
  check_laws(m2m100<small_m2m100>);
}

TEST_CASE("laws of state spaces and matrix memories", "[laws]") {
  check_laws(mamba2<small_mamba2>);
  check_laws(xlstm<small_xlstm>);
}

TEST_CASE("laws of models of sound", "[laws]") {
  check_laws(whisper<small_whisper>);
  check_laws(moonshine<small_moonshine>);
  check_laws(wav2vec2<small_wav2vec2>);
  check_laws(wav2vec2_conformer<small_conformer>);
  check_laws(wav2vec2_conformer<small_rotary_conformer>);
  check_laws(parakeet<small_parakeet>);
}

TEST_CASE("laws of transducers", "[laws]") {
  check_laws(transducer_frames<small_transducer>);
  check_laws(transducer_predictions<small_transducer>);
  check_laws(transducer_scores<small_transducer>);
}

TEST_CASE("laws of SigLIP's towers", "[laws]") {
  check_laws(siglip_text<small_siglip>);
  check_laws(siglip_picture<small_siglip>);
}

TEST_CASE("laws of SAM's image encoder", "[laws]") { check_laws(sam_vision<small_sam>); }

TEST_CASE("laws of forecasts", "[laws]") { check_laws(patchtst<small_patchtst>); }
