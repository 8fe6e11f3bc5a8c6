#pragma once

#include "catalogue.hpp"
#include "encoder.hpp"

#include <string>
#include <vector>

namespace tool {

/// What an encoder of the catalogue is called in its header, and the calls of its parts.
struct catalogue_encoder {
  const char *header, *names;
  const char *words, *token_scores; // of the table of token vectors; of a masked language model
  std::string class_scores;         // of a classifier
  std::string token_class_scores;   // of a tagger
  const char* parts;                // to compose another model
};

/// Which head the architecture has.
enum class head_kind { none, token_scores, class_scores, token_class_scores };
head_kind head_kind_of(const checkpoint& from);

/// A plan of tokens [B, T], lengths [B] -> what the head gives, all of whose tensors but the classifier's are expected already.
/// Refuses tensors and settings that are left.
model_plan plan_catalogue_encoder(checkpoint& from, tensor_list& tensors, const catalogue_encoder& called,
                                  const std::vector<member>& sizes, int width, int context);

} // namespace tool
