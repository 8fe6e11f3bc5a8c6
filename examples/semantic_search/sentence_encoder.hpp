#pragma once

#include "text_index.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace semantic_search {

/// MiniLM with its tokenizer: texts to vectors of length 1, whose dot products are cosines.
class sentence_encoder {
public:
  static constexpr std::size_t width = 384;
  static constexpr std::size_t longest = 256; // in tokens, special ones included

  /// `folder` holds model.safetensors and tokenizer.json; threads 0: every processor. Throws fovea::error
  /// where a file is missing or unfit.
  sentence_encoder(const std::filesystem::path& folder, int threads);
  ~sentence_encoder();

  /// Changes with the weights or the tokenizer.
  content_hash identity() const;
  /// The pieces of a text, special tokens left out.
  std::size_t pieces(std::string_view text) const;
  /// Cut to `longest`.
  tokens encode(std::string_view text) const;
  /// [texts.size(), width]. `progress(done)` is told how many texts are done.
  std::vector<float> embed(
      std::span<const tokens> texts, const std::function<void(std::size_t)>& progress = [](std::size_t) {});

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace semantic_search
