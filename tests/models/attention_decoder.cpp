#include "stream_case.hpp"

#include <fovea/models/bahdanau.hpp>
#include <fovea/models/luong.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::test;

namespace {

inline constexpr dim T{"T"};

template <class M>
void check_decoder(const M& m, const char* name) {
  const golden_case c(name);
  named_values inputs = inputs_of(c);
  inputs["source"] = inputs.at("source_ids");
  inputs["lengths"] = inputs.at("source_lengths");
  inputs["target"] = inputs.at("decoder_ids");
  on_both_backends([&](auto backend) {
    for (const auto& [output, values] : run_model<decltype(backend)>(m, weights_of(c), inputs))
      check(c, output == "loss" ? output : "output." + output, std::span<const double>(values.values),
            values.shape);
  });
}

constexpr bahdanau_config bahdanau_case{
    .source_vocab = 30, .target_vocab = 34, .width = 10, .hidden = 12, .alignment = 14, .maxout = 8};
constexpr bahdanau_config appendix{.source_vocab = 30,
                                   .target_vocab = 34,
                                   .width = 8,
                                   .hidden = 12,
                                   .alignment = 12,
                                   .maxout = 6,
                                   .readout_previous = true};
constexpr luong_config feeding{
    .source_vocab = 30, .target_vocab = 34, .width = 10, .hidden = 12, .layers = 2};
constexpr luong_config no_feeding{
    .source_vocab = 30, .target_vocab = 34, .width = 10, .hidden = 12, .input_feeding = false};

/// Local attention, with and without input feeding.
constexpr luong_config monotonic{.source_vocab = 9,
                                 .target_vocab = 8,
                                 .width = 5,
                                 .hidden = 6,
                                 .mode = attention_mode::kind::local_m,
                                 .half_window = 2};
constexpr luong_config predictive{.source_vocab = 9,
                                  .target_vocab = 8,
                                  .width = 5,
                                  .hidden = 6,
                                  .input_feeding = false,
                                  .mode = attention_mode::kind::local_p,
                                  .half_window = 2,
                                  .local_width = 7};

// As deep as in the paper: nine values carried.
constexpr luong_config deep{.source_vocab = 9, .target_vocab = 8, .width = 5, .hidden = 6, .layers = 4};

constexpr attention_decoder_config joined{.source_vocab = 9,
                                          .target_vocab = 8,
                                          .width = 5,
                                          .hidden = 6,
                                          .cell = cell_kind::gru,
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

/// The same with the decoder's insides and the loss.
template <attention_decoder_config c, const auto& names, bool with_loss = true>
inline constexpr auto recorded = model(
    "recorded",
    [](graph& g) {
      const expr source = g.input<i32>("source", {"B", "S"}), lengths = g.input<i32>("lengths", {"B"});
      const attention_decoder_values all =
          attention_decoder<c>(source, lengths, g.input<i32>("target", {"B", "T"}));
      g.output("logits", all.logits);
      g.output("weights", all.weights);
      if (!with_loss) return;
      g.output("loss", cross_entropy(all.logits, g.input<i32>("targets", {"B", "T"}), {.ignore = 0}));
      if (c.readout == readout::attentional) {
        g.output("attentional_vectors", all.attentional);
      } else {
        g.output("encoder_states", all.encoded);
        g.output("decoder_states", all.states);
      }
    },
    names);

} // namespace

TEST_CASE("Bahdanau's model agrees with the reference cases", "[bahdanau]") {
  check_decoder(bahdanau<bahdanau_case>, "bahdanau");
  check_decoder(recorded<attention_decoder_of(bahdanau_case), bahdanau_names>, "bahdanau");
  check_decoder(recorded<attention_decoder_of(appendix), bahdanau_names>, "bahdanau_appendix");
}

TEST_CASE("Luong's model agrees with the reference cases", "[luong]") {
  check_decoder(luong<feeding>, "luong_input_feeding");
  check_decoder(recorded<attention_decoder_of(feeding), luong_names>, "luong_input_feeding");
  check_decoder(recorded<attention_decoder_of(no_feeding), luong_names>, "luong_no_feeding");
}

TEST_CASE("any choice of score, place and readout is a line, and streams", "[attention_decoder]") {
  compare_at_awkward_sizes(recorded<joined, luong_names, false>);
  compare_at_awkward_sizes(recorded<chosen, luong_names, false>);
  compare_at_awkward_sizes(luong<deep>);
  compare_at_awkward_sizes(luong<monotonic>);
  compare_at_awkward_sizes(luong<predictive>);
  check_stream<T>(recorded<joined, luong_names, false>, {{"B", 2}, {"T", 6}, {"S", 5}});
  check_stream<T>(recorded<chosen, luong_names, false>, {{"B", 2}, {"T", 6}, {"S", 5}});
  check_stream<T>(bahdanau<bahdanau_case>, {{"B", 2}, {"T", 6}, {"S", 5}});
  check_stream<T>(luong<feeding>, {{"B", 2}, {"T", 6}, {"S", 5}});
  check_stream<T>(luong<monotonic>, {{"B", 2}, {"T", 6}, {"S", 5}});
  check_stream<T>(luong<predictive>, {{"B", 2}, {"T", 6}, {"S", 5}});
}

TEST_CASE("a local model's step t sees the words next to t alone", "[luong]") {
  named_values inputs = random_inputs(luong<monotonic>, {{"B", 1}, {"T", 7}, {"S", 9}});
  inputs.at("lengths").values = {8};
  on_both_backends([&](auto backend) {
    const golden_tensor weights =
        run_model<decltype(backend)>(luong<monotonic>, random_weights(luong<monotonic>), inputs)
            .at("weights");
    for (int t = 0; t < 7; ++t) {
      double sum = 0;
      for (int s = 0; s < 9; ++s) {
        const double w = weights.values[static_cast<std::size_t>(9 * t + s)];
        CHECK((w > 0) == (std::abs(s - t) <= 2 && s < 8));
        sum += w;
      }
      CHECK(sum == Approx(1));
    }
  });
}
