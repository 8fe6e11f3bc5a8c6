#include <fovea/runtime/chat/value.hpp>

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/chat/text.hpp>

#include <algorithm>
#include <cmath>

namespace fovea::core::jinja {
namespace {

/// The size and the depth of what holds these.
template <class parts, class part_of>
std::pair<std::size_t, std::size_t> measure(const parts& all, part_of part) {
  std::size_t size = 1, depth = 0;
  for (const auto& one : all) {
    size += part(one).size();
    depth = std::max(depth, part(one).depth());
    check_size(size);
  }
  if (depth >= most_depth)
    throw error("expected lists and objects nested at most " + std::to_string(most_depth) +
                " deep; found more");
  return {size, depth + 1};
}

const value& second(const std::pair<std::string, value>& member) { return member.second; }

} // namespace

void check_size(std::size_t size) {
  if (size > most_size)
    throw error("expected values of at most " + std::to_string(most_size) + " bytes; found " +
                std::to_string(size));
}

void check_parts(std::size_t count) {
  if (count > most_parts)
    throw error("expected a text that comes apart into at most " + std::to_string(most_parts) +
                " parts; found " + std::to_string(count));
}

value::value(std::string text) {
  check_size(text.size());
  held_ = std::make_shared<const std::string>(std::move(text));
}

value::value(function call)
    : held_(std::make_shared<const held_function>(held_function{std::move(call), 1, 0})) {}

value value::of_method(function call, const value& kept) {
  value made;
  made.held_ = std::make_shared<const held_function>(
      held_function{std::move(call), kept.size() + 1, kept.depth() + 1});
  return made;
}

value value::of_list(std::vector<value> items, bool is_tuple) {
  const auto [size, depth] = measure(items, [](const value& one) -> const value& { return one; });
  value made;
  made.held_ = std::make_shared<const list>(list{std::move(items), is_tuple, size, depth});
  return made;
}

value value::of_dict(std::vector<std::pair<std::string, value>> members) {
  std::size_t names = 0;
  for (const auto& member : members) names += member.first.size();
  const auto [size, depth] = measure(members, second);
  check_size(size + names);
  value made;
  made.held_ = std::make_shared<const dict>(dict{std::move(members), size + names, depth});
  return made;
}

const function* value::call() const {
  const auto* found = pointed<const held_function>();
  return found == nullptr ? nullptr : &found->call;
}

std::int64_t value::integer(const char* expected) const {
  if (const auto* whole = std::get_if<std::int64_t>(&held_)) return *whole;
  if (const bool* is = truth()) return *is ? 1 : 0;
  throw error(std::string("expected ") + expected + "; found " + described(*this));
}

double value::number() const {
  if (const double* found = real()) return *found;
  return static_cast<double>(integer("a number"));
}

const std::string& value::text_of(const char* expected) const {
  if (const std::string* found = text()) return *found;
  throw error(std::string("expected ") + expected + "; found " + described(*this));
}

const std::string& value::undefined_name() const {
  static const std::string unnamed = "a value";
  const auto* nothing = std::get_if<undefined>(&held_);
  return nothing == nullptr || nothing->name == nullptr ? unnamed : *nothing->name;
}

std::size_t value::size() const {
  if (const std::string* found = text()) return found->size() + 1;
  if (const list* found = items()) return found->size;
  if (const dict* found = members()) return found->size;
  if (const auto* found = pointed<const held_function>()) return found->size;
  return 1;
}

std::size_t value::depth() const {
  if (const list* found = items()) return found->depth;
  if (const dict* found = members()) return found->depth;
  if (const auto* found = pointed<const held_function>()) return found->depth;
  return 0;
}

const value* dict::find(std::string_view name) const {
  const auto member = std::ranges::find(members, name, &std::pair<std::string, value>::first);
  return member == members.end() ? nullptr : &member->second;
}

value& name_space::operator[](std::string_view name) {
  const auto member = std::ranges::find(members, name, &std::pair<std::string, value>::first);
  return member == members.end() ? members.emplace_back(name, value()).second : member->second;
}

value arguments::at(std::size_t place, std::string_view name) const {
  if (place < places.size()) return places[place];
  const auto found = std::ranges::find(named, name, &std::pair<std::string, value>::first);
  return found == named.end() ? value() : found->second;
}

bool arguments::has(std::size_t place, std::string_view name) const {
  return place < places.size() ||
         std::ranges::find(named, name, &std::pair<std::string, value>::first) != named.end();
}

bool is_true(const value& v) {
  if (const bool* truth = v.truth()) return *truth;
  if (v.is_number()) return v.number() != 0;
  if (const std::string* text = v.text()) return !text->empty();
  if (const list* l = v.items()) return !l->items.empty();
  if (const dict* d = v.members()) return !d->members.empty();
  return !v.is_none() && !v.is_undefined();
}

bool operator==(const value& a, const value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.real() != nullptr || b.real() != nullptr) return a.number() == b.number();
    return a.integer() == b.integer();
  }
  if (a.text() != nullptr && b.text() != nullptr) return *a.text() == *b.text();
  if (const list* x = a.items(), *y = b.items(); x != nullptr && y != nullptr)
    return x->is_tuple == y->is_tuple && std::ranges::equal(x->items, y->items);
  if (const dict* x = a.members(), *y = b.members(); x != nullptr && y != nullptr)
    return x->members.size() == y->members.size() && std::ranges::all_of(x->members, [&](const auto& member) {
             const value* other = y->find(member.first);
             return other != nullptr && member.second == *other;
           });
  if (a.names() != nullptr) return a.names() == b.names();
  if (a.call() != nullptr) return a.call() == b.call();
  return (a.is_none() && b.is_none()) || (a.is_undefined() && b.is_undefined());
}

