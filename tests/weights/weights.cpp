#include <fovea/weights/weights.hpp>

#include "../file_content.hpp"
#include "../gguf_blocks.hpp"
#include "temporary_folder.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/joined_threads.hpp>
#include <fovea/base/regular_file.hpp>
#include <fovea/weights/to_floats.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::naming;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

weight_tensor counted(std::vector<std::size_t> shape) {
  weight_tensor tensor{std::move(shape), {}};
  tensor.values.resize(
      std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::size_t{1}, std::multiplies<>()));
  std::iota(tensor.values.begin(), tensor.values.end(), 0.0f);
  return tensor;
}

std::vector<float> values(const weight_view& view) { return {view.data, view.data + view.size}; }

std::string refusal(const model_weights& w, std::vector<wanted_parameter> wanted,
                    std::span<const name_rule> rules = {}) {
  return message_of<error>([&] { w.resolve(wanted, rules); });
}

void save(const std::filesystem::path& path, const std::map<std::string, weight_tensor>& tensors) {
  std::map<std::string, stored_tensor> stored;
  for (const auto& [name, tensor] : tensors)
    stored[name] = {element_type::f32, tensor.shape, std::as_bytes(std::span(tensor.values))};
  save_safetensors(path, stored);
}

template <class bytes>
concept may_load = requires(bytes x) {
  load_weights(std::move(x));
};

} // namespace

