#pragma once

#include <string_view>

namespace fovea::core {

/// How the names of those tensors begin that a checkpoint of training has beside its parameters: what the
/// optimizer keeps ("optimizer.MOMENT.NAME"), gradients of calls that have made no update yet
/// ("accumulated.NAME"), and what is carried from step to step ("carried.NAME").
inline constexpr std::string_view moment_prefix = "optimizer.", accumulated_prefix = "accumulated.",
                                  carried_prefix = "carried.";

/// The notes that training keeps in the metadata of its checkpoints.
inline constexpr std::string_view step_note = "step", optimizer_note = "optimizer",
                                  accumulated_note = "accumulated";

/// Whether a tensor is of training alone: no parameter that is trained has such a name, and a model that
/// takes a checkpoint for its weights passes over it.
constexpr bool is_of_training(std::string_view name) {
  return name.starts_with(moment_prefix) || name.starts_with(accumulated_prefix) ||
         name.starts_with(carried_prefix);
}

} // namespace fovea::core
