#include "calendar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace forecast_program {
namespace {

using namespace std::chrono;

/// A time, and how it is written.
struct written_time {
  year_month_day day;
  seconds of_day{0};
  std::size_t parts = 1; // of a date: year, month, day
  char between = 0;      // these; 0: nothing
  char before_time = 0;  // 0: there is no time of day
  bool has_seconds = false;
  std::string_view zone = {}; // "Z" or nothing

  sys_seconds moment() const { return sys_days(day) + of_day; }
  int months() const {
    return 12 * static_cast<int>(day.year()) + static_cast<int>(unsigned(day.month())) - 1;
  }
  bool ends_month() const { return day == year_month_day(day.year() / day.month() / last); }
};

/// Reads a text from its begin on.
struct cursor {
  std::string_view left;

  std::optional<int> number(std::size_t digits) {
    if (left.size() < digits) return {};
    int value = 0;
    for (const char c : left.substr(0, digits)) {
      if (c < '0' || c > '9') return {};
      value = 10 * value + (c - '0');
    }
    left.remove_prefix(digits);
    return value;
  }
  bool take(char c) {
    const bool there = !left.empty() && left.front() == c;
    if (there) left.remove_prefix(1);
    return there;
  }
};

/// hh:mm or hh:mm:ss, and Z.
bool read_time_of_day(cursor& from, written_time& to) {
  const auto hour = from.number(2);
  if (!hour || *hour > 23 || !from.take(':')) return false;
  const auto minute = from.number(2);
  if (!minute || *minute > 59) return false;
  to.of_day = hours(*hour) + minutes(*minute);
  if (from.take(':')) {
    const auto second = from.number(2);
    if (!second || *second > 59) return false;
    to.of_day += seconds(*second);
    to.has_seconds = true;
  }
  if (from.take('Z')) to.zone = "Z";
  return true;
}

std::optional<written_time> read_time(std::string_view text) {
  cursor from{text};
  written_time made;
  const auto year_number = from.number(4);
  if (!year_number || *year_number < 1000) return {};
  std::array<int, 2> rest{1, 1}; // month and day
  for (const char c : {'-', '/', '.'})
    if (from.take(c)) made.between = c;
  const bool is_compact = from.left.size() == 4 && made.between == 0;
  for (int& part : rest) {
    if (made.parts > 1 && !is_compact && !from.take(made.between)) break;
    if (made.parts == 1 && made.between == 0 && !is_compact) break;
    const auto number = from.number(2);
    if (!number) return {};
    part = *number;
    ++made.parts;
  }
  made.day = year(*year_number) / month(static_cast<unsigned>(rest[0])) / day(static_cast<unsigned>(rest[1]));
  if (!made.day.ok()) return {};
  if (made.parts == 3 && !from.left.empty()) {
    made.before_time = from.left.front();
    if (!(from.take(' ') || from.take('T')) || !read_time_of_day(from, made)) return {};
  }
  return from.left.empty() ? std::optional(made) : std::nullopt;
}

std::string text_of(const written_time& t) {
  std::string text = fmt::format("{:04}", static_cast<int>(t.day.year()));
  const auto put = [&](unsigned part) {
    if (t.between != 0) text += t.between;
    text += fmt::format("{:02}", part);
  };
  if (t.parts > 1) put(unsigned(t.day.month()));
  if (t.parts > 2) put(unsigned(t.day.day()));
  if (t.before_time == 0) return text;
  const hh_mm_ss clock(t.of_day);
  text += fmt::format("{}{:02}:{:02}", t.before_time, clock.hours().count(), clock.minutes().count());
  if (t.has_seconds) text += fmt::format(":{:02}", clock.seconds().count());
  return text + std::string(t.zone);
}

/// The time so many months later; at its month's end where `at_end`.
written_time months_later(written_time t, int count, bool at_end) {
  const int all = t.months() + count;
  const year_month to = year(all / 12) / month(static_cast<unsigned>(all % 12) + 1);
  t.day = at_end ? year_month_day(to / last) : year_month_day(to / t.day.day());
  return t;
}
written_time seconds_later(written_time t, seconds count) {
  const sys_seconds moment = t.moment() + count;
  const auto midnight = floor<days>(moment);
  t.day = midnight, t.of_day = moment - midnight;
  return t;
}

} // namespace

std::optional<long long> seconds_of(std::string_view time) {
  const auto read = read_time(time);
  return read ? std::optional(static_cast<long long>(read->moment().time_since_epoch().count()))
              : std::nullopt;
}

std::vector<std::string> times_after(std::span<const std::string> times, std::size_t count) {
  std::vector<written_time> all;
  for (const std::string& time : times) {
    const auto read = read_time(time);
    if (!read) return {};
    all.push_back(*read);
  }
  if (all.size() < 2) return {};
  const auto apart = [&](auto distance) {
    return std::ranges::adjacent_find(all, [&](const written_time& a, const written_time& b) {
             return distance(a, b) != distance(all[0], all[1]);
           }) == all.end();
  };
  const auto in_seconds = [](const written_time& a, const written_time& b) {
    return b.moment() - a.moment();
  };
  const auto in_months = [](const written_time& a, const written_time& b) { return b.months() - a.months(); };
  const bool by_seconds = apart(in_seconds);
  const bool at_ends = std::ranges::all_of(all, &written_time::ends_month);
  const bool by_months = apart(in_months) && std::ranges::all_of(all, [&](const written_time& t) {
                           return t.of_day == all[0].of_day && (at_ends || t.day.day() == all[0].day.day());
                         });
  if (!by_seconds && !by_months) return {};
  std::vector<std::string> made;
  for (std::size_t i = 1; i <= count; ++i) {
    const int steps = static_cast<int>(i);
    const written_time next = by_months ? months_later(all.back(), steps * in_months(all[0], all[1]), at_ends)
                                        : seconds_later(all.back(), steps * in_seconds(all[0], all[1]));
    if (!next.day.ok() || next.day.year() > year(9999)) return {}; // the 30th, and then February
    made.push_back(text_of(next));
  }
  return made;
}

} // namespace forecast_program
