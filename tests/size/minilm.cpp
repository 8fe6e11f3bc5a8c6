// What MiniLM links where nothing is known of its processor: the kernels of every set.

#include <cstdio>
#include <fovea/fovea.hpp>
#include <fovea/models/bert.hpp>

using namespace fovea;

int main(int, char** argv) {
  auto net = compile(models::sentence_encoder<models::minilm>, load_weights(argv[1]),
                     {.capacity = {{"B", 8}, {"T", 128}}});
  const xt::xtensor<int, 2> ids = {{101, 2003, 102}}, types = {{0, 0, 0}};
  const xt::xtensor<int, 1> lengths = {3};
  auto out = net("tokens"_in = ids, "types"_in = types, "lengths"_in = lengths);
  std::printf("%g\n", static_cast<double>(out["sentence"_out](0, 0)));
}
