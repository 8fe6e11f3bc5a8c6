// A second unit with the same model: the header must hold no definition that two units cannot share.
#include "declared.hpp"

long long parameters_elsewhere() { return static_cast<long long>(block.parameters()); }
