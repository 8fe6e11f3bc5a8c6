#pragma once

// What fovea_add_model compiles.

#include "networks.hpp"
#include "wavenet.hpp"
