#include <fovea/runtime/tokenizers/normalizer.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/tokenizers/decomposition.hpp>

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace fovea::core {
namespace {

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 128; });
}

std::string in_form(std::string_view text, unicode_form form) {
  if (is_ascii(text)) return std::string(text); // is in every form
  const bool compose = form == unicode_form::nfc || form == unicode_form::nfkc;
  const bool compatible = form == unicode_form::nfkc || form == unicode_form::nfkd;
  std::vector<std::int32_t> values = decomposed(text, compatible);
  if (compose) {
    constexpr auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    const auto count =
        utf8proc_normalize_utf32(values.data(), static_cast<utf8proc_ssize_t>(values.size()), options);
    if (count < 0) throw error(std::string("text: cannot be normalised: ") + utf8proc_errmsg(count));
    values.resize(static_cast<std::size_t>(count));
  }
  std::string result;
  result.reserve(text.size());
  for (const std::int32_t value : values) append_utf8(result, static_cast<std::uint32_t>(value));
  return result;
}

/// Calls each(value, spelling) for the code points of a text.
template <typename function>
void for_each_code_point(std::string_view text, const function& each) {
  for (std::size_t at = 0; at < text.size();) {
    const auto [value, bytes] = code_point_at(text, at);
    each(value, text.substr(at, bytes));
    at += bytes;
  }
}

/// A step stops once its result has more than `most` bytes.
struct apply {
  std::string& text;
  std::size_t most;

  void operator()(const bert_normalizer& step) const {
    std::string result;
    step.append(text, result);
    text = std::move(result);
  }
  void operator()(unicode_form form) const { text = in_form(text, form); }
  void operator()(lower_case) const {
    std::string result;
    for_each_code_point(text, [&](std::uint32_t value, std::string_view) { append_lower(result, value); });
    text = std::move(result);
  }
  void operator()(strip_accents) const {
    std::string result;
    for_each_code_point(text, [&](std::uint32_t value, std::string_view spelling) {
      if (!is_mark(value)) result += spelling;
    });
    text = std::move(result);
  }
  void operator()(const strip_space& step) const {
    std::size_t first = text.size(), last = 0;
    for_each_code_point(text, [&](std::uint32_t value, std::string_view spelling) {
      if (is_white_space(value)) return;
      const auto at = static_cast<std::size_t>(spelling.data() - text.data());
      first = std::min(first, at);
      last = at + spelling.size();
    });
    if (step.right) text.resize(last);
    if (step.left) text.erase(0, first);
  }
  void operator()(const prepend& step) const {
    if (!text.empty()) text.insert(0, step.text);
  }
  void operator()(const replace_text& step) const {
    if (step.from.empty()) return;
    std::string result;
    std::size_t done = 0;
    for (std::size_t at; result.size() <= most && (at = text.find(step.from, done)) != std::string::npos;
         done = at + step.from.size())
      result.append(text, done, at - done).append(step.to);
    text = std::move(result.append(text, done));
  }
  void operator()(const replace_space_runs& step) const {
    std::string result;
    for (std::size_t at = 0; at < text.size() && result.size() <= most;) {
      const std::size_t end = std::min(text.find_first_not_of(' ', at), text.size());
      if (end - at >= 2) result += step.to;
      if (end - at == 1) result += ' ';
      at = std::min(text.find(' ', end), text.size());
      result.append(text, end, at - end);
    }
    text = std::move(result);
  }
  void operator()(const replace_white_space& step) const {
    std::string result;
    bool in_space = false;
    for_each_code_point(text, [&](std::uint32_t value, std::string_view spelling) {
      const bool space = is_white_space(value);
      if (!space) result += spelling;
      if (space && !in_space && result.size() <= most) result += step.to;
      in_space = space;
    });
    text = std::move(result);
  }
  void operator()(const precompiled_map& step) const { append_by(step); }
  void operator()(const sentence_piece_text& step) const { append_by(step); }

private:
  void append_by(const auto& step) const {
    std::string result;
    step.append(text, result, most);
    text = std::move(result);
  }
};

} // namespace

std::string normalized(const normalizer& steps, std::string_view text) {
  constexpr std::size_t most_of_a_byte = 32, most_beside = 1024;
  const std::size_t most = most_of_a_byte * text.size() + most_beside;
  std::string result(text);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::visit(apply{result, most}, steps[i]);
    if (result.size() > most)
      throw error("text: expected the normaliser to make at most " + std::to_string(most) + " bytes of " +
                  std::to_string(text.size()) + "; found more behind step " + std::to_string(i + 1) + " of " +
                  std::to_string(steps.size()));
  }
  return result;
}

} // namespace fovea::core
