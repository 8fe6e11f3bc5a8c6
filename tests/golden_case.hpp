#pragma once

// Reference cases (golden/README.md of the shared data): loading one, and holding values against it. Knows
// nothing of models and backends.

#include "golden_folder.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace fovea::core::test {

/// A tensor of a case, row-major; float32 and int64 alike are exact in double.
struct golden_tensor {
  std::vector<std::size_t> shape;
  std::vector<double> values;
  bool whole = false; // of an integer type
};

/// One file: its tensors by name ("param.", "input.", "output.", "grad.", "trace."), its metadata and
/// tolerances.
class golden_case {
public:
  /// FOLDER/NAME.safetensors, by default from tests/golden.
  explicit golden_case(const std::string& name, const std::filesystem::path& folder = golden_folder);

  std::string name() const;
  /// The numbers that the case was made with.
  const nlohmann::json& config() const;
  /// All that the case says of itself: formula, source, notes, hf_config, ...
  const nlohmann::json& metadata() const { return metadata_; }

  const std::map<std::string, golden_tensor>& tensors() const { return tensors_; }
  bool has(const std::string& tensor) const { return tensors_.contains(tensor); }
  const golden_tensor& at(const std::string& tensor) const;

  double rtol(const std::string& tensor) const;
  double atol(const std::string& tensor) const;

private:
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
distance distance_of(std::span<const double> values, const golden_tensor& reference, double rtol,
                     double atol);

/// Checks values, row-major, against a tensor of the case; a failure says which element is off and by how
/// much of the tolerance.
void check(const golden_case& reference, const std::string& tensor, std::span<const double> values,
           std::span<const std::size_t> shape);
template <class number>
void check(const golden_case& reference, const std::string& tensor, std::span<const number> values,
           std::span<const std::size_t> shape) {
  const std::vector<double> exact(values.begin(), values.end());
  check(reference, tensor, std::span<const double>(exact), shape);
}

/// The same of anything contiguous and row-major that knows its shape, as xtensor's containers do.
template <class container>
requires requires(const container& x) {
  x.shape();
  x.data();
  x.size();
}
void check(const golden_case& reference, const std::string& tensor, const container& values) {
  const std::vector<std::size_t> shape(values.shape().begin(), values.shape().end());
  const std::vector<double> exact(values.data(), values.data() + values.size());
  check(reference, tensor, std::span<const double>(exact), shape);
}

} // namespace fovea::core::test
