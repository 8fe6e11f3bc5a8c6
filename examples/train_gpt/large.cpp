#include "gpt.hpp"

namespace train_gpt {

void run_large(const arguments& a) {
  run<{.layers = 6, .heads = 6, .width = 384, .vocab = vocabulary, .context = 256}>(a);
}

} // namespace train_gpt
