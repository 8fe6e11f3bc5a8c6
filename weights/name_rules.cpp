#include <fovea/weights/name_rules.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>
#include <charconv>

namespace fovea::core {
namespace {

[[noreturn]] void fail(std::string_view pattern, const std::string& what) {
  throw error("names table: '" + std::string(pattern) + "': " + what);
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_not_of("0123456789", at);
  return (end == std::string_view::npos ? text.size() : end) - at;
}

/// Reads "a*i+b" with a, b and the sign optional.
long evaluate(std::string_view pattern, std::string_view expression, const std::vector<long>& indices) {
  const auto bad = [&] {
    fail(pattern,
         "expected an expression such as {i}, {2*i+1} or {i-1}; found '{" + std::string(expression) + "}'");
  };
  std::size_t at = 0;
  const auto number = [&] {
    long value = 0;
    const auto [end, status] =
        std::from_chars(expression.data() + at, expression.data() + expression.size(), value);
    if (status != std::errc()) bad();
    at = static_cast<std::size_t>(end - expression.data());
    return value;
  };
  long factor = 1;
  if (digits_at(expression, at) > 0) {
    factor = number();
    if (at >= expression.size() || expression[at] != '*') bad();
    ++at;
  }
  if (at >= expression.size() || expression[at] < 'i' || expression[at] > 'k') bad();
  const auto which = static_cast<std::size_t>(expression[at++] - 'i');
  if (which >= indices.size())
    fail(pattern, "it computes with " + std::string(1, expression[at - 1]) + "; our name has " +
                      std::to_string(indices.size()) + " '*'");
  long offset = 0;
  if (at < expression.size()) {
    const char sign = expression[at++];
    if ((sign != '+' && sign != '-') || digits_at(expression, at) == 0) bad();
    offset = sign == '+' ? number() : -number();
  }
  if (at != expression.size()) bad();
  return factor * indices[which] + offset;
}

} // namespace

std::optional<std::vector<long>> match_indices(std::string_view pattern, std::string_view name) {
  std::vector<long> indices;
  std::size_t at = 0;
  for (const char c : pattern) {
    if (c == '*') {
      const std::size_t digits = digits_at(name, at);
      long value = 0;
      if (digits == 0 ||
          std::from_chars(name.data() + at, name.data() + at + digits, value).ec != std::errc())
        return std::nullopt;
      indices.push_back(value);
      at += digits;
    } else {
      if (at >= name.size() || name[at] != c) return std::nullopt;
      ++at;
    }
  }
  if (at != name.size()) return std::nullopt;
  return indices;
}

std::string fill_indices(std::string_view pattern, const std::vector<long>& indices,
                         std::optional<long> part) {
  if (part && pattern.find("{n}") == std::string_view::npos)
    fail(pattern, "expected {n}, the number of each of the tensors that are joined");
  std::string name;
  std::size_t star = 0;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '*') {
      if (star >= indices.size())
        fail(pattern, "it has more '*' than our name, which has " + std::to_string(indices.size()));
      name += std::to_string(indices[star++]);
    } else if (pattern[at] == '{') {
      const std::size_t close = pattern.find('}', at);
      if (close == std::string_view::npos) fail(pattern, "expected a '}' for its '{'");
      const std::string_view inside = pattern.substr(at + 1, close - at - 1);
      name += std::to_string(part && inside == "n" ? *part : evaluate(pattern, inside, indices));
      at = close;
    } else {
      name += pattern[at];
    }
  }
  return name;
}

bool matches_some_index(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.starts_with("**")) {
    for (std::size_t skip = 0; skip <= name.size(); ++skip)
      if (matches_some_index(pattern.substr(2), name.substr(skip))) return true;
    return false;
  }
  if (pattern[0] == '*' || pattern[0] == '{') {
    const std::size_t close = pattern[0] == '{' ? std::min(pattern.find('}'), pattern.size() - 1) : 0;
    const std::size_t digits = digits_at(name, 0);
    return digits > 0 && matches_some_index(pattern.substr(close + 1), name.substr(digits));
  }
  return !name.empty() && name[0] == pattern[0] && matches_some_index(pattern.substr(1), name.substr(1));
}

} // namespace fovea::core
