#pragma once

#include <fovea/base/utf8.hpp>
#include <fovea/runtime/tokenizers/bert_text.hpp>
#include <fovea/runtime/tokenizers/byte_level.hpp>
#include <fovea/runtime/tokenizers/ggml_words.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fovea::core {

// How a normalised text is cut into words.

struct whole_splitter {}; // not at all
struct white_space_splitter {};
struct bert_splitter {};
struct byte_level_splitter {
  // What a word is; by none, a text is one.
  enum class pattern { none, gpt2, llama3, qwen2, clip, clip_tokens, ggml };
  bool prefix_space; // a space in front of a text that has none
  pattern words;
  const ggml_words* rules = nullptr; // of ggml
};
/// A mark (U+2581) stands for a space and begins a word.
struct meta_space_splitter {
  enum class prefix { always, first, never }; // a mark in front of every part, of the text, of none
  std::string mark = "\u2581";
  prefix front = prefix::always;
  bool split = true; // otherwise a text is one word
};

using splitter = std::variant<whole_splitter, white_space_splitter, bert_splitter, byte_level_splitter,
                              meta_space_splitter>;

/// Calls word(text) for each word of a normalised part of a text; `front` says that the text begins with it.
template <typename function>
struct for_each_word {
  std::string_view text;
  bool front;
  const function& word;

  void operator()(const whole_splitter&) const {
    if (!text.empty()) word(text);
  }
  void operator()(const white_space_splitter&) const {
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
      const auto [value, bytes] = code_point_at(text, at);
      if (is_white_space(value)) {
        if (at > begin) word(text.substr(begin, at - begin));
        begin = at + bytes;
      }
      at += bytes;
    }
    if (begin < text.size()) word(text.substr(begin));
  }
  void operator()(const bert_splitter&) const {
    for (std::size_t at = 0; at < text.size();)
      if (const auto found = next_bert_word(text, at); !found.empty()) word(found);
  }
  void operator()(const byte_level_splitter& how) const {
    std::string prefixed;
    std::string_view rest = text;
    if (how.prefix_space && !text.starts_with(' ')) {
      prefixed.append(" ").append(text);
      rest = prefixed;
    }
    using enum byte_level_splitter::pattern;
    if (how.words == none) {
      word(rest);
      return;
    }
    if (how.words == ggml) {
      std::vector<std::string_view> words;
      how.rules->split(rest, words);
      for (const std::string_view each : words) word(each);
      return;
    }
    if (how.words == clip || how.words == clip_tokens) {
      for (std::size_t at = 0; at < rest.size();) {
        const auto found = next_clip_word(rest, at, how.words == clip_tokens);
        for (std::size_t part = 0; part < found.size();)
          word(next_gpt2_word(found, part)); // as CLIP does, too
      }
      return;
    }
    for (std::size_t at = 0; at < rest.size();)
      word(how.words == gpt2 ? next_gpt2_word(rest, at)
                             : next_llama3_word(rest, at, how.words == llama3 ? 3 : 1));
  }
  void operator()(const meta_space_splitter& how) const {
    using enum meta_space_splitter::prefix;
    if (text.empty()) return;
    std::string marked;
    for (const char c : text)
      if (c == ' ')
        marked += how.mark;
      else
        marked += c;
    if ((how.front == always || (how.front == first && front)) && !marked.starts_with(how.mark))
      marked.insert(0, how.mark);
    std::size_t begin = 0;
    for (std::size_t at = 1; how.split && (at = marked.find(how.mark, at)) != std::string::npos; ++at) {
      word(std::string_view(marked).substr(begin, at - begin));
      begin = at;
    }
    word(std::string_view(marked).substr(begin));
  }
};

} // namespace fovea::core
