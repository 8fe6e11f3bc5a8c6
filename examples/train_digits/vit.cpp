#include "learn.hpp"

namespace train_digits {

void run_vit(const arguments& a) { run<vit_network>(a); }

} // namespace train_digits
