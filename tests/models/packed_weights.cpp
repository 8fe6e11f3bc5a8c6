// Weights that lie in a file as an instruction set reads them, beside the same weights from where they were packed.

#include "../compare_backends.hpp"
#include "../training/loss_case.hpp"
#include "../weights/temporary_folder.hpp"

#include <fovea/backends/simd/isa/sets_here.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/weights/save_packed.hpp>

#include <cstring>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using Catch::Matchers::StartsWith;

namespace {

inline constexpr dim B{"B"}, T{"T"};

// A table that a product shares, weights that are read as they are by something else, those of a small scan, and
// those of experts, which begin inside of panels.
constexpr auto many_uses = model("many_uses", [](graph& g) {
  expr ids = g.input<i32>("ids", {B, T});
  expr tied = parameter(ids, "tied", {50, 37}), also_added = parameter(ids, "also_added", {37, 37});
  expr x = linear(gather(tied, ids) + embedding(ids, "own_table", 50, 37), "plain", 37);
  x = gru(matmul(x, transpose(also_added)) + sum(also_added, axis(0)), "rnn", 37);
  x = repeat("layers", 2, x, [](expr y) { return y + linear(y, "deep", 37, {.bias = false}); });
  x += sum(expert_linear(x, unsqueeze(ids - ids / 3 * 3, -1), "experts", 3, 37), -2);
  g.output("y", matmul(x, transpose(tied)));
});

model_weights packed_for(const temporary_folder& folder, const model_weights& from, weight_format format,
                         const simd::set_sizes& set) {
  const std::filesystem::path path = folder / (std::string(set.name) + ".gguf");
  save_packed(path, decltype(many_uses)::view, from, many_uses.names, format, {set.name, set.panel});
  return load_weights(path);
}

} // namespace

TEST_CASE(
    "packed weights give what their source gives, bit for bit, in the set that they are for and in others",
    "[packed]") {
  const model_weights from = random_weights(many_uses);
  const named_values inputs = random_inputs(many_uses, {{"B", 2}, {"T", 5}});
  const temporary_folder folder;
  all_formats::each([&]<class format>(format) {
    constexpr weight_format kept_in = format_named<format>;
    const std::vector<double>
        expected = run_model<format>(many_uses, from, inputs).at("y").values,
        rounded = run_model<f32>(many_uses, rounded_weights<format>(many_uses, from), inputs).at("y").values;
    for (const simd::set_sizes& set : simd::sets_here()) {
      CAPTURE(instruction_set(), set.name, name_of(kept_in));
      const model_weights packed = packed_for(folder, from, kept_in, set);
      CHECK(run_model<format>(many_uses, packed, inputs).at("y").values == expected);
      CHECK(run_model<format>(many_uses, packed, inputs, 3).at("y").values == expected);
      CHECK(run_model<f32>(many_uses, packed, inputs).at("y").values == rounded);
      if (kept_in == weight_format::f32) // and in a format that they are not packed in
        CHECK(run_model<q8_0>(many_uses, packed, inputs).at("y").values ==
              run_model<q8_0>(many_uses, from, inputs).at("y").values);
    }
  });
}

TEST_CASE("packed weights are read where they lie, and copied where no vector can be loaded", "[packed]") {
  const model_weights from = random_weights(many_uses);
  const named_values inputs = random_inputs(many_uses, {{"B", 1}, {"T", 3}});
  const temporary_folder folder;
  const simd::set_sizes& set = *simd::set_named(instruction_set());
  packed_for(folder, from, weight_format::f32, set);
  const mapped_file file(folder / (std::string(set.name) + ".gguf"));
  for (const std::size_t shift : {0u, 4u}) {
    packed memory(file.bytes().size() / sizeof(float) + 1);
    auto* const bytes = reinterpret_cast<std::byte*>(memory.data()) + shift;
    std::memcpy(bytes, file.bytes().data(), file.bytes().size());
    const model_weights packed = load_weights(std::span<const std::byte>(bytes, file.bytes().size()));
    auto net = compile(many_uses, packed, {.capacity = {{B, 1}, {T, 3}}});
    const auto run = [&] {
      return xt::xtensor<float, 3>(net("ids"_in = xt::xtensor<int, 2>{{3, 1, 2}})["y"_out]);
    };
    const xt::xtensor<float, 3> before = run();
    for (const auto& [name, tensor] : packed.tensors())
      if (name.starts_with("plain.weight"))
        std::memset(const_cast<std::byte*>(tensor.bytes.data()), 0, tensor.bytes.size());
    CHECK((run() == before) == (shift > 0));
  }
}

TEST_CASE("what reads packed weights as values finds them: streams of small models, and who asks by name",
          "[packed]") {
  const model_weights from = random_weights(many_uses);
  const temporary_folder folder;
  for (const simd::set_sizes& set : simd::sets_here()) {
    const model_weights packed = packed_for(folder, from, weight_format::f32, set);
    const compile_options options{.capacity = {{B, 1}, {T, 3}}, .threads = 1};
    const auto net = compile(many_uses, packed, options), plain = compile(many_uses, from, options);
    CHECK((net.weights()["tied"_param][0] == plain.weights()["tied"_param][0]));
    CHECK(
        (net.weights()["layers.*.deep.weight"_param][1] == plain.weights()["layers.*.deep.weight"_param][1]));
    for (const regime how : {regime::small, regime::large}) {
      const compile_options of_stream{.capacity = {{B, 1}, {T, 3}}, .regime = how, .threads = 1};
      auto live = stream<T>(many_uses, packed, of_stream), expected = stream<T>(many_uses, from, of_stream);
      for (const int id : {3, 1, 49}) {
        const xt::xtensor<int, 2> now{{id}};
        CHECK((live.step("ids"_in = now)["y"_out] == expected.step("ids"_in = now)["y"_out]));
      }
    }
  }
}

TEST_CASE("weights that are packed for another model are refused by the parameter's name", "[packed]") {
  constexpr auto other = model("other", [](graph& g) {
    g.output("y", linear(g.input<f32>("x", {B, 37}), "plain", 36));
  });
  const temporary_folder folder;
  const simd::set_sizes& set = *simd::set_named(instruction_set());
  const model_weights packed = packed_for(folder, random_weights(many_uses), weight_format::f32, set);
  const std::string message = message_of<error>([&] { compile(other, packed, {.capacity = {{B, 1}}}); });
  CHECK_THAT(message,
             StartsWith((folder / (std::string(set.name) + ".gguf")).string() +
                        ": these weights are packed for another model; expected 'plain.bias [36]', found "
                        "'plain.bias [37]'; "
                        "'plain.weight [36, 37]', found 'plain.weight [37, 37]'; no parameter wants "));
}
