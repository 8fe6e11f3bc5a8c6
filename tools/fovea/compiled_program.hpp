#pragma once

#include "compile_command.hpp"
#include "filled_text.hpp"
#include "process.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tool {

/// A model as a user names it, and how his compiler makes a program of it.
struct model_source {
  std::filesystem::path header;
  std::string model; // an expression
  compile_wishes wishes;
  std::filesystem::path library; // the folder of libfovea_runtime.a; empty: beside this program
};

/// A program around one model, compiled by the user's compiler, in a folder that goes with it.
class compiled_program {
public:
  /// `text` is the name of its source in tools/texts/, which is filled with the header, the model and the values. Throws
  /// failure with the compiler's or Fovea's sentence where the model does not compile.
  compiled_program(const std::string& text, const model_source& of, text_values values = {});

  /// Runs it. Throws failure with its sentence, or with how it ended.
  void run(std::vector<std::string> words) const;

  const std::filesystem::path& folder() const { return folder_.path(); }

private:
  temporary_folder folder_;
  std::filesystem::path program_;
  std::string header_;
};

} // namespace tool
