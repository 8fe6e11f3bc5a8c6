#include <fovea/runtime/chat/functions.hpp>

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/read_number.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/chat/json_value.hpp>
#include <fovea/runtime/chat/letters.hpp>
#include <fovea/runtime/chat/text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

// The filters of jinja2 that published chat templates have, and transformers' tojson.

namespace fovea::core::jinja {
namespace {

struct filter {
  value (*call)(const arguments& given);
  parameters takes = {};
};

const value& subject(const arguments& given) { return given.places.front(); }
std::string subject_text(const arguments& given) { return printed(subject(given)); }

value joined_of(const std::vector<value>& all, const std::string& between) {
  std::string made;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) made += between;
    made += printed(all[i]);
    check_size(made.size());
  }
  return made;
}

/// The member that a path with points in it leads to, as in "function.name".
value member_at(value of, const value& path) {
  if (path.text() == nullptr) return item(of, path);
  std::string_view rest = *path.text();
  for (;;) {
    const std::size_t point = rest.find('.');
    const std::string_view part = rest.substr(0, point);
    const auto place = number_in<std::int64_t>(part);
    of = item(of, place ? value(*place) : value(part));
    if (point == std::string_view::npos) return of;
    rest.remove_prefix(point + 1);
  }
}

value with_case(const value& v, bool case_sensitive) {
  return v.text() != nullptr && !case_sensitive ? value(lower(*v.text())) : v;
}

/// What items are ordered by, and told apart by.
value key_of(const value& one, const value& path, bool case_sensitive) {
  return with_case(path.is_undefined() || path.is_none() ? one : member_at(one, path), case_sensitive);
}

std::vector<value> sorted(const std::vector<value>& all, const value& path, bool case_sensitive,
                          bool reversed) {
  std::vector<value> keys;
  for (const value& one : all) keys.push_back(key_of(one, path, case_sensitive));
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const value &left = keys[reversed ? b : a], &right = keys[reversed ? a : b];
    return is_less(left, right) || (!is_less(right, left) && a < b); // equal ones stay in their order
  });
  std::vector<value> made;
  for (const std::size_t i : order) made.push_back(all[i]);
  return made;
}

value sort(const arguments& given) {
  return value::of_list(sorted(iterated(subject(given)), given.at(3, "attribute"),
                               is_true(given.at(2, "case_sensitive")), is_true(given.at(1, "reverse"))));
}

/// The first of the least, or of the greatest.
template <bool least>
value extreme(const arguments& given) {
  const bool case_sensitive = is_true(given.at(1, "case_sensitive"));
  const value path = given.at(2, "attribute");
  const std::vector<value> all = sorted(iterated(subject(given)), path, case_sensitive, !least);
  return all.empty() ? value() : all.front();
}

value pairs(const value& of) {
  if (of.is_undefined()) return value::of_list({});
  if (of.members() == nullptr) throw error("items: expected an object; found " + described(of));
  return (*method(of, "items").call())({});
}

value dict_sort(const arguments& given) {
  const value by = given.at(2, "by");
  const bool by_value = !by.is_undefined() && by == value("value");
  return value::of_list(sorted(iterated(pairs(subject(given))), std::int64_t{by_value ? 1 : 0},
                               is_true(given.at(1, "case_sensitive")), is_true(given.at(3, "reverse"))));
}

value unique(const arguments& given) {
  constexpr std::size_t most = 4096; // each is held against all others
  const std::vector<value> all = iterated(subject(given));
  if (all.size() > most)
    throw error("unique: expected at most " + std::to_string(most) + " items; found " +
                std::to_string(all.size()));
  std::vector<value> keys, made;
  for (const value& one : all) {
    const value key = key_of(one, given.at(2, "attribute"), is_true(given.at(1, "case_sensitive")));
    if (std::ranges::find(keys, key) != keys.end()) continue;
    keys.push_back(key);
    made.push_back(one);
  }
  return value::of_list(std::move(made));
}