TEST_CASE("without rules names are matched as they are", "[weights]") {
  const auto w = model_weights::from({{"q.weight", counted({2, 3})}, {"q.bias", counted({2})}});
  const std::array<wanted_parameter, 2> wanted{{{"q.bias", {2}}, {"q.weight", {2, 3}}}};
  const auto views = w.resolve(wanted);
  REQUIRE(views.size() == 2);
  CHECK(values(views[0]) == std::vector<float>{0, 1});
  CHECK(values(views[1]) == std::vector<float>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("a GPT-2 checkpoint is read by its rules", "[weights]") {
  static constexpr std::array rules{
      name_rule{"", "transformer.", naming::optional_prefix},
      name_rule{"wte", "wte.weight"},
      name_rule{"h.*.q.weight", "h.*.attn.c_attn.weight", naming::columns(0, 2) | naming::transposed},
      name_rule{"h.*.k.weight", "h.*.attn.c_attn.weight", naming::columns(2, 4) | naming::transposed},
      name_rule{"h.*.q.bias", "h.*.attn.c_attn.bias", naming::rows(0, 2)},
      name_rule{"h.*.k.bias", "h.*.attn.c_attn.bias", naming::rows(2, 4)},
      name_rule{"", "h.*.attn.bias", naming::ignored},
      name_rule{"wte", "lm_head.weight", naming::tied}};
  std::vector<wanted_parameter> wanted{{"wte", {5, 2}}};
  for (const std::string layer : {"h.0.", "h.1."}) {
    wanted.push_back({layer + "q.weight", {2, 2}});
    wanted.push_back({layer + "k.weight", {2, 2}});
    wanted.push_back({layer + "q.bias", {2}});
    wanted.push_back({layer + "k.bias", {2}});
  }
  for (const std::string prefix : {"", "transformer."}) {
    std::map<std::string, weight_tensor> theirs{{prefix + "wte.weight", counted({5, 2})}};
    for (const std::string layer : {"h.0.", "h.1."}) {
      theirs[prefix + layer + "attn.c_attn.weight"] = counted({2, 4});
      theirs[prefix + layer + "attn.c_attn.bias"] = counted({4});
      theirs[prefix + layer + "attn.bias"] = counted({1, 1, 3, 3});
    }
    theirs["lm_head.weight"] = counted({5, 2});
    const auto w = model_weights::from(theirs);
    const auto views = w.resolve(wanted, rules);
    CHECK(values(views[1]) == std::vector<float>{0, 4, 1, 5});
    CHECK(values(views[2]) == std::vector<float>{2, 6, 3, 7});
    CHECK(values(views[7]) == std::vector<float>{0, 1});
    CHECK(values(views[8]) == std::vector<float>{2, 3});

    theirs["lm_head.weight"].values[3] = 7;
    CHECK_THAT(refusal(model_weights::from(theirs), wanted, rules),
               Contains("tensor 'lm_head.weight': expected a second copy of 'wte' [5, 2]"));
    theirs.erase("lm_head.weight");
    CHECK(refusal(model_weights::from(theirs), wanted, rules).empty());
    // A third layer that the model doesn't have must not be dropped in silence.
    theirs[prefix + "h.2.attn.c_attn.bias"] = counted({4});
    CHECK_THAT(refusal(model_weights::from(theirs), wanted, rules),
               Contains("no rule ignores the tensors '" + prefix + "h.2.attn.c_attn.bias' [4]"));
  }
}

TEST_CASE("a weight is made of its direction and its gain", "[weights]") {
  static constexpr std::array rules{
      name_rule{"*.weight", "*.weight_v", weight_normed},
      name_rule{"*.weight", "*.parametrizations.weight.original1", weight_normed | transposed}};
  const weight_tensor direction{{2, 2}, {3, 4, 6, 8}};
  const std::array<wanted_parameter, 2> wanted{{{"0.weight", {2, 2}}, {"1.weight", {2, 2}}}};
  const std::map<std::string, weight_tensor> theirs{
      {"0.weight_v", direction},
      {"0.weight_g", {{2, 1}, {5, 20}}},
      {"1.parametrizations.weight.original1", {{2, 2}, {3, 6, 4, 8}}},
      {"1.parametrizations.weight.original0", {{1, 2}, {5, 20}}}};
  const auto w = model_weights::from(theirs);
  const auto views = w.resolve(wanted, rules);
  CHECK(values(views[0]) == std::vector<float>{3, 4, 12, 16});
  CHECK(values(views[1]) == std::vector<float>{3, 4, 12, 16});

  const auto with = [&](const std::string& name, const weight_tensor& other) {
    auto changed = theirs;
    changed[name] = other;
    return refusal(model_weights::from(changed), {wanted.begin(), wanted.end()}, rules);
  };
  CHECK(with("0.weight_g", {{1, 1}, {5}}).empty());
  CHECK_THAT(
      with("0.weight_g", counted({2})),
      Contains(
          "tensor '0.weight_v + 0.weight_g' for '0.weight': expected a gain of 1 or as many along each axis "
          "of [2, 2]; found [2]"));
  CHECK_THAT(with("0.weight_g", counted({3, 1})), Contains("of [2, 2]; found [3, 1]"));
  CHECK_THAT(with("0.weight_v", {{2, 2}, {0, 0, 6, 8}}), Contains("expected finite values"));
  auto lacking = theirs;
  lacking.erase("0.weight_g");
  CHECK_THAT(refusal(model_weights::from(lacking), {wanted.begin(), wanted.end()}, rules),
             Contains("'0.weight' [2, 2] (expected as '0.weight_v' and '0.weight_g' or "
                      "'0.parametrizations.weight.original1' and '0.parametrizations.weight.original0')"));
  static constexpr std::array misnamed{name_rule{"0.weight", "0.direction", weight_normed}};
  CHECK_THAT(refusal(model_weights::from({{"0.direction", direction}}), {wanted[0]}, misnamed),
             Contains("expected the name of a direction, which ends in _v or original1"));
}

TEST_CASE("layer indices are computed and the first rule with a tensor wins", "[weights]") {
  static constexpr std::array rules{
      name_rule{"h.*.a", "layers.{2*i}.w"}, name_rule{"h.*.b", "layers.{2*i+1}.w"},
      name_rule{"norm", "LayerNorm.weight"}, name_rule{"norm", "LayerNorm.gamma"}};
  std::map<std::string, weight_tensor> theirs{{"LayerNorm.gamma", counted({1})}};
  for (int i = 0; i < 4; ++i) theirs["layers." + std::to_string(i) + ".w"] = {{1}, {static_cast<float>(i)}};
  const std::array<wanted_parameter, 5> wanted{
      {{"h.0.a", {1}}, {"h.0.b", {1}}, {"h.1.a", {1}}, {"h.1.b", {1}}, {"norm", {1}}}};
  const auto w = model_weights::from(theirs);
  const auto views = w.resolve(wanted, rules);
  for (std::size_t i = 0; i < 4; ++i) CHECK(views[i].data[0] == static_cast<float>(i));
}

TEST_CASE("tensors of several heads are joined", "[weights]") {
  static constexpr std::array rules{name_rule{"h.*.q", "h.*.head.{n}.q", naming::transposed | naming::joined},
                                    name_rule{"b", "b.{n}", naming::joined}};
  std::map<std::string, weight_tensor> theirs{{"b.0", {{1}, {7}}}, {"b.1", {{2}, {8, 9}}}};
  for (const std::string layer : {"0", "1"})
    for (const std::string head : {"0", "1", "2"})
      theirs["h." + layer + ".head." + head + ".q"] = counted({2, 1});
  const std::vector<wanted_parameter> wanted{{"h.0.q", {3, 2}}, {"h.1.q", {3, 2}}, {"b", {3}}};
  const auto w = model_weights::from(theirs, "model");
  const auto views = w.resolve(wanted, rules);
  CHECK(values(views[0]) == std::vector<float>{0, 1, 0, 1, 0, 1});
  CHECK(values(views[2]) == std::vector<float>{7, 8, 9});

  // A gap, a head too few and a head of another width are not taken.
  auto gap = theirs;
  gap["h.0.head.4.q"] = counted({2, 1});
  CHECK_THAT(refusal(model_weights::from(gap), wanted, rules),
             Contains("no rule ignores the tensors 'h.0.head.4.q' [2, 1]"));
  auto fewer = theirs;
  fewer.erase("h.1.head.2.q");
  CHECK_THAT(refusal(model_weights::from(fewer), wanted, rules),
             Contains("'h.1.head.0.q + h.1.head.1.q' for 'h.1.q': expected [3, 2]; found [2, 2]"));
  auto wider = theirs;
  wider["h.1.head.1.q"] = counted({3, 1});
  CHECK_THAT(refusal(model_weights::from(wider), wanted, rules), Contains("cannot join [1, 2] and [1, 3]"));
  auto none = theirs;
  none.erase("b.0"), none.erase("b.1");
  CHECK_THAT(refusal(model_weights::from(none), wanted, rules), Contains("'b' [3] (expected as 'b.0')"));
}

TEST_CASE("a rule that joins tensors numbers them", "[weights]") {
  static constexpr std::array rules{name_rule{"b", "c", naming::joined}};
  CHECK_THAT(refusal(model_weights::from({{"c", {{2}, {1, 2}}}}), {{"b", {2}}}, rules),
             Contains("names table: 'c': expected {n}, the number of each of the tensors that are joined"));
}

TEST_CASE("missing, extra and misshaped tensors are reported together", "[weights]") {
  const auto w = model_weights::from({{"a", counted({2})}, {"b.x", counted({3})}}, "model");
  static constexpr std::array rules{name_rule{"c", "theirs.c"}};
  CHECK(refusal(w, {{"a", {2}}, {"b", {3}}, {"c", {4, 4}}}, rules) ==
        "model: no tensor fills the parameters 'b' [3], 'c' [4, 4] (expected as 'theirs.c'); "
        "no parameter wants and no rule ignores the tensors 'b.x' [3]");
  CHECK(refusal(w, {{"a", {1, 2}}, {"b", {3}}, {"b.x", {2}}}) ==
        "model: no tensor fills the parameters 'b' [3]; "
        "tensor 'a': expected [1, 2]; found [2]; tensor 'b.x': expected [2]; found [3]");
  std::vector<wanted_parameter> many;
  for (int i = 0; i < 9; ++i) many.push_back({"p" + std::to_string(i), {1}});
  CHECK_THAT(refusal(model_weights::from({}), many), Contains("'p4' [1], and 4 more") && !Contains("p5"));
  // Weights of another model fit in nothing.
  std::map<std::string, weight_tensor> others;
  for (int i = 0; i < 7; ++i) others["other." + std::to_string(i)] = counted({2});
  CHECK(
      refusal(model_weights::from(others, "model"), many) ==
      "model: no tensor fills the parameters 'p0' [1], 'p1' [1], and 7 more; no parameter wants and no rule "
      "ignores the tensors 'other.0' [2], 'other.1' [2], and 5 more");
}

TEST_CASE("what is missing is told in the order of its numbers", "[weights]") {
  std::vector<wanted_parameter> layers;
  for (const int i : {0, 3, 12, 1, 2}) layers.push_back({"h." + std::to_string(i) + ".w", {1}});
  CHECK_THAT(refusal(model_weights::from({}), layers),
             Contains("'h.0.w' [1], 'h.1.w' [1], 'h.2.w' [1], 'h.3.w' [1], 'h.12.w' [1]"));
}

TEST_CASE("beside a problem, rules of which no parameter has a name are told", "[weights]") {
  static constexpr std::array rules{name_rule{"h.*.gate", "layers.*.gate_proj"},
                                    name_rule{"h.*.gaet.b", "layers.*.gate_bias"},
                                    name_rule{"", "layers.*.bias", naming::ignored}};
  const auto w = model_weights::from(
      {{"layers.0.gate_proj", counted({2})}, {"layers.0.gate_bias", counted({2})}}, "model");
  CHECK(refusal(w, {{"h.0.gate", {2}}, {"h.0.gate.b", {2}}}, rules) ==
        "model: no tensor fills the parameters 'h.0.gate.b' [2]; no parameter wants and no rule ignores the "
        "tensors 'layers.0.gate_bias' [2]; no parameter has a name of the rules for 'h.*.gaet.b'");
  CHECK(refusal(w, {{"h.0.gate", {2}}, {"layers.0.gate_bias", {2}}}, rules).empty());
}

TEST_CASE("shapes and element types that don't fit are named", "[weights]") {
  const auto w = model_weights::from({{"a", counted({2, 3})}, {"b", counted({4})}}, "model");
  static constexpr std::array rules{name_rule{"ours", "a", transposed},
                                    name_rule{"b", "b", naming::rows(0, 9)}};
  CHECK(refusal(w, {{"ours", {2, 3}}, {"b", {9}}}, rules) ==
        "model: tensor 'a' for 'ours': expected [2, 3]; found [3, 2], made of [2, 3]; "
        "tensor 'b': rows(0, 9) does not fit shape [4]");
  CHECK(refusal(w, {{"a", {6}}, {"b", {4}}}) == "model: tensor 'a': expected [6]; found [2, 3]");

  const temporary_folder folder;
  const std::array<std::int64_t, 2> ids{1, 2};
  save_safetensors(folder / "x.safetensors",
                   {{"ids", {element_type::i64, {2}, std::as_bytes(std::span(ids))}}});
  CHECK_THAT(refusal(load_weights(folder / "x.safetensors"), {{"ids", {2}}}),
             Contains("x.safetensors: tensor 'ids': expected a type that holds reals; found I64"));
}

TEST_CASE("values that are not finite are refused where they are used", "[weights]") {
  auto bad = counted({600});
  bad.values[555] = std::nanf("");
  const auto w = model_weights::from({{"a", counted({3})}, {"b", bad}}, "model");
  CHECK(refusal(w, {{"a", {3}}, {"b", {600}}}) ==
        "model: tensor 'b': expected finite values; found nan at element 555");
  static constexpr std::array rules{name_rule{"", "b", naming::ignored}};
  CHECK(refusal(w, {{"a", {3}}}, rules).empty());
}

TEST_CASE("an optional prefix that makes two names one is refused", "[weights]") {
  static constexpr std::array rules{name_rule{"", "bert.", naming::optional_prefix}};
  CHECK_THAT(
      refusal(model_weights::from({{"a", counted({1})}, {"bert.a", counted({1})}}), {{"a", {1}}}, rules),
      Contains("tensors 'a' and 'bert.a' are both 'a'"));
}

TEST_CASE("converted tensors are made once and shared by copies of the handle", "[weights]") {
  const auto w = model_weights::from({{"a", counted({2, 2})}});
  static constexpr std::array rules{name_rule{"a", "a", naming::transposed}};
  const std::array<wanted_parameter, 1> wanted{{{"a", {2, 2}}}};
  const model_weights copy = w;
  CHECK(w.resolve(wanted, rules)[0].data == copy.resolve(wanted, rules)[0].data);
  CHECK(w.resolve(wanted)[0].data != copy.resolve(wanted, rules)[0].data);
}

TEST_CASE("a packed copy is built once while somebody holds it", "[weights][threads]") {
  const auto w = model_weights::from({});
  std::atomic<int> built{0};
  const auto build = [&] {
    ++built;
    packed panels(3);
    panels.data()[0] = 1;
    return panels;
  };
  std::array<std::shared_ptr<const packed>, 4> copies;
  {
    core::joined_threads threads;
    for (auto& copy : copies)
      threads.start([&w, &build, &copy] { copy = model_weights(w).packed_copy("a f32", build); });
  }
  CHECK(built == 1);
  for (const auto& copy : copies) CHECK(copy == copies[0]);
  CHECK(w.packed_copy("b f32", build) != copies[0]);
  copies = {};
  CHECK(w.packed_copy("a f32", build)->data()[0] == 1);
  CHECK(built == 3);
}

TEST_CASE("packed buffers are aligned to cache lines", "[weights]") {
  for (const std::size_t count : {0u, 1u, 17u, (1u << 19) - 1, 1u << 19, 1000003u}) {
    packed buffer(count);
    CHECK(buffer.size() == count);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64 == 0);
    std::fill_n(buffer.data(), count, 1.0f);
  }
}

TEST_CASE("a folder with a file, or with an index and its shards", "[weights]") {
  const temporary_folder folder;
  CHECK_THAT(message_of<error>([&] { load_weights(folder.path()); }),
             Contains("expected the folder to hold model.safetensors or model.safetensors.index.json"));
  save(folder / "one.safetensors", {{"a", counted({2})}, {"b", counted({3})}});
  save(folder / "two.safetensors", {{"c", counted({4})}});
  const auto index =
      folder.write("model.safetensors.index.json",
                   R"({"metadata":{}, "weight_map":{"a":"one.safetensors","b":"one.safetensors",
                                      "c":"two.safetensors"}})");
  const std::array<wanted_parameter, 3> wanted{{{"a", {2}}, {"b", {3}}, {"c", {4}}}};
  const auto w = load_weights(index);
  CHECK(values(w.resolve(wanted)[2]) == std::vector<float>{0, 1, 2, 3});
  CHECK(load_weights(folder.path()).tensors().size() == 3);

  save(folder / "model.safetensors", {{"d", counted({1})}});
  CHECK(load_weights(folder.path()).tensors().contains("d"));
}

