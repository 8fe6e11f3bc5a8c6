#include "identity.hpp"

namespace identity {

const declared* elsewhere() { return &narrow<3>; }
const fovea::core::node* nodes_elsewhere() { return narrow<3>.view.nodes.data(); }

} // namespace identity
