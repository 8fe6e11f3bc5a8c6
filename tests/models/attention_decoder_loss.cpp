#include "attention_decoder_cases.hpp"

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

template <class M>
void check_decoder_loss(const M& m, const char* name) {
  const golden_case c(name);
  check_loss(m, c, decoder_inputs(c));
}

} // namespace

TEST_CASE("Bahdanau's loss and gradients agree with the reference cases", "[bahdanau]") {
  check_decoder_loss(bahdanau_loss<bahdanau_case>, "bahdanau");
  check_decoder_loss(bahdanau_loss<appendix>, "bahdanau_appendix");
}

TEST_CASE("Luong's loss and gradients agree with the reference cases", "[luong]") {
  check_decoder_loss(luong_loss<feeding>, "luong_input_feeding");
  check_decoder_loss(luong_loss<no_feeding>, "luong_no_feeding");
}