TEST_CASE("an index that doesn't fit its shards is refused", "[weights]") {
  const temporary_folder folder;
  save(folder / "one.safetensors", {{"a", counted({2})}, {"b", counted({3})}});
  const auto message = [&](const std::string& text) {
    const auto index = folder.write("x.index.json", text);
    return message_of<error>([&] { load_weights(index); });
  };
  CHECK_THAT(message("{"), Contains("x.index.json: not valid JSON"));
  for (const std::string& deep : {deep_lists(), deep_objects()})
    CHECK_THAT(message(R"({"weight_map":{"a":)" + deep + "}}"),
               EndsWith("x.index.json: expected lists and objects nested at most 64 deep; found more"));
  const std::string word(1 << 20, 'w');
  CHECK(message(R"({"weight_map":{")" + word + R"(":"../)" + word + "\"}}").size() < 500);
  CHECK_THAT(message("{}"), Contains("expected an object with a weight_map"));
  CHECK_THAT(message(R"({"weight_map":{"a":1}})"), Contains("tensor 'a': expected a file name; found 1"));
  CHECK_THAT(message(R"({"weight_map":{"a":"../one.safetensors"}})"), Contains("a file beside the index"));
  CHECK_THAT(message(R"({"weight_map":{"a":"/etc/passwd"}})"), Contains("a file beside the index"));
  CHECK_THAT(message(R"({"weight_map":{"a":".."}})"), Contains("a file beside the index"));
  CHECK_THAT(message(R"({"weight_map":{"a":"none.safetensors"}})"),
             Contains("none.safetensors: cannot open"));
  CHECK_THAT(message(R"({"weight_map":{"a":"one.safetensors"}})"),
             Contains("one.safetensors: tensor 'b': the index") && Contains("does not name it"));
  CHECK_THAT(message(R"({"weight_map":{"a":"one.safetensors","b":"one.safetensors","c":"one.safetensors"}})"),
             Contains("expected a tensor 'c'"));
}

