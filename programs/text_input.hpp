#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <exception>
#include <fstream>
#include <istream>
#include <string>
#include <vector>

namespace fovea::programs {

/// A text and where it stands, for messages: "questions.txt:3".
struct input_text {
  std::string text, place;
  std::string members; // of a line of JSON: it as it was read, for the line that answers it
};

/// The line of JSON that answers a text, before what answers it: what its own line held, else the text.
nlohmann::ordered_json answer_to(const input_text& text);

/// The texts of some files, or of the standard input, a line each.
class text_input {
public:
  /// `field`: lines are JSON objects, whose member of this name is the text; empty: they are the text. `of_bytes` ends what
  /// is said of a line that is no text.
  text_input(std::vector<std::string> files, std::string field, std::string of_bytes = {});

  /// The next texts, `most` at most; none at the end. Waits for the first alone, so that what types into a pipe
  /// is answered at once. Throws fovea::error that names file and line where a line is no UTF-8, or no object with
  /// the field; the texts before it are given first.
  std::vector<input_text> next(std::size_t most);

  /// How many bytes were read, and how many there are: 0 where the standard input is among the files.
  std::size_t bytes_read() const { return bytes_read_; }
  std::size_t bytes() const { return bytes_; }

private:
  void read(std::size_t most, std::vector<input_text>& texts);
  bool open_next();
  input_text text_of(std::string line) const;

  std::vector<std::string> files_;
  std::string field_, of_bytes_, name_;
  std::size_t opened_ = 0, line_ = 0, bytes_read_ = 0, bytes_ = 0;
  std::ifstream file_;
  std::istream* in_ = nullptr;
  std::exception_ptr problem_; // behind texts that were given
};

} // namespace fovea::programs
