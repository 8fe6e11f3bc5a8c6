#include <fovea/runtime/decoding/grammar/json_numbers.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <utility>

namespace fovea::core::grammar {
namespace {

expression digits_from(char first, char last) { return one_of(code_points({{first, last}})); }
expression any_digits(std::size_t least, std::size_t most) {
  return repeat(digits_from('0', '9'), least, most);
}
/// What may be left out, or nothing alone where there is no other way.
std::optional<expression> or_nothing(std::optional<expression> says, bool has_nothing) {
  if (!has_nothing) return says;
  return says ? optional(*std::move(says)) : sequence({});
}
std::optional<expression> one_of_ways(std::vector<expression> ways) {
  if (ways.empty()) return std::nullopt;
  return ways.size() == 1 ? std::move(ways.front()) : choice(std::move(ways));
}

number_bound negative(number_bound of) {
  of.value.is_negative = !of.value.is_negative && !(of.value.whole.empty() && of.value.fraction.empty());
  return of;
}
std::optional<number_bound> negative(std::optional<number_bound> of) {
  if (of) of = negative(*std::move(of));
  return of;
}

constexpr std::int64_t power_of_ten(std::size_t digits) {
  std::int64_t made = 1;
  for (; digits > 0; --digits) made *= 10;
  return made;
}
constexpr std::int64_t most_whole = power_of_ten(most_json_digits) - 1;

/// What stands before the point, or one more than any number has.
std::int64_t whole_of(const decimal& value) {
  if (value.whole.size() > most_json_digits) return most_whole + 1;
  std::int64_t made = 0;
  std::from_chars(value.whole.data(), value.whole.data() + value.whole.size(), made);
  return made;
}
std::int64_t least_whole(const number_bound& bound) {
  const std::int64_t whole = bound.value.is_negative ? -whole_of(bound.value) : whole_of(bound.value);
  return bound.value.fraction.empty() ? whole + bound.is_open : whole + !bound.value.is_negative;
}

/// Appends what `made_of` makes of the first and the last number of as many digits, for numbers from a least to a most,
/// neither negative.
template <class function>
void append_by_length(std::int64_t least, std::int64_t most, const function& made_of,
                      std::vector<expression>& made) {
  std::int64_t first = 0, next = 10; // of as many digits
  for (; first <= most; first = next, next *= 10)
    if (const std::int64_t low = std::max(first, least), high = std::min(next - 1, most); low <= high)
      made_of(std::to_string(low), std::to_string(high), made);
}
void append_decimals(std::int64_t least, std::int64_t most, std::vector<expression>& made) {
  const auto between = [](const std::string& low, const std::string& high, std::vector<expression>& to) {
    std::vector<byte_ranges> found;
    append_between(low, high, '0', '9', found);
    for (const byte_ranges& bytes : found) {
      std::vector<expression> number;
      for (const auto& [from, last] : bytes) number.push_back(one_of(code_points({{from, last}})));
      to.push_back(sequence(std::move(number)));
    }
  };
  append_by_length(least, most, between, made);
}

/// Multiples digit by digit. A rule says what may come where so many digits are left and those before have some
/// remainder.
class multiples {
public:
  multiples(std::int64_t of, std::vector<expression>& rules, rules_of_multiples& known)
      : of_(of), rules_(rules), known_(known) {}

  void append(std::int64_t least, std::int64_t most, std::vector<expression>& made) {
    const auto between = [&](const std::string& low, const std::string& high, std::vector<expression>& to) {
      if (std::optional<expression> found = tail({low, '0', true}, {high, '9', true}, 0))
        to.push_back(*std::move(found));
    };
    append_by_length(least, most, between, made);
  }

private:
  /// The digits that are left of a bound, which no longer bounds what has left it, nor where all that is left is loosest.
  struct rest {
    std::string_view digits;
    char loosest;
    bool bounds;
    rest behind(char digit) const {
      const std::string_view more = digits.substr(1);
      const bool still = bounds && digits.front() == digit;
      return {more, loosest, still && more.find_first_not_of(loosest) != std::string_view::npos};
    }
  };

