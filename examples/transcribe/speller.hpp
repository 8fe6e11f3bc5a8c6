#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace transcribe_program {

/// Characters as labels: label i + 1 is character i, a code point of UTF-8; 0 is none.
class speller {
public:
  /// The characters of some texts, in the order of their code points. Throws fovea::error where more differ
  /// than the network has classes for; `file` is where the texts stand.
  speller(const std::vector<std::string>& texts, const std::string& file);
  /// From characters.json. Throws fovea::error that names the file.
  explicit speller(const std::filesystem::path& file);

  const std::vector<std::string>& characters() const { return characters_; }
  /// Throws fovea::error that names a character that was never learned.
  std::vector<std::int32_t> labels_of(const std::string& text) const;
  /// "" for a label that stands for none.
  std::string text_of(std::int32_t label) const;
  std::string text_of(const std::vector<std::int32_t>& labels) const;

private:
  std::vector<std::string> characters_;
};

/// How many labels must be put in, left out or changed to make one text of the other (Levenshtein 1966).
std::size_t edits_between(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b);

} // namespace transcribe_program