TEST_CASE("a pipe, a device and an empty path are refused before anything waits for them", "[weights]") {
  const temporary_folder folder;
  for_each_irregular(folder, [&](const std::filesystem::path& path, const std::string& what) {
    const std::string expected = path.string() + what;
    CHECK(message_of<error>([&] { mapped_file{path}; }) == expected);
    CHECK(message_of<error>([&] { mapped_file(path, {.copy = true}); }) == expected);
    if (path == folder.path()) return; // of weights
    CHECK(message_of<error>([&] { load_weights(path); }) == expected);
    CHECK(message_of<error>([&] { load_weights(path, {.copy = true}); }) == expected);
    const auto index = folder / "x.index.json";
    std::error_code none; // of a system without links
    std::filesystem::create_symlink(path, index, none);
    if (none) return;
    CHECK(message_of<error>([&] { load_weights(index); }) == index.string() + what);
    std::filesystem::remove(index);
  });
  CHECK(message_of<error>([&] { load_weights(""); }) == "expected the path of a file; found an empty one");
}

TEST_CASE("weights that are copied stay when their file is cut short or written over", "[weights]") {
  const temporary_folder folder;
  for (const bool sharded : {false, true}) {
    const auto file = folder / "w.safetensors";
    constexpr std::size_t count = 1 << 20; // pages that nothing has touched
    save(file, {{"a", counted({count})}});
    const auto index = folder.write("x.index.json", R"({"weight_map":{"a":"w.safetensors"}})");
    const model_weights kept = load_weights(sharded ? index : file, {.copy = true});
    std::filesystem::resize_file(file, 0);
    folder.write("w.safetensors", "something else");
    const std::array<wanted_parameter, 1> wanted{{{"a", {count}}}};
    const auto found = values(kept.resolve(wanted)[0]);
    bool equal = found.size() == count;
    for (std::size_t i = 0; equal && i < count; ++i) equal = found[i] == static_cast<float>(i);
    CHECK(equal);
  }
}

