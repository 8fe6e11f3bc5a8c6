#pragma once

#include <fovea/base/error.hpp>

#include <nlohmann/json.hpp>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace fovea::core {

/// JSON that was read. Its parts are given back one level after another: nlohmann::json's own destructor asks
/// for memory, and ends the program where there is none.
class json_document {
public:
  explicit json_document(nlohmann::json&& value) : value_(std::move(value)) {}
  json_document(json_document&&) = default;
  json_document& operator=(json_document&&) = delete;
  ~json_document();

  const nlohmann::json& operator*() const { return value_; }
  const nlohmann::json* operator->() const { return &value_; }

private:
  nlohmann::json value_;
};

/// What is wrong with a text that should be JSON.
class malformed_json : public error {
  using error::error;
};

/// Members of an object, or elements of a list, that are handed out as they are read, and not kept.
struct taken_part {
  std::span<const std::string_view> path; // of names that leads there; empty: the whole text
  bool of_list = false;                   // where an object stands there instead, nothing is taken
  /// Takes them in their order, elements without a name. It sees to names that come twice.
  std::function<void(const std::string& name, const nlohmann::json& value)> take;
};

/// Reads the JSON of a file from outside, in time that grows with its length alone. Of the parts that are taken an empty
/// object or list stays. Throws malformed_json, which does not name the file, where the text is no JSON, nests lists and
/// objects more than 64 deep, or names something twice in one object.
json_document parse_json(std::string_view text, std::span<const taken_part> parts = {});

/// The JSON of a file; what is wrong with it names the file.
json_document load_json(const std::filesystem::path& path);

/// A value as messages show it: shortened, and of lists and objects no more than what they are, unless a list
/// is short.
std::string shown(const nlohmann::json& value);

/// A value that should be a whole number; nlohmann::json's own `get` cuts what does not fit, and has no
/// meaning for 1e300. Throws fovea::error where it is none, or the type does not hold it.
template <std::integral number>
number whole_number(const nlohmann::json& value, const std::string& what) {
  const bool fits = value.is_number_unsigned()
                        ? std::in_range<number>(value.get<std::uint64_t>())
                        : value.is_number_integer() && std::in_range<number>(value.get<std::int64_t>());
  if (!fits)
    throw error(what + ": expected a whole number from " +
                std::to_string(std::numeric_limits<number>::min()) + " to " +
                std::to_string(std::numeric_limits<number>::max()) + "; found " + shown(value));
  return value.get<number>();
}

} // namespace fovea::core
