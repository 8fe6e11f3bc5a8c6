#include <fovea/weights/word_vectors.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/read_number.hpp>
#include <fovea/base/regular_file.hpp>
#include <fovea/weights/byte_cursor.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace fovea::core {
namespace {

constexpr std::size_t widest = std::size_t{1} << 20;

std::string_view text_of(std::span<const std::byte> file) {
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

/// Takes the text up to the next line feed, and that, off its front; without the blanks at the line's end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

/// Takes the last field off a line's end.
std::string_view take_last(std::string_view& line) {
  const std::size_t blank = line.find_last_of(" \t");
  const std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
  const std::string_view field = line.substr(begin);
  line = line.substr(0, line.substr(0, begin).find_last_not_of(" \t") + 1);
  return field;
}

/// word2vec's first line.
struct counts {
  std::size_t words, width;
};
std::optional<counts> counts_in(std::string_view line) {
  const auto width = number_in<std::size_t>(take_last(line));
  const auto words = number_in<std::size_t>(line);
  return words && width && *width > 0 && *width <= widest ? std::optional(counts{*words, *width})
                                                          : std::nullopt;
}

/// How many numbers stand behind the first field of a line; nothing when there is something else.
std::optional<std::size_t> numbers_behind_word(std::string_view line) {
  std::size_t count = 0;
  const std::size_t blank = line.find_first_of(" \t"); // behind the first field
  while (blank < line.size()) {
    if (!number_in<float>(take_last(line))) return std::nullopt;
    ++count;
  }
  return count > 0 && !line.empty() ? std::optional(count) : std::nullopt;
}

bool has_two_numbers(std::string_view line) { return numbers_behind_word(line).value_or(0) >= 2; }

class reader {
public:
  explicit reader(const opened_file& file) : source_(file.path.string()), bytes_(file.bytes()) {}

  word_vectors read() {
    std::string_view text = text_of(bytes_);
    std::string_view rest = text;
    const std::string_view first = take_line(rest);
    if (const auto head = counts_in(first)) {
      width_ = head->width;
      std::string_view after = rest;
      std::string_view line = take_line(after);
      // In the binary format a raw float32 stands where the text has its first number.
      const bool is_text = numbers_behind_word(line).has_value();
      is_text ? read_lines(rest, 2) : read_binary(text.size() - rest.size(), head->words);
      if (words_.size() != head->words)
        fail("the first line says " + std::to_string(head->words) + " words; found " +
             std::to_string(words_.size()));
    } else {
      const auto width = numbers_behind_word(first);
      if (!width)
        fail("line 1: expected a word and its numbers, or the numbers of words and of their width; found " +
             in_quotes(first));
      width_ = *width;
      read_lines(text, 1);
    }
    return {std::move(words_), std::move(values_), width_, source_};
  }

private:
  [[noreturn]] void fail(const std::string& what) const { throw error(source_ + ": " + what); }

  void add(std::string_view word, std::size_t from) {
    const auto bad = std::find_if_not(values_.begin() + static_cast<std::ptrdiff_t>(from), values_.end(),
                                      [](float value) { return std::isfinite(value); });
    if (bad != values_.end())
      fail("word " + in_quotes(word) + ": expected finite values; found " + std::to_string(*bad));
    words_.emplace_back(word);
  }

  void read_lines(std::string_view text, std::size_t number) {
    for (; !text.empty(); ++number) {
      const std::string_view whole = take_line(text);
      std::string_view line = whole;
      if (line.empty() && text.empty()) return;
      const std::size_t from = values_.size();
      values_.resize(from + width_);
      for (std::size_t i = width_; i > 0; --i) {
        const std::string_view field = take_last(line);
        const auto value = number_in<float>(field);
        if (!value || line.empty())
          fail("line " + std::to_string(number) + ": expected a word and " + std::to_string(width_) +
               " numbers; found " + in_quotes(whole));
        values_[from + i - 1] = *value;
      }
      add(line, from);
    }
  }

  void read_binary(std::size_t from, std::size_t count) {
    byte_cursor cursor(source_, bytes_);
    cursor.take(from, "the first line");
    const std::size_t row = width_ * sizeof(float);
    for (std::size_t i = 0; i < count; ++i) {
      // word2vec ends a vector by a line feed, some other programs do not.
      std::string_view left = text_of(bytes_.subspan(cursor.position()));
      const std::size_t begin = std::min(left.find_first_not_of('\n'), left.size());
      const std::size_t blank = left.find(' ', begin);
      const std::string what = "word " + std::to_string(i + 1) + " of " + std::to_string(count);
      if (blank == std::string_view::npos)
        fail("the file is cut short: expected " + what + " and its vector");
      const std::string_view word = left.substr(begin, blank - begin);
      cursor.take(blank + 1, what);
      const auto bytes = cursor.take(row, "the vector of " + what);
      const std::size_t at = values_.size();
      values_.resize(at + width_);
      std::memcpy(values_.data() + at, bytes.data(), row);
      add(word, at);
    }
    if (text_of(bytes_.subspan(cursor.position())).find_first_not_of('\n') != std::string_view::npos)
      fail(std::to_string(cursor.left()) + " bytes follow the last of " + std::to_string(count) + " words");
  }

  std::string source_;
  std::span<const std::byte> bytes_;
  std::size_t width_ = 0;
  std::vector<std::string> words_;
  std::vector<float> values_;
};

} // namespace

word_vectors::word_vectors(std::vector<std::string> words, std::vector<float> vectors, std::size_t width,
                           const std::string& source)
    : words_(std::move(words)), vectors_(std::move(vectors)), width_(width), by_word_(words_.size()) {
  if (width_ == 0 || vectors_.size() != words_.size() * width_)
    throw error(source + ": expected " + std::to_string(words_.size()) + " vectors of width " +
                std::to_string(width_) + ", at least 1; found " + std::to_string(vectors_.size()) +
                " values");
  std::iota(by_word_.begin(), by_word_.end(), std::size_t{0});
  // Of equal words the first comes first.
  std::ranges::sort(by_word_, [this](std::size_t one, std::size_t other) {
    return std::tie(words_[one], one) < std::tie(words_[other], other);
  });
}

std::optional<std::size_t> word_vectors::find(std::string_view word) const {
  const auto at = std::ranges::lower_bound(by_word_, word, {},
                                           [this](std::size_t i) { return std::string_view(words_[i]); });
  return at != by_word_.end() && words_[*at] == word ? std::optional(*at) : std::nullopt;
}

weight_tensor word_vectors::table(std::span<const std::string> vocabulary,
                                  std::span<const float> unknown) const {
  if (!unknown.empty() && unknown.size() != width_)
    throw error("word vectors: expected a vector of width " + std::to_string(width_) +
                " for unknown words; found " + std::to_string(unknown.size()) + " values");
  weight_tensor made{{vocabulary.size(), width_}, std::vector<float>(vocabulary.size() * width_)};
  auto to = made.values.begin();
  for (const std::string& word : vocabulary) {
    const auto found = find(word);
    std::ranges::copy(found ? row(*found) : unknown, to);
    to += static_cast<std::ptrdiff_t>(width_);
  }
  return made;
}

word_vectors load_word_vectors(const file_path& path) try {
  return reader({path, std::make_shared<const mapped_file>(path)}).read();
} catch (const std::bad_alloc&) {
  refuse_memory(path);
}

bool is_word_vectors(std::span<const std::byte> file) {
  constexpr std::size_t longest_line = std::size_t{1} << 20;
  std::string_view text = text_of(file.first(std::min(file.size(), longest_line)));
  const std::string_view first = take_line(text);
  return counts_in(first) || has_two_numbers(first);
}

weight_file read_word_vectors(const opened_file& file) {
  const word_vectors read = reader(file).read();
  weight_file content;
  float* to = content.add("vectors", {read.words().size(), read.width()});
  for (std::size_t i = 0; i < read.words().size(); ++i, to += read.width())
    std::ranges::copy(read.row(i), to);
  return content;
}

} // namespace fovea::core
