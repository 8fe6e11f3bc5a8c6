#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace fovea::core::detail {

/// "1,234,567"
std::string grouped(std::int64_t number);
/// With three digits and a unit: "1.23 M".
std::string rounded(double number);
/// The same of something: "1.23 MB", "12 B".
std::string rounded(double number, const char* of);

/// Rows of text whose columns stand below each other, two spaces between them.
class table {
public:
  explicit table(std::vector<bool> to_the_right) : to_the_right_(std::move(to_the_right)) {}

  /// One text for each column.
  void add(std::vector<std::string> cells);
  void print(std::ostream& out) const;

private:
  std::vector<bool> to_the_right_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace fovea::core::detail
