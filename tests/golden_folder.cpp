#include "golden_folder.hpp"

// Told to this source alone: a command line that names a folder of the clone would keep compiled tests of two clones apart.
const char* const fovea::core::test::golden_folder = FOVEA_GOLDEN_DIR;
