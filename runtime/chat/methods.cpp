#include <fovea/runtime/chat/functions.hpp>

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/chat/letters.hpp>
#include <fovea/runtime/chat/text.hpp>

#include <algorithm>
#include <limits>
#include <map>

namespace fovea::core::jinja {
namespace {

using text_method = value (*)(const std::string& text, const arguments& given);

value given_sides(const std::string& text, const arguments& given, sides where) {
  const value of = given.at(0, "chars");
  if (of.is_undefined() || of.is_none()) return stripped(text, where);
  return stripped(text, where, of.text_of("a text of the characters to strip"));
}

/// How often at most; every time where it is not said or below 0.
std::size_t most_times(const arguments& given, const char* name) {
  const value most = given.at(1, name);
  const std::int64_t times = most.is_undefined() ? -1 : most.integer();
  return times < 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(times);
}

std::vector<value> words(std::string_view text, std::size_t most) {
  std::vector<value> made;
  for (text = stripped(text, {.right = false}); !text.empty(); text = stripped(text, {.right = false})) {
    std::size_t end = 0;
    if (made.size() == most) end = text.size(); // with the space at its end
    while (end < text.size() && !is_space(code_point_at(text, end).value))
      end += code_point_at(text, end).bytes;
    made.emplace_back(text.substr(0, end));
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
    made.emplace_back(text.substr(begin, end - begin));
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
  found(text, mark); // refuses what would take hours
  std::vector<value> made;
  std::size_t end = text.size();
  while (made.size() < most && end >= mark.size()) {
    const std::size_t at = text.rfind(mark, end - mark.size());
    if (at == std::string::npos) break;
    made.emplace_back(text.substr(at + mark.size(), end - at - mark.size()));
    end = at;
  }
  made.emplace_back(text.substr(0, end));
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
    made.emplace_back(text.substr(begin, (keeps ? after : end) - begin));
    begin = after;
  }
  return value::of_list(std::move(made));
}

/// Whether a text has one of these at its begin or its end.
template <bool at_begin>
value has_affix(const std::string& text, const arguments& given) {
  const value affix = given.at(0, "prefix");
  const auto has = [&](const value& one) {
    const std::string& part = one.text_of("a text, or a tuple of texts");
    return at_begin ? text.starts_with(part) : text.ends_with(part);
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

/// The place of a part, in characters.
value place(const std::string& text, std::size_t at) {
  return at == std::string::npos ? value(std::int64_t{-1})
                                 : value(static_cast<std::int64_t>(length(value(text.substr(0, at)))));
}

value count_of(const std::string& text, const arguments& given) {
  const std::string part = given.at(0, "sub").text_of("a text to count");
  if (part.empty()) return static_cast<std::int64_t>(length(value(text)) + 1);
  std::int64_t count = 0;
  for (std::size_t at = found(text, part); at != std::string::npos; at = text.find(part, at + part.size()))
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
      {"strip", [](auto& text, auto& given) { return given_sides(text, given, {}); }},
      {"lstrip", [](auto& text, auto& given) { return given_sides(text, given, {.right = false}); }},
      {"rstrip", [](auto& text, auto& given) { return given_sides(text, given, {.left = false}); }},
      {"split", split},
      {"rsplit", split_from_end},
      {"splitlines", lines},
      {"startswith", has_affix<true>},
      {"endswith", has_affix<false>},
      {"upper", [](auto& text, auto&) { return value(upper(text)); }},
      {"lower", [](auto& text, auto&) { return value(lower(text)); }},
      {"title", [](auto& text, auto&) { return value(title(text)); }},
      {"capitalize", [](auto& text, auto&) { return value(capitalized(text)); }},
      {"replace", replaced},
      {"count", count_of},
      {"find",
       [](auto& text, auto& given) { return place(text, found(text, given.at(0, "sub").text_of())); }},
      {"rfind",
       [](auto& text, auto& given) {
         const std::string part = given.at(0, "sub").text_of();
         found(text, part); // refuses what would take hours
         return place(text, text.rfind(part));
       }},
      {"index",
       [](auto& text, auto& given) {
         const value at = place(text, found(text, given.at(0, "sub").text_of()));
         if (at.integer() < 0) throw error("index: expected a text that is there; found none");
         return at;
       }},
      {"join", joined},
      {"format", formatted},
      {"removeprefix",
       [](auto& text, auto& given) {
         const std::string part = given.at(0, "prefix").text_of();
         return value(text.starts_with(part) ? text.substr(part.size()) : text);
       }},
      {"removesuffix",
       [](auto& text, auto& given) {
         const std::string part = given.at(0, "suffix").text_of();
         return value(text.ends_with(part) ? text.substr(0, text.size() - part.size()) : text);
       }},
      {"isdigit", [](auto& text, auto&) { return value(every(text, is_decimal)); }},
      {"isalpha", [](auto& text, auto&) { return value(every(text, is_letter)); }},
      {"isalnum",
       [](auto& text, auto&) {
         return value(every(text, [](std::uint32_t point) { return is_letter(point) || is_number(point); }));
       }},
      {"isspace", [](auto& text, auto&) { return value(every(text, is_space)); }},
      {"isupper", [](auto& text, auto&) { return value(upper(text) == text && lower(text) != text); }},
      {"islower", [](auto& text, auto&) { return value(lower(text) == text && upper(text) != text); }},
  };
  return all;
}

value of_dict(const dict& d, std::string_view name, const arguments& given) {
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

value method(const value& of, std::string_view name) {
  if (of.text() != nullptr) {
    const auto found = text_methods().find(name);
    if (found == text_methods().end()) return {};
    return function([of, call = found->second](const arguments& given) { return call(*of.text(), given); });
  }
  const std::string kept(name);
  if (of.members() != nullptr && is_one_of(name, {"get", "items", "keys", "values"}))
    return function([of, kept](const arguments& given) { return of_dict(*of.members(), kept, given); });
  if (of.items() != nullptr && is_one_of(name, {"count", "index"}))
    return function([of, kept](const arguments& given) { return of_list(*of.items(), kept, given); });
  return {};
}

} // namespace fovea::core::jinja
