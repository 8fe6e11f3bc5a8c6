#pragma once

#include <fovea/runtime/decoding/next_token.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace generate_program {

/// What the program knows of the one model that it is compiled for.
struct configuration {
  std::string name;
  std::int64_t context;   // the most tokens of a text, its prompt included
  std::size_t vocabulary; // tokens that the model scores
  fovea::token_id begin;  // what an empty prompt begins with, where its tokenizer puts nothing in front
  fovea::token_ids end;   // each ends a text
  /// What the weights say of the model, if they do (weights/expect_metadata.hpp).
  std::map<std::string, double> metadata;
  /// A folder with weights.safetensors and tokenizer.json, taken where the command line names none.
  std::filesystem::path learned = {};
};

} // namespace generate_program
