#pragma once

namespace fovea::core::test {

/// The folder of the reference cases.
extern const char* const golden_folder;

} // namespace fovea::core::test
