#pragma once

#include <fovea/base/json/parse_json.hpp>
#include <fovea/runtime/tokenizers/decoder.hpp>
#include <fovea/runtime/tokenizers/normalizer.hpp>
#include <fovea/runtime/tokenizers/splitter.hpp>

#include <nlohmann/json.hpp>

#include <concepts>
#include <string>

namespace fovea::core {

// The stages of a tokenizer.json, read and written. What is malformed throws nlohmann::json::exception or
// fovea::error, what is not supported fovea::error.

/// The `type` of a stage, "null" where the file has none.
std::string type_of(const nlohmann::json& stage);

/// A member of an object, null where it is absent.
const nlohmann::json& member(const nlohmann::json& object, const char* key);

template <typename type>
type value_or(const nlohmann::json& object, const char* key, type fallback) {
  const nlohmann::json& found = member(object, key);
  if (found.is_null()) return fallback;
  if constexpr (std::integral<type> && !std::same_as<type, bool>)
    return whole_number<type>(found, key);
  else
    return found.get<type>();
}

[[noreturn]] void unsupported(const char* stage, const std::string& found, const char* expected);

normalizer read_normalizer(const nlohmann::json& stage);
splitter read_splitter(const nlohmann::json& stage);
decoder read_decoder(const nlohmann::json& stage);

nlohmann::json json_of(const normalizer& steps);
nlohmann::json json_of(const splitter& how);
nlohmann::json json_of(const decoder& how);

} // namespace fovea::core