  std::optional<expression> tail(const rest& low, const rest& high, std::int64_t remainder) {
    const std::size_t left = low.digits.size();
    if (left == 0) return remainder == 0 ? std::optional(sequence({})) : std::nullopt;
    if (!low.bounds && !high.bounds) {
      const std::optional<std::size_t> rule = free(left, remainder);
      return rule ? std::optional(rule_of(*rule)) : std::nullopt;
    }
    std::vector<expression> ways;
    const char first = low.bounds ? low.digits.front() : '0', last = high.bounds ? high.digits.front() : '9';
    for (char digit = first; digit <= last; ++digit)
      if (std::optional<expression> more =
              tail(low.behind(digit), high.behind(digit), next(remainder, digit)))
        ways.push_back(sequence({text_of({digit}), *std::move(more)}));
    return one_of_ways(std::move(ways));
  }
  std::int64_t next(std::int64_t remainder, char digit) const { return (10 * remainder + digit - '0') % of_; }

  /// Remainders that so many digits more make alike share a rule.
  std::optional<std::size_t> free(std::size_t left, std::int64_t remainder) {
    remainder %= of_ / std::gcd(of_, power_of_ten(left));
    const std::tuple key(of_, left, remainder);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    std::map<std::size_t, std::vector<code_points::range>> digits; // that lead to a rule
    std::vector<expression> ways;
    if (left == 0 && remainder == 0) ways.push_back(sequence({}));
    for (char digit = '0'; left > 0 && digit <= '9'; ++digit)
      if (const auto to = free(left - 1, next(remainder, digit))) digits[*to].emplace_back(digit, digit);
    for (auto& [to, some] : digits)
      ways.push_back(sequence({one_of(code_points(std::move(some))), rule_of(to)}));
    std::optional<std::size_t> made;
    if (std::optional<expression> says = one_of_ways(std::move(ways))) {
      made = rules_.size();
      rules_.push_back(*std::move(says));
    }
    return known_[key] = made;
  }

