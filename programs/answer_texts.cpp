#include <fovea/programs/answer_texts.hpp>

#include <fovea/base/system/terminal.hpp>
#include <fovea/programs/resumed_answers.hpp>

#include <program/program.hpp>
#include <terminal/terminal.hpp>

#include <optional>
#include <string>

namespace fovea::programs {
namespace {

std::string lines_of(const std::vector<input_text>& texts, const text_answerer& answer, bool json) {
  const std::vector<text_answer> answers = answer(texts);
  std::string lines;
  for (std::size_t i = 0; i < texts.size(); ++i)
    lines += json ? json_line(texts[i], answers[i].members) : answers[i].printed;
  return lines;
}

} // namespace

void answer_texts(const options& o, const program_parts& parts, std::size_t at_once,
                  const text_answerer& answer) {
  std::optional<resumed_answers> file;
  if (!o.output.empty()) file.emplace(o.output, o.resume, answer, parts.name);
  text_input input(o.files, {.field = o.field, .part = o.part, .waits = file.has_value()});
  const bool shown = file || !core::system::is_terminal(stdout); // unless answers come there themselves
  terminal::progress_bar bar(parts.name, "bytes", shown ? input.bytes() : 0);
  for (auto texts = input.next(at_once); !texts.empty(); texts = input.next(at_once)) {
    if (file)
      file->take(texts);
    else
      program::print(lines_of(texts, answer, o.json));
    bar.show(input.bytes_read());
  }
  if (file) file->end();
}

} // namespace fovea::programs