TEST_CASE("a file that ends before it was read is named", "[weights]") {
  const temporary_folder folder;
  const auto path = folder.write("x", "0123456789");
  const regular_file file(path);
  std::filesystem::resize_file(path, 4);
  std::array<std::byte, 10> bytes{};
  CHECK(message_of<error>([&] { file.read(bytes); }) ==
        path.string() + ": the file was cut short while it was read: expected 10 bytes; found 4");
}

TEST_CASE("a file of no known format is refused, by its name where that says more", "[weights]") {
  const temporary_folder folder;
  const auto message = [&](const std::string& name, const std::string& bytes) {
    const auto path = folder.write(name, bytes);
    return message_of<error>([&] { load_weights(path); });
  };
  CHECK_THAT(message("x.bin", ""),
             Contains("x.bin: expected weights in a known format (safetensors, GGUF,") &&
                 EndsWith("found an empty file"));
  CHECK_THAT(message("x.bin", "hello"), EndsWith("found another"));
  CHECK_THAT(message("x.safetensors", "abc"),
             Contains("which begins with 8 bytes of header length; found 3 bytes"));
  CHECK_THAT(message("x.gguf", "GGML"), Contains("expected a GGUF file, which begins with the letters GGUF"));
  CHECK_THAT(message_of<error>([&] { load_weights(folder / "none.bin"); }),
             Contains("none.bin: cannot open"));
}

