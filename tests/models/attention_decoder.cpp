#include "../streams/stream_case.hpp"
#include "attention_decoder_cases.hpp"

#include <fovea/models/transformer.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

inline constexpr dim T{"T"};

template <class M>
void check_decoder(const M& m, const char* name) {
  const golden_case c(name);
  check_outputs(m, c, weights_of(c), decoder_inputs(c));
}

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

constexpr attention_decoder_config side_by_side{.source_vocab = 9,
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

/// The same with the decoder's insides.
template <attention_decoder_config c, const auto& names, bool with_insides = true>
inline constexpr auto recorded = model(
    "recorded",
    [](graph& g) {
      const expr source = g.input<i32>("source", {"B", "S"}), lengths = g.input<i32>("lengths", {"B"});
      const attention_decoder_values all =
          attention_decoder<c>(source, lengths, g.input<i32>("target", {"B", "T"}));
      g.output("logits", all.logits);
      g.output("weights", all.weights);
      if (!with_insides) return;
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
  check_decoder(recorded<attention_decoder_of(bahdanau_case), bahdanau_names>, "bahdanau");
  check_decoder(recorded<attention_decoder_of(appendix), bahdanau_names>, "bahdanau_appendix");
}

TEST_CASE("Luong's model agrees with the reference cases", "[luong]") {
  check_decoder(recorded<attention_decoder_of(feeding), luong_names>, "luong_input_feeding");
  check_decoder(recorded<attention_decoder_of(no_feeding), luong_names>, "luong_no_feeding");
}

TEST_CASE("any choice of score, place and readout is a line, and streams", "[attention_decoder]") {
  compare_at_awkward_sizes(recorded<side_by_side, luong_names, false>);
  compare_at_awkward_sizes(recorded<chosen, luong_names, false>);
  compare_at_awkward_sizes(luong<deep>);
  compare_at_awkward_sizes(luong<monotonic>);
  compare_at_awkward_sizes(luong<predictive>);
  check_stream<T>(recorded<side_by_side, luong_names, false>, {{"B", 2}, {"T", 6}, {"S", 5}});
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

namespace {

/// Stacked encoders that read both ways, the lower layer attended; and other ways to start.
constexpr attention_decoder_config stacked_both{.source_vocab = 9,
                                                .target_vocab = 8,
                                                .width = 5,
                                                .hidden = 6,
                                                .encoder_layers = 2,
                                                .both = true,
                                                .attended_layer = 0,
                                                .start = start_state::joined};
constexpr attention_decoder_config with(start_state start) {
  attention_decoder_config c = stacked_both;
  c.start = start, c.attended_layer = -1;
  return c;
}

/// A decoder over the outputs of an encoder of another kind.
template <attention_decoder_config c, class F>
constexpr auto over(F) {
  return model("over", [](graph& g) {
    const expr source = g.input<i32>("source", {"B", "S"}), lengths = g.input<i32>("lengths", {"B"});
    const attention_memory memory = F{}(source, lengths);
    g.output("logits", attention_decoder<c>(memory, lengths, g.input<i32>("target", {"B", "T"})).logits);
  });
}

constexpr attention_decoder_config general_gru{
    .source_vocab = 9, .target_vocab = 8, .width = 5, .hidden = 6, .cell = cell_kind::gru};

/// Convolutions over the source; the decoder starts from the mean of what they give.
constexpr auto over_convolutions = over<general_gru>([](expr source, expr lengths) {
  expr x = embedding(source, "src_embedding", 9, 7);
  for (int i = 0; i < 2; ++i) {
    const scope layer(x, "encoder", i);
    x = x + relu(conv1d(x, "conv", 7, 3, {.padding = same}));
  }
  const expr inside = unsqueeze(to_float(inside_lengths(x, lengths)), 2);
  recurrent_state start{.count = 1};
  start.hidden[0] =
      tanh(linear(sum(x * inside, axis(1)) / unsqueeze(max(to_float(lengths), 1), 1), "start", 6));
  return attention_memory{x, start};
});

constexpr transformer_config encoder_of_two{
    .layers = 2, .block = {.heads = 2, .width = 10, .inner = 12}, .source_vocab = 9, .target_vocab = 8};
constexpr auto over_self_attention = over<general_gru>([](expr source, expr lengths) {
  return attention_memory{transformer_encoder(source, lengths, encoder_of_two)};
});

} // namespace

TEST_CASE("any encoder, any of its layers and any start", "[attention_decoder]") {
  const auto check_both = [](const auto& m) {
    compare_at_awkward_sizes(m);
    check_stream<T>(m, {{"B", 2}, {"T", 6}, {"S", 5}});
  };
  check_both(recorded<stacked_both, luong_names, false>);
  check_both(recorded<with(start_state::added), luong_names, false>);
  check_both(recorded<with(start_state::forward), luong_names, false>);
  check_both(recorded<with(start_state::zeros), luong_names, false>);
  check_both(over_convolutions);
  check_both(over_self_attention);
}
