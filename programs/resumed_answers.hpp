#pragma once

#include <fovea/programs/answer_file.hpp>
#include <fovea/programs/text_answer.hpp>

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fovea::programs {

/// Answers in a file, a line of JSON each, that may hold the first of them: what it holds stays, and the rest goes behind it.
class resumed_answers {
public:
  /// `program` is the name that notices begin with. Throws what answer_file does.
  resumed_answers(const std::filesystem::path& path, bool resume, const text_answerer& answer,
                  std::string program)
      : file_(path, resume), answer_(answer), program_(std::move(program)) {}

  /// Answers the next texts, unless the file does. Of the first, a few are answered in any case and compared, and so are
  /// those of which it holds a part. Throws fovea::error where it holds answers to other texts, or other answers.
  void take(const std::vector<input_text>& texts);
  /// After the last text. Throws fovea::error where the file holds more.
  void end();

private:
  std::vector<written_line> written(std::size_t most);
  void expect_answer_to(const input_text& text, const written_line& written) const;
  void append(const std::string& lines);

  answer_file file_;
  const text_answerer& answer_;
  std::string program_;
  std::set<std::string> own_; // members of answers beside those of their texts
  bool begun_ = false, appended_ = false;
};

} // namespace fovea::programs
