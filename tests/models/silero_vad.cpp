#include "../compare_backends.hpp"

#include <fovea/models/silero_vad.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

// What the published file holds.
static_assert(silero_vad.parameters() == 258 * 256 + 128 * 129 * 3 + 128 + 64 * 128 * 3 + 64 + 64 * 64 * 3 +
                                             64 + 128 * 64 * 3 + 128 + 2 * 512 * 128 + 2 * 512 + 128 + 1);

TEST_CASE("the voice activity detector is the same on both backends", "[silero_vad]") {
  compare(silero_vad, {{"B", 1}, {"T", 1}});
  compare(silero_vad, {{"B", 2}, {"T", 5}});
}

TEST_CASE("a chunk is heard between the end of the one before and its own end reversed", "[silero_vad]") {
  constexpr auto heard = model("heard", [](graph& g) {
    g.output("y", with_surroundings(g.input<f32>("x", {"B", "T", 512})));
  });
  golden_tensor x{{1, 2, 512}, {}, false};
  for (int i = 0; i < 1024; ++i) x.values.push_back(i + 1);
  on_both_backends([&](auto backend) {
    const golden_tensor y = run_model<decltype(backend)>(heard, model_weights::from({}), {{"x", x}}).at("y");
    REQUIRE(y.shape == std::vector<std::size_t>{1, 2, 640});
    for (std::size_t chunk = 0; chunk < 2; ++chunk)
      for (std::size_t i = 0; i < 640; ++i) {
        const double first = chunk == 0 ? 0 : 512;
        const double expected = i >= 576               ? first + 511 - static_cast<double>(i - 576)
                                : chunk == 0 && i < 64 ? 0
                                                       : first + static_cast<double>(i) - 63;
        REQUIRE(y.values[640 * chunk + i] == expected);
      }
  });
}
