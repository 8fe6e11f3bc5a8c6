#include "passages.hpp"

#include <fovea/base/utf8.hpp>

#include <algorithm>
#include <optional>

namespace semantic_search {
namespace {

// A word piece takes at least one byte, so that no part of a longer word exceeds the limit of a passage.
constexpr std::size_t longest_word = 200;

struct word {
  std::size_t begin, end, line;
  bool starts_paragraph;
};

bool is_space(std::uint32_t value) {
  return fovea::core::is_white_space(value) || value < 0x20 || (value >= 0x7f && value < 0xa0);
}

std::vector<word> words_of(std::string_view text) {
  std::vector<word> words;
  std::size_t line = 1, line_breaks = 2;
  std::optional<word> open;
  const auto close = [&](std::size_t end) {
    if (!open) return;
    open->end = end;
    words.push_back(*open);
    open.reset();
    line_breaks = 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    const fovea::core::code_point point = fovea::core::code_point_at(text, at);
    if (is_space(point.value)) {
      close(at);
      if (point.value == '\n') ++line, ++line_breaks;
    } else {
      if (open && at + point.bytes - open->begin > longest_word) close(at);
      if (!open) open = word{at, at, line, line_breaks >= 2};
    }
    at += point.bytes;
  }
  close(text.size());
  return words;
}

bool ends_sentence(std::string_view word) {
  while (!word.empty() && std::string_view(")]}\"'").find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  return !word.empty() && std::string_view(".!?;:").find(word.back()) != std::string_view::npos;
}

/// Words [first, last) of a text.
struct run {
  std::size_t first, last;
};

class splitter {
public:
  splitter(std::string_view text, const piece_counter& pieces, const split_options& options)
      : text_(text), options_(options), words_(words_of(text)) {
    pieces_before_.reserve(words_.size() + 1);
    pieces_before_.push_back(0);
    for (const word& w : words_) pieces_before_.push_back(pieces_before_.back() + pieces(spelling(w)));
  }

  std::vector<passage> passages() const {
    std::vector<passage> result;
    for (const run& r : joined(parts())) {
      const word &first = words_[r.first], &last = words_[r.last - 1];
      result.push_back({first.begin, last.end, first.line, last.line});
    }
    return result;
  }

private:
  std::string_view spelling(const word& w) const { return text_.substr(w.begin, w.end - w.begin); }
  std::size_t pieces(run r) const { return pieces_before_[r.last] - pieces_before_[r.first]; }

  /// Paragraphs, those beyond the limit in parts.
  std::vector<run> parts() const {
    std::vector<run> result;
    for (std::size_t first = 0; first < words_.size();) {
      run paragraph{first, first + 1};
      while (paragraph.last < words_.size() && !words_[paragraph.last].starts_paragraph) ++paragraph.last;
      cut(paragraph, result);
      first = paragraph.last;
    }
    return result;
  }

  void cut(run rest, std::vector<run>& result) const {
    while (pieces(rest) > options_.limit) {
      const std::size_t count = (pieces(rest) + options_.limit - 1) / options_.limit;
      const std::size_t aim = pieces(rest) / count;
      const auto distance = [&](std::size_t last) {
        const std::size_t size = pieces({rest.first, last});
        return size > aim ? size - aim : aim - size;
      };
      std::size_t sentence = 0, any = rest.first + 1;
      for (std::size_t last = rest.first + 1; last < rest.last; ++last) {
        if (pieces({rest.first, last}) > options_.limit) break;
        if (distance(last) <= distance(any)) any = last;
        if (ends_sentence(spelling(words_[last - 1])) && distance(last) <= aim / 2 &&
            (sentence == 0 || distance(last) < distance(sentence)))
          sentence = last;
      }
      if (sentence != 0) {
        result.push_back({rest.first, sentence});
        rest.first = sentence;
      } else {
        result.push_back({rest.first, any});
        std::size_t next = any;
        while (next > rest.first + 1 && pieces({next - 1, any}) <= options_.overlap) --next;
        rest.first = next;
      }
    }
    result.push_back(rest);
  }

  /// Short parts with what follows them, a short end with what precedes it.
  std::vector<run> joined(const std::vector<run>& parts) const {
    std::vector<run> result;
    for (const run& part : parts) {
      if (!result.empty() && fits(result.back(), part) && pieces(result.back()) < options_.enough)
        result.back().last = part.last;
      else
        result.push_back(part);
    }
    if (result.size() > 1 && pieces(result.back()) < options_.enough &&
        fits(result[result.size() - 2], result.back())) {
      result[result.size() - 2].last = result.back().last;
      result.pop_back();
    }
    return result;
  }
  bool fits(run one, run next) const { return pieces({one.first, next.last}) <= options_.limit; }

  std::string_view text_;
  const split_options& options_;
  std::vector<word> words_;
  std::vector<std::size_t> pieces_before_;
};

} // namespace

std::vector<passage> split_passages(std::string_view text, const piece_counter& pieces,
                                    const split_options& options) {
  return splitter(text, pieces, options).passages();
}

std::string one_line(std::string_view text) {
  std::string line;
  bool space = false;
  for (std::size_t at = 0; at < text.size();) {
    const fovea::core::code_point point = fovea::core::code_point_at(text, at);
    if (is_space(point.value)) {
      space = !line.empty();
    } else {
      if (space) line += ' ';
      space = false;
      line += text.substr(at, point.bytes);
    }
    at += point.bytes;
  }
  return line;
}

} // namespace semantic_search
