#pragma once

#include <training/options.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace train_lm {

struct arguments {
  std::filesystem::path text, held_out, test;
  std::string model = "window";
  training::options how{.out = "lm"};
  double validation = 0.1;
  std::size_t samples = 10;

  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> all{text};
    for (const auto& other : {held_out, test})
      if (!other.empty()) all.push_back(other);
    return all;
  }
};

/// By counts: how well a character follows from the one before it.
void run_bigram(const arguments& a);
/// By counts: how well a word follows from the two before it, by interpolated Kneser-Ney; of the test text,
/// or of what is held out.
void run_ngram(const arguments& a);
/// The fixed-window neural language model over the characters of lines.
void run_window(const arguments& a);
/// Recurrent networks over words, of a table or of their characters.
void run_rnn(const arguments& a);
void run_lstm(const arguments& a);
void run_char(const arguments& a);

} // namespace train_lm