TEST_CASE("weights are read from memory as from a file", "[weights]") {
  const temporary_folder folder;
  const auto path = folder / "some.safetensors";
  save(path, {{"a", counted({2, 3})}, {"b", counted({4})}});
  const std::string file = content(path);
  const std::array<wanted_parameter, 2> wanted{{{"a", {2, 3}}, {"b", {4}}}};
  // At each offset, so that floats lie at addresses that no float has too.
  for (std::size_t offset = 0; offset < 5; ++offset) {
    std::vector<std::byte> room(file.size() + offset);
    std::memcpy(room.data() + offset, file.data(), file.size());
    const std::span<const std::byte> bytes(room.data() + offset, file.size());
    const model_weights lent = load_weights(bytes), copied = load_weights(bytes, "mine", {.copy = true});
    CHECK(lent.source() == "weights in memory");
    CHECK(copied.source() == "mine");
    CHECK(values(lent.resolve(wanted)[1]) == std::vector<float>{0, 1, 2, 3});
    std::fill(room.begin(), room.end(), std::byte{});
    CHECK(values(copied.resolve(wanted)[0]) == std::vector<float>{0, 1, 2, 3, 4, 5});
  }
  const auto refused = [](std::string_view text) {
    return message_of<error>([&] { load_weights(std::as_bytes(std::span(text)), "mine"); });
  };
  CHECK_THAT(refused(std::string_view(file).substr(0, file.size() - 1)), Contains("mine: tensor 'b'"));
  CHECK_THAT(refused(""), Contains("mine: expected weights in a known format"));
  static_assert(may_load<std::span<const std::byte>> && !may_load<std::vector<std::byte>>);
}

TEST_CASE("several checkpoints are joined", "[weights]") {
  const temporary_folder folder;
  const auto first = folder / "first.safetensors", second = folder / "second.safetensors";
  save(first, {{"a", counted({2})}, {"optimizer.momentum.a", counted({2})}});
  save(second, {{"b", counted({3})}, {"optimizer.momentum.a", counted({2})}});
  const model_weights both = model_weights::join(
      {load_weights(first), load_weights(second), model_weights::from({{"c", counted({1})}})});
  CHECK(both.source() == first.string() + ", " + second.string() + " and weights of the program");
  const std::array<wanted_parameter, 3> wanted{{{"c", {1}}, {"b", {3}}, {"a", {2}}}};
  const auto views = both.resolve(wanted);
  CHECK(values(views[0]) == std::vector<float>{0});
  CHECK(values(views[1]) == std::vector<float>{0, 1, 2});
  CHECK(values(views[2]) == std::vector<float>{0, 1});
  CHECK_THAT(refusal(both, {{"c", {1}}, {"b", {4}}, {"a", {2}}}), Contains(second.string()));
  const auto third = folder / "third.safetensors";
  save(third, {{"a", counted({3})}});
  CHECK_THAT(message_of<error>([&] {
               model_weights::join({load_weights(first), load_weights(third)});
             }),
             Contains("is in " + first.string() + " and in " + third.string()) && Contains("tensor "));
}

