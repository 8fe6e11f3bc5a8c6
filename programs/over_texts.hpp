#pragma once

#include <fovea/programs/parts.hpp>
#include <fovea/programs/text_input.hpp>
#include <fovea/programs/text_network.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>

namespace fovea::programs {

/// A text that a network has read: the ids of its tokens, and what the network gave for it, [width], or
/// [tokens, width] where it gives that for each token.
struct read_text {
  const input_text& input;
  std::span<const token_id> ids;
  std::span<const float> values;
};

/// What a program over texts prints of each.
class text_printer {
public:
  virtual ~text_printer() = default;
  virtual std::string line(const read_text& text) const = 0;
  virtual nlohmann::ordered_json members(const read_text& text) const = 0;
};
using text_printer_maker = std::unique_ptr<text_printer> (*)(const program_parts&, const tokenizer&,
                                                             std::size_t width);

/// The main of a program that reads texts and prints a line for each, in their order: texts of like length go
/// through the network together.
int over_texts(const char* about, const program_parts& parts, text_network_maker network,
               text_printer_maker printer, bool each_token, int count, char** words);

} // namespace fovea::programs
