#include "recurrent.hpp"

namespace train_translator {

void run_bahdanau(const arguments& a) {
  constexpr auto c = with_dropout(translate_program::bahdanau_sizes);
  learn_recurrent(fovea::models::bahdanau_loss<c>, c, a);
}

} // namespace train_translator
