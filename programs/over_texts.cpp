#include <fovea/programs/over_texts.hpp>

#include <fovea/programs/answer_texts.hpp>
#include <fovea/programs/text_work.hpp>

#include <program/program.hpp>

#include <memory>
#include <string>
#include <vector>

namespace fovea::programs {
namespace {

constexpr std::size_t texts_at_once = 512;

/// Reads texts by a network, and makes an answer to each by a printer.
std::vector<text_answer> answers_to(const std::vector<input_text>& texts, text_network& net,
                                    const tokenizer& words, const text_printer& printer, bool each_token,
                                    const options& o, const std::string& program) {
  const auto longest = static_cast<std::size_t>(o.context);
  std::vector<text_work> work;
  for (const input_text& text : texts) {
    bool was_cut = false;
    work.push_back(work_of(text, words, longest, was_cut));
    if (was_cut)
      program::notice(program,
                      text.place + ": the text is cut to its first " + std::to_string(longest) + " tokens");
  }
  run_together(net, work, each_token);
  std::vector<text_answer> answers;
  for (const text_work& one : work) {
    const read_text read{one.input, one.tokens.ids, one.values};
    answers.push_back(o.json ? text_answer{.members = printer.members(read)}
                             : text_answer{.printed = printer.line(read) + "\n"});
  }
  return answers;
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
        const std::unique_ptr<text_network> net = made_for_context(o, [&] {
          return network(weights_of(o, parts),
                         {.capacity = {{"B", texts_of_a_call}, {"T", o.context}}, .threads = o.threads});
        });
        const std::unique_ptr<text_printer> print = printer(parts, tokens, net->width());
        answer_texts(o, parts, texts_at_once, [&](const std::vector<input_text>& texts) {
          return answers_to(texts, *net, tokens, *print, each_token, o, parts.name);
        });
      });
}

} // namespace fovea::programs
