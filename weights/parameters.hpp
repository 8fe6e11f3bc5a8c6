#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fovea/dsl/graph_view.hpp>
#include <fovea/weights/formatted.hpp>
#include <fovea/weights/weights.hpp>

namespace fovea::core {

/// Which of several ranks a model is computed by, and how that takes its part of parameters (part_of_rank). A program whose
/// models are whole links none of it.
struct rank_of_parameters {
  int rank = 0;
  /// Puts the part along an axis in the place of `all`, of this shape. A part that is no stretch of it is kept.
  using part_function = void(weight_view& all, std::span<const std::size_t> shape, int axis, int rank,
                             int ranks, std::vector<std::vector<float>>& kept);
  part_function* take_part = nullptr;
};

/// The values of a model's parameters in a checkpoint: one view for each layer of each parameter.
class model_parameters {
public:
  /// Those that `formatted` names are to be kept in its format. The names are a model's, there as long as it
  /// is. Of a model that several ranks compute together, the parts of the given one. Throws fovea::error where
  /// checkpoint, model and format do not fit (weights::resolve).
  model_parameters(graph_view graph, model_weights source, std::span<const name_rule> names,
                   const formatted_parameters& formatted = {}, const rank_of_parameters& by = {});
  model_parameters(const model_parameters&);
  model_parameters(model_parameters&&) noexcept;
  model_parameters& operator=(model_parameters&&) noexcept;
  ~model_parameters();

  /// The same parameters with values elsewhere, in the same order, which may change between calls.
  model_parameters learned(std::vector<weight_view> values) const;
  bool are_learned() const { return learned_; }

  /// Layer 0 of parameter p; the other layers follow.
  std::int32_t first(int parameter) const { return first_[static_cast<std::size_t>(parameter)]; }
  const std::vector<std::int32_t>& first() const { return first_; }
  /// Layer `layer` of the given parameters as float32, counted on from one to the next. Throws fovea::error
  /// where there are fewer.
  weight_view values(std::span<const int> parameters, std::size_t layer) const;
  /// Those that the checkpoint has in their format, or its panels, are as they are stored.
  const std::vector<weight_view>& values() const { return values_; }
  /// As float32, converted now where they are stored otherwise.
  const float* floats(std::size_t i) const;
  /// Holds no values of one that is read elsewhere, as panels: the weights may let go of them. floats() finds them again.
  void let_go(std::size_t i);
  /// What each is to be kept in, of formats that files mix the one that the checkpoint has it in; its values are
  /// those of the checkpoint.
  weight_format format(std::size_t i) const { return formats_[i]; }
  const std::vector<std::string>& names() const { return names_; }
  /// The sizes of each, of a checkpoint's.
  const std::vector<std::size_t>& shape(std::size_t i) const { return wanted_[i].shape; }
  const std::string& name(int parameter, std::int64_t layer) const {
    return names_[static_cast<std::size_t>(first(parameter) + layer)];
  }
  /// By which what is packed of it is known: its name, and which of several ranks has it.
  std::string key(int parameter, std::int64_t layer) const;
  const model_weights& source() const { return source_; }
  /// How the checkpoint names them.
  std::span<const name_rule> rules() const { return rules_; }

private:
  model_parameters(const model_parameters& like, std::vector<weight_view> values);

  model_weights source_;
  std::vector<std::int32_t> first_;
  std::vector<std::string> names_;
  std::vector<wanted_parameter> wanted_; // of a checkpoint
  std::span<const name_rule> rules_;
  std::vector<weight_view> values_;
  std::vector<weight_format> formats_;
  std::shared_ptr<std::vector<std::vector<float>>> kept_parts_; // none where a model is whole
  int rank_ = 0, ranks_ = 1;
  bool learned_ = false;
};

} // namespace fovea::core
