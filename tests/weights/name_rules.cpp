#include <fovea/weights/name_rules.hpp>

#include "temporary_folder.hpp"

#include <fovea/base/error.hpp>
#include <fovea/dsl/names.hpp>

#include <catch2/catch.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::naming;
using Catch::Matchers::Contains;

static_assert((columns(0, 768) | transposed).count == 2);
static_assert((columns(0, 768) | transposed).steps[1].what == naming::transform::kind::transposed);
static_assert(ignored.is(naming::transform::kind::ignored) &&
              !(ignored | transposed).is(naming::transform::kind::ignored));
static_assert(rows(0, 3) != rows(0, 4) && permuted(1, 0) == permuted(1, 0));

TEST_CASE("a star is one or more digits", "[name_rules]") {
  CHECK(match_indices("wte", "wte") == std::vector<long>{});
  CHECK(match_indices("h.*.q", "h.11.q") == std::vector<long>{11});
  CHECK(match_indices("h.*.e.*.w", "h.2.e.30.w") == std::vector<long>{2, 30});
  CHECK(!match_indices("h.*.q", "h..q"));
  CHECK(!match_indices("h.*.q", "h.x.q"));
  CHECK(!match_indices("h.*.q", "h.1.qq"));
  CHECK(!match_indices("h.*.q", "h.1"));
  CHECK(!match_indices("h.*", "h.99999999999999999999"));
}

TEST_CASE("indices are filled in and computed with", "[name_rules]") {
  CHECK(fill_indices("encoder.layer.*.x", {3}) == "encoder.layer.3.x");
  CHECK(fill_indices("layers.{i}.x", {3}) == "layers.3.x");
  CHECK(fill_indices("layers.{2*i+1}.{i+12}.{i-1}", {3}) == "layers.7.15.2");
  CHECK(fill_indices("block.*.layer.{j}.{4*k}", {3, 5, 6}) == "block.3.layer.5.24");
}

TEST_CASE("a pattern that can't be read is named", "[name_rules]") {
  const auto message = [](const char* pattern) {
    return message_of<error>([&] { fill_indices(pattern, {3}); });
  };
  CHECK_THAT(message("a.{i"), Contains("names table: 'a.{i': expected a '}'"));
  for (const char* bad : {"{}", "{2i}", "{2*}", "{n}", "{i+}", "{i*2}", "{i+1 }", "{+i}"})
    CHECK_THAT(message(bad), Contains("expected an expression such as"));
  CHECK_THAT(message("{j}"), Contains("it computes with j; our name has 1 '*'"));
  CHECK_THAT(message("*.*"), Contains("more '*' than our name, which has 1"));
}

TEST_CASE("ignored names match any index and any text", "[name_rules]") {
  CHECK(matches_some_index("h.*.attn.bias", "h.7.attn.bias"));
  CHECK(matches_some_index("h.{2*i+1}.bias", "h.4.bias"));
  CHECK(!matches_some_index("h.*.attn.bias", "h.7.attn.bias2"));
  CHECK(matches_some_index("cls.**", "cls.predictions.bias"));
  CHECK(matches_some_index("**.position_ids", "a.b.position_ids"));
  CHECK(!matches_some_index("cls.**", "cl"));
}
