#include "learn.hpp"

namespace train_digits {

void run_cnn(const arguments& a) { run<cnn_network>(a); }

} // namespace train_digits
