#pragma once

#include <fovea/programs/options.hpp>
#include <fovea/programs/text_answer.hpp>

#include <cstddef>

namespace fovea::programs {

/// Answers the texts of the command line that are in its shard, to the standard output or to the file of --output. At most
/// `at_once` are answered together; in a file the same ones, wherever a run that is resumed was ended.
void answer_texts(const options& o, const program_parts& parts, std::size_t at_once,
                  const text_answerer& answer);

} // namespace fovea::programs
