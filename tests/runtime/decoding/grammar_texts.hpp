#pragma once

// Texts of grammars for tests.

#include <fovea/runtime/decoding/grammar/grammar_states.hpp>

#include <random>
#include <string>
#include <string_view>

namespace fovea::core::test {

/// Where a text stands in a grammar.
inline grammar::states::state state_behind(grammar::states& states, std::string_view text) {
  grammar::states::state at = states.start();
  for (const char byte : text) at = states.next(at, static_cast<unsigned char>(byte));
  return at;
}

inline bool allows(grammar::states& states, std::string_view text) {
  return states.may_end(state_behind(states, text));
}
inline bool allows(const byte_grammar& says, std::string_view text) {
  grammar::states states(says);
  return allows(states, text);
}

/// A text that is drawn byte by byte. Beyond `most` bytes it ends where it may.
inline std::string drawn_text(grammar::states& states, std::mt19937& random, std::size_t most = 300) {
  std::string text;
  grammar::states::state at = states.start();
  for (;;) {
    const bool is_long = text.size() > most;
    if (states.may_end(at) && (!states.may_go_on(at) || is_long || random() % 4 == 0)) return text;
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte)
      if (states.next(at, static_cast<unsigned char>(byte)) != grammar::states::nowhere)
        bytes += static_cast<char>(byte);
    // Long texts close what is open, when they can.
    const std::size_t close = is_long && random() % 2 ? bytes.find_first_of("\"]}") : std::string::npos;
    const char byte = close != std::string::npos ? bytes[close] : bytes[random() % bytes.size()];
    text += byte;
    at = states.next(at, static_cast<unsigned char>(byte));
  }
}

} // namespace fovea::core::test
