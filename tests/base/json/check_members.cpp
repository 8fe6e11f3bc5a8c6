#include <fovea/base/json/check_members.hpp>

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace fovea;
using namespace fovea::core;
using nlohmann::json;

TEST_CASE("objects of too many members are refused, wherever they stand", "[json]") {
  json most = json::object();
  for (std::size_t i = 0; i < most_members; ++i) most[std::to_string(i)] = i;
  const json list(most_members + 1, json("a"));
  check_members(json{{"a", {1, most, list}}, {"b", most}});
  json more = most;
  more["a"] = nullptr;
  const char* sentence = "expected objects of at most 5000 members; found one of 5001";
  CHECK_THROWS_WITH(check_members(more), sentence);
  CHECK_THROWS_WITH(check_members(json{{"a", {1, {{"b", more}}}}}), sentence);
}