TEST_CASE("model_weights::from checks that values fit their shape", "[weights]") {
  CHECK(message_of<error>([] {
          model_weights::from({{"a", {{2, 2}, {1, 2, 3}}}}, "mine");
        }) == "mine: tensor 'a' of shape [2, 2] expects 4 values; found 3");
}

TEST_CASE("what is stored in a type that is read as it is stays where it lies", "[weights]") {
  fovea::core::test::gguf_writer file;
  std::string blocks;
  for (char row = 0; row < 4; ++row) blocks += std::string("\0\x3c", 2) + std::string(32, row);
  file.add_tensor("blocks", 8, {4, 32}, blocks);
  file.add_tensor("copy", 8, {4, 32}, blocks);
  file.add_tensor("half", 1, {2}, std::string("\0\x3c\0\x40", 4));
  const temporary_folder folder;
  const model_weights w = load_weights(folder.write("x.gguf", file.file()));
  const std::span<const std::byte> all = w.tensors().at("blocks").bytes;
  static constexpr name_rule rules[] = {{"some", "blocks", naming::rows(1, 3)},
                                        {"turned", "blocks", naming::transposed},
                                        {"larger", "blocks", naming::scaled(2)},
                                        {"tied_one", "blocks"},
                                        {"tied_one", "copy", naming::tied}};
  const auto view_of = [&](const char* name, std::vector<std::size_t> shape, element_type stored) {
    const wanted_parameter wanted{name, std::move(shape), stored};
    return w.resolve_known({&wanted, 1}, rules).front();
  };
  const auto is_stored = [](const weight_view& view, std::span<const std::byte> bytes) {
    return view.data == nullptr && view.stored.data() == bytes.data() && view.stored.size() == bytes.size();
  };
  const weight_view whole = view_of("blocks", {4, 32}, element_type::q8_0),
                    some = view_of("some", {2, 32}, element_type::q8_0);
  CHECK(is_stored(whole, all));
  CHECK(whole.size == 4 * 32);
  CHECK(is_stored(some, all.subspan(34, 2 * 34)));
  CHECK(some.size == 2 * 32);
  CHECK(is_stored(view_of("half", {2}, element_type::f16), w.tensors().at("half").bytes));

  // What is another type, is changed on the way, or is compared with a copy, comes as float32.
  const auto first = [&](const char* name, std::vector<std::size_t> shape, element_type stored) {
    const weight_view view = view_of(name, std::move(shape), stored);
    CHECK(view.stored.empty());
    return values(view).at(0) + values(view).at(1) * 100;
  };
  CHECK(first("blocks", {4, 32}, element_type::q4_0) == 0);
  CHECK(first("turned", {32, 4}, element_type::q8_0) == 100);
  CHECK(first("larger", {4, 32}, element_type::q8_0) == 0);
  CHECK(first("tied_one", {4, 32}, element_type::q8_0) == 0);
  CHECK(first("half", {2}, element_type::bf16) == 201);
}

TEST_CASE("what is read as it is stored is finite too", "[weights]") {
  const temporary_folder folder;
  const auto said = [&](std::uint32_t ggml_type, element_type type, const std::string& bytes) {
    fovea::core::test::gguf_writer file;
    file.add_tensor("t", ggml_type, {64}, bytes);
    const model_weights w = load_weights(folder.write("x.gguf", file.file()));
    return refusal(w, {{"t", {64}, type}});
  };
  const std::string one("\0\x3c", 2), infinite("\0\xfc", 2), not_a_number("\1\x7c", 2);
  const auto message = [&](const char* found, int element) {
    return (folder / "x.gguf").string() + ": tensor 't': expected finite values; found " + found +
           " at element " + std::to_string(element);
  };
  CHECK(said(8, element_type::q8_0, one + std::string(32, '\1') + infinite + std::string(32, '\1')) ==
        message("-inf", 32));
  CHECK(said(2, element_type::q4_0, not_a_number + std::string(16, '\1') + one + std::string(16, '\1')) ==
        message("nan", 0));
  std::string halves;
  for (int i = 0; i < 64; ++i) halves += i == 40 ? infinite : one;
  CHECK(said(1, element_type::f16, halves) == message("-inf", 40));
  CHECK(said(30, element_type::bf16, halves).empty()); // there 0xfc00 is a number
  halves.replace(80, 2, "\x80\xff");
  CHECK(said(30, element_type::bf16, halves) == message("-inf", 40));
}

