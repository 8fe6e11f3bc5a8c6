#pragma once

// Language models of today against the cases of golden/today: what each layer gives, the scores, the text that the
// most likely tokens make, the loss with its gradients, and streams.

#include "../streams/stream_case.hpp"
#include "../training/loss_case.hpp"

namespace fovea::core::test {

/// A case of golden/today.
inline golden_case case_of_today(const std::string& name) {
  return golden_case(name, std::filesystem::path(FOVEA_GOLDEN_DIR) / "today");
}

inline constexpr const char* hidden_state_names[] = {"hidden_states.0", "hidden_states.1", "hidden_states.2",
                                                     "hidden_states.3", "hidden_states.4"};

/// `shown` gives the hidden states and logits, `whole` the logits, `loss` the loss, all from tokens [B, T].
template <class Shown, class Whole, class Loss>
void check_decoder(const golden_case& c, const Shown& shown, const Whole& whole, const Loss& loss) {
  const named_values texts = inputs_of(c, {{"tokens", "ids"}});
  check_outputs(shown, c, weights_of(c), texts);
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(
        whole, weights_of(c),
        {.capacity = {{dim{"B"}, 1}, {dim{"T"}, c.at("output.greedy_ids").values.size()}}});
    check_greedy(c, [&](const auto& ids) { return net("tokens"_in = ids)["logits"_out]; });
  });
  check_loss(loss, c, next_token_inputs(c));
  check_stream<dim{"T"}>(whole, texts, weights_of(c));
}

} // namespace fovea::core::test
