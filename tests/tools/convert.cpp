// Files that fovea convert writes, and what it says.

#include <convert/conversion.hpp>

#include "../each_format.hpp"
#include "../examples/program_run.hpp"
#include "../file_content.hpp"
#include "../gguf_blocks.hpp"
#include "../training/loss_case.hpp"

#include <fovea/base/error.hpp>
#include <fovea/models/bert.hpp>
#include <fovea/models/gpt2.hpp>
#include <fovea/weights/converted.hpp>
#include <fovea/weights/gguf.hpp>

#include <catch2/catch.hpp>

#include <limits>
#include <map>
#include <random>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using tool::convert::kind;
namespace convert = tool::convert;

namespace {

namespace fs = std::filesystem;

constexpr models::gpt2_config small_gpt2{.layers = 2, .heads = 4, .width = 32, .vocab = 96, .context = 64};
constexpr models::bert_config small_bert{
    .layers = 2, .heads = 4, .width = 32, .inner = 64, .vocab = 96, .context = 48};

constexpr auto silent = [](std::size_t, std::size_t) {};

convert::report converted_to(const fs::path& from, const fs::path& to, element_type type,
                             std::vector<std::string> keep = {}, std::vector<std::string> only = {}) {
  return convert::write_converted(
      from, to,
      {.type = type, .keep = std::move(keep), .only = std::move(only), .gguf = to.extension() == ".gguf"},
      silent);
}

/// A case's parameters as a safetensors file.
fs::path saved(const golden_case& c, const temporary_folder& folder) {
  save_safetensors(folder / "in.safetensors", weights_of(c).tensors());
  return folder / "in.safetensors";
}

/// The model with converted weights gives in each format what it gives where they are converted at load.
template <class M>
void check_same(const M& model, const golden_case& c, const named_values& inputs,
                const std::vector<std::string>& keep) {
  const temporary_folder folder;
  const fs::path in = saved(c, folder);
  const auto check_one = [&]<class format>(format, element_type type, const std::string& name) {
    const convert::report made = converted_to(in, folder / name, type, keep);
    CHECK((made.at(kind::in_format).tensors > 0 || block_length(type) > 64)); // as their rows are
    const named_values expected = run_model<format>(model, load_weights(in), inputs),
                       found = run_model<format>(model, load_weights(folder / name), inputs);
    for (const auto& [output, values] : expected) {
      INFO(name_of(format_named<format>) << " in " << name << ", output " << output);
      CHECK(found.at(output).values == values.values);
    }
  };
  const auto check_files = [&]<class format>(format of) {
    constexpr format_traits as = traits_of<format>;
    check_one(of, as.stored, std::string(as.name) + ".gguf");
    if (block_length(as.stored) == 1) check_one(of, as.stored, std::string(as.name) + ".safetensors");
  };
  check_files(f32{}), for_formats_of_files(check_files);
}

weight_tensor filled(std::vector<std::size_t> shape, float value) {
  std::size_t count = 1;
  for (const std::size_t size : shape) count *= size;
  return {std::move(shape), std::vector<float>(count, value)};
}

element_type type_in(const fs::path& file, const std::string& name) {
  return load_weights(file).tensors().at(name).type;
}

} // namespace

TEST_CASE("a converted file gives what converting at load gives, bit for bit", "[convert]") {
  const golden_case bert("hf_bert"), gpt2("hf_gpt2");
  named_values inputs = inputs_of(bert, {{"tokens", "ids"}, {"types", "token_type_ids"}});
  inputs["lengths"] = lengths_of_mask(bert);
  check_same(models::bert<small_bert>, bert, inputs, {"*embeddings*"});
  // Its Conv1D weights lie the other way round, so that they are not converted to blocks.
  check_same(models::gpt2<small_gpt2>, gpt2, {{"tokens", gpt2.at("input.ids")}}, {"*wpe*"});
}

