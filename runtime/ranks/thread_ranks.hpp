#pragma once

#include <functional>

#include <fovea/runtime/ranks/rank_group.hpp>

namespace fovea::core {

/// Calls work(group) on `size` threads at once, each of them a rank of one group, and returns when all have
/// returned. A rank whose work is over, or has thrown, has left: the others' calls of the group then throw
/// fovea::error that names it. Throws what a rank threw first.
void run_ranks(int size, const std::function<void(const rank_group&)>& work);

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::run_ranks;
} // namespace fovea
