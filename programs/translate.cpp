#include <fovea/programs/translate.hpp>

#include <fovea/programs/answer_texts.hpp>
#include <fovea/programs/translator.hpp>

#include <program/program.hpp>

#include <memory>
#include <string>
#include <vector>

namespace fovea::programs {
namespace {

struct arguments : options {
  beam_options how;
  std::size_t tokens = 0;
};

void declare_search(CLI::App& app, arguments& a) {
  app.add_option("--target-tokenizer", a.target_tokenizer,
                 "That of translations, where it is another than the texts'");
  app.add_option("--beam", a.how.width, "Translations that are followed at once; 1: the likeliest token")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  app.add_option("--best", a.how.best, "Translations printed for a text")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  app.add_option("--length-power", a.how.length_power,
                 "Of the length that divides log p: 0 prefers short translations")
      ->capture_default_str();
  app.add_option("--tokens", a.tokens, "The most tokens of a translation; 0: as many as a text may have")
      ->capture_default_str()
      ->check(CLI::Range(0, 1 << 24));
}

text_answer answer_of(translator& translate, const input_text& text, const arguments& a) {
  text_answer answer;
  auto all = nlohmann::ordered_json::array();
  for (const hypothesis& h : translate(text.text, text.place, a.how, a.tokens)) {
    answer.printed += translate.text_of(h) + "\n";
    all.push_back({{"text", translate.text_of(h)}, {"log_probability", h.log_probability}});
  }
  answer.members = {{"translations", all}};
  return answer;
}

void run(const arguments& a, next_token_network_maker maker, const program_parts& parts) {
  const std::int64_t most = a.context + 1; // and the token that ends or begins it
  const std::unique_ptr<next_token_network> network = made_for_context(a, [&] {
    return maker(weights_of(a, parts),
                 {.capacity = {{"B", static_cast<std::int64_t>(a.how.width)}, {"S", most}, {"T", most}},
                  .threads = a.threads,
                  .cache = a.cache});
  });
  translator to(*network, tokenizer_of(a, parts), target_tokenizer_of(a, parts, network->vocabulary()), parts,
                static_cast<std::size_t>(a.context));
  answer_texts(a, parts, 1, [&](const std::vector<input_text>& texts) -> std::vector<text_answer> {
    return {answer_of(to, texts.front(), a)};
  });
}

} // namespace

int translate(next_token_network_maker network, const program_parts& parts, int count, char** words) {
  return program::run<arguments>(
      parts.name.c_str(), "Translates texts by a search of the likeliest tokens.", count, words,
      [&](CLI::App& app, arguments& a) {
        declare(app, a, parts);
        declare_cache(app, a);
        declare_files(app, a);
        declare_search(app, a);
      },
      [&](const arguments& a) { run(a, network, parts); });
}

} // namespace fovea::programs
