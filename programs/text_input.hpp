#pragma once

#include <fovea/programs/shard.hpp>

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

/// How lines are read as texts.
struct reading {
  std::string field = {};    // the member of lines of JSON that is the text; empty: lines are the text
  shard part = {};           // whose lines are read, counted over all files
  bool waits = false;        // for as many texts as are asked for
  std::string of_bytes = {}; // ends what is said of a line that is no text
};

/// The texts of some files, or of the standard input, a line each.
class text_input {
public:
  text_input(std::vector<std::string> files, reading how);

  /// The next texts, `most` at most; none at the end. Unless it is to wait for more, it waits for the first alone, so that
  /// what types into a pipe is answered at once. Throws fovea::error that names file and line where a line is no UTF-8, or no object with
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
  reading how_;
  std::string name_;
  std::size_t opened_ = 0, line_ = 0, bytes_read_ = 0, bytes_ = 0;
  std::size_t lines_ = 0; // of all files
  std::ifstream file_;
  std::istream* in_ = nullptr;
  std::exception_ptr problem_; // behind texts that were given
};

} // namespace fovea::programs
