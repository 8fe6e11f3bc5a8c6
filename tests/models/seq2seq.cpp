#include "../streams/stream_case.hpp"
#include "../training/loss_case.hpp"

#include <fovea/models/seq2seq.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

inline constexpr dim T{"T"};

/// What the cases record beside the logits, as a model.
template <seq2seq_config c>
inline constexpr auto recorded = model(
    "recorded",
    [](graph& g) {
      const expr source = g.input<i32>("source", {"B", "S"}), lengths = g.input<i32>("lengths", {"B"});
      const seq2seq_values all = seq2seq_all(source, lengths, g.input<i32>("target", {"B", "T"}), c);
      g.output("logits", all.decoded.logits);
      if (c.full_readout) {
        g.output("context", all.context);
        g.output("decoder_states", all.decoded.states);
        return;
      }
      const auto layers = [](const std::array<expr, recurrent_state::most>& states) {
        expr together = unsqueeze(states[0], 0);
        for (std::size_t i = 1; i < static_cast<std::size_t>(c.layers); ++i)
          together = concat(axis(0), together, unsqueeze(states[i], 0));
        return together;
      };
      g.output("encoder_h_n", layers(all.encoded.state.hidden));
      g.output("encoder_c_n", layers(all.encoded.state.cell));
    },
    seq2seq_names);

template <seq2seq_config c>
void check_seq2seq(const char* name) {
  const golden_case reference(name);
  const named_values inputs = inputs_of(
      reference, {{"source", "source_ids"}, {"lengths", "source_lengths"}, {"target", "decoder_ids"}});
  check_outputs(recorded<c>, reference, weights_of(reference), inputs);
  check_loss(seq2seq_loss<c>, reference, inputs);
}

constexpr seq2seq_config two_layers{
    .source_vocab = 30, .target_vocab = 34, .width = 12, .hidden = 16, .layers = 2};

constexpr rnn_config completion{.vocab = 40, .width = 12, .hidden = 16, .layers = 2};

} // namespace

TEST_CASE("Sutskever's encoder-decoder agrees with the reference cases", "[seq2seq]") {
  check_seq2seq<two_layers>("seq2seq_sutskever");
  check_seq2seq<sutskever(30, 30, 12, 16, 1)>("seq2seq_sutskever_reversed");
}

TEST_CASE("Cho's encoder-decoder agrees with the reference case", "[seq2seq]") {
  check_seq2seq<cho(30, 34, 12, 16)>("seq2seq_cho");
}

TEST_CASE("the completion form is one language model over source and target", "[seq2seq]") {
  const golden_case reference("seq2seq_completion");
  constexpr auto m = model("completion_form", [](graph& g) {
    const expr logits = rnn_logits(g.input<i32>("tokens", {"B", "T"}), completion);
    g.output("logits", logits);
    g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"}), {.ignore = 0}));
  });
  check_loss(m, reference, inputs_of(reference, {{"tokens", "ids"}}));
}

TEST_CASE("decoders stream over what the encoder left", "[seq2seq]") {
  check_stream<T>(seq2seq<two_layers>, {{"B", 2}, {"T", 7}, {"S", 5}});
  check_stream<T>(seq2seq<cho(30, 34, 12, 16)>, {{"B", 2}, {"T", 7}, {"S", 5}});
  constexpr seq2seq_config plain{.source_vocab = 30,
                                 .target_vocab = 34,
                                 .width = 12,
                                 .hidden = 16,
                                 .context = summary::mean,
                                 .every_step = true};
  check_stream<T>(seq2seq<plain>, {{"B", 2}, {"T", 7}, {"S", 5}});
}

namespace {

constexpr seq2seq_config both_ways(start_state start, summary context, bool every_step) {
  return {.source_vocab = 9,
          .target_vocab = 8,
          .width = 5,
          .hidden = 6,
          .context = context,
          .every_step = every_step,
          .both = true,
          .encoder_layers = 2,
          .start = start};
}

} // namespace

TEST_CASE("stacked encoders that read both ways, and what decoders start from and see", "[seq2seq]") {
  const auto check_both = [](const auto& m) {
    compare(m, {{"B", 1}, {"T", 1}, {"S", 1}});
    compare(m, {{"B", 3}, {"T", 7}, {"S", 5}});
    check_stream<T>(m, {{"B", 2}, {"T", 7}, {"S", 5}});
  };
  check_both(seq2seq<both_ways(start_state::forward, summary::final_state, true)>);
  check_both(seq2seq<both_ways(start_state::backward, summary::final_state, false)>);
  check_both(seq2seq<both_ways(start_state::joined, summary::largest, true)>);
  check_both(seq2seq<both_ways(start_state::added, summary::final_state, false)>);
  // The context alone, at every step.
  check_both(seq2seq<both_ways(start_state::zeros, summary::final_state, true)>);
}
