#pragma once

#include "decoder_sizes.hpp"
#include "rotary.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tool {

// Families whose model is the catalogue's: the written header has its sizes, as a constant, and a model of its parts.

/// A member of a constant as C++ has it: its name and its value.
using member = std::pair<const char*, std::string>;

/// Members, a line each.
std::string member_lines(const std::vector<member>& members, int indent = 4);
/// The same in braces, as the value of a member.
std::string member_group(const std::vector<member>& members);

/// What a language model of the catalogue is called in its header.
struct catalogue_names {
  const char *header, *config, *names, *logits;
  const char* parts; // to compose another model of
};

/// A plan of tokens [B, T] -> logits [B, T, vocab].
model_plan catalogue_decoder(const catalogue_names& called, const std::vector<member>& sizes, int context);

/// The members of a llama_config, with `more` of them.
std::vector<member> llama_members(const decoder_sizes& s, int vocab, bool tied, const rotary_positions& turns,
                                  const checkpoint& from, const std::vector<member>& more);

} // namespace tool
