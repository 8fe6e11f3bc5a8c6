#include "gpt.hpp"

namespace train_gpt {

void run_small(const arguments& a) {
  run<{.layers = 4, .heads = 4, .width = 128, .vocab = vocabulary, .context = 64}>(a);
}

} // namespace train_gpt
