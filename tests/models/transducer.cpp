#include <fovea/models/transducer.hpp>

#include "../compare_backends.hpp"
#include "../streams/stream_case.hpp"

#include <fovea/decoding.hpp>

#include <xtensor/xview.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace fovea::models;

namespace {

constexpr dim B{"B"}, T{"T"}, S{"S"};

constexpr transducer_config small{
    .features = 5, .vocab = 6, .layers = 2, .hidden = 24, .joint = 16, .width = 8, .stack = 2};
constexpr transducer_config small_gru{
    .features = 5, .vocab = 6, .layers = 1, .hidden = 24, .joint = 16, .width = 8, .cell = cell_kind::gru};
constexpr transducer_config small_stateless{
    .features = 5, .vocab = 6, .layers = 1, .hidden = 24, .joint = 16, .width = 8, .context = 2};

using labels_said = std::vector<std::int32_t>;

labels_said labels_of(const std::vector<rnnt_label>& from) {
  labels_said made;
  for (const rnnt_label& l : from) made.push_back(l.label);
  return made;
}

/// Learns to write two sequences, and reads them back from their sound.
template <transducer_config c>
void check_memory() {
  constexpr std::size_t frames = 12;
  const golden_tensor values =
      values_of({2, c.stack * frames, static_cast<std::size_t>(c.features)}, false, "sound");
  xt::xtensor<float, 3> sound = xt::xtensor<float, 3>::from_shape({2, c.stack * frames, values.shape[2]});
  std::transform(values.values.begin(), values.values.end(), sound.begin(),
                 [](double x) { return static_cast<float>(x); });
  const xt::xtensor<std::int32_t, 2> labels{{1, 5, 5, 2, 3}, {4, 1, 4, 0, 0}};
  const xt::xtensor<std::int32_t, 1> lengths{frames, frames - 3};
  const std::vector<labels_said> texts{{1, 5, 5, 2, 3}, {4, 1, 4}};

  auto fit = train(transducer_loss<c>, adam{.rate = 2e-2}, initial_weights(transducer_loss<c>, 3),
                   {.capacity = {{B, 2}, {T, frames}, {S, 5}}, .clip = 5});
  double loss = 0;
  for (int i = 0; i < 150; ++i)
    loss = fit.step("sound"_in = sound, "labels"_in = labels, "lengths"_in = lengths).loss;
  CHECK(loss < 0.05);

  const model_weights learned = fit.weights();
  auto encoder = compile(transducer_frames<c>, learned, {.capacity = {{B, 2}, {T, frames}}});
  auto live = stream<S>(transducer_predictions<c>, learned, {.capacity = {{B, 8}, {S, 1}}});
  auto joint = compile(transducer_scores<c>, learned, {.capacity = {{B, 8}}});
  rnnt_network network(
      live, [](auto& s, const auto& said) { return s.step("labels"_in = said)["predictions"_out]; },
      [&](const auto& frame, const auto& predictions) {
        return joint("frames"_in = frame, "predictions"_in = predictions)["logits"_out];
      });
  const auto out = encoder("sound"_in = sound);
  const auto whole = out["frames"_out];
  double by_beams = 0;
  for (std::size_t row = 0; row < 2; ++row) {
    const xt::xtensor<float, 2> of_row =
        xt::view(whole, row, xt::range(0, static_cast<std::ptrdiff_t>(lengths(row))), xt::all());
    CHECK(labels_of(rnnt_greedy(network, of_row)) == texts[row]);
    const std::vector<rnnt_text> best = rnnt_beam_search(network, of_row, {.max_labels = 5});
    CHECK(best.front().labels == texts[row]);
    by_beams -= best.front().log_probability / 2;
  }
  // Beams see nearly all alignments that the loss adds up: probabilities differ by less than a thousandth.
  const double now =
      fit.evaluate("sound"_in = sound, "labels"_in = labels, "lengths"_in = lengths)["loss"_out]();
  CHECK(by_beams == Approx(now).epsilon(0).margin(1e-3));

  // Sound is read as it comes.
  auto ears = stream<T>(transducer_frames<c>, learned, {.capacity = {{B, 1}, {T, 64}}});
  rnnt_reader reader(network);
  labels_said found;
  for (std::size_t t = 0; t < frames; ++t) {
    const xt::xtensor<float, 3> next =
        xt::view(sound, xt::range(0, 1), xt::range(t * c.stack, (t + 1) * c.stack), xt::all());
    const auto heard = ears.step("sound"_in = next);
    const xt::xtensor<float, 2> frame = xt::view(heard["frames"_out], 0, xt::all(), xt::all());
    for (const rnnt_label& l : reader.read(frame)) found.push_back(l.label);
  }
  CHECK(found == texts[0]);
}

} // namespace

TEST_CASE("a transducer learns what is said, and writes it while it hears", "[rnnt]") {
  check_memory<small>();
  check_memory<small_gru>();
  check_memory<small_stateless>();
}

TEST_CASE("a transducer's networks stream as they read whole sequences", "[rnnt]") {
  check_stream<T>(transducer_frames<small_stateless>, {{"B", 3}, {"T", 9}});
  check_stream<S>(transducer_predictions<small_gru>, {{"B", 3}, {"S", 9}});
  check_stream<S>(transducer_predictions<small_stateless>, {{"B", 3}, {"S", 9}});
}

TEST_CASE("a transducer's loss agrees with the reference", "[rnnt]") {
  compare(transducer_loss<small_stateless>, {{"B", 2}, {"T", 7}, {"S", 3}});
}
