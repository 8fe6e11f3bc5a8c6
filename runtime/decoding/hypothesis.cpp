#include <fovea/runtime/decoding/hypothesis.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>

namespace fovea::core::detail {
namespace {

/// Where the first stop string begins.
std::size_t stop_in(const std::string& text, const stopping_options& where) {
  std::size_t first = std::string::npos;
  for (const std::string& stop : where.strings) first = std::min(first, text.find(stop));
  return first;
}

} // namespace

void check(const stopping_options& where) {
  if (where.max_tokens == 0) throw error("decoding: expected max_tokens of 1 or more; found 0");
  if (!where.strings.empty() && !where.text)
    throw error("decoding: stop strings are given, but no function `text` that spells the ids");
  if (std::ranges::count(where.strings, "") > 0) throw error("decoding: a stop string is empty");
}

std::optional<ended_by> ending(hypothesis& h, const stopping_options& where) {
  if (std::ranges::count(where.end, h.ids.back()) > 0) return ended_by::token;
  if (!where.strings.empty()) {
    h.text = where.text(h.ids);
    if (stop_in(h.text, where) != std::string::npos) return ended_by::string;
  }
  if (h.ids.size() >= where.max_tokens) return ended_by::length;
  return std::nullopt;
}

void finish(hypothesis& h, ended_by why, const stopping_options& where) {
  h.ended = why;
  if (!where.text) return;
  h.text = where.text(h.ids);
  if (why == ended_by::string) h.text.erase(stop_in(h.text, where));
}

} // namespace fovea::core::detail
