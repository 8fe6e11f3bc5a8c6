#include <fovea/programs/translate.hpp>

#include <fovea/programs/options.hpp>
#include <fovea/programs/text_input.hpp>
#include <fovea/programs/translator.hpp>

#include <program/program.hpp>
#include <terminal/terminal.hpp>

#include <nlohmann/json.hpp>

#include <memory>
#include <unistd.h>

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

std::string lines_of(translator& translate, const input_text& text, const arguments& a) {
  const std::vector<hypothesis> found = translate(text.text, text.place, a.how, a.tokens);
  std::string lines;
  if (a.json) {
    nlohmann::ordered_json line = answer_to(text);
    auto& all = line["translations"] = nlohmann::ordered_json::array();
    for (const hypothesis& h : found)
      all.push_back({{"text", translate.text_of(h)}, {"log_probability", h.log_probability}});
    lines = line.dump() + "\n";
  } else {
    for (const hypothesis& h : found) lines += translate.text_of(h) + "\n";
  }
  return lines;
}

void run(const arguments& a, next_token_network_maker maker, const program_parts& parts) {
  const std::int64_t most = a.context + 1; // and the token that ends or begins it
  const std::unique_ptr<next_token_network> network =
      maker(weights_of(a, parts),
            {.capacity = {{"B", static_cast<std::int64_t>(a.how.width)}, {"S", most}, {"T", most}},
             .threads = a.threads});
  translator to(*network, tokenizer_of(a, parts), target_tokenizer_of(a, parts, network->vocabulary()), parts,
                static_cast<std::size_t>(a.context));
  text_input input(a.files, a.field);
  terminal::progress_bar bar(parts.name, "bytes", isatty(STDOUT_FILENO) != 0 ? 0 : input.bytes());
  for (auto texts = input.next(1); !texts.empty(); texts = input.next(1)) {
    program::print(lines_of(to, texts.front(), a));
    bar.show(input.bytes_read());
  }
}

} // namespace

int translate(next_token_network_maker network, const program_parts& parts, int count, char** words) {
  return program::run<arguments>(
      parts.name.c_str(), "Translates texts by a search of the likeliest tokens.", count, words,
      [&](CLI::App& app, arguments& a) {
        declare(app, a, parts);
        declare_files(app, a);
        declare_search(app, a);
      },
      [&](const arguments& a) { run(a, network, parts); });
}

} // namespace fovea::programs
