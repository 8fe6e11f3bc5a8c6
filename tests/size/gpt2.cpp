// What GPT-2 links.

#include <cstdio>
#include <fovea/fovea.hpp>
#include <fovea/models/gpt2.hpp>

using namespace fovea;

int main(int, char** argv) {
  constexpr models::gpt2_config c{.layers = 12, .heads = 12, .width = 768, .vocab = 50257, .context = 1024};
  auto net = compile(models::gpt2<c>, load_weights(argv[1]), {.capacity = {{"B", 1}}});
  const xt::xtensor<int, 2> ids = {{1, 2, 3}};
  auto out = net("tokens"_in = ids);
  std::printf("%g\n", static_cast<double>(out["logits"_out](0, 0, 0)));
}
