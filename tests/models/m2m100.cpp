#include <fovea/models/m2m100.hpp>

#include "translator_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace fovea::models;

namespace {

constexpr m2m100_config tiny{
    .layers = 2, .block = {.heads = 4, .width = 32, .inner = 48, .norm_first = true}, .vocab = 96};

// As transformers counts the published models.
static_assert(m2m100<m2m100_418m>.parameters() == 483'905'536);
static_assert(m2m100<nllb_600m>.parameters() == 615'073'792);

constexpr auto shown = model(
    "m2m100_shown",
    [](graph& g) {
      show_translator(
          g, m2m100_stacks(tiny),
          [](expr words, expr tokens) { return m2m100_embeddings(words, tokens, tiny); },
          [](expr x, expr words) { return matmul(x, transpose(words)); });
    },
    m2m100_names);

} // namespace

TEST_CASE("M2M-100 agrees with transformers' M2M100ForConditionalGeneration", "[m2m100]") {
  check_translator(case_of_today("m2m100"), shown, m2m100<tiny>, m2m100_loss<tiny>);
}
