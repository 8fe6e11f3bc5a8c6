#include <catch2/catch.hpp>

#include <type_traits>

#include "identity.hpp"

static_assert(!std::is_same_v<decltype(identity::narrow<3>), decltype(identity::narrow<4>)>);

TEST_CASE("a model is one type with one graph in all translation units") {
  CHECK(identity::elsewhere() == &identity::narrow<3>);
  CHECK(identity::nodes_elsewhere() == identity::narrow<3>.view.nodes.data());
}
