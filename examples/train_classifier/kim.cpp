#include "learn.hpp"

namespace train_classifier {

void run_kim(const arguments& a) { run<classify_program::kim>(a); }

} // namespace train_classifier
