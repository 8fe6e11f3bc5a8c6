#include "plan.hpp"

#include <fovea/base/error.hpp>
#include <fovea/weights/to_floats.hpp>
#include <fovea/weights/training_names.hpp>

#include <fnmatch.h>

#include <algorithm>
#include <string_view>

namespace tool::convert {
namespace {

using fovea::element_type;
using fovea::stored_tensor;
using tensor_map = std::map<std::string, stored_tensor>;

bool matches(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

bool any_matches(const std::vector<std::string>& patterns, const std::string& name) {
  return std::ranges::any_of(patterns, [&](const std::string& one) { return matches(one, name); });
}

void check_patterns(const char* option, const std::vector<std::string>& patterns, const tensor_map& tensors,
                    const std::string& source) {
  for (const std::string& pattern : patterns)
    if (std::ranges::none_of(tensors, [&](const auto& one) { return matches(pattern, one.first); }))
      throw fovea::error(source + ": " + option + " '" + pattern + "' matches none of its " +
                         std::to_string(tensors.size()) + " tensors; the first is '" +
                         tensors.begin()->first + "'");
}

/// The size of the bias beside a matrix, 0 where there is none.
std::size_t bias_of(const std::string& weight, const tensor_map& tensors) {
  constexpr std::string_view ending = "weight";
  if (!weight.ends_with(ending)) return 0;
  const auto found = tensors.find(weight.substr(0, weight.size() - ending.size()) + "bias");
  return found != tensors.end() && found->second.shape.size() == 1 ? found->second.shape[0] : 0;
}

/// Whether matrices lie as GPT-2's Conv1D has them: a bias is as long as the last axis, not as the first.
class orientation {
public:
  explicit orientation(const tensor_map& tensors) : tensors_(tensors) {
    any_turned_ = std::ranges::any_of(tensors, [&](const auto& one) { return fits_last(one, false); });
  }
  /// A square one beside those that are turned is turned too.
  bool turned(const std::pair<const std::string, stored_tensor>& one) const {
    return any_turned_ && fits_last(one, true);
  }

private:
  bool fits_last(const std::pair<const std::string, stored_tensor>& one, bool or_square) const {
    const auto& shape = one.second.shape;
    if (shape.size() != 2 || (!or_square && shape[0] == shape[1])) return false;
    const std::size_t bias = bias_of(one.first, tensors_);
    return bias != 0 && bias == shape[1];
  }

  const tensor_map& tensors_;
  bool any_turned_ = false;
};

bool is_real(const stored_tensor& tensor) { return fovea::core::holds_reals(tensor.type); }

bool has_type(const choice& asked, element_type type) {
  const bool block = fovea::core::block_length(type) > 1,
             byte = type == element_type::u8 || type == element_type::boolean;
  return asked.gguf ? !byte : !block;
}

} // namespace

std::vector<planned_tensor> plan_of(const fovea::model_weights& source, const choice& asked) {
  const tensor_map& tensors = source.tensors();
  if (tensors.empty()) throw fovea::error(source.source() + ": expected tensors; found none");
  check_patterns("--keep", asked.keep, tensors, source.source());
  check_patterns("--only", asked.only, tensors, source.source());
  const bool blocks = fovea::core::block_length(asked.type) > 1;
  const orientation lies(tensors);
  const auto kind_of = [&](const std::pair<const std::string, stored_tensor>& one) {
    const auto& [name, tensor] = one;
    if (fovea::core::is_of_training(name)) return kind::of_training;
    if (!is_real(tensor)) return has_type(asked, tensor.type) ? kind::integers : kind::unknown_type;
    if (any_matches(asked.keep, name)) return kind::kept;
    if (!asked.only.empty() && !any_matches(asked.only, name)) return kind::not_asked;
    if (asked.type == element_type::f32) return kind::in_format;
    if (tensor.shape.size() < 2) return kind::vector;
    if (tensor.shape.size() > 2) return kind::other_rank;
    if (!fovea::core::whole_blocks(asked.type, tensor.shape)) return kind::broken_rows;
    return blocks && lies.turned(one) ? kind::turned : kind::in_format;
  };
  std::vector<planned_tensor> plan;
  for (const auto& one : tensors) {
    const kind what = kind_of(one);
    element_type to = one.second.type;
    if (what == kind::in_format) to = asked.type;
    if (what == kind::vector || (is_real(one.second) && !has_type(asked, to))) to = element_type::f32;
    plan.push_back({one.first, one.second, what, to});
  }
  return plan;
}

} // namespace tool::convert
