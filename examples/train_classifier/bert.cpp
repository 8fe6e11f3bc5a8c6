#include "learn.hpp"

namespace train_classifier {

void run_bert(const arguments& a) { run<classify_program::bert>(a); }

} // namespace train_classifier
