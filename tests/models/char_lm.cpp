#include "../streams/stream_case.hpp"
#include "../training/loss_case.hpp"

#include <fovea/models/char_lm.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

inline constexpr dim T{"T"};

constexpr char_lm_config reference_case{.characters = 30,
                                        .character_width = 8,
                                        .word_length = 9,
                                        .widths = {1, 2, 3},
                                        .filters = {4, 6, 8},
                                        .vocab = 40,
                                        .hidden = 16};

} // namespace

TEST_CASE("the character-aware language model agrees with the reference case", "[char_lm]") {
  const golden_case c("char_lm");
  const named_values inputs = inputs_of(c, {{"characters", "chars"}});
  check_outputs(char_lm<reference_case>, c, weights_of(c), inputs);
  check_loss(char_lm_loss<reference_case>, c, inputs);
}

TEST_CASE("the character-aware language model streams word by word", "[char_lm]") {
  check_stream<T>(char_lm<reference_case>, {{"B", 2}, {"T", 7}});
}
