#pragma once

// Reference cases (golden/README.md of the shared data): loading one, and holding values against it. Knows
// nothing of models and backends.

#include "golden_folder.hpp"

#include <fovea/base/error.hpp>
#include <fovea/weights/safetensors.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::core::test {

/// A tensor of a case, row-major; float32 and int64 alike are exact in double.
struct golden_tensor {
  std::vector<std::size_t> shape;
  std::vector<double> values;
  bool whole = false; // of an integer type
};

namespace detail {

template <class stored>
std::vector<double> values_of(std::span<const std::byte> bytes) {
  std::vector<double> values(bytes.size() / sizeof(stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    stored x;
    std::memcpy(&x, bytes.data() + i * sizeof(stored), sizeof(stored));
    values[i] = static_cast<double>(x);
  }
  return values;
}

inline golden_tensor tensor_of(const stored_tensor& from) {
  switch (from.type) {
    case element_type::f32:
      return {from.shape, values_of<float>(from.bytes), false};
    case element_type::f64:
      return {from.shape, values_of<double>(from.bytes), false};
    case element_type::i64:
      return {from.shape, values_of<std::int64_t>(from.bytes), true};
    case element_type::i32:
      return {from.shape, values_of<std::int32_t>(from.bytes), true};
    default:
      throw error("a reference case holds a tensor of type " + std::string(element_name(from.type)));
  }
}

} // namespace detail

/// One file: its tensors by name ("param.", "input.", "output.", "grad.", "trace."), its metadata and
/// tolerances.
class golden_case {
public:
  /// FOLDER/NAME.safetensors, by default from tests/golden.
  explicit golden_case(const std::string& name, const std::filesystem::path& folder = golden_folder) {
    const safetensors_file file(folder / (name + ".safetensors"));
    for (const auto& [tensor, stored] : file.tensors()) tensors_[tensor] = detail::tensor_of(stored);
    std::string said = file.metadata().at("case");
    constexpr std::string_view infinity = "Infinity"; // Python writes what JSON does not have
    for (std::size_t at; (at = said.find(infinity)) != said.npos;) said.replace(at, infinity.size(), "null");
    metadata_ = nlohmann::json::parse(said);
  }

  std::string name() const { return metadata_.at("name"); }
  /// The numbers that the case was made with.
  const nlohmann::json& config() const { return metadata_.at("config"); }
  /// All that the case says of itself: formula, source, notes, hf_config, ...
  const nlohmann::json& metadata() const { return metadata_; }

  const std::map<std::string, golden_tensor>& tensors() const { return tensors_; }
  bool has(const std::string& tensor) const { return tensors_.contains(tensor); }
  const golden_tensor& at(const std::string& tensor) const {
    const auto found = tensors_.find(tensor);
    if (found == tensors_.end()) throw error("reference case " + name() + ": there is no tensor " + tensor);
    return found->second;
  }

  double rtol(const std::string& tensor) const {
    return metadata_.at(of_gradients(tensor) ? "grad_rtol" : "rtol");
  }
  double atol(const std::string& tensor) const {
    return metadata_.at(of_gradients(tensor) ? "grad_atol" : "atol");
  }

private:
  static bool of_gradients(const std::string& tensor) {
    return tensor.starts_with("grad.") || tensor.starts_with("trace");
  }

  std::map<std::string, golden_tensor> tensors_;
  nlohmann::json metadata_;
};

/// How far values are from a reference: the largest share of its tolerance that an element uses, and which
/// one does. At most 1 passes; infinite where an integer differs, or one of the two is NaN.
struct distance {
  double share = 0;
  std::size_t worst = 0;
};

/// |x - r| / (atol * max(1, largest |r|) + rtol * |r|), the largest of all elements. The infinities of
/// `reference` must be met exactly, and do not count as its largest element.
template <class number>
distance distance_of(std::span<const number> values, const golden_tensor& reference, double rtol,
                     double atol) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double largest = 1;
  for (double r : reference.values)
    if (std::isfinite(r)) largest = std::max(largest, std::abs(r));
  distance found;
  for (std::size_t i = 0; i < std::min(values.size(), reference.values.size()); ++i) {
    const double x = static_cast<double>(values[i]), r = reference.values[i];
    double share = 0;
    if (x != r) share = reference.whole ? infinity : std::abs(x - r) / (atol * largest + rtol * std::abs(r));
    if (std::isnan(share)) share = infinity;
    if (share > found.share) found = {share, i};
  }
  return found;
}

/// Checks values, row-major, against a tensor of the case; a failure says which element is off and by how
/// much of the tolerance.
template <class number>
void check(const golden_case& reference, const std::string& tensor, std::span<const number> values,
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

/// The same of anything contiguous and row-major that knows its shape, as xtensor's containers do.
template <class container>
requires requires(const container& x) {
  x.shape();
  x.data();
  x.size();
}
void check(const golden_case& reference, const std::string& tensor, const container& values) {
  using number = std::remove_cvref_t<decltype(*values.data())>;
  const std::vector<std::size_t> shape(values.shape().begin(), values.shape().end());
  check(reference, tensor, std::span<const number>(values.data(), values.size()),
        std::span<const std::size_t>(shape));
}

} // namespace fovea::core::test
