// The same in q8_0.

#include <compiled_minilm.hpp>
#include <cstdio>

using namespace fovea;

int main(int, char** argv) {
  auto net = compiled_minilm::compile<q8_0>(load_weights(argv[1]), {.capacity = {{"B", 8}, {"T", 128}}});
  const xt::xtensor<int, 2> ids = {{101, 2003, 102}}, types = {{0, 0, 0}};
  const xt::xtensor<int, 1> lengths = {3};
  auto out = net("tokens"_in = ids, "types"_in = types, "lengths"_in = lengths);
  std::printf("%g\n", static_cast<double>(out["sentence"_out](0, 0)));
}
