#pragma once

#include <fovea/runtime/decoding/grammar/json_schema_keywords.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace fovea::core::grammar::schemas {

/// How the parts of a schema go together.
class schema_parts {
public:
  explicit schema_parts(const json& whole) : whole_(whole) {}

  /// What a $ref leads to.
  const json& referred(const json& to, const std::string& place) const;

  /// What says all that some schemas say, and those behind their $ref and allOf. It is kept here. Throws fovea::error
  /// where two of them say what does not go together, or is not known to.
  const json& merged(const std::vector<const json*>& all, const std::string& place);

  /// Throws fovea::error where a value might fit two of a `oneOf`: they are told apart by types, by const and enum, or
  /// by those of a member that both require.
  void expect_apart(const std::vector<const json*>& all, const std::string& place);

private:
  struct outline;
  struct branch;
  struct parts_found;
  void append_parts(const json& schema, const std::string& place, std::vector<const json*>& path,
                    parts_found& made) const;
  const json& kept(const json& schema, const std::string& place);
  const json& meant(const json& schema, const std::string& place);
  outline outline_of(const json& schema, const std::string& place);
  branch branch_of(const json& schema, const std::string& place);

  const json& whole_;
  std::map<std::string, json> kept_; // by their text
  std::size_t bytes_ = 0;            // of those
};

} // namespace fovea::core::grammar::schemas
