#pragma once

#include <cstddef>
#include <filesystem>
#include <fovea/base/system/file.hpp>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace fovea::programs {

/// A line and where it stands, for messages: "vectors.jsonl:3".
struct written_line {
  std::string text, place;
};

/// A file of answers, a line each, that this process alone writes. The process may be killed at any instant: what it
/// leaves is whole lines and perhaps a part of one.
class answer_file {
public:
  /// Opens or makes it. Throws fovea::error where it holds something and is not to be resumed, is no regular file, or is
  /// written by another process.
  answer_file(const std::filesystem::path& path, bool resume);

  /// The next of the lines that it held when it was opened, without its end; nothing behind them.
  std::optional<written_line> next();
  /// How many lines `next` gave.
  std::size_t lines_read() const { return lines_read_; }

  /// Whether it holds something behind the lines that `next` gave.
  bool holds_more() const { return bytes_read_ < size_; }

  /// Writes behind its lines, after a torn last one is cut. Throws std::runtime_error where that fails.
  void append(std::string_view lines);
  /// Waits until the disk has all of it. Throws std::runtime_error where that fails.
  void flush();

  const std::string& name() const { return name_; }

private:
  std::size_t end_of_lines() const;
  [[noreturn]] void fail(const char* what) const;

  std::string name_;
  core::system::file file_;
  std::ifstream lines_;
  std::size_t held_ = 0, size_ = 0; // bytes of whole lines, and of all
  std::size_t bytes_read_ = 0, lines_read_ = 0;
};

} // namespace fovea::programs
