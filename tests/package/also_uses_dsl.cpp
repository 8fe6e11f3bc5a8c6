// A second unit with the same model: the headers must hold no definition that two units cannot share.
#include "also_uses_dsl.hpp"

long long parameters_elsewhere() { return static_cast<long long>(tiny.parameters()); }
