#pragma once

#include <fovea/models/clip.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace clip_program {

/// Texts as the tokens of a CLIP of some shape.
class text_reader {
public:
  /// From a tokenizer.json. Throws fovea::error that names the file where its tokens are not those of the shape.
  text_reader(const std::filesystem::path& file, const fovea::models::clip_config& shape);

  /// Ends in the shape's end. Throws fovea::error for an empty text and for one that is too long for the shape.
  std::vector<std::int32_t> operator()(const std::string& text) const;

private:
  fovea::tokenizer words_;
  std::size_t context_;
};

} // namespace clip_program
