#include "learn.hpp"

namespace train_translator {

void run_bahdanau(const arguments& a) {
  using namespace fovea;
  constexpr auto c = [] {
    auto sizes = translate_program::bahdanau_sizes;
    sizes.dropout = 0.2;
    return sizes;
  }();
  learn(models::bahdanau_loss<c>, a, c.source_vocab, c.target_vocab,
        [](const padded_lines& source, const padded_lines& read, const padded_lines& written, auto f) {
          return f("source"_in = source.tokens, "lengths"_in = source.lengths, "target"_in = read.tokens,
                   "targets"_in = written.tokens);
        });
}

} // namespace train_translator
