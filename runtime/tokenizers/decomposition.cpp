#include <fovea/runtime/tokenizers/decomposition.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/utf8.hpp>

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <string>

namespace fovea::core {
namespace {

utf8proc_propval_t combining_class(std::int32_t value) {
  return utf8proc_get_property(value)->combining_class;
}

} // namespace

std::vector<std::int32_t> decomposed(std::string_view text, bool compatible) {
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE |
                                                      (compatible ? UTF8PROC_COMPAT : 0));
  std::vector<std::int32_t> values;
  values.reserve(text.size());
  std::array<utf8proc_int32_t, 32> parts; // no code point has more than 18
  for (std::size_t at = 0; at < text.size();) {
    const auto [value, bytes] = code_point_at(text, at);
    int boundary = 0;
    const auto count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(value), parts.data(),
                                static_cast<utf8proc_ssize_t>(parts.size()), options, &boundary);
    if (count < 0) throw error(std::string("text: cannot be decomposed: ") + utf8proc_errmsg(count));
    values.insert(values.end(), parts.begin(), parts.begin() + count);
    at += bytes;
  }
  const auto is_starter = [](std::int32_t value) { return combining_class(value) == 0; };
  for (auto first = values.begin(); first != values.end();) {
    first = std::find_if_not(first, values.end(), is_starter);
    const auto last = std::find_if(first, values.end(), is_starter);
    std::ranges::stable_sort(first, last, {}, combining_class);
    first = last;
  }
  return values;
}

} // namespace fovea::core
