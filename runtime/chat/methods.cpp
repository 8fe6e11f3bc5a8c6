#include <fovea/runtime/chat/functions.hpp>

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/chat/letters.hpp>
#include <fovea/runtime/chat/text.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>

namespace fovea::core::jinja {
namespace {

struct text_method {
  value (*call)(const std::string& text, const arguments& given);
  parameters takes = {};
};

value given_sides(const std::string& text, const arguments& given, sides where) {
  const value of = given.at(0, "chars");
  if (of.is_undefined() || of.is_none()) return stripped(text, where);
  const std::string& characters = of.text_of("a text of the characters to strip");
  found(text, characters); // refuses what would take hours
  return stripped(text, where, characters);
}

/// How often at most; every time where it is not said or below 0.
std::size_t most_times(const arguments& given, const char* name) {
  const value most = given.at(1, name);
  const std::int64_t times = most.is_undefined() ? -1 : most.integer();
  return times < 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(times);
}

void append(std::string_view part, std::vector<value>& to) {
  check_parts(to.size() + 1);
  to.emplace_back(part);
}

std::vector<value> words(std::string_view text, std::size_t most) {
  std::vector<value> made;
  for (text = stripped(text, {.right = false}); !text.empty(); text = stripped(text, {.right = false})) {
    std::size_t end = 0;
    if (made.size() == most) end = text.size(); // with the space at its end
    while (end < text.size() && !is_space(code_point_at(text, end).value))
      end += code_point_at(text, end).bytes;
    append(text.substr(0, end), made);
    text.remove_prefix(end);
  }
  return made;
}

value split(const std::string& text, const arguments& given) {
  const value by = given.at(0, "sep");
  const std::size_t most = most_times(given, "maxsplit");
  if (by.is_undefined() || by.is_none()) return value::of_list(words(text, most));
  const std::string& mark = by.text_of("a text to split at");
  if (mark.empty()) throw error("split: expected a text that is not empty; found \"\"");
  std::vector<value> made;
  std::size_t begin = 0;
  for (std::size_t end = found(text, mark); end != std::string::npos && made.size() < most;
       end = text.find(mark, begin)) {
    append(std::string_view(text).substr(begin, end - begin), made);
    begin = end + mark.size();
  }
  made.emplace_back(text.substr(begin));
  return value::of_list(std::move(made));
}

value split_from_end(const std::string& text, const arguments& given) {
  const value by = given.at(0, "sep");
  const std::string& mark = by.text_of("rsplit: expected a text to split at");
  if (mark.empty()) throw error("rsplit: expected a text that is not empty; found \"\"");
  const std::size_t most = most_times(given, "maxsplit");
  std::vector<value> made;
  std::string_view left = text;
  for (std::size_t at = found_last(left, mark); at != std::string::npos && made.size() < most;
       at = found_last(left, mark)) {
    append(left.substr(at + mark.size()), made);
    left = left.substr(0, at);
  }
  made.emplace_back(left);
  std::ranges::reverse(made);
  return value::of_list(std::move(made));
}

value lines(const std::string& text, const arguments& given) {
  const bool keeps = is_true(given.at(0, "keepends"));
  std::vector<value> made;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin, bytes = 0;
    for (; end < text.size(); end += bytes) {
      const code_point point = code_point_at(text, end);
      bytes = point.bytes;
      if ((point.value >= '\n' && point.value <= '\r') || (point.value >= 0x1c && point.value <= 0x1e) ||
          point.value == 0x85 || point.value == 0x2028 || point.value == 0x2029)
        break;
    }
    const std::size_t after =
        end == text.size() ? end : end + (text.compare(end, 2, "\r\n") == 0 ? 2 : bytes);
    append(std::string_view(text).substr(begin, (keeps ? after : end) - begin), made);
    begin = after;
  }
  return value::of_list(std::move(made));
}

/// The part of a text that a method looks into, and how many characters stand before it.
struct looked_into {
  std::string_view text;
  std::int64_t before = 0;
};

/// That from `start` to `end`, as Python has them; none where it would begin behind its end.
std::optional<looked_into> part_of(const std::string& text, const arguments& given) {
  const value start = given.at(1, "start"), end = given.at(2, "end");
  const auto is_said = [](const value& v) { return !v.is_undefined() && !v.is_none(); };
  if (!is_said(start) && !is_said(end)) return looked_into{text};
  const auto count = static_cast<std::int64_t>(characters_of(text));
  const auto place_of = [&](const value& v, std::int64_t otherwise) {
    const std::int64_t at = is_said(v) ? v.integer("a whole number as a bound") : otherwise;
    return at < 0 ? std::max<std::int64_t>(at + count, 0) : at;
  };
  const std::int64_t from = place_of(start, 0), to = std::min(place_of(end, count), count);
  if (from > to) return std::nullopt;
  const std::string_view behind =
      std::string_view(text).substr(byte_at(text, static_cast<std::size_t>(from)));
  return looked_into{behind.substr(0, byte_at(behind, static_cast<std::size_t>(to - from))), from};
}

/// Whether a text has one of these at its begin or its end.
template <bool at_begin>
value has_affix(const std::string& text, const arguments& given) {
  const value affix = given.at(0, at_begin ? "prefix" : "suffix");
  const std::optional<looked_into> in = part_of(text, given);
  const auto has = [&](const value& one) {
    const std::string& part = one.text_of("a text, or a tuple of texts");
    return in && (at_begin ? in->text.starts_with(part) : in->text.ends_with(part));
  };
  if (const list* several = affix.items()) return std::ranges::any_of(several->items, has);
  return has(affix);
}

value replaced(const std::string& text, const arguments& given) {
  const std::string from = given.at(0, "old").text_of("a text to replace"),
                    to = given.at(1, "new").text_of("a text to put in its place");
  const value times = given.at(2, "count");
  const std::int64_t most = times.is_undefined() || times.is_none() || times.integer() < 0
                                ? std::numeric_limits<std::int64_t>::max()
                                : times.integer();
  std::string made;
  std::size_t at = 0, begin = 0;
  found(text, from); // refuses what would take hours
  for (std::int64_t count = 0; count < most && at <= text.size(); ++count) {
    const std::size_t next = text.find(from, at);
    if (next == std::string::npos) break;
    made.append(text, begin, next - begin) += to;
    check_size(made.size());
    begin = next + from.size();
    // An empty text stands between all characters.
    at = !from.empty() ? begin : next == text.size() ? next + 1 : next + code_point_at(text, next).bytes;
  }
  return made.append(text, begin);
}

/// The place of the first such part, or the last, in characters; -1 where there is none.
template <bool last>
value place(const std::string& text, const arguments& given) {
  const std::string part = given.at(0, "sub").text_of();
  const std::optional<looked_into> in = part_of(text, given);
  std::size_t at = std::string::npos;
  if (in) at = last ? found_last(in->text, part) : found(in->text, part); // both refuse what would take hours
  if (at == std::string::npos) return std::int64_t{-1};
  return in->before + static_cast<std::int64_t>(characters_of(in->text.substr(0, at)));
}

value count_of(const std::string& text, const arguments& given) {
  const std::string part = given.at(0, "sub").text_of("a text to count");
  const std::optional<looked_into> in = part_of(text, given);
  if (!in) return std::int64_t{0};
  if (part.empty()) return static_cast<std::int64_t>(characters_of(in->text) + 1);
  std::int64_t count = 0;
  for (std::size_t at = found(in->text, part); at != std::string::npos;
       at = in->text.find(part, at + part.size()))
    ++count;
  return count;
}

value joined(const std::string& between, const arguments& given) {
  std::string made;
  bool first = true;
  for (const value& one : iterated(given.at(0, "iterable"))) {
    if (!std::exchange(first, false)) made += between;
    made += one.text_of("texts to join");
    check_size(made.size());
  }
  return made;
}

/// Python's str.format, of fields that are a name, a number or nothing.
value formatted(const std::string& text, const arguments& given) {
  std::string made;
  std::size_t next = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_brace = text[at] == '{' || text[at] == '}';
    if (!is_brace || (at + 1 < text.size() && text[at + 1] == text[at])) {
      at += is_brace ? 1 : 0;
      made += text[at];
      continue;
    }
    const std::size_t end = text[at] == '{' ? text.find('}', at) : std::string::npos;
    const std::string field = end == std::string::npos ? "" : text.substr(at + 1, end - at - 1);
    const bool is_number =
        !field.empty() && field.size() < 4 && field.find_first_not_of("0123456789") == std::string::npos;
    const value found = end == std::string::npos ? value()
                        : field.empty()          ? given.at(next++, "")
                        : is_number              ? given.at(std::stoul(field), "")
                                                 : given.at(given.places.size(), field);
    if (found.is_undefined())
      throw error("format: expected fields that are {}, {NUMBER} or {NAME} of an argument; found " +
                  in_quotes(text.substr(at)));
    made += printed(found);
    check_size(made.size());
    at = end;
  }
  return made;
}

