#pragma once

#include "checkpoint.hpp"

#include "../filled_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tool {

/// What becomes of a checkpoint: which text is filled with what, and what kind of program fits the model.
struct model_plan {
  std::string text;  // of tools/texts/new, as "encoder.hpp.in"
  std::string model; // the name of the model in it
  /// What the program does: embed, classify, tag, generate, translate, transcribe, or run where none of these fits.
  std::string app;
  text_values values = {};
  std::vector<std::string> passed_over = {};  // tensors that the model does not use
  std::vector<std::string> dims = {"B", "T"}; // that have no size of their own
  std::vector<std::string> labels = {};       // of classes, as far as the checkpoint names them
};

/// A family reads the settings and holds the tensors against them. Throws failure that names the setting or
/// tensor which is not known or does not fit.
using family = model_plan (*)(checkpoint&);

/// Throws failure that names the architectures that are known, where this is none of them.
void expect_known(std::string_view architecture, bool gguf, const settings& config);
/// The family of a checkpoint's architecture, which is known.
family family_of(const checkpoint& from);

model_plan plan_encoder(checkpoint& from);
model_plan plan_decoder(checkpoint& from);
model_plan plan_gpt2(checkpoint& from);
model_plan plan_t5(checkpoint& from);
model_plan plan_vit(checkpoint& from);
model_plan plan_mamba(checkpoint& from);
model_plan plan_rwkv(checkpoint& from);
model_plan plan_whisper(checkpoint& from);
model_plan plan_gemma(checkpoint& from);
model_plan plan_phi3(checkpoint& from);
model_plan plan_mixture(checkpoint& from);
model_plan plan_mamba2(checkpoint& from);
model_plan plan_modernbert(checkpoint& from);
model_plan plan_deberta(checkpoint& from);
model_plan plan_bart(checkpoint& from);
model_plan plan_marian(checkpoint& from);
model_plan plan_m2m100(checkpoint& from);

/// How many classes there are, by the tensors; id2label must agree.
int classes_of(settings& config, tensor_list& tensors, const std::string& weight);
/// What the classes are called, in order; none where the checkpoint does not say.
std::vector<std::string> labels_of(settings& config, int classes);
/// A number as C++ has it, of no more digits than it was stored with.
std::string number_text(double x, const checkpoint& from);
/// What a flag is called where a text asks for it.
inline std::string flag_text(bool set) { return set ? "yes" : ""; }
/// As C++ has it.
inline std::string bool_text(bool set) { return set ? "true" : "false"; }
/// Throws failure that names both settings where a width is no multiple of its heads.
void check_heads(const settings& config, const char* width_key, int width, const char* heads_key, int heads);

} // namespace tool
