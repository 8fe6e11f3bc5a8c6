// A second unit with everything: the headers must hold no definition that two units cannot share.
#include "also_uses_dsl.cpp"

#include <fovea/fovea.hpp>