TEST_CASE("each tensor is treated by its shape, its name and its neighbours", "[convert]") {
  const std::string flags(4, '\1'), whole(8, '\0');
  const model_weights floats = model_weights::from({{"embed.weight", filled({4, 32}, 1)},
                                                    {"a.weight", filled({64, 32}, 1)},
                                                    {"a.bias", filled({64}, 1)},
                                                    {"odd.weight", filled({3, 30}, 1)},
                                                    {"conv.weight", filled({2, 2, 32}, 1)},
                                                    {"turned.weight", filled({32, 64}, 1)},
                                                    {"turned.bias", filled({64}, 1)},
                                                    {"square.weight", filled({32, 32}, 1)},
                                                    {"square.bias", filled({32}, 1)},
                                                    {"optimizer.mean.a.weight", filled({64, 32}, 1)}});
  auto tensors = floats.tensors();
  tensors["mask"] = {element_type::boolean, {2, 2}, std::as_bytes(std::span(flags))};
  tensors["ids"] = {element_type::i64, {1}, std::as_bytes(std::span(whole))};
  const temporary_folder folder;
  const fs::path in = folder / "in.safetensors", out = folder / "out.gguf";
  save_safetensors(in, tensors, {{"note", "x"}, {"step", "3"}, {"optimizer", "adam"}});
  const convert::report blocks = converted_to(in, out, element_type::q8_0, {"embed.*"});
  const auto names = [](const convert::report& made, kind what) { return made.at(what).names; };
  using list = std::vector<std::string>;
  CHECK(names(blocks, kind::in_format) == list{"a.weight"});
  CHECK(names(blocks, kind::vector) == list{"a.bias", "square.bias", "turned.bias"});
  CHECK(names(blocks, kind::other_rank) == list{"conv.weight"});
  CHECK(names(blocks, kind::kept) == list{"embed.weight"});
  CHECK(names(blocks, kind::broken_rows) == list{"odd.weight"});
  CHECK(names(blocks, kind::turned) == list{"square.weight", "turned.weight"});
  CHECK(names(blocks, kind::integers) == list{"ids"});
  CHECK(names(blocks, kind::unknown_type) == list{"mask"});
  CHECK(names(blocks, kind::of_training) == list{"optimizer.mean.a.weight"});
  CHECK(blocks.at(kind::in_format).bytes_before == 64 * 32 * 4);
  CHECK(blocks.at(kind::in_format).bytes_after == 64 * 34);
  const model_weights made = load_weights(out);
  CHECK(made.tensors().size() == 10);
  CHECK(made.metadata() == std::map<std::string, std::string>{{"general.file_type", "7"},
                                                              {"general.quantization_version", "2"},
                                                              {"note", "x"}});

  // Single numbers are rounded alike, whichever way they lie.
  const convert::report in_f16 = converted_to(in, folder / "half.safetensors", element_type::f16);
  CHECK(names(in_f16, kind::in_format) ==
        list{"a.weight", "embed.weight", "odd.weight", "square.weight", "turned.weight"});
  CHECK(in_f16.worst.empty());
  CHECK(type_in(folder / "half.safetensors", "mask") == element_type::boolean);
  CHECK(load_weights(folder / "half.safetensors").metadata() ==
        std::map<std::string, std::string>{{"note", "x"}});

  const convert::report some = converted_to(in, out, element_type::q4_0, {"a.bias"}, {"a.*", "odd.*"});
  CHECK(names(some, kind::in_format) == list{"a.weight"});
  CHECK(some.at(kind::not_asked).tensors == 6);
  CHECK(type_in(out, "embed.weight") == element_type::f32);

  // Back: every tensor is float32.
  const convert::report back = converted_to(out, folder / "back.safetensors", element_type::f32);
  CHECK(back.at(kind::in_format).tensors == 9);
  CHECK(type_in(folder / "back.safetensors", "a.weight") == element_type::f32);
}

TEST_CASE("a GGUF file's keys go with its weights, and its blocks as they are", "[convert]") {
  gguf_writer file;
  file.alignment = 64;
  file.add("general.architecture", "llama");
  file.add("general.alignment", std::uint32_t{64});
  file.add("general.file_type", std::uint32_t{0});
  file.add_array("tokenizer.ggml.tokens", gguf_type::text, 2,
                 gguf_writer::text("a") + gguf_writer::text("b"));
  const std::string blocks = std::string("\0\x3c", 2) + std::string(32, 'a');
  file.add_tensor("blocks.weight", 8, {1, 32}, blocks);
  file.add_tensor("half.weight", 1, {1, 32}, bytes_of(std::vector<std::uint16_t>(32, 0x3c00)));
  file.add_tensor("half_norm.weight", 1, {2}, bytes_of(std::vector<std::uint16_t>(2, 0x3c00)));
  const temporary_folder folder;
  const fs::path in = folder.write("in.gguf", file.file()), out = folder / "out.gguf";
  converted_to(in, out, element_type::q8_0);
  const gguf_metadata keys = gguf_file(out).metadata();
  CHECK(keys.text("general.architecture") == "llama");
  CHECK(keys.integer("general.alignment") == 64);
  CHECK(keys.integer("general.file_type") == 7);
  CHECK(keys.integer("general.quantization_version") == 2);
  CHECK(keys.texts("tokenizer.ggml.tokens") == std::vector<std::string_view>{"a", "b"});
  const model_weights made = load_weights(out);
  CHECK(std::ranges::equal(made.tensors().at("blocks.weight").bytes, std::as_bytes(std::span(blocks))));
  CHECK(type_in(out, "half.weight") == element_type::q8_0);
  CHECK(type_in(out, "half_norm.weight") == element_type::f32);

  // A safetensors file has texts alone, and no blocks even of what is kept.
  converted_to(in, folder / "out.safetensors", element_type::bf16, {"blocks.*"});
  CHECK(load_weights(folder / "out.safetensors").metadata() ==
        std::map<std::string, std::string>{{"general.architecture", "llama"}});
  CHECK(type_in(folder / "out.safetensors", "blocks.weight") == element_type::f32);
  CHECK(type_in(folder / "out.safetensors", "half.weight") == element_type::bf16);
  converted_to(folder / "out.safetensors", folder / "again.gguf", element_type::q8_0);
  CHECK(gguf_file(folder / "again.gguf").metadata().text("general.architecture") == "llama");
}

