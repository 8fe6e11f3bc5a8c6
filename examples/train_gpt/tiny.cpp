#include "gpt.hpp"

namespace train_gpt {

void run_tiny(const arguments& a) {
  run<{.layers = 1, .heads = 2, .width = 16, .vocab = vocabulary, .context = 16}>(a);
}

} // namespace train_gpt
