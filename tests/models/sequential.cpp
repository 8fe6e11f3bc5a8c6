#include "../streams/stream_case.hpp"

#include <fovea/models/sequential.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

inline constexpr dim T{"T"};

constexpr sequential_config<10> every_kind{
    .in = 2,
    .layers = {{{.kind = layer_kind::dense, .out = 6, .activation = layer_activation::elu},
                {.kind = layer_kind::conv1d,
                 .out = 4,
                 .activation = layer_activation::tanh,
                 .taps = 3,
                 .dilation = 2,
                 .groups = 2},
                {.kind = layer_kind::batchnorm, .activation = layer_activation::relu, .epsilon = 0.5},
                {.kind = layer_kind::gru, .out = 5},
                {.kind = layer_kind::prelu, .out = 5},
                {.kind = layer_kind::lstm, .out = 7},
                {.kind = layer_kind::prelu, .out = 1},
                {.kind = layer_kind::dense, .out = 3, .bias = false},
                {.kind = layer_kind::activation, .activation = layer_activation::softmax},
                {.kind = layer_kind::dense, .out = 1, .activation = layer_activation::sigmoid}}}};

} // namespace

TEST_CASE("layers of every kind, one after another, agree on both backends and stream", "[sequential]") {
  // Weights and biases, shifts and slopes of each layer.
  STATIC_REQUIRE(sequential<every_kind>.parameters() == (12 + 6) + (2 * 6 * 3 / 2 * 2 / 2 + 18 + 4) + 16 +
                                                            (15 * (4 + 5) + 30) + 5 + (28 * (5 + 7) + 56) +
                                                            1 + 21 + 0 + (3 + 1));
  compare_at_awkward_sizes(sequential<every_kind>);
  check_stream<T>(sequential<every_kind>, {{"B", 2}, {"T", 9}});
}
