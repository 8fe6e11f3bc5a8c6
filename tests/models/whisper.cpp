#include <fovea/models/whisper.hpp>

#include "translator_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace fovea::models;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr whisper_config tiny{.layers = 2,
                              .decoder_layers = 2,
                              .block = whisper_block(4, 32, 48),
                              .vocab = 96,
                              .mels = 16,
                              .frames = 40,
                              .context = 24};

// As transformers counts the published models.
static_assert(whisper<whisper_tiny>.parameters() == 37'760'640);
static_assert(whisper<whisper_base>.parameters() == 72'593'920);
static_assert(whisper<whisper_small>.parameters() == 241'734'912);
static_assert(whisper<whisper_turbo>.parameters() == 808'878'080);

/// The features of a case as they lie there.
constexpr expr features_of(graph& g) {
  return permute(g.input<f32>("features", {B, tiny.mels, tiny.frames}), {0, 2, 1});
}

constexpr auto shown = model(
    "whisper_shown",
    [](graph& g) {
      const expr features = features_of(g), target = g.input<i32>("decoder_ids", {B, T});
      const expr words = bart_words(target, tiny.vocab, tiny.block.width);
      const auto normed = [](expr y) { return layer_norm(y, "norm"); };
      expr memory = whisper_frames(features, tiny), x = whisper_embeddings(words, target, tiny);
      {
        const scope inside(memory, "encoder");
        memory = show_layers(
            g, encoder_state_names, memory, [](expr y) { return encoder_block(y, {}, tiny.block); }, normed);
      }
      {
        const scope inside(x, "decoder");
        x = show_layers(
            g, decoder_state_names, x, [&](expr y) { return decoder_block(y, memory, {}, tiny.block); },
            normed);
      }
      g.output("logits", matmul(x, transpose(words)));
    },
    whisper_names);

constexpr auto whole = model(
    "whisper_whole",
    [](graph& g) {
      const expr features = features_of(g), target = g.input<i32>("decoder_ids", {B, T});
      const expr words = bart_words(target, tiny.vocab, tiny.block.width),
                 memory = whisper_encoder(features, tiny);
      g.output("logits", matmul(whisper_decoder(words, target, memory, tiny), transpose(words)));
    },
    whisper_names);

constexpr auto learned = model(
    "whisper_learned",
    [](graph& g) {
      const expr features = features_of(g), target = g.input<i32>("decoder_ids", {B, T});
      const expr words = bart_words(target, tiny.vocab, tiny.block.width),
                 memory = whisper_encoder(features, tiny);
      const expr logits = matmul(whisper_decoder(words, target, memory, tiny), transpose(words));
      g.output("loss", cross_entropy(logits, g.input<i32>("labels", {B, T})));
    },
    whisper_names);

/// Of a checkpoint the encoder alone.
constexpr auto encoder_names = naming::together(whisper_names, std::to_array<name_rule>({
                                                                   {"", "decoder.**", naming::ignored},
                                                                   {"", "proj_out.**", naming::ignored},
                                                               }));

/// From samples, as a program has them, and the features between.
constexpr auto heard = model(
    "whisper_heard",
    [](graph& g) {
      const expr samples = g.input<f32>("samples", {B, 160 * tiny.frames});
      const expr features = log_mel(samples, {.mels = tiny.mels});
      g.output("features", features);
      g.output("memory", whisper_encoder(features, tiny));
    },
    encoder_names);
constexpr auto encoded = model(
    "whisper_encoded",
    [](graph& g) {
      g.output("memory", whisper_encoder(g.input<f32>("features", {B, tiny.frames, tiny.mels}), tiny));
    },
    encoder_names);

/// The features of a case with the frames first: [B, frames, mels].
golden_tensor frames_first(const golden_tensor& from) {
  const std::size_t count = from.shape[0], mels = from.shape[1], frames = from.shape[2];
  golden_tensor made{{count, frames, mels}, std::vector<double>(from.values.size()), false};
  for (std::size_t b = 0; b < count; ++b)
    for (std::size_t mel = 0; mel < mels; ++mel)
      for (std::size_t frame = 0; frame < frames; ++frame)
        made.values[(b * frames + frame) * mels + mel] = from.values[(b * mels + mel) * frames + frame];
  return made;
}

} // namespace

TEST_CASE("Whisper agrees with transformers' WhisperForConditionalGeneration", "[whisper]") {
  const golden_case c = case_of_today("whisper");
  check_outputs(shown, c, weights_of(c), inputs_of(c));
  check_gradients(learned, c, weights_of(c), inputs_of(c));
  check_stream<T>(whole, inputs_of(c), weights_of(c));

  named_values inputs = inputs_of(c, {{"targets", "labels"}});
  inputs["features"] = frames_first(c.at("input.features"));
  on_both_backends([&](auto backend) {
    const golden_tensor loss =
        run_model<decltype(backend)>(whisper_loss<tiny>, weights_of(c), inputs).at("loss");
    check(c, "loss", std::span<const double>(loss.values), loss.shape);
  });
}

TEST_CASE("Whisper writes what transformers' writes of the first case", "[whisper]") {
  const golden_case c = case_of_today("whisper");
  const xt::xtensor<float, 3> features = xt::transpose(floats<3>(c, "features"), {0, 2, 1});
  const xt::xtensor<float, 3> first = xt::view(features, xt::range(0, 1));
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(whisper<tiny>, weights_of(c), {.capacity = {{B, 1}, {T, 11}}});
    check_greedy(c, [&](const auto& written) {
      return net("features"_in = first, "decoder_ids"_in = written)["logits"_out];
    });
  });
}

TEST_CASE("Whisper's encoder takes samples by log_mel in front of it", "[whisper]") {
  const model_weights from = weights_of(case_of_today("whisper"));
  const named_values samples{{"samples", values_of({2, 6400}, false, "samples")}};
  on_both_backends([&](auto backend) {
    const named_values found = run_model<decltype(backend)>(heard, from, samples);
    REQUIRE(found.at("features").shape == std::vector<std::size_t>{2, 40, 16});
    const golden_tensor right =
        run_model<decltype(backend)>(encoded, from, {{"features", found.at("features")}}).at("memory");
    CHECK(distance_of(std::span<const double>(found.at("memory").values), right, 1e-5, 1e-5).share <= 1);
  });
}
