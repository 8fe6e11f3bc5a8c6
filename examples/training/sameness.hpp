#pragma once

#include <fovea/runtime/ranks/rank_group.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace training {

/// Throws fovea::error on every rank where one runs another build of the program, or has other bytes in one of
/// the files, than rank 0. All ranks call it; one that learns alone reads nothing.
void expect_same(const std::string& program, const std::vector<std::filesystem::path>& files,
                 const fovea::rank_group& group);

} // namespace training
