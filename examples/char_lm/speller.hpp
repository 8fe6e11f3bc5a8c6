#pragma once

#include "character_model.hpp"

#include <fovea/base/utf8.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace char_lm_program {

using spelt = std::array<int, static_cast<std::size_t>(sizes.word_length)>;

/// Words as the network reads them: the ids of their characters between two marks, cut or padded by 0.
class speller {
public:
  // As train.py numbers them: 0 is no character; the text's own characters begin at `first`.
  static constexpr int begins = 1, ends = 2, other = 3, end_of_line = 4, first = 5;

  explicit speller(const std::vector<std::string>& characters) {
    for (std::size_t i = 0; i < characters.size(); ++i)
      ids_.emplace(characters[i], first + static_cast<int>(i));
  }

  spelt spell(const std::string& word) const {
    spelt ids{begins};
    std::size_t n = 1;
    if (word == "</s>") {
      ids[n++] = end_of_line;
    } else {
      for (std::size_t at = 0; at < word.size() && n < ids.size() - 1;) {
        const std::size_t bytes = fovea::core::code_point_at(word, at).bytes;
        const auto found = ids_.find(word.substr(at, bytes));
        ids[n++] = found == ids_.end() ? other : found->second;
        at += bytes;
      }
    }
    ids[n] = ends;
    return ids;
  }

private:
  std::unordered_map<std::string, int> ids_;
};

} // namespace char_lm_program
