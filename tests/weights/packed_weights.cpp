#include <fovea/weights/packed_weights.hpp>

#include "../message_of.hpp"
#include "temporary_folder.hpp"

#include <fovea/base/error.hpp>
#include <fovea/weights/gguf.hpp>
#include <fovea/weights/weights.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <cstddef>
#include <vector>

using namespace fovea;
using namespace fovea::core;

namespace {

/// The keys of packed weights, in panels of four columns of float32.
gguf_metadata keys() {
  gguf_metadata made;
  made.set("general.alignment", packed_keys::alignment);
  made.set(packed_keys::version, packed_keys::newest);
  made.set(packed_keys::format, "f32");
  made.set(packed_keys::panel, std::uint32_t{4});
  return made;
}

/// What is wrong with a file, without its name.
std::string refusal(const temporary_folder& folder, const gguf_metadata& of,
                    const std::map<std::string, stored_tensor>& tensors, std::vector<std::size_t> shape) {
  save_gguf(folder / "x.gguf", tensors, of);
  const std::string message = message_of<error>([&] {
    const wanted_parameter wanted{"w", shape, {}, true};
    const model_weights packed = load_weights(folder / "x.gguf");
    packed.resolve({&wanted, 1});
  });
  return message.substr(std::min(message.size(), (folder / "x.gguf").string().size()));
}

const std::vector<std::byte> zeros(256);

stored_tensor panels(std::size_t bytes) { return {element_type::i8, {bytes}, std::span(zeros).first(bytes)}; }
stored_tensor floats(std::size_t count) {
  return {element_type::f32, {count}, std::span(zeros).first(count * sizeof(float))};
}

} // namespace

TEST_CASE("packed weights are read by the parameter's name and shape", "[weights]") {
  const temporary_folder folder;
  save_gguf(folder / "x.gguf", {{"w [3, 5]", panels(80)}, {"b [3]", floats(3)}}, keys());
  const model_weights packed = load_weights(folder / "x.gguf");
  const std::array<wanted_parameter, 2> wanted{{{"w", {3, 5}, {}, true}, {"b", {3}}}};
  const auto views = packed.resolve(wanted);
  CHECK(views[0].data == nullptr);
  CHECK(views[0].size == 15);
  CHECK(views[0].panels.data == packed.tensors().at("w [3, 5]").bytes.data());
  CHECK(views[0].panels.panel == 4);
  CHECK(views[1].data != nullptr);
  CHECK(views[1].panels.data == nullptr);
  const std::array<wanted_parameter, 1> as_values{{{"w", {3, 5}}}};
  CHECK(packed.resolve_known(as_values)[0].data != nullptr);
  CHECK(packed.resolve_known(std::array<wanted_parameter, 1>{{{"none", {3}}}})[0].size == 0);
}

TEST_CASE("the tables of a tokenizer are no packed weights", "[weights]") {
  const temporary_folder folder;
  CHECK(
      refusal(folder, keys(), {{"w [3, 5]", panels(80)}, {"tokenizer.merges", panels(16)}}, {3, 5}).empty());
  CHECK(load_weights(folder / "x.gguf").tensors().size() == 1);
}

TEST_CASE("packed weights that are not whole or of another layout are refused", "[weights]") {
  const temporary_folder folder;
  CHECK(refusal(folder, keys(), {{"w [3, 5]", panels(80)}}, {3, 5}).empty());
  CHECK(refusal(folder, keys(), {{"w [3, 5]", panels(79)}}, {3, 5}) ==
        ": 'w [3, 5]': expected 80 bytes of panels; found 79");
  CHECK(refusal(folder, keys(), {{"w [80]", panels(80)}}, {80}) ==
        ": 'w [80]': expected values, since it is no matrix; found panels");
  CHECK(refusal(folder, keys(), {{"w [3, 5]", floats(14)}}, {3, 5}) ==
        ": 'w [3, 5]': expected 15 values; found 14");
  CHECK(refusal(folder, keys(), {{"w [3, 5]", panels(80)}, {"v [3]", floats(3)}}, {3, 5}) ==
        ": these weights are packed for another model; no parameter wants 'v [3]'");
  CHECK(refusal(folder, keys(), {{"w [3, 5]", panels(80)}}, {5, 3}) ==
        ": these weights are packed for another model; expected 'w [5, 3]', found 'w [3, 5]'; no parameter "
        "wants 'w [3, 5]'");
  const auto with = [](const char* key, auto value) {
    gguf_metadata made = keys();
    made.set(key, value);
    return made;
  };
  CHECK(refusal(folder, with(packed_keys::version, packed_keys::newest + 1), {}, {}) ==
        ": expected packed weights of version 2; found version 3: pack them again");
  CHECK(refusal(folder, with(packed_keys::version, "new"), {}, {}) ==
        ": fovea.packed.version: expected a number; found 'new'");
  CHECK(refusal(folder, with(packed_keys::format, "f33"), {}, {}) ==
        ": fovea.packed.format: expected a format of weights; found 'f33'");
  for (const std::uint32_t panel : {0u, 1u, 3u, 2048u})
    CHECK(refusal(folder, with(packed_keys::panel, panel), {}, {}) ==
          ": fovea.packed.panel: expected a power of two from 2 to 1024; found " + std::to_string(panel));
}

TEST_CASE("packed rows are no longer than the products that round them take", "[weights]") {
  const packed_layout layout{format_named<integer_products<q8_0>>, 8};
  const auto panels_of_depth = [&](std::size_t depth) {
    const std::vector<std::byte> bytes(panels_view{nullptr, layout.format, layout.panel, 2, depth}.bytes());
    const std::array<std::size_t, 2> shape{2, depth};
    return panels_of({element_type::i8, {bytes.size()}, bytes}, layout, shape).depth;
  };
  CHECK(panels_of_depth(65536) == 65536);
  CHECK(message_of<error>([&] { panels_of_depth(150528); }) ==
        "expected at most 65536 inputs for integer_products<q8_0>, found 150528");
}

TEST_CASE("a parameter of a scope that is called tokenizer is no table of one", "[weights]") {
  const temporary_folder folder;
  save_gguf(folder / "x.gguf", {{"tokenizer.b [3]", floats(3)}, {"tokenizer.merges", panels(16)}}, keys());
  const wanted_parameter wanted{"tokenizer.b", {3}};
  CHECK(load_weights(folder / "x.gguf").tensors().size() == 1);
  const model_weights packed = load_weights(folder / "x.gguf");
  CHECK(packed.resolve({&wanted, 1})[0].size == 3);
}

TEST_CASE("packed weights are not joined to others", "[weights]") {
  const temporary_folder folder;
  save_gguf(folder / "x.gguf", {{"b [3]", floats(3)}}, keys());
  CHECK(message_of<error>([&] { model_weights::join({load_weights(folder / "x.gguf")}); }) ==
        "model_weights::join: " + (folder / "x.gguf").string() + ": expected tensors; found packed weights");
}
