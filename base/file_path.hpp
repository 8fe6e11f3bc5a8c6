#pragma once

#include <string>
#include <string_view>

namespace fovea::core {

namespace detail {

/// What std::filesystem::path is, as far as it is asked here.
template <class path>
concept names_a_file = requires(const path& p) {
  static_cast<std::string_view>(p.native());
  path(p.native());
};

/// What std::filesystem::directory_entry is.
template <class entry>
concept has_a_path = requires(const entry& e) {
  static_cast<std::string_view>(e.path().native());
};

} // namespace detail

/// A path as a text, from what std::filesystem::path is made from, or from one, and back. <filesystem> itself
/// takes a compiler a fifth of a second to include. It is a view: a parameter, and nothing that is kept; so a
/// call needs no memory before it has begun.
class file_path {
public:
  file_path(const char* text) : text_(text) {}
  file_path(const std::string& text) : text_(text) {}
  file_path(std::string_view text) : text_(text) {}
  template <detail::names_a_file path>
  file_path(const path& from) : text_(from.native()) {}
  template <detail::has_a_path entry>
  file_path(const entry& from) : text_(from.path().native()) {}

  std::string string() const { return std::string(text_); }
  template <detail::names_a_file path>
  operator path() const {
    return path(string());
  }

private:
  std::string_view text_;
};

} // namespace fovea::core
