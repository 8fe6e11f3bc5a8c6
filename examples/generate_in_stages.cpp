// Goes on with texts by stories260K, whose layers are in two stages: mpirun -n 2 build/examples/generate_in_stages. Each
// process has the weights of its stage alone.

#include "generate/configurations/stories260K.hpp"

#include <fovea/fovea.hpp>
#include <fovea/programs/generate.hpp>
#include <fovea/runtime/staged_stream.hpp>

#ifdef FOVEA_EXAMPLE_OVER_MPI
#include <fovea/mpi/mpi_group.hpp>
#endif

#include <cstdio>
#include <type_traits>

namespace {

using namespace fovea;

inline constexpr dim T{"T"};
inline constexpr auto teller = last<T>(generate_stories260K::declared);

rank_group group() {
#ifdef FOVEA_EXAMPLE_OVER_MPI
  return mpi_group();
#else
  return {};
#endif
}

constexpr auto in_stages = [](const model_weights& weights, const compile_options& options) {
  return stream_stages<T, 2>(teller, weights, group(), options);
};

} // namespace

int main(int count, char** words) {
  // All ranks write the same text, and the first one shows it. What is wrong with one is told by it.
  const bool shows = group().rank() == 0;
  if (!shows && std::freopen("/dev/null", "w", stdout) == nullptr) return 1;
  return programs::generate<std::remove_cvref_t<decltype(teller)>, in_stages>(
      {.name = "generate_in_stages",
       .model = "stories260K in two stages",
       .format = "f32",
       .sets = {"baseline"},
       .metadata = {{"n_heads", 8}, {"llama.attention.head_count", 8}},
       .context = 512,
       .begin = "<s>",
       .end = {"<s>", "</s>"},
       .tells_speed = shows},
      count, words);
}