  std::int64_t of_;
  std::vector<expression>& rules_;
  rules_of_multiples& known_;
};

/// Where digits behind a point begin or end.
struct fraction_bound {
  std::string_view digits; // none: zero
  bool is_open = false;
  char first() const { return digits.empty() ? '0' : digits.front(); }
  fraction_bound behind() const { return {digits.substr(digits.empty() ? 0 : 1), is_open}; }
};
struct fraction_bounds {
  std::optional<fraction_bound> least = {}, most = {};
  bool has_zero() const {
    return !(least && (least->is_open || !least->digits.empty())) &&
           !(most && most->is_open && most->digits.empty());
  }
};

/// One digit or more, at most `left`, that lie in bounds.
std::optional<expression> digits_within(const fraction_bounds& in, std::size_t left) {
  if (left == 0) return std::nullopt;
  if (in.least && in.least->digits.empty() && !in.least->is_open) return digits_within({{}, in.most}, left);
  if (!in.least && !in.most) return any_digits(1, left);
  std::vector<expression> ways;
  const auto append = [&](char first, char last, const fraction_bounds& rest) {
    if (first > last) return;
    if (std::optional<expression> more = or_nothing(digits_within(rest, left - 1), rest.has_zero()))
      ways.push_back(sequence({digits_from(first, last), *std::move(more)}));
  };
  const char low = in.least ? in.least->first() : '0', high = in.most ? in.most->first() : '9';
  if (in.least && in.most && low == high) {
    append(low, low, {in.least->behind(), in.most->behind()});
  } else if (low <= high) {
    if (in.least) append(low, low, {in.least->behind(), {}});
    append(static_cast<char>(low + in.least.has_value()), static_cast<char>(high - in.most.has_value()), {});
    if (in.most) append(high, high, {{}, in.most->behind()});
  }
  return one_of_ways(std::move(ways));
}

/// Appends numbers that begin as `whole` says, with what lies behind the point in bounds.
void append_with_fraction(expression whole, const fraction_bounds& in, std::size_t digits,
                          std::vector<expression>& made) {
  std::optional<expression> behind = digits_within(in, digits);
  if (behind) behind = sequence({text_of("."), *std::move(behind)});
  if (std::optional<expression> end = or_nothing(std::move(behind), in.has_zero()))
    made.push_back(sequence({std::move(whole), *std::move(end)}));
}

/// Appends numbers between bounds, of which none is negative.
void append_numbers(const number_bound& least, const std::optional<number_bound>& most, std::size_t digits,
                    std::vector<expression>& made) {
  const std::int64_t from = whole_of(least.value), to = most ? whole_of(most->value) : most_whole + 1;
  const fraction_bound low{least.value.fraction, least.is_open};
  std::optional<fraction_bound> high;
  if (most) high = {most->value.fraction, most->is_open};
  const auto whole = [](std::int64_t number) { return text_of(std::to_string(number)); };
  if (from > std::min(to, most_whole)) return;
  if (from == to) {
    append_with_fraction(whole(from), {low, high}, digits, made);
    return;
  }
  append_with_fraction(whole(from), {low, {}}, digits, made);
  std::vector<expression> between;
  append_decimals(from + 1, to - 1, between);
  if (!between.empty()) append_with_fraction(choice(std::move(between)), {}, digits, made);
  if (to <= most_whole) append_with_fraction(whole(to), {{}, high}, digits, made);
}

} // namespace

decimal decimal_of(std::string_view number) {
  const bool is_negative = number.starts_with("-");
  number.remove_prefix(is_negative);
  const std::string_view mantissa = number.substr(0, number.find_first_of("eE"));
  int exponent = 0;
  if (mantissa.size() < number.size()) {
    std::string_view power = number.substr(mantissa.size() + 1);
    if (power.starts_with("+")) power.remove_prefix(1);
    std::from_chars(power.data(), power.data() + power.size(), exponent);
  }
  const std::size_t point = mantissa.find('.');
  std::string whole(mantissa.substr(0, point)),
      fraction(point == std::string_view::npos ? "" : mantissa.substr(point + 1));
  for (; exponent > 0; --exponent) {
    whole += fraction.empty() ? '0' : fraction.front();
    if (!fraction.empty()) fraction.erase(0, 1);
  }
  for (; exponent < 0; ++exponent) {
    fraction.insert(0, 1, whole.empty() ? '0' : whole.back());
    if (!whole.empty()) whole.pop_back();
  }
  whole.erase(0, whole.find_first_not_of('0'));
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return {is_negative && !(whole.empty() && fraction.empty()), std::move(whole), std::move(fraction)};
}

std::optional<expression> json_integers(const number_bounds& within, std::int64_t of,
                                        std::vector<expression>& rules, rules_of_multiples& known) {
  const std::int64_t least = within.least ? std::max(least_whole(*within.least), -most_whole) : -most_whole,
                     most = within.most ? std::min(-least_whole(negative(*within.most)), most_whole)
                                        : most_whole;
  multiples with(of, rules, known);
  const auto append = [&](std::int64_t from, std::int64_t to, std::vector<expression>& made) {
    if (of == 1)
      append_decimals(from, to, made);
    else
      with.append(from, to, made);
  };
  std::vector<expression> all, negatives;
  if (least < 0) append(std::max<std::int64_t>(1, -most), -least, negatives);
  if (!negatives.empty()) all.push_back(sequence({text_of("-"), choice(std::move(negatives))}));
  if (most >= 0) append(std::max<std::int64_t>(0, least), most, all);
  return one_of_ways(std::move(all));
}

std::optional<expression> json_numbers(const number_bounds& within, std::size_t digits) {
  const auto& [least, most] = within;
  std::vector<expression> all, negatives;
  if (!least || least->value.is_negative)
    append_numbers(most && most->value.is_negative ? negative(*most) : number_bound{{}, true},
                   negative(least), digits, negatives);
  if (!negatives.empty()) all.push_back(sequence({text_of("-"), choice(std::move(negatives))}));
  if (!most || !most->value.is_negative)
    append_numbers(least && !least->value.is_negative ? *least : number_bound{}, most, digits, all);
  return one_of_ways(std::move(all));
}

} // namespace fovea::core::grammar
