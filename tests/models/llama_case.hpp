#pragma once

#include <fovea/models/llama.hpp>

#include "decoder_case.hpp"

namespace fovea::core::test {

/// A decoder like Llama, layer after layer, with what each gives.
template <models::llama_config c, const auto& names>
inline constexpr auto llama_shown = model(
    "llama_shown",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), words = models::llama_words(tokens, c);
      expr x = gather(words, tokens);
      for (int i = 0; i < c.layers; ++i) {
        g.output(hidden_state_names[i], x);
        const scope layer(x, "layers", i);
        x = models::llama_block(x, c);
      }
      x = rms_norm(x, "norm", {.epsilon = c.epsilon});
      g.output(hidden_state_names[c.layers], x);
      g.output("logits", models::llama_scores(x, words, c));
    },
    names);

} // namespace fovea::core::test
