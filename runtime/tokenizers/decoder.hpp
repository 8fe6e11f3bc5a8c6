#pragma once

#include <string>
#include <string_view>
#include <variant>

namespace fovea::core {

// How the tokens of a text become its bytes, one token after another.

struct plain_decoder {}; // tokens as they are spelt
struct space_decoder {}; // tokens joined by a space
struct byte_level_decoder {};
struct word_piece_decoder {
  std::string continuation;
  bool clean_up; // no space in front of punctuation and contractions
};
/// SentencePiece's spelling, in which a mark (U+2581) stands for a space.
struct meta_space_decoder {
  /// The spaces that a text loses at its front.
  enum class leading {
    kept,
    one,      // one of the first token
    run,      // all of the first token
    one_each, // one of every token until there is text
  };
  std::string mark = "\u2581";
  leading front = leading::run;
  bool byte_fallback = false; // a token <0x41> is the byte 0x41
  std::string unknown{};      // the token that stands for what is no token,
  std::string unknown_text{}; // and what is written for it
};

using decoder =
    std::variant<space_decoder, plain_decoder, byte_level_decoder, word_piece_decoder, meta_space_decoder>;

/// Appends the bytes of a token; `first` says that it stands at the text's front. Returns whether the next
/// one stands behind it.
bool append_decoded(const decoder& how, std::string_view token, bool first, std::string& bytes);

/// The token of SentencePiece's byte fallback, "<0x0A>".
std::string fallback_token(unsigned char byte);

} // namespace fovea::core
