#pragma once

// Declaring, compiling and running models.

#include <fovea/dsl.hpp>

#include <fovea/runtime/compile.hpp>
#include <fovea/runtime/error.hpp>
#include <fovea/runtime/stream.hpp>
#include <fovea/runtime/weights/weights.hpp>
