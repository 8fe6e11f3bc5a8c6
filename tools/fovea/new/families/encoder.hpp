#pragma once

#include "../family.hpp"

#include <array>
#include <string>
#include <vector>

namespace tool {

// What BERT and its cousins have in common: the blocks of Devlin et al. 2019. They differ in names, in what is
// added to the token vectors, and in the heads on top.

/// How a cousin calls its tensors.
struct encoder_names {
  const char *prefix, *layer;         // "bert.", "encoder.layer.{}."
  std::array<const char*, 4> squares; // query, key, value, output of attention
  const char *up, *down, *attention_norm, *norm;
  const char *pooler, *classifier;                        // of ForSequenceClassification
  const char *transform, *transform_norm, *scores, *bias; // of ForMaskedLM
};

struct encoder_sizes {
  int layers, heads, width, inner, vocab;
  int rows;       // of the table of positions
  int types;      // of tokens; 0: there are none
  int word_width; // of the token vectors
  std::string epsilon, activation;
};

/// The rules of names for what stands on top of the network, whose tensors are expected as they are named.
class head_rules {
public:
  explicit head_rules(tensor_list& tensors) : tensors_(&tensors) {}

  void rule(const std::string& ours, const std::string& theirs, const char* how = "");
  void linear(const std::string& ours, const std::string& theirs, int out, int in, bool bias = true);
  void norm(const std::string& ours, const std::string& theirs, int width);
  /// Tensors whose names begin so are not used.
  void ignored(const std::string& beginning);
  /// A second copy of what another tensor holds, where it is there.
  void tied(const std::string& ours, const std::string& theirs, const std::vector<int>& shape);

  tensor_list& tensors() { return *tensors_; }
  const std::string& text() const { return text_; }

private:
  tensor_list* tensors_;
  std::string text_;
};

/// The first checkpoints call a norm's weight and bias gamma and beta.
void expect_norm(tensor_list& tensors, const std::string& name, int width);

/// Whether the scores of tokens are another use of the table of token vectors.
bool scores_tokens(const std::string& architecture);

/// The head that the architecture names: its flags and its kind of program.
void plan_head(checkpoint& from, const encoder_sizes& s, const encoder_names& names, head_rules& rules,
               model_plan& plan);

/// Flags and words of what stands on top of a network, none of which is set.
void clear_head(text_values& values);
/// The network alone: what it gives for each token, and the mean of that, of length 1.
void plan_network(text_values& values);
/// Sets `sentence_parts`: the words that the flags ask for.
void set_sentence_parts(text_values& values);

/// A sentence encoder's modules behind the network: lines of the model, and the tensors of dense ones.
void plan_modules(checkpoint& from, int width, head_rules& rules, text_values& values);

} // namespace tool