/// The arguments of a filter or a test that is applied to each item: those after the first `used`.
arguments rest_of(const arguments& given, const value& one, std::size_t used) {
  arguments made{{one}, given.named};
  for (std::size_t i = used; i < given.places.size(); ++i) made.places.push_back(given.places[i]);
  return made;
}

value map(const arguments& given) {
  // A map in a map in a map has one more for each.
  if (const std::size_t count = given.places.size() - 1; count > most_depth)
    throw error("map: expected at most " + std::to_string(most_depth) + " arguments; found " +
                std::to_string(count));
  const value path = given.at(given.places.size(), "attribute"),
              otherwise = given.at(given.places.size(), "default");
  std::vector<value> made;
  if (!is_true(subject(given))) return value::of_list({}); // as in jinja2, of none too
  std::size_t size = 0;
  for (const value& one : iterated(subject(given))) {
    if (given.places.size() > 1) {
      made.push_back(filtered(given.places[1].text_of("the name of a filter"), rest_of(given, one, 2)));
    } else if (path.is_undefined()) {
      throw error("map: expected the name of a filter, or attribute=; found neither");
    } else {
      const value member = member_at(one, path);
      made.push_back(member.is_undefined() && !otherwise.is_undefined() ? otherwise : member);
    }
    check_size(size += made.back().size());
  }
  return value::of_list(std::move(made));
}

/// The items, or those whose member, for which a test is true, or not.
template <bool wanted, bool of_member>
value chosen(const arguments& given) {
  constexpr std::size_t place = of_member ? 2 : 1;
  if (given.places.size() < place) throw error("expected the name of a member; found none");
  std::vector<value> made;
  if (!is_true(subject(given))) return value::of_list({}); // as in jinja2, of none too
  for (const value& one : iterated(subject(given))) {
    const value of = of_member ? member_at(one, given.places[1]) : one;
    const bool is = given.places.size() > place ? tested(given.places[place].text_of("the name of a test"),
                                                         rest_of(given, of, place + 1))
                                                : is_true(of);
    if (is == wanted) made.push_back(one);
  }
  return value::of_list(std::move(made));
}

value to_json(const arguments& given) {
  json_format how;
  how.ascii = is_true(given.at(1, "ensure_ascii"));
  how.sorted = is_true(given.at(4, "sort_keys"));
  if (const value indent = given.at(2, "indent"); !indent.is_undefined() && !indent.is_none()) {
    if (indent.integer() < 0 || indent.integer() > 64)
      throw error("tojson: expected an indent from 0 to 64; found " + described(indent));
    how.indent = static_cast<std::size_t>(indent.integer());
    how.item_end = ",";
  }
  if (const value ends = given.at(3, "separators"); ends.items() != nullptr) {
    how.item_end = item(ends, std::int64_t{0}).text_of("tojson: expected separators that are two texts");
    how.name_end = item(ends, std::int64_t{1}).text_of("tojson: expected separators that are two texts");
  }
  return json_text(subject(given), how);
}

value indented(const arguments& given) {
  const value width = given.at(1, "width");
  if (width.is_number()) check_size(static_cast<std::size_t>(std::max<std::int64_t>(width.integer(), 0)));
  const std::string by =
      width.is_undefined() ? "    "
      : width.text()       ? *width.text()
                     : std::string(static_cast<std::size_t>(std::max<std::int64_t>(width.integer(), 0)), ' ');
  const bool first = is_true(given.at(2, "first")), blank = is_true(given.at(3, "blank"));
  const value lines = (*method(subject_text(given) + "\n", "splitlines").call())({});
  std::string made;
  for (std::size_t i = 0; i < lines.items()->items.size(); ++i) {
    const std::string& line = *lines.items()->items[i].text();
    if (i > 0) made += '\n';
    if (i == 0 ? first : blank || !line.empty()) made += by;
    made += line;
    check_size(made.size());
  }
  return made;
}

