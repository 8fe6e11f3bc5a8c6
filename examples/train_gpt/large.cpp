#include "gpt.hpp"

namespace train_gpt {

void run_large(const arguments& a) { run<large>(a); }

} // namespace train_gpt
