#include <fovea/weights/expect_metadata.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/number_text.hpp>
#include <fovea/base/read_number.hpp>

#include <cmath>

namespace fovea::core {
namespace {

// A file may hold a number as float32.
bool near(double one, double other) { return std::abs(one - other) <= 1e-6 * std::abs(other); }

} // namespace

void expect_metadata(const model_weights& from, const std::map<std::string, double>& expected) {
  for (const auto& [key, number] : expected) {
    const auto found = from.metadata().find(key);
    if (found == from.metadata().end()) continue;
    const std::string& text = found->second;
    const auto said = number_in<double>(text);
    if (!said || !near(*said, number))
      throw error(from.source() + ": key '" + key + "': expected " + number_text(number) +
                  ", as the model has; found " + shortened(text));
  }
}

} // namespace fovea::core
