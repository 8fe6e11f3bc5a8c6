#include <fovea/runtime/chat/json_value.hpp>

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/utf8.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace fovea::core::jinja {
namespace {

using nlohmann::json;

/// Builds values from what nlohmann's parser reads. Of a name that comes twice the last counts, as in Python.
class builder {
public:
  explicit builder(const std::string& what) : what_(what) {}
  value result() { return std::move(whole_); }

  bool null() { return put(nullptr); }
  bool boolean(bool truth) { return put(truth); }
  bool number_integer(std::int64_t number) { return put(number); }
  bool number_unsigned(std::uint64_t number) {
    if (!std::in_range<std::int64_t>(number))
      throw error(what_ + ": expected whole numbers of 64 bits; found " + std::to_string(number));
    return put(static_cast<std::int64_t>(number));
  }
  bool number_float(double number, const std::string&) { return put(number); }
  bool string(std::string& text) { return put(std::move(text)); }
  bool binary(json::binary_t&) { return false; } // not in texts
  bool start_object(std::size_t) { return begin(true); }
  bool start_array(std::size_t) { return begin(false); }
  bool key(std::string& name) {
    open_.back().name.swap(name);
    return true;
  }
  bool end_object() { return end(); }
  bool end_array() { return end(); }
  bool parse_error(std::size_t at, const std::string& last_read, const json::exception&) {
    throw error(what_ + ": expected JSON; found " + in_quotes(last_read) + " at byte " + std::to_string(at));
  }

private:
  struct level {
    bool is_object;
    std::string name = {};
    std::vector<value> items = {};
    std::vector<std::pair<std::string, value>> members = {};
  };

  bool begin(bool is_object) {
    if (open_.size() == most_depth)
      throw error(what_ + ": expected lists and objects nested at most " + std::to_string(most_depth) +
                  " deep; found more");
    open_.push_back({is_object});
    return true;
  }
  bool end() {
    level done = std::move(open_.back());
    open_.pop_back();
    return put(done.is_object ? value::of_dict(without_earlier(std::move(done.members)))
                              : value::of_list(std::move(done.items)));
  }
  bool put(value made) {
    if (open_.empty())
      whole_ = std::move(made);
    else if (open_.back().is_object)
      open_.back().members.emplace_back(std::move(open_.back().name), std::move(made));
    else
      open_.back().items.push_back(std::move(made));
    return true;
  }

  using named = std::vector<std::pair<std::string, value>>;
  static named without_earlier(named members) {
    named sorted = members;
    const auto by_name = &named::value_type::first;
    std::ranges::sort(sorted, {}, by_name);
    if (std::ranges::adjacent_find(sorted, {}, by_name) == sorted.end()) return members;
    named kept;
    for (auto& member : members) {
      const auto place = std::ranges::find(kept, member.first, by_name);
      if (place == kept.end())
        kept.push_back(std::move(member));
      else
        place->second = std::move(member.second);
    }
    return kept;
  }

  const std::string& what_;
  std::vector<level> open_;
  value whole_ = nullptr;
};

class writer {
public:
  explicit writer(const json_format& how) : how_(how) {}
  std::string result() { return std::move(text_); }

  void write(const value& v) {
    if (v.is_none())
      text_ += "null";
    else if (const bool* truth = v.truth())
      text_ += *truth ? "true" : "false";
    else if (const double* real = v.real())
      text_ += std::isnan(*real)   ? "NaN"
               : std::isinf(*real) ? *real < 0 ? "-Infinity" : "Infinity"
                                   : printed(*real);
    else if (v.is_integer())
      text_ += printed(v);
    else if (const std::string* text = v.text())
      quote(*text);
    else if (const list* l = v.items())
      between('[', ']', l->items, [&](const value& item) { write(item); });
    else if (const dict* d = v.members())
      write_members(*d);
    else
      throw error("tojson: expected a value that JSON has; found " + described(v));
    check_size(text_.size());
  }

private:
  void write_members(const dict& d) {
    auto members = d.members;
    if (how_.sorted) std::ranges::sort(members, {}, &std::pair<std::string, value>::first);
    between('{', '}', members, [&](const auto& member) {
      quote(member.first);
      text_ += how_.name_end;
      write(member.second);
    });
  }

  template <class parts, class function>
  void between(char open, char close, const parts& all, function write_one) {
    text_ += open;
    ++level_;
    bool first = true;
    for (const auto& one : all) {
      if (!first) text_ += how_.item_end;
      first = false;
      line();
      write_one(one);
    }
    --level_;
    if (!first) line();
    text_ += close;
  }
  void line() {
    if (how_.indent) (text_ += '\n').append(level_ * *how_.indent, ' ');
  }

  void quote(const std::string& text) {
    text_ += '"';
    for (std::size_t at = 0; at < text.size();) {
      const code_point point = code_point_at(text, at);
      constexpr std::string_view marked = "\"\\\n\r\t\b\f", named = "\"\\nrtbf";
      if (const auto which = marked.find(text[at]); which != std::string_view::npos)
        (text_ += '\\') += named[which];
      else if (point.value < 0x20 || (how_.ascii && point.value > 0x7e))
        escape(point.value);
      else
        text_.append(text, at, point.bytes);
      at += point.bytes;
    }
    text_ += '"';
  }
  void escape(std::uint32_t point) {
    if (point >= 0x10000) {
      escape(0xd800 + ((point - 0x10000) >> 10));
      point = 0xdc00 + ((point - 0x10000) & 0x3ff);
    }
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "\\u%04x", static_cast<unsigned>(point));
    text_ += text.data();
  }

  const json_format& how_;
  std::string text_;
  std::size_t level_ = 0;
};

} // namespace

value read_json(std::string_view text, const std::string& what) {
  builder made(what);
  json::sax_parse(text, &made);
  return made.result();
}

std::string json_text(const value& v, const json_format& how) {
  writer to(how);
  to.write(v);
  return to.result();
}

} // namespace fovea::core::jinja
