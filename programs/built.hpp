#pragma once

#include <fovea/base/error.hpp>
#include <fovea/programs/parts.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/weights/weights.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace fovea::programs {

/// "ask: ask::model, weights in f32, avx512, Fovea 0.1.0": the model, the format of its weights, the instruction set in use,
/// the library's version.
std::string version_of(const program_parts& parts);

/// Whether it is built with weights.
bool has_weights(const program_parts& parts);
/// The weights in a file, or where none is named, those it is built with. Throws fovea::error, too where they say other
/// numbers of themselves than the parts.
model_weights weights_of(const program_parts& parts, const std::filesystem::path& named);
/// The same of weights in memory.
model_weights weights_of(const program_parts& parts, std::span<const std::byte> bytes,
                         const std::string& name);

/// Where the tokenizer is: in a file or, where none is named, in the GGUF file of the weights that are named, else what it
/// is built with. It has no path where there is none.
built_file tokenizer_file_of(const program_parts& parts, const std::filesystem::path& named,
                             const std::filesystem::path& weights);
/// The tokenizer there. Throws fovea::error, too where it has more than `most` tokens.
std::optional<tokenizer> tokenizer_of(const program_parts& parts, const std::filesystem::path& named,
                                      const std::filesystem::path& weights, std::size_t most);
/// That of translations, where a file is named or it is built with one.
std::optional<tokenizer> target_tokenizer_of(const program_parts& parts, const std::filesystem::path& named,
                                             std::size_t most);

/// Throws fovea::error with the same sentence, without the name in front of it that the declaration gives to the model.
[[noreturn]] void refuse_in_callers_words(const program_parts& parts, const error& problem);
/// f() of the model: who calls what is built from it knows it by another name.
template <class F>
decltype(auto) in_callers_words(const program_parts& parts, F f) try {
  return f();
} catch (const error& problem) {
  refuse_in_callers_words(parts, problem);
}

} // namespace fovea::programs
