#include "gpt.hpp"

namespace train_gpt {

void run_tiny(const arguments& a) { run<tiny>(a); }

} // namespace train_gpt
