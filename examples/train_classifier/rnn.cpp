#include "learn.hpp"

namespace train_classifier {

void run_rnn(const arguments& a) { run<classify_program::rnn>(a); }

} // namespace train_classifier
