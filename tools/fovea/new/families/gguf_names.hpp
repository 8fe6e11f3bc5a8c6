#pragma once

#include "../checkpoint.hpp"

#include <map>
#include <string>

namespace tool {

/// From here on the settings and tensors of a language model are asked for by the names of Hugging Face, and found
/// under those that llama.cpp gives them in GGUF files. `more`: tensors that this architecture calls otherwise than
/// Llama; as in {"layers.*.mlp.gate", "blk.*.ffn_gate_inp"}.
void call_as_gguf(checkpoint& from, tensor_list& tensors,
                  const std::map<std::string, std::string>& more = {});

} // namespace tool
