#include "golden_case.hpp"

#include <fovea/base/error.hpp>
#include <fovea/weights/safetensors.hpp>
#include <fovea/weights/to_doubles.hpp>
#include <fovea/weights/to_floats.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string_view>

namespace fovea::core::test {
namespace {

bool of_gradients(const std::string& tensor) {
  return tensor.starts_with("grad.") || tensor.starts_with("trace");
}

} // namespace

golden_case::golden_case(const std::string& name, const std::filesystem::path& folder) {
  const safetensors_file file(folder / (name + ".safetensors"));
  for (const auto& [tensor, stored] : file.tensors())
    tensors_[tensor] = {stored.shape, to_doubles(stored), !holds_reals(stored.type)};
  std::string said = file.metadata().at("case");
  constexpr std::string_view infinity = "Infinity"; // Python writes what JSON does not have
  for (std::size_t at; (at = said.find(infinity)) != said.npos;) said.replace(at, infinity.size(), "null");
  metadata_ = nlohmann::json::parse(said);
}

std::string golden_case::name() const { return metadata_.at("name"); }
const nlohmann::json& golden_case::config() const { return metadata_.at("config"); }
const golden_tensor& golden_case::at(const std::string& tensor) const {
  const auto found = tensors_.find(tensor);
  if (found == tensors_.end()) throw error("reference case " + name() + ": there is no tensor " + tensor);
  return found->second;
}
double golden_case::rtol(const std::string& tensor) const {
  return metadata_.at(of_gradients(tensor) ? "grad_rtol" : "rtol");
}
double golden_case::atol(const std::string& tensor) const {
  return metadata_.at(of_gradients(tensor) ? "grad_atol" : "atol");
}

distance distance_of(std::span<const double> values, const golden_tensor& reference, double rtol,
                     double atol) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double largest = 1;
  for (double r : reference.values)
    if (std::isfinite(r)) largest = std::max(largest, std::abs(r));
  distance found;
  for (std::size_t i = 0; i < std::min(values.size(), reference.values.size()); ++i) {
    const double x = values[i], r = reference.values[i];
    double share = 0;
    if (x != r) share = reference.whole ? infinity : std::abs(x - r) / (atol * largest + rtol * std::abs(r));
    if (std::isnan(share)) share = infinity;
    if (share > found.share) found = {share, i};
  }
  return found;
}

void check(const golden_case& reference, const std::string& tensor, std::span<const double> values,
           std::span<const std::size_t> shape) {
  const golden_tensor& expected = reference.at(tensor);
  INFO(reference.name() << ", " << tensor);
  REQUIRE(shape_text(shape) == shape_text(expected.shape));
  REQUIRE(values.size() == expected.values.size());
  const distance found = distance_of(values, expected, reference.rtol(tensor), reference.atol(tensor));
  std::ostringstream worst;
  worst.precision(9);
  if (!values.empty())
    worst << "element " << found.worst << " is " << values[found.worst] << ", expected "
          << expected.values[found.worst] << ": " << found.share << " of the tolerance";
  INFO(worst.str());
  CHECK(found.share <= 1);
}

} // namespace fovea::core::test
