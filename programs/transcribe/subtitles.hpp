#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

namespace fovea::programs {

/// "00:01:02.500" of 6250 frames, with this mark in front of the thousandths.
std::string clock_of(std::size_t frames, char mark = '.');

/// Throws fovea::error where a file cannot be written; leaves what is there as it is.
void expect_writable(const std::filesystem::path& path);

/// A file of subtitles, written as they come: SubRip's, or the web's (WebVTT).
class subtitle_file {
public:
  enum class form { srt, vtt };
  /// Throws fovea::error where it cannot be written.
  subtitle_file(const std::filesystem::path& path, form as);
  /// Begin and end in frames of 0.01 s.
  void add(std::size_t begin, std::size_t end, const std::string& text);

private:
  void write(const std::string& text);

  std::filesystem::path path_;
  form as_;
  std::ofstream out_;
  std::size_t count_ = 0;
};

} // namespace fovea::programs