bool every(const std::string& text, bool (*is)(std::uint32_t)) {
  for (std::size_t at = 0; at < text.size(); at += code_point_at(text, at).bytes)
    if (!is(code_point_at(text, at).value)) return false;
  return !text.empty();
}

const std::map<std::string_view, text_method>& text_methods() {
  static const std::map<std::string_view, text_method> all{
      {"strip", {[](auto& text, auto& given) { return given_sides(text, given, {}); }, {"chars"}}},
      {"lstrip",
       {[](auto& text, auto& given) { return given_sides(text, given, {.right = false}); }, {"chars"}}},
      {"rstrip",
       {[](auto& text, auto& given) { return given_sides(text, given, {.left = false}); }, {"chars"}}},
      {"split", {split, {"sep", "maxsplit"}}},
      {"rsplit", {split_from_end, {"sep", "maxsplit"}}},
      {"splitlines", {lines, {"keepends"}}},
      {"startswith", {has_affix<true>, {"prefix", "start", "end"}}},
      {"endswith", {has_affix<false>, {"suffix", "start", "end"}}},
      {"upper", {[](auto& text, auto&) { return value(upper(text)); }}},
      {"lower", {[](auto& text, auto&) { return value(lower(text)); }}},
      {"title", {[](auto& text, auto&) { return value(title(text)); }}},
      {"capitalize", {[](auto& text, auto&) { return value(capitalized(text)); }}},
      {"replace", {replaced, {"old", "new", "count"}}},
      {"count", {count_of, {"sub", "start", "end"}}},
      {"find", {place<false>, {"sub", "start", "end"}}},
      {"rfind", {place<true>, {"sub", "start", "end"}}},
      {"index",
       {[](auto& text, auto& given) {
          const value at = place<false>(text, given);
          if (at.integer() < 0) throw error("index: expected a text that is there; found none");
          return at;
        },
        {"sub", "start", "end"}}},
      {"join", {joined, {"iterable"}}},
      {"format", {formatted, {anything}}},
      {"removeprefix",
       {[](auto& text, auto& given) {
          const std::string part = given.at(0, "prefix").text_of();
          return value(text.starts_with(part) ? text.substr(part.size()) : text);
        },
        {"prefix"}}},
      {"removesuffix",
       {[](auto& text, auto& given) {
          const std::string part = given.at(0, "suffix").text_of();
          return value(text.ends_with(part) ? text.substr(0, text.size() - part.size()) : text);
        },
        {"suffix"}}},
      {"isdigit", {[](auto& text, auto&) { return value(every(text, is_decimal)); }}},
      {"isalpha", {[](auto& text, auto&) { return value(every(text, is_letter)); }}},
      {"isalnum", {[](auto& text, auto&) {
         return value(every(text, [](std::uint32_t point) { return is_letter(point) || is_number(point); }));
       }}},
      {"isspace", {[](auto& text, auto&) { return value(every(text, is_space)); }}},
      {"isupper", {[](auto& text, auto&) { return value(upper(text) == text && lower(text) != text); }}},
      {"islower", {[](auto& text, auto&) { return value(lower(text) == text && upper(text) != text); }}},
  };
  return all;
}

