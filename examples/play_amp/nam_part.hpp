#pragma once

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace play_amp_program {

/// A value in a .nam file, and the way to it, as messages name it. What it is asked for and has not throws
/// fovea::error, which names the file, the way, what was expected and what was found.
class nam_part {
public:
  /// The whole of a file.
  nam_part(std::string source, const nlohmann::json& value) : source_(std::move(source)), value_(&value) {}

  const std::string& source() const { return source_; }
  const nlohmann::json& value() const { return *value_; }
  [[noreturn]] void fail(const std::string& expected) const;
  /// Of how many numbers or parts there are.
  [[noreturn]] void fail_size(const std::string& expected) const;

  // Of an object.

  bool has(const char* key) const; // and not null
  nam_part operator[](const char* key) const;
  /// What may be left out, but is nothing else.
  void expect(const char* key, const nlohmann::json& expected) const;
  /// What the format adds later may change what is computed.
  void expect_known(std::initializer_list<std::string_view> keys) const;
  int number_or(const char* key, int otherwise) const;
  bool flag_or(const char* key, bool otherwise) const;
  float real_or(const char* key, float otherwise) const;

  // Of other values.

  std::vector<nam_part> list() const; // of at least one
  /// Of no more than `most`, which are called so.
  std::vector<nam_part> list(std::size_t most, const char* called) const;
  std::vector<float> reals() const; // of at least one
  /// Each of `count`, of a list of as many, or `count` times what is no list.
  std::vector<nam_part> for_each(std::size_t count) const;
  int number() const; // from 1 to 32767
  bool flag() const;
  float real() const;

private:
  nam_part(std::string source, std::string where, const nlohmann::json& value)
      : source_(std::move(source)), where_(std::move(where)), value_(&value) {}

  std::string source_, where_; // empty for the whole of a file
  const nlohmann::json* value_;
};

} // namespace play_amp_program