TEST_CASE("files of several types of blocks, such as Q4_K_M's, are converted as their values are",
          "[convert]") {
  std::mt19937 random(6);
  gguf_writer file;
  file.add("general.file_type", std::uint32_t{15}); // Q4_K_M
  std::map<std::string, block_type> types;
  for (const block_type& of : blocks_of_others) {
    const std::string name = std::string(element_name(of.type)) + ".weight";
    file.add_tensor(name, ggml_number(of.type), {2, 256},
                    random_blocks(of, 2 * 256 / block_length(of.type), random));
    types.emplace(name, of);
  }
  file.add_tensor("norm.weight", 0, {256}, bytes_of(std::vector<float>(256, 1)));
  const temporary_folder folder;
  const fs::path in = folder.write("in.gguf", file.file()), out = folder / "out.gguf";
  const program_run ran = run_program(
      folder, {FOVEA_PROGRAM, "convert", in.string(), out.string(), "--format", "q8_0", "--keep", "Q6*"});
  CHECK_THAT(ran.said,
             Catch::Matchers::Contains("in q8_0                        7     2.1 kB     3.8 kB"
                                       "  Q2_K, Q3_K, Q4_1, Q4_K, Q5_0, Q5_1, Q5_K\n"
                                       "vectors, in f32                1     1.0 kB     1.0 kB  F32\n"
                                       "kept                           1      420 B      420 B  Q6_K\n"));
  const model_weights before = load_weights(in), after = load_weights(out);
  CHECK(after.metadata().at("general.file_type") == "7");
  CHECK(after.metadata().at("general.quantization_version") == "2");
  for (const auto& [name, of] : types) {
    INFO(name);
    const stored_tensor &was = before.tensors().at(name), &is = after.tensors().at(name);
    CHECK(was.type == of.type);
    CHECK(is.type == (name == "Q6_K.weight" ? of.type : element_type::q8_0));
    CHECK(std::ranges::equal(is.bytes, converted(was, is.type)));
  }

  // Where the output has no blocks, what is kept is float32.
  converted_to(in, folder / "out.safetensors", element_type::bf16, {"Q6*"});
  CHECK(type_in(folder / "out.safetensors", "Q4_K.weight") == element_type::bf16);
  CHECK(type_in(folder / "out.safetensors", "Q6_K.weight") == element_type::f32);
}

