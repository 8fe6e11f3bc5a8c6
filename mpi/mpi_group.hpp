#pragma once

#include <fovea/runtime/ranks/rank_group.hpp>

namespace fovea::core {

/// The processes that mpirun or a scheduler has started, as ranks that learn together (MPI Forum 2015); one
/// that was started alone is a group of one. The first call initialises MPI unless the program has, and MPI
/// then ends with the program; a rank that ends with another status than 0 ends all. One thread at a time
/// works with the group. What MPI itself cannot do, since a rank is gone, ends all.
rank_group mpi_group();

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::mpi_group;
} // namespace fovea
