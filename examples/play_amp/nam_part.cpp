#include "nam_part.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace play_amp_program {

using namespace fovea::core;
using nlohmann::json;

void nam_part::fail(const std::string& expected) const {
  throw error(fmt::format("{}: {}: expected {}; found {}", source_, where_.empty() ? "the file" : where_,
                          expected, shown(*value_)));
}
void nam_part::fail_size(const std::string& expected) const {
  nam_part(source_, where_, value_->size()).fail(expected);
}

bool nam_part::has(const char* key) const {
  if (!value_->is_object()) fail("an object");
  const auto found = value_->find(key);
  return found != value_->end() && !found->is_null();
}
nam_part nam_part::operator[](const char* key) const {
  if (!value_->is_object()) fail("an object");
  const std::string where = where_.empty() ? key : where_ + "." + key;
  const auto found = value_->find(key);
  if (found == value_->end()) throw error(fmt::format("{}: expected {}; found none", source_, where));
  return {source_, where, *found};
}
void nam_part::expect(const char* key, const json& expected) const {
  if (value_->contains(key) && (*value_)[key] != expected) (*this)[key].fail(expected.dump());
}
void nam_part::expect_known(std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, value] : value_->items())
    if (std::ranges::find(keys, key) == keys.end())
      throw error(fmt::format("{}: {}: expected no {}, which this program does not know", source_, where_,
                              in_quotes(key)));
}
int nam_part::number_or(const char* key, int otherwise) const {
  return has(key) ? (*this)[key].number() : otherwise;
}
bool nam_part::flag_or(const char* key, bool otherwise) const {
  return has(key) ? (*this)[key].flag() : otherwise;
}
float nam_part::real_or(const char* key, float otherwise) const {
  return has(key) ? (*this)[key].real() : otherwise;
}

std::vector<nam_part> nam_part::list() const {
  if (!value_->is_array() || value_->empty()) fail("a list");
  std::vector<nam_part> made;
  for (const json& one : *value_) made.push_back({source_, fmt::format("{}[{}]", where_, made.size()), one});
  return made;
}
std::vector<nam_part> nam_part::list(std::size_t most, const char* called) const {
  auto made = list();
  if (made.size() > most) fail_size(fmt::format("at most {} {}", most, called));
  return made;
}
std::vector<float> nam_part::reals() const {
  if (!value_->is_array() || value_->empty()) fail("a list");
  std::vector<float> made;
  for (const json& one : *value_) {
    if (!one.is_number()) nam_part(source_, where_, one).fail("numbers");
    made.push_back(one.get<float>());
  }
  return made;
}
std::vector<nam_part> nam_part::for_each(std::size_t count) const {
  if (!value_->is_array()) return {count, *this};
  if (value_->size() != count) fail_size(fmt::format("{}, one for each layer", count));
  return list();
}
int nam_part::number() const {
  constexpr int most = 32767;
  if (!value_->is_number_integer() || *value_ < 1 || *value_ > most)
    fail(fmt::format("a whole number from 1 to {}", most));
  return value_->get<int>();
}
bool nam_part::flag() const {
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
}
float nam_part::real() const {
  if (!value_->is_number()) fail("a number");
  return value_->get<float>();
}

} // namespace play_amp_program
