#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace fovea::core {

namespace detail {

/// What std::filesystem::path is, as far as it is asked here.
template <class path>
concept names_a_file = requires(const path& p) {
  p.native();
  path(p.u8string());
};

/// Whose own text is one of bytes.
template <class path>
concept has_its_text = names_a_file<path> && requires(const path& p) {
  static_cast<std::string_view>(p.native());
};

/// What std::filesystem::directory_entry is.
template <class entry>
concept has_a_path = requires(const entry& e) {
  e.path().native();
};

} // namespace detail

/// A path as a text in UTF-8, from what std::filesystem::path is made from, or from one, and back. <filesystem> itself
/// takes a compiler a fifth of a second to include. It is a view: a parameter, and nothing that is kept; so a
/// call needs no memory before it has begun.
class file_path {
public:
  file_path(const char* text) : text_(text) {}
  file_path(const std::string& text) : text_(text) {}
  file_path(std::string_view text) : text_(text) {}
  template <detail::has_its_text path>
  file_path(const path& from) : text_(from.native()) {}
  template <detail::names_a_file path>
  file_path(const path& from) {
    const auto text = from.u8string();
    converted_.assign(text.begin(), text.end());
  }
  template <detail::has_a_path entry>
  file_path(const entry& from) : file_path(from.path()) {}

  std::string string() const { return converted_.empty() ? std::string(text_) : converted_; }
  template <detail::names_a_file path>
  operator path() const {
    std::string text = string();
    if constexpr (detail::has_its_text<path>)
      return path(std::move(text));
    else // would read bytes in an encoding of the system's
      return path(std::u8string(text.begin(), text.end()));
  }

private:
  std::string_view text_;
  std::string converted_; // of a system whose paths are wide
};

} // namespace fovea::core