TEST_CASE("bad input to convert is one line that names it, and what was there stays", "[convert]") {
  const temporary_folder folder;
  const std::string in = (folder / "in.safetensors").string(), out = (folder / "out.gguf").string();
  const auto write = [&](float value) {
    auto tensor = filled({2, 32}, 1);
    tensor.values[40] = value;
    save_safetensors(in, model_weights::from({{"a.weight", tensor}, {"b", filled({3}, 1)}}).tensors());
  };
  write(2);
  folder.write("out.gguf", "older");
  const auto refusal = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all{FOVEA_PROGRAM, "convert"};
    all.insert(all.end(), words.begin(), words.end());
    const program_run ran = run_program(folder, all);
    CHECK(ran.status == 2);
    CHECK(content(out) == "older");
    return ran.said;
  };
  CHECK(refusal({in, out, "--format", "q8_0", "--keep", "c*"}) ==
        "fovea: " + in + ": --keep 'c*' matches none of its 2 tensors; the first is 'a.weight'\n");
  CHECK(refusal({"--format", "q8_0", "--only", "a*", "--only", "A.*", in, out}) ==
        "fovea: " + in + ": --only 'A.*' matches none of its 2 tensors; the first is 'a.weight'\n");
  CHECK(refusal({in, "x.bin", "--format", "q8_0"}) ==
        "fovea: x.bin: expected an output that ends in .gguf or .safetensors\n");
  CHECK(refusal({in, "x.safetensors", "--format", "q4_0"}) ==
        "fovea: x.safetensors: a safetensors file has no blocks of Q4_0; expected an output that ends in "
        ".gguf\n");
  CHECK(refusal({in, in, "--format", "f16"}) == "fovea: " + in + ": the output is the input\n");
  fs::create_symlink(in, folder / "link.safetensors");
  CHECK(refusal({in, (folder / "link.safetensors").string(), "--format", "f16"}) ==
        "fovea: " + (folder / "link.safetensors").string() + ": the output is the input\n");
  CHECK(refusal({in, out}) == "fovea: --format is required (--help lists the options)\n");
  for (const std::string only_read : {"q5_1", "q5_k"})
    CHECK_THAT(refusal({in, out, "--format", only_read}), Catch::Matchers::Contains(only_read + " not in"));
  CHECK(refusal({(folder / "none").string(), out, "--format", "f16"}) ==
        "fovea: " + (folder / "none").string() + ": cannot open: No such file or directory\n");
  CHECK(refusal({in, "/dev/null/x.gguf", "--format", "f16"}) ==
        "fovea: /dev/null/x.gguf: cannot create a file beside it: Not a directory\n");

  write(std::numeric_limits<float>::quiet_NaN());
  const std::string not_finite =
      "fovea: " + in + ": tensor 'a.weight': expected finite values; found nan at element 40\n";
  CHECK(refusal({in, out, "--format", "q8_0"}) == not_finite);
  CHECK(refusal({in, out, "--format", "q8_0", "--keep", "a*"}) == not_finite);
  write(1e6f);
  CHECK(refusal({in, out, "--format", "f16"}) ==
        "fovea: " + in +
            ": tensor 'a.weight': expected values up to 65504 for F16; found 1e+06 at "
            "element 40\n");

  // A folder's own files are its input, whatever their names.
  fs::create_directory(folder / "parts");
  fs::copy_file(in, folder / "parts" / "model.safetensors");
  const std::string shard = (folder / "parts" / "other.gguf").string();
  folder.write("parts/other.gguf", "older");
  CHECK(refusal({(folder / "parts").string(), shard, "--format", "f16"}) ==
        "fovea: " + shard + ": the output is a file of the folder that is read\n");
}

TEST_CASE("convert says how many tensors it wrote in which format, and how far they are", "[convert]") {
  const temporary_folder folder;
  auto near = filled({2, 32}, 1), far = filled({4, 32}, 1);
  near.values[5] = 0.999f; // a step of the scale is 1 / 127
  for (std::size_t i = 0; i < far.values.size(); ++i) far.values[i] = 0.01f * static_cast<float>(i);
  const std::string long_name = std::string(60, 'n') + ".bias";
  save_safetensors(folder / "in.safetensors", model_weights::from({{"near.weight", near},
                                                                   {"far.weight", far},
                                                                   {"odd.weight", filled({2, 3}, 1)},
                                                                   {long_name, filled({3}, 1)}})
                                                  .tensors());
  const auto run = [&](const std::string& format) {
    const program_run ran =
        run_program(folder, {FOVEA_PROGRAM, "convert", (folder / "in.safetensors").string(),
                             (folder / "out.gguf").string(), "--format", format});
    CHECK(ran.status == 0);
    return ran.said;
  };
  const std::string said = run("q8_0");
  CHECK_THAT(said, Catch::Matchers::Contains("                         tensors     before      after"
                                             "  types before\n"
                                             "in q8_0                        2      768 B      204 B  F32\n"
                                             "vectors, in f32                1       12 B       12 B  F32\n"
                                             "rows no multiple of 32         1       24 B       24 B"
                                             "  F32: odd.weight\n"
                                             "all                            4      804 B      240 B\n"));
  CHECK_THAT(said, Catch::Matchers::Contains(" at most, in far.weight\n"));
  CHECK_THAT(said, Catch::Matchers::Contains("fovea: " + (folder / "out.gguf").string() +
                                             ": 1 name has more than 63 bytes, which llama.cpp refuses\n"));
  CHECK_THAT(run("f32"), Catch::Matchers::Contains("every value is what it was\n"));
}