bool is_less(const value& a, const value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.real() != nullptr || b.real() != nullptr) return a.number() < b.number();
    return a.integer() < b.integer();
  }
  if (a.text() != nullptr && b.text() != nullptr) return *a.text() < *b.text(); // by code points, in UTF-8
  if (const list* x = a.items(), *y = b.items(); x != nullptr && y != nullptr)
    return std::ranges::lexicographical_compare(x->items, y->items, is_less);
  throw error("expected two numbers, two texts or two lists to order; found " + described(a) + " and " +
              described(b));
}

namespace {

void check_search(std::string_view text, std::string_view part) {
  constexpr std::uint64_t most_comparisons = std::uint64_t{1} << 32;
  if (!part.empty() && text.size() > most_comparisons / part.size())
    throw error("expected a shorter text to look for; found one of " + std::to_string(part.size()) +
                " bytes, to be found in " + std::to_string(text.size()));
}

} // namespace

std::size_t found(std::string_view text, std::string_view part, std::size_t from) {
  check_search(text, part);
  return text.find(part, from);
}

std::size_t found_last(std::string_view text, std::string_view part) {
  check_search(text, part);
  const auto behind = std::search(text.rbegin(), text.rend(), part.rbegin(), part.rend());
  if (behind == text.rend() && !part.empty()) return std::string_view::npos;
  return static_cast<std::size_t>(text.rend() - behind) - part.size();
}

bool contains(const value& whole, const value& part) {
  if (const std::string* text = whole.text())
    return found(*text, part.text_of("a text to look for in a text")) != std::string::npos;
  if (const list* l = whole.items()) return std::ranges::find(l->items, part) != l->items.end();
  if (const dict* d = whole.members()) return part.text() != nullptr && d->find(*part.text()) != nullptr;
  if (whole.is_undefined()) return false;
  throw error("expected a text, a list or an object to look into; found " + described(whole));
}

std::vector<value> iterated(const value& v) {
  if (const list* l = v.items()) return l->items;
  std::vector<value> parts;
  if (const dict* d = v.members()) {
    for (const auto& [name, member] : d->members) parts.emplace_back(name);
  } else if (const std::string* text = v.text()) {
    check_parts(characters_of(*text));
    for (std::size_t at = 0; at < text->size();) {
      const std::size_t bytes = code_point_at(*text, at).bytes;
      parts.emplace_back(text->substr(at, bytes));
      at += bytes;
    }
  } else if (!v.is_undefined()) {
    throw error("expected a list, an object or a text to go through; found " + described(v));
  }
  return parts;
}

std::size_t length(const value& v) {
  if (const list* l = v.items()) return l->items.size();
  if (const dict* d = v.members()) return d->members.size();
  if (v.is_undefined()) return 0;
  return characters_of(v.text_of("a list, an object or a text, which have a length"));
}

std::string described(const value& v) {
  if (v.is_undefined()) return v.undefined_name() + ", which is undefined";
  if (v.is_none()) return "none";
  if (v.text() != nullptr) return "the text " + in_quotes(*v.text());
  if (v.is_number()) return printed(v);
  if (v.items() != nullptr) return v.items()->is_tuple ? "a tuple" : "a list";
  return v.members() != nullptr ? "an object" : v.names() != nullptr ? "a namespace" : "a function";
}

} // namespace fovea::core::jinja
