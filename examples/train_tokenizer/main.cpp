// Trains a tokenizer on texts of the user's, and says how many tokens a word they now take.

#include "text_parts.hpp"

#include "program/program.hpp"
#include "terminal/terminal.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/tokenizers/save_tokenizer.hpp>
#include <fovea/runtime/tokenizers/tokenizer_trainer.hpp>

#include <fmt/format.h>

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace train_tokenizer;

constexpr std::size_t part_size = std::size_t{1} << 16;

struct arguments {
  std::vector<fs::path> files;
  fs::path out = "tokenizer.json";
  std::string kind = "bpe", show;
  std::size_t size = 8000, least = 2;
  std::vector<std::string> special;
  bool cased = false;
};

void declare(CLI::App& app, arguments& a) {
  app.add_option("FILE", a.files, "Texts")->required();
  app.add_option("--out", a.out, "The tokenizer's file")->capture_default_str();
  app.add_option("--kind", a.kind, "bpe (over bytes), wordpiece, words or characters")
      ->capture_default_str()
      ->check(CLI::IsMember({"bpe", "wordpiece", "words", "characters"}));
  app.add_option("--size", a.size, "Tokens of the vocabulary at most")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 24));
  app.add_option("--least", a.least, "How often a pair, or a word, must occur to be a token")
      ->capture_default_str();
  app.add_option("--special", a.special, "A special token; may be given several times");
  app.add_flag("--cased", a.cased, "Of wordpiece and words: keep capitals and accents apart");
  app.add_option("--show", a.show, "A text whose tokens are printed");
}

/// The settings that the arguments ask for; without special tokens among them, those of their kind.
fovea::tokenizer_training training_of(const arguments& a) {
  const auto with_special = [&](auto how) -> fovea::tokenizer_training {
    if (!a.special.empty()) how.special = a.special;
    return how;
  };
  if (a.kind == "bpe")
    return with_special(fovea::byte_pair_training{.size = a.size, .minimum_count = a.least});
  if (a.kind == "wordpiece")
    return with_special(
        fovea::word_piece_training{.size = a.size, .minimum_count = a.least, .lower_case = !a.cased});
  if (a.kind == "words")
    return with_special(fovea::word_training{
        .size = a.size, .minimum_count = a.least, .lower_case = !a.cased, .punctuation = true});
  return with_special(fovea::character_training{});
}

std::string_view text_of(const fovea::core::mapped_file& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

/// The texts, mapped and in parts.
struct texts {
  std::deque<fovea::core::mapped_file> files;
  std::vector<std::string_view> parts;
  std::size_t bytes = 0;
};

texts read(const std::vector<fs::path>& paths) {
  texts all;
  for (const fs::path& path : paths) {
    const std::string_view text = text_of(all.files.emplace_back(path));
    try {
      fovea::core::check_utf8(text);
    } catch (const fovea::error& problem) {
      throw fovea::error(path.string() + ": " + problem.what());
    }
    for (const std::string_view part : parts_of(text, part_size)) all.parts.push_back(part);
    all.bytes += text.size();
  }
  return all;
}

/// Calls each(part) for all parts and shows how far it has come.
template <typename function>
void for_each_part(const texts& all, const char* doing, const function& each) {
  terminal::progress_bar bar(doing, "parts", all.parts.size());
  for (std::size_t i = 0; i < all.parts.size(); ++i) {
    bar.show(i);
    each(all.parts[i]);
  }
}

fovea::tokenizer trained(const arguments& a, const texts& all) {
  fovea::tokenizer_trainer trainer(training_of(a));
  for_each_part(all, "counting", [&](std::string_view part) { trainer.add(part); });
  terminal::progress_bar bar("joining", "tokens", a.size);
  return trainer.train([&](std::size_t done, std::size_t) { bar.show(done); });
}

/// A text's tokens, each as it is spelt.
std::string tokens_of(const fovea::tokenizer& tokens, const std::string& text) {
  std::string line;
  for (const fovea::token_id id : tokens.encode(text, {.special = false}).ids)
    fmt::format_to(std::back_inserter(line), "{}{}", line.empty() ? "" : " ", tokens.token(id));
  return line;
}

void run(const arguments& a) {
  using clock = std::chrono::steady_clock;
  const texts all = read(a.files);
  const auto start = clock::now();
  const fovea::tokenizer tokens = trained(a, all);
  const double seconds = std::chrono::duration<double>(clock::now() - start).count();
  fovea::save_tokenizer(a.out, tokens);

  std::size_t words = 0, count = 0;
  for_each_part(all, "encoding", [&](std::string_view part) {
    words += count_words(part);
    count += tokens.encode(part, {.special = false}).ids.size();
  });
  std::string text = fmt::format("{}: {} tokens, of {:.1f} MB of text in {:.1f} s\n", a.out.string(),
                                 tokens.vocabulary_size(), static_cast<double>(all.bytes) / 1e6, seconds);
  if (words > 0)
    text += fmt::format("{} words take {} tokens: {:.2f} a word, {:.2f} bytes each\n", words, count,
                        static_cast<double>(count) / static_cast<double>(words),
                        static_cast<double>(all.bytes) / static_cast<double>(count));
  if (!a.show.empty()) text += tokens_of(tokens, a.show) + "\n";
  program::print(text);
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>(
      "train_tokenizer", "Trains a tokenizer on texts, and says how many tokens a word they now take.", count,
      words, declare, run);
}
