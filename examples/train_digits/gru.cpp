#include "learn.hpp"

namespace train_digits {

void run_gru(const arguments& a) { run<gru_network>(a); }

} // namespace train_digits
