#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::core {

/// A set of code points. White space beyond ASCII counts as U+000B, as llama.cpp has it.
class code_point_set {
public:
  /// As a regular expression writes it: a character, `\s`, `\S`, `\p{L}` (N, P, S, M), `[a-z\p{L}]`, `[^ab]`,
  /// and
  /// `[\p{L}--a-z]` for what is left without what follows. Moves `at` behind it.
  code_point_set(std::string_view expression, std::size_t& at);

  bool contains(std::uint32_t value) const { return value < 128 ? ascii_[value] : found(value); }

private:
  struct part {
    std::uint32_t categories = 0; // a bit each
    bool space = false, no_space = false;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges{}; // first and last

    void add(std::string_view expression, std::size_t& at);
    bool has(std::uint32_t value) const;
  };
  bool found(std::uint32_t value) const;

  bool negated_ = false;
  part in_, without_;
  std::bitset<128> ascii_;
};

/// A regular expression of the kind that pre-tokenisers find words by: alternatives, of which the first that
/// matches is taken, of sets and groups `(?:...)` with `?` `*` `+` `{n}` `{n,m}` behind them, and `(?!\S)`. A
/// group is taken once or, with `?`, not at all; what matched inside it stays. Sets give back what they took,
/// as in Perl, so that a match costs a few times its length for the expressions in use.
class word_pattern {
public:
  explicit word_pattern(std::string_view expression);

  /// Where the match ends that begins at byte `at` of valid UTF-8; `none` without one.
  std::size_t match(std::string_view text, std::size_t at) const;
  static constexpr std::size_t none = ~std::size_t{0};

private:
  struct item;
  using alternative = std::vector<item>;
  struct item {
    std::vector<code_point_set> set{}; // one, or
    std::vector<alternative> group{};  // some; neither: no character but white space follows
    std::size_t least = 1, most = 1;
  };

  static std::vector<alternative> parse(std::string_view expression, std::size_t& at);
  static std::size_t match_items(const alternative& items, std::size_t index, std::string_view text,
                                 std::size_t at);
  static std::size_t match_first(const std::vector<alternative>& alternatives, std::string_view text,
                                 std::size_t at);

  std::vector<alternative> alternatives_;
};

} // namespace fovea::core
