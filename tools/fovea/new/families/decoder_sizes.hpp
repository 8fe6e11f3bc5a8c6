#pragma once

#include "../family.hpp"

#include <string>

namespace tool {

/// What the settings of Llama and its cousins say of the blocks.
struct decoder_sizes {
  int layers, heads, kv_heads, head_width, width, inner;
  int context; // the longest text, in tokens
  double epsilon;
};

/// Throws failure where heads do not divide. `epsilon` and `head_width` are taken where the settings say nothing; a
/// `head_width` of 0: the width is divided among the heads.
decoder_sizes decoder_sizes_of(settings& config, double epsilon, int head_width = 0);

/// The number of tokens that are known; GGUF files that do not say it have a table of so many rows.
int vocab_of(checkpoint& from, tensor_list& tensors);

/// Whether the table of token vectors also scores the tokens; without lm_head.weight it has to.
bool is_tied(checkpoint& from, const tensor_list& tensors, bool otherwise);

/// The maps of attention and its norms, of one layer whose tensors begin with `at`. `norms`: the width of each of them; 0:
/// queries and keys have none.
struct norm_widths {
  int of_queries = 0, of_keys = 0;
};
void expect_attention(tensor_list& tensors, const std::string& at, const decoder_sizes& s, norm_widths norms);

} // namespace tool
