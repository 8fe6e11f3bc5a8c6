#pragma once

#include <fovea/runtime/training/rank_group.hpp>

namespace training {

/// The ranks that learn a run together: those that mpirun or a scheduler started, where MPI was there when
/// this was built; else this process alone.
fovea::rank_group group();

/// The rows that each rank takes of a batch. Throws fovea::error where they cannot be as many.
int share_of(int batch, const fovea::rank_group& group);

} // namespace training