/// A whole number in a base, which 0x, 0o or 0b may say before its digits.
std::optional<std::int64_t> whole_in_base(std::string_view text, std::int64_t base) {
  if (base < 2 || base > 36) throw error("int: expected a base from 2 to 36; found " + std::to_string(base));
  text = stripped(text);
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string_view marks = base == 16 ? "xX" : base == 8 ? "oO" : base == 2 ? "bB" : "";
  if (text.size() > 1 && text[0] == '0' && marks.find(text[1]) != std::string_view::npos)
    text.remove_prefix(2);
  if (text.starts_with('-')) return std::nullopt;
  std::int64_t made = 0;
  const auto [end, problem] =
      std::from_chars(text.data(), text.data() + text.size(), made, static_cast<int>(base));
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return is_negative ? -made : made;
}

/// The number that a text is, blanks around it and a sign before it allowed.
template <class number>
std::optional<number> written_number(std::string_view text) {
  text = stripped(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return number_in<number>(text);
}

std::optional<double> read_real(const value& v) {
  if (v.is_number()) return v.number();
  return v.text() == nullptr ? std::nullopt : written_number<double>(*v.text());
}

value to_integer(const arguments& given) {
  const value& v = subject(given);
  if (v.is_integer() || v.truth() != nullptr) return v.integer();
  if (v.text() != nullptr) {
    const value given_base = given.at(2, "base");
    const std::int64_t base = given_base.is_undefined() ? 10 : given_base.integer();
    if (const auto integer =
            base == 10 ? written_number<std::int64_t>(*v.text()) : whole_in_base(*v.text(), base))
      return *integer;
  }
  const auto real = read_real(v);
  if (real && std::abs(*real) < 0x1p63) return static_cast<std::int64_t>(*real);
  const value otherwise = given.at(1, "default");
  return otherwise.is_undefined() ? value(std::int64_t{0}) : otherwise;
}

value to_real(const arguments& given) {
  if (const auto real = read_real(subject(given))) return *real;
  const value otherwise = given.at(1, "default");
  return otherwise.is_undefined() ? value(0.0) : otherwise;
}

value rounded(const arguments& given) {
  const value precision = given.at(1, "precision"), how = given.at(2, "method");
  const double scale = std::pow(10.0, precision.is_undefined() ? 0.0 : precision.number());
  const double scaled = subject(given).number() * scale;
  const std::string method = how.is_undefined() ? "common" : how.text_of("common, ceil or floor");
  if (method == "ceil") return std::ceil(scaled) / scale;
  if (method == "floor") return std::floor(scaled) / scale;
  if (method != "common") throw error("round: expected common, ceil or floor; found " + in_quotes(method));
  return subject(given).real() == nullptr ? subject(given) : value(std::nearbyint(scaled) / scale);
}

value summed(const arguments& given) {
  const value path = given.at(1, "attribute"), start = given.at(2, "start");
  value made = start.is_undefined() ? value(std::int64_t{0}) : start;
  for (const value& one : iterated(subject(given)))
    made = binary("+", made, path.is_undefined() || path.is_none() ? one : member_at(one, path));
  return made;
}

value reversed(const arguments& given) {
  if (subject(given).text() != nullptr) return slice(subject(given), {}, {}, std::int64_t{-1});
  std::vector<value> all = iterated(subject(given));
  std::ranges::reverse(all);
  return value::of_list(std::move(all));
}

/// What stands first, at place 0, or last, at -1.
template <int place>
value at_end(const arguments& given) {
  const value& of = subject(given);
  if (of.text() != nullptr || of.items() != nullptr) return item(of, std::int64_t{place});
  const std::vector<value> all = iterated(of);
  return all.empty() ? value() : place == 0 ? all.front() : all.back();
}

value trimmed(const arguments& given) {
  const value characters = given.at(1, "chars");
  return (*method(subject_text(given), "strip").call())({{characters}, {}});
}

value replaced(const arguments& given) {
  const auto printed_at = [&](std::size_t place, const char* name) {
    return value(printed(given.at(place, name)));
  };
  return (*method(subject_text(given), "replace").call())(
      {{printed_at(1, "old"), printed_at(2, "new"), given.at(3, "count")}, {}});
}

value otherwise(const arguments& given) {
  const value& v = subject(given);
  if (!v.is_undefined() && (!is_true(given.at(2, "boolean")) || is_true(v))) return v;
  const bool is_given = given.places.size() > 1 || !given.at(1, "default_value").is_undefined();
  return is_given ? given.at(1, "default_value") : value("");
}

value join(const arguments& given) {
  const value between = given.at(1, "d"), path = given.at(2, "attribute");
  std::vector<value> all = iterated(subject(given));
  if (!path.is_undefined() && !path.is_none())
    for (value& one : all) one = member_at(one, path);
  return joined_of(all, printed(between));
}

value counted(const arguments& given) { return static_cast<std::int64_t>(length(subject(given))); }

const std::map<std::string_view, filter>& filters() {
  static const std::map<std::string_view, filter> known{
      {"abs", {[](auto& given) {
         const value& v = subject(given);
         return v.number() < 0 ? unary("-", v) : v;
       }}},
      {"capitalize", {[](auto& given) { return value(capitalized(subject_text(given))); }}},
      {"count", {counted}},
      {"d", {otherwise, {"default_value", "boolean"}}},
      {"default", {otherwise, {"default_value", "boolean"}}},
      {"dictsort", {dict_sort, {"case_sensitive", "by", "reverse"}}},
      {"first", {at_end<0>}},
      {"float", {to_real, {"default"}}},
      {"indent", {indented, {"width", "first", "blank"}}},
      {"int", {to_integer, {"default", "base"}}},
      {"items", {[](auto& given) { return pairs(subject(given)); }}},
      {"join", {join, {"d", "attribute"}}},
      {"last", {at_end<-1>}},
      {"length", {counted}},
      {"list", {[](auto& given) { return value::of_list(iterated(subject(given))); }}},
      {"lower", {[](auto& given) { return value(lower(subject_text(given))); }}},
      {"map", {map, {anything}}},
      {"max", {extreme<false>, {"case_sensitive", "attribute"}}},
      {"min", {extreme<true>, {"case_sensitive", "attribute"}}},
      {"reject", {chosen<false, false>, {anything}}},
      {"rejectattr", {chosen<false, true>, {anything}}},
      {"replace", {replaced, {"old", "new", "count"}}},
      {"reverse", {reversed}},
      {"round", {rounded, {"precision", "method"}}},
      {"safe", {[](auto& given) { return value(subject_text(given)); }}},
      {"select", {chosen<true, false>, {anything}}},
      {"selectattr", {chosen<true, true>, {anything}}},
      {"sort", {sort, {"reverse", "case_sensitive", "attribute"}}},
      {"string", {[](auto& given) { return value(subject_text(given)); }}},
      {"sum", {summed, {"attribute", "start"}}},
      {"title", {[](auto& given) { return value(title_of_words(subject_text(given))); }}},
      {"tojson", {to_json, {"ensure_ascii", "indent", "separators", "sort_keys"}}},
      {"trim", {trimmed, {"chars"}}},
      {"unique", {unique, {"case_sensitive", "attribute"}}},
      {"upper", {[](auto& given) { return value(upper(subject_text(given))); }}},
  };
  return known;
}

} // namespace

bool is_filter(std::string_view name) { return filters().contains(name); }

value filtered(std::string_view name, const arguments& given) {
  const auto found = filters().find(name);
  if (found == filters().end())
    throw error("expected one of the filters " + filter_names() + "; found " + in_quotes(name));
  check_arguments(name, found->second.takes, given, 1);
  return found->second.call(given);
}

std::string filter_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, call] : filters()) names.push_back(name);
  return listed(names);
}

} // namespace fovea::core::jinja
