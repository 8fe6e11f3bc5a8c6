#include <fovea/models/siglip.hpp>

#include "decoder_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace fovea::models;

namespace {

constexpr transformer_block_config tower{.heads = 4,
                                         .width = 32,
                                         .inner = 48,
                                         .norm_first = true,
                                         .activation = activation::gelu_tanh,
                                         .epsilon = 1e-6};
constexpr clip_config tiny{.layers = 2,
                           .text = tower,
                           .vocab = 96,
                           .context = 9,
                           .picture_layers = 2,
                           .picture = tower,
                           .image = 16,
                           .patch = 4,
                           .joint = 32};

// As transformers counts the published models.
static_assert(siglip<siglip_base>.parameters() == 203'155'970);
static_assert(siglip<siglip2_base>.parameters() == 375'187'970);

/// The pixels of a case as they lie there.
constexpr expr pixels_of(graph& g) { return permute(g.input<f32>("pixels", {"B", 3, 16, 16}), {0, 2, 3, 1}); }

constexpr auto learned = model(
    "siglip_learned",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"N", "T"}), pixels = pixels_of(g);
      const expr of_text = clip_text_tower(tokens, tiny, {}), of_picture = siglip_picture_tower(pixels, tiny);
      const expr text = siglip_text_vector(of_text, tiny), picture = siglip_picture_vector(of_picture, tiny);
      g.output("text_last_hidden_state", of_text);
      g.output("vision_last_hidden_state", of_picture);
      g.output("text_embeds", text);
      g.output("image_embeds", picture);
      g.output("logits_per_text", siglip_scores(text, picture));
    },
    siglip_names<tiny>);

/// The first `rows` of a tensor.
golden_tensor first_of(golden_tensor from, std::size_t rows) {
  from.values.resize(from.values.size() / from.shape[0] * rows);
  from.shape[0] = rows;
  return from;
}

/// The pixels of a case with the channels last.
golden_tensor channels_last(const golden_tensor& from) {
  const std::size_t count = from.shape[0], side = from.shape[2], places = side * side;
  golden_tensor made{{count, side, side, 3}, std::vector<double>(from.values.size()), false};
  for (std::size_t b = 0; b < count; ++b)
    for (std::size_t channel = 0; channel < 3; ++channel)
      for (std::size_t place = 0; place < places; ++place)
        made.values[(b * places + place) * 3 + channel] = from.values[(b * 3 + channel) * places + place];
  return made;
}

} // namespace

TEST_CASE("SigLIP agrees with transformers' SiglipModel", "[siglip]") {
  const golden_case c = case_of_today("siglip");
  const named_values inputs = inputs_of(c, {{"tokens", "ids"}});
  check_outputs(learned, c, weights_of(c), inputs);
  check_gradients(learned, c, weights_of(c), inputs);
}

TEST_CASE("SigLIP's towers stand alone, and its loss judges each pair", "[siglip]") {
  const golden_case c = case_of_today("siglip");
  const auto check_vectors = [&](const named_values& found, const char* ours, const char* theirs) {
    const golden_tensor& values = found.at(ours);
    check(c, theirs, std::span<const double>(values.values), values.shape);
  };
  const golden_tensor &ids = c.at("input.ids"), pixels = channels_last(c.at("input.pixels"));
  on_both_backends([&](auto backend) {
    using on = decltype(backend);
    check_vectors(run_model<on>(siglip_text<tiny>, weights_of(c), {{"tokens", ids}}), "text",
                  "output.text_embeds");
    check_vectors(run_model<on>(siglip_picture<tiny>, weights_of(c), {{"pixels", pixels}}), "picture",
                  "output.image_embeds");
    check_vectors(run_model<on>(siglip<tiny>, weights_of(c), {{"tokens", ids}, {"pixels", pixels}}), "scores",
                  "output.logits_per_text");

    // Of the first two texts and both pictures.
    const std::vector<double>& scores = c.at("output.logits_per_text").values;
    double expected = 0;
    for (std::size_t text = 0; text < 2; ++text)
      for (std::size_t picture = 0; picture < 2; ++picture) {
        const double score = scores[text * 2 + picture];
        expected += std::log1p(std::exp(text == picture ? -score : score)) / 2;
      }
    const double loss =
        run_model<on>(siglip_loss<tiny>, weights_of(c), {{"tokens", first_of(ids, 2)}, {"pixels", pixels}})
            .at("loss")
            .values[0];
    CHECK(loss == Approx(expected).epsilon(1e-5));
  });
}
