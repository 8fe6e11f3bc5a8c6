// A program with a model of its own and one of the catalogue, over the single header alone.
#include "declared.hpp"

static_assert(fovea::models::sentence_encoder<fovea::models::minilm>.parameters() > 22'000'000);

int main() { return parameters_elsewhere() == block.parameters() ? 0 : 1; }
