#include "subtitles.hpp"

#include <fovea/base/error.hpp>

#include <fmt/format.h>

namespace fovea::programs {
namespace {

/// One paragraph without what parts times: nothing else of a text means anything in subtitles.
std::string in_subtitle(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  for (std::size_t at; (at = text.find("-->")) != text.npos;) text.replace(at, 3, "->");
  return text;
}

[[noreturn]] void cannot_write(const std::filesystem::path& path) {
  throw error(path.string() + ": cannot be written");
}

} // namespace

std::string clock_of(std::size_t frames, char mark) {
  return fmt::format("{:02}:{:02}:{:02}{}{:03}", frames / 360000, frames / 6000 % 60, frames / 100 % 60, mark,
                     frames % 100 * 10);
}

void expect_writable(const std::filesystem::path& path) {
  const bool is_new = !std::filesystem::exists(path);
  if (!std::ofstream(path, std::ios::binary | std::ios::app)) cannot_write(path);
  if (is_new) std::filesystem::remove(path);
}

subtitle_file::subtitle_file(const std::filesystem::path& path, form as)
    : path_(path), as_(as), out_(path, std::ios::binary) {
  write(as == form::vtt ? "WEBVTT\n\n" : "");
}

void subtitle_file::add(std::size_t begin, std::size_t end, const std::string& text) {
  const char mark = as_ == form::srt ? ',' : '.';
  const std::string number = as_ == form::srt ? fmt::format("{}\n", ++count_) : "";
  write(fmt::format("{}{} --> {}\n{}\n\n", number, clock_of(begin, mark), clock_of(end, mark),
                    in_subtitle(text)));
}

void subtitle_file::write(const std::string& text) {
  if (!(out_ << text).flush()) cannot_write(path_);
}

} // namespace fovea::programs
