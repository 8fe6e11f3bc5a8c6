#pragma once

// Declaring, compiling, running and training models.

#ifdef FOVEA_OF_ONE_INSTRUCTION_SET
#error fovea_add_model: its HEADER is compiled for every instruction set; expected <fovea/dsl.hpp> in it, found <fovea/fovea.hpp>
#endif

// A model's own loops are generated in the file that includes this. A note, which -Werror leaves one.
#if !defined(__OPTIMIZE__) && !defined(FOVEA_UNOPTIMISED)
#pragma message(                                                                                             \
    "fovea: this file is compiled without optimisation, where a model's own loops take many times as long: add -O2, or define FOVEA_UNOPTIMISED")
#endif

#include <fovea/dsl.hpp>

#include <fovea/base/error.hpp>
#include <fovea/runtime/compile.hpp>
#include <fovea/runtime/stream.hpp>
#include <fovea/runtime/training/initialise.hpp>
#include <fovea/runtime/training/train.hpp>
#include <fovea/weights/expect_metadata.hpp>
#include <fovea/weights/gguf.hpp>
#include <fovea/weights/rounded.hpp>
#include <fovea/weights/weights.hpp>
#include <fovea/weights/word_vectors.hpp>
