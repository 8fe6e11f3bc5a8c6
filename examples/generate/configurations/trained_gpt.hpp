#pragma once

// What the configurations of train_gpt's sizes share.

#include <generate/configuration.hpp>
#include <train_gpt/sizes.hpp>

#include <utility>

namespace generate_program {

inline configuration configuration_of(const char* name, const fovea::models::gpt2_config& sizes,
                                      std::filesystem::path learned = {}) {
  return {.name = name,
          .context = sizes.context,
          .vocabulary = static_cast<std::size_t>(sizes.vocab),
          .begin = 1, // of a text's characters the first, the end of a line; 0 is the unknown one
          .end = {},
          .metadata = {},
          .learned = std::move(learned)};
}

} // namespace generate_program
