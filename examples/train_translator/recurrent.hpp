#pragma once

#include "learn.hpp"

namespace train_translator {

/// What `translate` is compiled for, with dropout.
template <class sizes>
constexpr sizes with_dropout(sizes c) {
  c.dropout = 0.2;
  return c;
}

/// Learns an encoder-decoder of recurrent networks and attention.
template <class M, class sizes>
void learn_recurrent(const M& model, const sizes& c, const arguments& a) {
  using namespace fovea;
  learn(model, a, c.source_vocab, c.target_vocab,
        [](const padded_lines& source, const padded_lines& read, const padded_lines& written, auto f) {
          return f("source"_in = source.tokens, "lengths"_in = source.lengths, "target"_in = read.tokens,
                   "targets"_in = written.tokens);
        });
}

} // namespace train_translator