value of_dict(const dict& d, std::string_view name, const arguments& given) {
  check_arguments(name, name == "get" ? parameters{"key", "default"} : parameters{}, given);
  if (name == "get") {
    const value key = given.at(0, "key");
    const value* found = key.text() != nullptr ? d.find(*key.text()) : nullptr;
    const value otherwise = given.at(1, "default");
    return found != nullptr                                      ? *found
           : otherwise.is_undefined() && given.places.size() < 2 ? value(nullptr)
                                                                 : otherwise;
  }
  std::vector<value> made;
  for (const auto& [key, member] : d.members)
    made.push_back(name == "keys"     ? value(key)
                   : name == "values" ? member
                                      : value::of_list({key, member}, true));
  return value::of_list(std::move(made));
}

value of_list(const list& l, std::string_view name, const arguments& given) {
  check_arguments(name, {"value"}, given);
  const value sought = given.at(0, "value");
  if (name == "count") return static_cast<std::int64_t>(std::ranges::count(l.items, sought));
  const auto at = std::ranges::find(l.items, sought);
  if (at == l.items.end()) throw error("index: expected an item that is there; found " + described(sought));
  return static_cast<std::int64_t>(at - l.items.begin());
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> all) {
  return std::ranges::find(all, name) != all.end();
}

} // namespace

void check_arguments(std::string_view of, const parameters& takes, const arguments& given, std::size_t used) {
  if (takes.size() == 1 && takes.front() == anything) return;
  const std::size_t places = given.places.size() - used;
  if (places > takes.size())
    throw error(std::string(of) + ": expected at most " + std::to_string(takes.size()) +
                " arguments; found " + std::to_string(places));
  const auto others = std::span(takes).subspan(places);
  for (const auto& [name, v] : given.named)
    if (std::ranges::find(others, name) == others.end())
      throw error(std::string(of) + ": expected " +
                  (others.empty() ? "no more" : "the argument " + listed({others.begin(), others.end()})) +
                  "; found " + in_quotes(name));
}

value method(const value& of, std::string_view name) {
  if (of.text() != nullptr) {
    const auto found = text_methods().find(name);
    if (found == text_methods().end()) return {};
    return value::of_method(
        [of, found](const arguments& given) {
          check_arguments(found->first, found->second.takes, given);
          return found->second.call(*of.text(), given);
        },
        of);
  }
  const std::string kept(name);
  if (of.members() != nullptr && is_one_of(name, {"get", "items", "keys", "values"}))
    return value::of_method(
        [of, kept](const arguments& given) { return of_dict(*of.members(), kept, given); }, of);
  if (of.items() != nullptr && is_one_of(name, {"count", "index"}))
    return value::of_method([of, kept](const arguments& given) { return of_list(*of.items(), kept, given); },
                            of);
  return {};
}

} // namespace fovea::core::jinja
