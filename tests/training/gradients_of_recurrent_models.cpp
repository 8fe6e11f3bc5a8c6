// Gradients of recurrent models of the catalogue that no reference case has: against difference quotients,
// and kernels against the specification.

#include "gradient_case.hpp"

#include <fovea/models/luong.hpp>
#include <fovea/models/rwkv.hpp>
#include <fovea/models/seq2seq.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

template <rwkv_version version>
constexpr rwkv_config rwkv_of{.version = version,
                              .layers = 3,
                              .width = 15,
                              .inner = 22,
                              .vocab = 13,
                              .heads = 3,
                              .decay_rank = 4,
                              .rate_rank = 3,
                              .value_rank = 2,
                              .gate_rank = 6};

constexpr seq2seq_config both_ways{.source_vocab = 9,
                                   .target_vocab = 8,
                                   .width = 5,
                                   .hidden = 6,
                                   .context = summary::largest,
                                   .every_step = true,
                                   .both = true,
                                   .encoder_layers = 2,
                                   .start = start_state::joined};

constexpr luong_config local(attention_mode::kind mode) {
  return {.source_vocab = 9,
          .target_vocab = 8,
          .width = 5,
          .hidden = 6,
          .mode = mode,
          .half_window = 2,
          .local_width = 7};
}

} // namespace

TEST_CASE("gradients of RWKV 5 and 7", "[rwkv]") {
  check_gradients_of(rwkv_loss<rwkv_of<rwkv_version::v5>>);
  check_gradients_of(rwkv_loss<rwkv_of<rwkv_version::v7>>);
}
TEST_CASE("gradients of an encoder-decoder read both ways", "[seq2seq]") {
  check_gradients_of(seq2seq_loss<both_ways>);
}
TEST_CASE("gradients of Luong's local attention", "[luong]") {
  check_gradients_of(luong_loss<local(attention_mode::kind::local_m)>);
  check_gradients_of(luong_loss<local(attention_mode::kind::local_p)>);
}
