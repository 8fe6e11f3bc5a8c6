#include <fovea/programs/over_texts.hpp>

#include <fovea/programs/options.hpp>

#include <program/program.hpp>
#include <terminal/terminal.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <unistd.h>
#include <utility>

namespace fovea::programs {
namespace {

constexpr std::size_t texts_of_a_call = 8, texts_at_once = 512;

/// One text on its way through the network.
struct text_work {
  input_text input;
  token_encoding tokens;
  std::vector<float> values = {};
};

text_work work_of(input_text input, const tokenizer& words, const options& o, const std::string& program) {
  const auto longest = static_cast<std::size_t>(o.context);
  try {
    token_encoding tokens = words.encode(input.text, {.max_length = longest + 1});
    if (tokens.ids.size() > longest) {
      tokens = words.encode(input.text, {.max_length = longest});
      program::notice(program, input.place + ": of the text, the first " + std::to_string(longest) +
                                   " tokens are used");
    }
    if (tokens.ids.empty()) throw error("the text is empty");
    return {std::move(input), std::move(tokens)};
  } catch (const error& problem) {
    throw error(input.place + ": " + problem.what());
  }
}

token_rows rows_of(std::span<text_work* const> texts) {
  token_rows t{.rows = texts.size(),
               .longest = texts.back()->tokens.ids.size(),
               .ids = {},
               .types = {},
               .lengths = {}};
  t.ids.resize(t.rows * t.longest), t.types.resize(t.rows * t.longest);
  for (std::size_t row = 0; row < t.rows; ++row) {
    const token_encoding& tokens = texts[row]->tokens;
    const auto at = static_cast<std::ptrdiff_t>(row * t.longest);
    std::ranges::copy(tokens.ids, t.ids.begin() + at);
    std::ranges::copy(tokens.type_ids, t.types.begin() + at);
    t.lengths.push_back(static_cast<int>(tokens.ids.size()));
  }
  return t;
}

/// Gives each text its values.
void run(text_network& network, std::vector<text_work>& texts, bool each_token) {
  std::vector<text_work*> order;
  for (text_work& text : texts) order.push_back(&text);
  const auto length = [](const text_work* text) { return text->tokens.ids.size(); };
  std::ranges::stable_sort(order, {}, length);
  for (auto first = order.begin(); first != order.end();) {
    auto last = first + std::min(static_cast<std::ptrdiff_t>(texts_of_a_call), order.end() - first);
    if (!network.takes_lengths())
      last = std::find_if(first, last, [&](const text_work* text) { return length(text) != length(*first); });
    const std::span<text_work* const> together(first, last);
    const std::span<const float> values = network(rows_of(together));
    const std::size_t row = values.size() / together.size();
    for (std::size_t i = 0; i < together.size(); ++i) {
      const std::size_t used = each_token ? row / length(together.back()) * length(together[i]) : row;
      const std::span<const float> own = values.subspan(i * row, used);
      together[i]->values.assign(own.begin(), own.end());
    }
    first = last;
  }
}

std::string line_of(const text_work& text, const text_printer& printer, const options& o) {
  const read_text read{text.input, text.tokens.ids, text.values};
  if (!o.json) return printer.line(read) + "\n";
  nlohmann::ordered_json line = answer_to(text.input);
  line.update(printer.members(read));
  return line.dump() + "\n";
}

} // namespace

int over_texts(const char* about, const program_parts& parts, text_network_maker network,
               text_printer_maker printer, bool each_token, int count, char** words) {
  return program::run<options>(
      parts.name.c_str(), about, count, words,
      [&](CLI::App& app, options& o) {
        declare(app, o, parts);
        declare_files(app, o);
      },
      [&](const options& o) {
        const tokenizer tokens = tokenizer_of(o, parts);
        const std::unique_ptr<text_network> net =
            network(weights_of(o, parts),
                    {.capacity = {{"B", texts_of_a_call}, {"T", o.context}}, .threads = o.threads});
        const std::unique_ptr<text_printer> print = printer(parts, tokens, net->width());
        text_input input(o.files, o.field);
        terminal::progress_bar bar(parts.name, "bytes", isatty(STDOUT_FILENO) != 0 ? 0 : input.bytes());
        for (auto texts = input.next(texts_at_once); !texts.empty(); texts = input.next(texts_at_once)) {
          std::vector<text_work> work;
          for (input_text& text : texts) work.push_back(work_of(std::move(text), tokens, o, parts.name));
          run(*net, work, each_token);
          std::string lines;
          for (const text_work& text : work) lines += line_of(text, *print, o);
          program::print(lines);
          bar.show(input.bytes_read());
        }
      });
}

} // namespace fovea::programs