TEST_CASE("what rules make of quantised blocks is what they make of their values", "[weights]") {
  static constexpr name_rule rules[] = {{"whole", "0"},
                                        {"some", "0", naming::rows(1, 3)},
                                        {"upper", "0", naming::columns(200, 300)},
                                        {"turned", "0", naming::transposed},
                                        {"parts", "{n}", naming::joined}};
  const std::vector<wanted_parameter> wanted{{"whole", {4, 512}},
                                             {"some", {2, 512}},
                                             {"upper", {4, 100}},
                                             {"turned", {512, 4}},
                                             {"parts", {8, 512}}};
  std::mt19937 random(3);
  for (const fovea::core::test::block_type& of : fovea::core::test::blocks_of_others) {
    INFO(element_name(of.type));
    // Two tensors to be joined, as Q4_K_M has them of two types.
    fovea::core::test::gguf_writer file;
    const std::string blocks = fovea::core::test::random_blocks(of, 4 * 512 / block_length(of.type), random);
    const fovea::core::test::block_type& other = fovea::core::test::blocks_of_others.back();
    file.add_tensor("0", fovea::core::test::ggml_number(of.type), {4, 512}, blocks);
    file.add_tensor("1", fovea::core::test::ggml_number(other.type), {4, 512},
                    fovea::core::test::random_blocks(other, 4 * 2, random));
    const temporary_folder folder;
    const model_weights stored = load_weights(folder.write("x.gguf", file.file()));
    CHECK(stored.tensors().at("0").type == of.type);
    std::map<std::string, weight_tensor> floats;
    for (const auto& [name, tensor] : stored.tensors()) {
      weight_tensor& made = floats[name] = counted(tensor.shape);
      to_floats(tensor.type, tensor.bytes, made.values.data());
    }
    const model_weights decoded = model_weights::from(floats);
    const auto found = stored.resolve(wanted, rules), expected = decoded.resolve(wanted, rules);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      INFO(wanted[i].name);
      CHECK(values(found[i]) == values(expected[i]));
    }
  }
}

TEST_CASE("values of quantised blocks are finite", "[weights]") {
  std::mt19937 random(3);
  const temporary_folder folder;
  for (const fovea::core::test::block_type& of : fovea::core::test::blocks_of_others)
    for (const std::size_t half : of.halves) {
      const std::size_t length = block_length(of.type);
      std::string blocks = fovea::core::test::random_blocks(of, 2, random);
      fovea::core::test::set_half(blocks, block_bytes(of.type) + half, 0x7e00);
      fovea::core::test::gguf_writer file;
      file.add_tensor("t", fovea::core::test::ggml_number(of.type), {2, length}, blocks);
      const model_weights w = load_weights(folder.write("x.gguf", file.file()));
      CHECK_THAT(refusal(w, {{"t", {2, length}}}), Contains("tensor 't': expected finite values; found") &&
                                                       EndsWith("nan at element " + std::to_string(length)));
    }
}

TEST_CASE("values that nobody holds are let go, and are the same when they are asked for again",
          "[weights]") {
  static constexpr name_rule rules[] = {{"turned", "w", naming::transposed}, {"same", "w"}};
  const temporary_folder folder;
  const weight_tensor made = counted({64, 96});
  save_safetensors(folder / "x.safetensors",
                   {{"w", {element_type::f32, made.shape, std::as_bytes(std::span(made.values))}}});
  const model_weights w = load_weights(folder / "x.safetensors");
  const std::vector<wanted_parameter> wanted{{"turned", {96, 64}}, {"same", {64, 96}}};

  auto held = w.resolve_known(wanted, rules);
  const std::vector<float> turned = values(held[0]), same = values(held[1]);
  w.let_go();
  CHECK(values(held[0]) == turned); // they are held
  const std::weak_ptr<const void> copy = held[0].holder, place = held[1].holder;
  held.clear();
  CHECK(!copy.expired());
  w.let_go();
  CHECK(copy.expired());
  CHECK(!place.expired()); // known to be finite, where they lie

  const auto again = w.resolve_known(wanted, rules);
  CHECK(values(again[0]) == turned);
  CHECK(values(again[1]) == same);

  const float* const lasting = w.lasting_values({"turned", {96, 64}}, rules);
  w.let_go();
  CHECK(std::vector<float>(lasting, lasting + turned.size()) == turned);
  CHECK(w.lasting_values({"none", {3}}, rules) == nullptr);
}
