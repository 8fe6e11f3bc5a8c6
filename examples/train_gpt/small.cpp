#include "gpt.hpp"

namespace train_gpt {

void run_small(const arguments& a) { run<small>(a); }

} // namespace train_gpt
