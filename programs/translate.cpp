#include <fovea/programs/translate.hpp>

#include <fovea/base/error.hpp>
#include <fovea/programs/options.hpp>
#include <fovea/programs/text_input.hpp>
#include <fovea/runtime/decoding/beam_search.hpp>

#include <program/program.hpp>
#include <terminal/terminal.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
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

class translator {
public:
  translator(const arguments& a, next_token_network_maker maker, const program_parts& parts)
      : a_(a), network_(made(a, maker, parts)), source_(tokenizer_of(a, parts)),
        target_(target_tokenizer_of(a, parts, network_->vocabulary())), begin_(id_of(parts.begin, target_)),
        source_end_(id_of(parts.end.front(), source_)) {
    for (const std::string& token : parts.end) end_.push_back(id_of(token, target_));
  }

  std::string lines_of(const input_text& text) {
    network_->read(source_ids(text));
    const std::size_t most = a_.tokens == 0 ? longest() : std::min(a_.tokens, longest());
    const std::vector<hypothesis> found =
        beam_search(*network_, token_ids{begin_}, a_.how, {.max_tokens = most, .end = end_});
    std::string lines;
    if (a_.json) {
      nlohmann::ordered_json line = answer_to(text);
      auto& all = line["translations"] = nlohmann::ordered_json::array();
      for (const hypothesis& h : found)
        all.push_back({{"text", target_.decode(h.ids)}, {"log_probability", h.log_probability}});
      lines = line.dump() + "\n";
    } else {
      for (const hypothesis& h : found) lines += target_.decode(h.ids) + "\n";
    }
    return lines;
  }

private:
  static std::unique_ptr<next_token_network> made(const arguments& a, next_token_network_maker maker,
                                                  const program_parts& parts) {
    const std::int64_t most = a.context + 1; // and the token that ends or begins it
    const auto rows = static_cast<std::int64_t>(a.how.width);
    return maker(weights_of(a, parts),
                 {.capacity = {{"B", rows}, {"S", most}, {"T", most}}, .threads = a.threads});
  }
  std::size_t longest() const { return static_cast<std::size_t>(a_.context); }

  token_ids source_ids(const input_text& text) const {
    token_ids ids = source_.encode(text.text).ids;
    if (ids.size() == around_) throw error(text.place + ": the text is empty");
    if (ids.back() != source_end_) ids.push_back(source_end_);
    if (ids.size() > longest() + 1)
      throw error(fmt::format("{}: the text has {} tokens; expected at most {}", text.place, ids.size() - 1,
                              longest()));
    return ids;
  }

  const arguments& a_;
  std::unique_ptr<next_token_network> network_;
  tokenizer source_, target_;
  std::size_t around_ = source_.encode("").ids.size(); // tokens that the tokenizer puts around a text
  token_id begin_, source_end_;
  token_ids end_;
};

void run(const arguments& a, next_token_network_maker maker, const program_parts& parts) {
  translator to(a, maker, parts);
  text_input input(a.files, a.field);
  terminal::progress_bar bar(parts.name, "bytes", isatty(STDOUT_FILENO) != 0 ? 0 : input.bytes());
  for (auto texts = input.next(1); !texts.empty(); texts = input.next(1)) {
    program::print(to.lines_of(texts.front()));
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
