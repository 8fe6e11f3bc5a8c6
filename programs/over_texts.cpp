#include <fovea/programs/over_texts.hpp>

#include <fovea/programs/options.hpp>
#include <fovea/programs/text_work.hpp>

#include <program/program.hpp>
#include <terminal/terminal.hpp>

#include <nlohmann/json.hpp>

#include <unistd.h>
#include <utility>

namespace fovea::programs {
namespace {

constexpr std::size_t texts_at_once = 512;

text_work work_of(input_text input, const tokenizer& words, const options& o, const std::string& program) {
  const auto longest = static_cast<std::size_t>(o.context);
  bool was_cut = false;
  text_work work = work_of(std::move(input), words, longest, was_cut);
  if (was_cut)
    program::notice(program, work.input.place + ": the text is cut to its first " + std::to_string(longest) +
                                 " tokens");
  return work;
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
          run_together(*net, work, each_token);
          std::string lines;
          for (const text_work& text : work) lines += line_of(text, *print, o);
          program::print(lines);
          bar.show(input.bytes_read());
        }
      });
}

} // namespace fovea::programs
