#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace fovea::core {

/// Not constexpr: reaching it at compile time is an error whose first line shows `why`. (A throw would say
/// the same, but units for one instruction set are compiled without exceptions.)
[[noreturn]] inline void impossible([[maybe_unused]] const char* why) { __builtin_trap(); }

/// Whether two texts are equal.
constexpr bool same_text(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

constexpr bool is_finite(double x) {
  constexpr double largest = std::numeric_limits<double>::max();
  return -largest <= x && x <= largest;
}

/// Text of bounded length, built at compile time: the one sentence that says what is wrong with a model.
/// Longer text is cut; sentences are written to fit.
struct sentence {
  static constexpr std::size_t capacity = 480;
  char text[capacity + 1] = {};
  std::size_t size = 0;

  constexpr bool empty() const { return size == 0; }

  constexpr sentence& operator<<(char c) {
    if (size < capacity) text[size++] = c;
    return *this;
  }
  constexpr sentence& operator<<(const char* words) {
    for (; *words != '\0'; ++words) *this << *words;
    return *this;
  }
  constexpr sentence& operator<<(std::int64_t number) {
    if (number < 0) return *this << '-' << -number;
    if (number > 9) *this << number / 10;
    return *this << static_cast<char>('0' + number % 10);
  }
  constexpr sentence& operator<<(int number) { return *this << static_cast<std::int64_t>(number); }
  /// With at most six decimals.
  constexpr sentence& operator<<(double number) {
    if (number != number) return *this << "not a number";
    if (number < 0) return *this << '-' << -number;
    if (!is_finite(number)) return *this << "infinity";
    if (number >= 1e15) return *this << "more than 10^15";
    auto whole = static_cast<std::int64_t>(number);
    const double part = (number - static_cast<double>(whole)) * 1e6;
    auto millionths = static_cast<std::int64_t>(part);
    if (part - static_cast<double>(millionths) >= 0.5) ++millionths;
    if (millionths == 1000000) ++whole, millionths = 0;
    *this << whole;
    if (millionths == 0) return *this;
    *this << '.';
    for (std::int64_t place = 100000; millionths != 0; millionths %= place, place /= 10)
      *this << static_cast<char>('0' + millionths / place);
    return *this;
  }
  constexpr sentence& operator<<(const sentence& other) { return *this << other.text; }
};

/// The number that a sentence has for good, by which its page is found. It ends the sentence: [F0031].
struct sentence_id {
  int number;
};
constexpr sentence& operator<<(sentence& s, sentence_id id) {
  s << " [F";
  for (int place = 1000; place > 0; place /= 10) s << static_cast<char>('0' + id.number / place % 10);
  return s << ']';
}

/// Where in the user's own source a word was written. Words take it as their last, defaulted parameter.
struct source_place {
  const char* file = "";
  int line = 0;
  const char* word = nullptr; // of a word that makes several nodes: what is said of these names it

  /// The same place, at which `made_of_others` was written, unless it is part of another such word.
  constexpr source_place as(const char* made_of_others) const {
    return {file, line, word == nullptr ? made_of_others : word};
  }
};

/// The file's name without its folders, and the line: "gpt.cpp:10".
constexpr sentence& operator<<(sentence& s, source_place at) {
  const char* name = at.file;
  for (const char* c = at.file; *c != '\0'; ++c)
    if (*c == '/' || *c == '\\') name = c + 1;
  return s << name << ':' << at.line;
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::source_place;
} // namespace fovea
