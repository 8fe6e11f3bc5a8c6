#include <fovea/runtime/decoding/grammar/json_lengths.hpp>

#include <algorithm>
#include <utility>

namespace fovea::core::grammar {
namespace {

constexpr std::size_t without_end = expression::without_end;

/// How many characters the shortest and the longest text have.
struct lengths {
  std::size_t least = 0, most = 0;
};

std::size_t plus(std::size_t a, std::size_t b) { return a > without_end - b ? without_end : a + b; }
std::size_t times(std::size_t a, std::size_t b) {
  if (a == 0 || b == 0) return 0;
  return a > without_end / b ? without_end : a * b;
}

lengths lengths_of(const expression& says) {
  lengths made;
  switch (says.what) {
    case expression::kind::text:
      for (const char c : says.text) made.least += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
      return {made.least, made.least};
    case expression::kind::set:
      return {1, 1};
    case expression::kind::sequence:
      for (const expression& part : says.parts) {
        const lengths more = lengths_of(part);
        made = {plus(made.least, more.least), plus(made.most, more.most)};
      }
      return made;
    case expression::kind::choice:
      made.least = without_end;
      for (const expression& part : says.parts) {
        const lengths way = lengths_of(part);
        made = {std::min(made.least, way.least), std::max(made.most, way.most)};
      }
      return made;
    case expression::kind::repeat: {
      const lengths once = lengths_of(says.parts.front());
      return {times(once.least, says.least), times(once.most, says.most)};
    }
    case expression::kind::rule:
      break;
  }
  return {0, without_end};
}

} // namespace

std::optional<expression> of_length(const expression& says, std::size_t least, std::size_t most) {
  const lengths has = lengths_of(says);
  if (has.least >= least && has.most <= most) return says;
  expression made = says;
  if (says.what == expression::kind::repeat) {
    const lengths once = lengths_of(says.parts.front());
    if (once.least != once.most || once.least == 0) return std::nullopt;
    made.least = std::max(says.least, least / once.least + (least % once.least != 0));
    made.most = std::min(says.most, most == without_end ? most : most / once.least);
    return made.least <= made.most ? std::optional(std::move(made)) : std::nullopt;
  }
  if (says.what != expression::kind::sequence) return std::nullopt;
  const auto varies = [](const expression& part) {
    const lengths of = lengths_of(part);
    return of.least != of.most;
  };
  const auto one = std::ranges::find_if(made.parts, varies);
  if (one == made.parts.end() || std::find_if(one + 1, made.parts.end(), varies) != made.parts.end())
    return std::nullopt;
  const std::size_t others = has.least - lengths_of(*one).least;
  if (most < others) return std::nullopt;
  std::optional<expression> part =
      of_length(*one, least > others ? least - others : 0, most == without_end ? most : most - others);
  if (!part) return std::nullopt;
  *one = *std::move(part);
  return made;
}

} // namespace fovea::core::grammar
