#include "recurrent.hpp"

namespace train_translator {

void run_luong(const arguments& a) {
  constexpr auto c = with_dropout(translate_program::luong_sizes);
  learn_recurrent(fovea::models::luong_loss<c>, c, a);
}

} // namespace train_translator
