#include "learn.hpp"

namespace train_translator {

void run_transformer(const arguments& a) {
  using namespace fovea;
  constexpr auto c = [] {
    auto sizes = translate_program::transformer_sizes;
    sizes.block.dropout = 0.1;
    return sizes;
  }();
  learn(models::transformer_loss<c, 0.1>, a, c.source_vocab, c.target_vocab,
        [](const padded_lines& source, const padded_lines& read, const padded_lines& written, auto f) {
          return f("source_ids"_in = source.tokens, "source_lengths"_in = source.lengths,
                   "decoder_ids"_in = read.tokens, "targets"_in = written.tokens);
        });
}

} // namespace train_translator
