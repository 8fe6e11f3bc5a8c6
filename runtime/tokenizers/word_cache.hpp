#pragma once

#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::core {

/// The ids of words met before. Words and ids lie in two growing buffers, so that a hit costs one hash and
/// one comparison. When it is full of most_slots / 2 words it starts anew, which bounds its memory at a few megabytes.
class word_cache {
public:
  /// The ids of `word`, appended to `ids`; `split(word, ids)` appends them where the word is new.
  template <typename function>
  void append(std::string_view word, std::vector<token_id>& ids, const function& split) {
    const std::size_t hash = std::hash<std::string_view>{}(word) | 1;
    if (slots_.empty()) slots_.resize(first_slots);
    std::size_t at = place_of(hash);
    for (; slots_[at].hash != 0; at = after(at)) {
      const slot& s = slots_[at];
      if (s.hash != hash || std::string_view(words_).substr(s.word, s.word_length) != word) continue;
      ids.insert(ids.end(), ids_.data() + s.first, ids_.data() + s.first + s.count);
      return;
    }
    const std::size_t before = ids.size();
    split(word, ids);
    if (word.size() > longest_word) return;
    if (2 * used_ == slots_.size()) {
      slots_.size() < most_slots ? grow() : clear();
      at = free_for(hash);
    }
    ++used_;
    slots_[at] = {hash, static_cast<std::uint32_t>(words_.size()), static_cast<std::uint32_t>(word.size()),
                  static_cast<std::uint32_t>(ids_.size()), static_cast<std::uint32_t>(ids.size() - before)};
    words_ += word;
    ids_.insert(ids_.end(), ids.begin() + static_cast<std::ptrdiff_t>(before), ids.end());
  }

private:
  static constexpr std::size_t first_slots = std::size_t{1} << 10, most_slots = std::size_t{1} << 16;
  static constexpr std::size_t longest_word = 64;

  struct slot {
    std::size_t hash = 0; // with its lowest bit set; 0 marks a free slot
    std::uint32_t word = 0, word_length = 0;
    std::uint32_t first = 0, count = 0;
  };

  // The lowest bit of a hash tells nothing.
  std::size_t place_of(std::size_t hash) const { return hash / 2 % slots_.size(); }
  std::size_t after(std::size_t place) const { return (place + 1) % slots_.size(); }
  std::size_t free_for(std::size_t hash) const {
    std::size_t at = place_of(hash);
    while (slots_[at].hash != 0) at = after(at);
    return at;
  }

  void grow() {
    std::vector<slot> before(2 * slots_.size());
    before.swap(slots_);
    for (const slot& s : before)
      if (s.hash != 0) slots_[free_for(s.hash)] = s;
  }
  void clear() {
    slots_.assign(most_slots, {});
    words_.clear();
    ids_.clear();
    used_ = 0;
  }

  std::vector<slot> slots_;
  std::string words_;
  std::vector<token_id> ids_;
  std::size_t used_ = 0;
};

} // namespace fovea::core
