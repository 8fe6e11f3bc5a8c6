// Models with weights in other formats than float32.

#include "../compare_backends.hpp"
#include "../each_format.hpp"
#include "../gguf_blocks.hpp"
#include "../training/loss_case.hpp"
#include "../weights/temporary_folder.hpp"

#include <fovea/models/bert.hpp>
#include <fovea/models/gpt2.hpp>
#include <fovea/models/llama.hpp>
#include <fovea/models/rnn.hpp>
#include <fovea/weights/save_weights.hpp>
#include <fovea/weights/to_floats.hpp>

#include <cmath>
#include <random>
#include <set>
#include <string>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr models::gpt2_config small_gpt2{.layers = 2, .heads = 4, .width = 32, .vocab = 96, .context = 64};
constexpr models::llama_config small_llama{
    .layers = 2, .heads = 4, .kv_heads = 2, .width = 32, .inner = 64, .vocab = 96, .epsilon = 1e-6};
constexpr models::llama_config wide_llama{.layers = 6,
                                          .heads = 6,
                                          .kv_heads = 6,
                                          .width = 288,
                                          .inner = 768,
                                          .vocab = 1000,
                                          .epsilon = 1e-6,
                                          .tied = true};
constexpr models::bert_config small_bert{
    .layers = 2, .heads = 4, .width = 32, .inner = 64, .vocab = 96, .context = 48};
constexpr models::bert_config long_bert{
    .layers = 2, .heads = 4, .width = 64, .inner = 128, .vocab = 96, .context = 160};

/// The root mean square of what two values differ by, over that of the second.
double difference(const golden_tensor& x, const golden_tensor& y) {
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    apart += (x.values[i] - y.values[i]) * (x.values[i] - y.values[i]);
    size += y.values[i] * y.values[i];
  }
  return std::sqrt(apart / size);
}

/// What rounding the weights may change of the outputs of a few layers, as a share of them: a few times what
/// it changes of a weight.
template <class format>
constexpr double loose = 4 * rounding_of<format>();
template <>
constexpr double loose<bf16> = 1e-2;
template <>
constexpr double loose<int8> = 3e-2; // a row has larger values than a group
template <>
constexpr double loose<q8_0> = 2e-2;

/// A model in every format: bit for bit as float32 weights of the rounded values, and with any number of
/// threads; near the specification on these; not far from float32, `times` as far as trained models where
/// large weights make more of a difference.
template <class M>
void check_formats(const M& model, const model_weights& from, const named_values& inputs, double times = 1) {
  const named_values plain = run_model<f32>(model, from, inputs);
  for_decoded_formats([&](auto format) {
    using type = decltype(format);
    const model_weights values = rounded_weights<type>(model, from);
    const named_values found = run_model<type>(model, from, inputs),
                       threaded = run_model<type>(model, from, inputs, 3),
                       as_f32 = run_model<f32>(model, values, inputs),
                       exact = run_model<reference>(model, values, inputs);
    for (const auto& [name, x] : found) {
      INFO(instruction_set() << ", " << name_of(format_named<type>) << ", output " << name);
      CHECK(x.values == as_f32.at(name).values);
      CHECK(x.values == threaded.at(name).values);
      const distance d = distance_of(std::span<const double>(x.values), exact.at(name), 1e-5, 1e-5);
      CHECK(d.share <= 1);
      const double far = difference(x, plain.at(name));
      INFO("a share of " << far << " from float32");
      CHECK(far < times * loose<type>);
      CHECK(far > 0);
    }
  });
}

/// A model whose products round what they multiply: the same bits with any number of threads; not farther
/// from float32 than twice what the weights' format allows, of which the other half is for the rows.
template <class M>
void check_rounding(const M& model, const model_weights& from, const named_values& inputs) {
  const named_values plain = run_model<f32>(model, from, inputs);
  for_rounding_formats([&]<class type, class format>(type, format) {
    const named_values found = run_model<type>(model, from, inputs),
                       threaded = run_model<type>(model, from, inputs, 3),
                       decoded = run_model<format>(model, from, inputs);
    for (const auto& [name, x] : found) {
      INFO(instruction_set() << ", " << name_of(format_named<type>) << ", output " << name);
      CHECK(x.values == threaded.at(name).values);
      CHECK(x.values != decoded.at(name).values);
      const double far = difference(x, plain.at(name));
      INFO("a share of " << far << " from float32");
      CHECK(far < 2 * loose<format>);
    }
  });
}

named_values tokens_of(const golden_case& c) { return {{"tokens", c.at("input.ids")}}; }

} // namespace

TEST_CASE("GPT-2 with weights in a format is GPT-2 with the rounded values", "[formats]") {
  const golden_case c("hf_gpt2");
  check_formats(models::gpt2<small_gpt2>, weights_of(c), tokens_of(c));
}

TEST_CASE("Llama with weights in a format is Llama with the rounded values", "[formats]") {
  const golden_case c("hf_llama");
  check_formats(models::llama<small_llama>, weights_of(c), tokens_of(c));
  const golden_case wide("hf_llama_288_formula"); // a tied table
  check_formats(models::llama<wide_llama>, weights_of(wide), tokens_of(wide));
}

TEST_CASE("BERT with weights in a format is BERT with the rounded values", "[formats]") {
  const golden_case c("hf_bert");
  named_values inputs = inputs_of(c, {{"tokens", "ids"}, {"types", "token_type_ids"}});
  inputs["lengths"] = lengths_of_mask(c);
  check_formats(models::bert<small_bert>, weights_of(c), inputs);
}

TEST_CASE("models whose products round what they multiply are near those of float32", "[formats]") {
  const golden_case gpt2("hf_gpt2"), llama("hf_llama"), wide("hf_llama_288_formula"), bert("hf_bert");
  check_rounding(models::gpt2<small_gpt2>, weights_of(gpt2), tokens_of(gpt2));
  check_rounding(models::llama<small_llama>, weights_of(llama), tokens_of(llama));
  check_rounding(models::llama<wide_llama>, weights_of(wide), tokens_of(wide));
  named_values inputs = inputs_of(bert, {{"tokens", "ids"}, {"types", "token_type_ids"}});
  inputs["lengths"] = lengths_of_mask(bert);
  check_rounding(models::bert<small_bert>, weights_of(bert), inputs);
  // Of so many queries that attention rounds, too (words/rounded_attention.cpp).
  named_values many = random_inputs(models::bert<long_bert>, {{"B", 2}, {"T", 150}});
  many["lengths"].values = {150, 131};
  check_rounding(models::bert<long_bert>, random_weights(models::bert<long_bert>), many);
}

TEST_CASE("in products of integers a row has the bits that it has alone, among however many", "[formats]") {
  constexpr auto two = model("two", [](graph& g) {
    g.output("y", linear(relu(linear(g.input<f32>("x", {B, 70}), "up", 101)), "down", 45));
  });
  constexpr std::size_t most = 40;
  const model_weights from = random_weights(two);
  const golden_tensor given = random_inputs(two, {{"B", most}}).at("x");
  const xt::xtensor<float, 2> x = xt::adapt(given.values, std::array<std::size_t, 2>{most, 70});
  for_rounding_formats([&]<class type>(type, auto) {
    if constexpr (!traits_of<type>.sums_integers()) return;
    auto net = compile<type>(two, from, {.capacity = {{B, most}}});
    xt::xtensor<float, 2> alone({most, 45});
    for (std::size_t row = 0; row < most; ++row)
      xt::view(alone, row) = xt::view(net("x"_in = xt::view(x, xt::range(row, row + 1)))["y"_out], 0);
    for (std::size_t rows = 2; rows <= most; ++rows) {
      CAPTURE(instruction_set(), name_of(format_named<type>), rows);
      CHECK(net("x"_in = xt::view(x, xt::range(0, rows)))["y"_out] == xt::view(alone, xt::range(0, rows)));
    }
  });
}

namespace {

/// A stream in every format, a token at a time and several at once, against the model in that format.
template <class M>
void check_streams(const M& model, const model_weights& from, const xt::xtensor<int, 2>& ids,
                   double tolerance, fovea::regime how) {
  const auto length = static_cast<std::int64_t>(ids.shape()[1]);
  const auto check_one = [&](auto format, double most) {
    using type = decltype(format);
    const compile_options options{.capacity = {{B, 1}, {T, length}}, .regime = how, .threads = 1};
    auto net = compile<type>(model, from, options);
    const xt::xtensor<float, 3> whole = net("tokens"_in = ids)["logits"_out];
    for (const std::size_t chunk : {1u, 3u}) {
      auto live = stream<T, type>(model, from, options);
      double apart = 0;
      for (std::size_t t = 0; t + chunk <= ids.shape()[1]; t += chunk) {
        const xt::xtensor<int, 2> part = xt::view(ids, xt::all(), xt::range(t, t + chunk));
        const auto out = live.step("tokens"_in = part)["logits"_out];
        for (std::size_t i = 0; i < chunk; ++i)
          for (std::size_t k = 0; k < whole.shape()[2]; ++k)
            apart = std::max(apart, static_cast<double>(std::abs(out(0, i, k) - whole(0, t + i, k))));
      }
      INFO(name_of(format_named<type>) << ", steps of " << chunk << " differ by " << apart);
      CHECK(apart <= most);
    }
  };
  for_decoded_formats([&](auto format) { check_one(format, tolerance); });
  // A value that differs in its last digit may round to another whole number.
  for_rounding_formats([&](auto format, auto) { check_one(format, 2e-2); });
}

} // namespace

TEST_CASE("a stream with weights in a format gives what the whole sequence does", "[formats]") {
  const xt::xtensor<int, 2> ids{{5, 1, 90, 33, 33, 2, 71, 8, 64, 0, 12, 95}};
  check_streams(models::gpt2<small_gpt2>, weights_of(golden_case("hf_gpt2")), ids, 1e-5, regime::automatic);
  check_streams(models::gpt2<small_gpt2>, weights_of(golden_case("hf_gpt2")), ids, 1e-5, regime::large);
  check_streams(models::llama<small_llama>, weights_of(golden_case("hf_llama")), ids, 1e-5,
                regime::automatic);
}

namespace {

constexpr auto many_uses = model("many_uses", [](graph& g) {
  expr ids = g.input<i32>("ids", {B, T});
  expr tied = parameter(ids, "tied", {50, 24}), turned = parameter(ids, "turned", {24, 24}),
       also_added = parameter(ids, "also_added", {24, 24});
  expr x = gather(tied, ids) + embedding(ids, "own_table", 50, 24);
  x = linear(x, "plain", 24);
  x = matmul(x, turned);
  x = matmul(x, transpose(also_added)) + sum(also_added, axis(0));
  x = batch_norm(linear(x, "normed", 24), "norm");
  x = gru(x, "rnn", 24);
  x = repeat("layers", 2, x, [](expr y) { return y + linear(y, "deep", 24, {.bias = false}); });
  x = conv1d(x, "conv", 24, 3, {.padding = same});
  g.output("y", matmul(x, transpose(tied)));
});

} // namespace

TEST_CASE("a format is for the weights of products, and tables that they share", "[formats]") {
  const auto names = formatted(decltype(many_uses)::view, format_named<q8_0>).names;
  CHECK(names == std::set<std::string, std::less<>>{"tied", "plain.weight", "rnn.weight_ih_l0",
                                                    "layers.0.deep.weight", "layers.1.deep.weight"});
  check_formats(many_uses, random_weights(many_uses), random_inputs(many_uses, {{"B", 2}, {"T", 5}}), 3);
}

TEST_CASE("a large weight of a recurrence is in the format too", "[formats]") {
  constexpr auto recurrent = model("recurrent", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 8});
    g.output("y", lstm(gru(x, "large", 112), "small", 16)); // 112 x 336 weights, and 16 x 64
  });
  CHECK(formatted(decltype(recurrent)::view, format_named<q8_0>).names ==
        std::set<std::string, std::less<>>{"large.weight_hh_l0", "large.weight_ih_l0", "small.weight_ih_l0"});
  const model_weights from = random_weights(recurrent);
  const named_values inputs = random_inputs(recurrent, {{"B", 3}, {"T", 6}});
  check_formats(recurrent, from, inputs, 3);
  check_rounding(recurrent, from, inputs);

  const compile_options options{.capacity = {{B, 1}, {T, 6}}, .threads = 1};
  auto net = compile<q8_0>(recurrent, from, options);
  auto live = stream<T, q8_0>(recurrent, from, options);
  xt::xtensor<float, 3> x({1, 6, 8});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(static_cast<float>(i));
  const xt::xtensor<float, 3> whole = net("x"_in = x)["y"_out];
  for (std::size_t t = 0; t < 6; ++t) {
    const xt::xtensor<float, 3> now = xt::view(x, xt::all(), xt::range(t, t + 1));
    const auto y = live.step("x"_in = now)["y"_out];
    for (std::size_t k = 0; k < 16; ++k) CHECK(y(0, 0, k) == Approx(whole(0, t, k)).margin(1e-6));
  }
}

TEST_CASE("what a file holds in a format comes out of it unchanged", "[formats]") {
  constexpr auto projected = model("projected", [](graph& g) {
    g.output("y", linear(g.input<f32>("x", {B, 96}), "map", 40, {.bias = false}));
  });
  std::mt19937 random(9);
  for_formats_of_files([&]<class format>(format) {
    constexpr element_type type = traits_of<format>.stored;
    const std::size_t block = block_bytes(type) - sizeof(std::uint16_t);
    if (block_length(type) == 1 || traits_of<format>.is_k()) return; // the latter below
    std::string bytes;
    for (std::size_t i = 0; i < 40 * 3; ++i) {
      const auto scale = static_cast<std::uint16_t>(random() & 0x9bff); // positive or negative, below 2^-8
      bytes += bytes_of(scale);
      for (std::size_t k = 0; k < block; ++k) bytes += static_cast<char>(random());
    }
    gguf_writer file;
    file.add_tensor("map.weight", ggml_number(type), {40, 96}, bytes);
    const temporary_folder place;
    const model_weights from = load_weights(place.write("map.gguf", file.file()));
    const named_values inputs = random_inputs(projected, {{"B", 3}});
    CHECK(run_model<format>(projected, from, inputs).at("y").values ==
          run_model<f32>(projected, from, inputs).at("y").values);
  });
}

TEST_CASE("blocks of other types give in each format what their values give", "[formats]") {
  constexpr auto projected = model("projected", [](graph& g) {
    g.output("y", linear(g.input<f32>("x", {B, 256}), "map", 40, {.bias = false}));
  });
  const named_values inputs = random_inputs(projected, {{"B", 3}});
  std::mt19937 random(9);
  for (const block_type& of : blocks_of_others) {
    const std::string bytes = random_blocks(of, 40 * 256 / block_length(of.type), random);
    gguf_writer file;
    file.add_tensor("map.weight", ggml_number(of.type), {40, 256}, bytes);
    const temporary_folder place;
    const model_weights from = load_weights(place.write("map.gguf", file.file()));
    weight_tensor values{{40, 256}, std::vector<float>(40 * 256)};
    to_floats(of.type, from.tensors().at("map.weight").bytes, values.values.data());
    const model_weights decoded = model_weights::from({{"map.weight", values}});
    const auto check_one = [&]<class format>(format) {
      INFO(element_name(of.type) << " in " << name_of(format_named<format>));
      const auto found = run_model<format>(projected, from, inputs).at("y").values;
      if (traits(format_beside(format_named<format>, of.type)).stored == of.type) // which stays
        CHECK(found == run_model<f32>(projected, decoded, inputs).at("y").values);
      else
        CHECK(found == run_model<format>(projected, decoded, inputs).at("y").values);
    };
    check_one(f32{}), for_decoded_formats(check_one), check_one(integer_products<q8_0>{});
  }
}

TEST_CASE("a parameter is read as float32, also where it lies in a file in its format", "[formats]") {
  constexpr auto projected = model("projected", [](graph& g) {
    g.output("y", linear(g.input<f32>("x", {B, 32}), "map", 3, {.bias = false}));
  });
  gguf_writer file;
  std::string bytes;
  for (char row = 1; row < 4; ++row) bytes += bytes_of(std::uint16_t{0x3800}) + std::string(32, row);
  file.add_tensor("map.weight", 8, {3, 32}, bytes);
  const temporary_folder place;
  const model_weights from = load_weights(place.write("map.gguf", file.file()));
  const auto net = compile<q8_0>(projected, from, {.capacity = {{B, 1}}});
  const auto map = net.weights()["map.weight"_param][0];
  CHECK(map.shape()[0] == 3);
  CHECK(map(0, 31) == 0.5f);
  CHECK(map(2, 0) == 1.5f);
  const model_weights as_f32 = rounded_weights<q8_0>(projected, from);
  CHECK(as_f32.tensors().at("map.weight").type == element_type::f32);
}

TEST_CASE("a value that a format has no number for is refused", "[formats]") {
  auto tensors = random_tensors(many_uses);
  tensors["plain.weight"].values[7] = 1e6f;
  const model_weights from = model_weights::from(tensors);
  const compile_options options{.capacity = {{B, 1}, {T, 1}}};
  CHECK_THROWS_WITH(compile<f16>(many_uses, from, options),
                    "parameter plain.weight: expected values up to 65504 for f16, found 1e+06");
  CHECK_NOTHROW(compile<bf16>(many_uses, from, options));
  CHECK_NOTHROW(compile<q8_0>(many_uses, from, options));
}

namespace {

/// A file of what a format keeps is in it what its source is, bit for bit.
template <class M>
void check_saved(const M& model, const model_weights& from, const named_values& inputs) {
  const temporary_folder folder;
  const auto check_file = [&]<class format>(format, const char* name) {
    save_weights<format>(folder / name, model, from);
    const model_weights saved = load_weights(folder / name);
    const named_values expected = run_model<format>(model, from, inputs),
                       found = run_model<format>(model, saved, inputs),
                       as_f32 = run_model<f32>(model, saved, inputs);
    for (const auto& [output, values] : expected) {
      INFO(name_of(format_named<format>) << ", output " << output);
      CHECK(found.at(output).values == values.values);
      if (block_length(traits_of<format>.stored) <= 32) // of longer ones rows have no whole number
        CHECK(as_f32.at(output).values == values.values);
    }
  };
  for_formats_of_files([&](auto format) { check_file(format, "x.gguf"); });
  check_file(f32{}, "x.gguf"), check_file(f32{}, "x.safetensors");
  check_file(f16{}, "x.safetensors"), check_file(bf16{}, "x.safetensors");
}

element_type type_in(const model_weights& from, const std::string& name) {
  return from.tensors().at(name).type;
}

} // namespace

TEST_CASE("weights that are saved in a format give what they give when they are converted at load",
          "[formats]") {
  const golden_case gpt2("hf_gpt2"), llama("hf_llama"), wide("hf_llama_288_formula"), bert("hf_bert");
  check_saved(models::gpt2<small_gpt2>, weights_of(gpt2), tokens_of(gpt2)); // transposed and split
  check_saved(models::llama<small_llama>, weights_of(llama), tokens_of(llama));
  check_saved(models::llama<wide_llama>, weights_of(wide), tokens_of(wide)); // a tied table
  named_values inputs = inputs_of(bert, {{"tokens", "ids"}, {"types", "token_type_ids"}});
  inputs["lengths"] = lengths_of_mask(bert);
  check_saved(models::bert<small_bert>, weights_of(bert), inputs);

  const temporary_folder folder;
  save_weights<integer_products<q8_0>>(folder / "x.gguf", models::gpt2<small_gpt2>, weights_of(gpt2));
  const model_weights saved = load_weights(folder / "x.gguf");
  CHECK(type_in(saved, "wte") == element_type::q8_0);
  CHECK(type_in(saved, "h.1.attn.k.weight") == element_type::q8_0);
  CHECK(type_in(saved, "wpe.weight") == element_type::f32);
  CHECK(type_in(saved, "ln_f.weight") == element_type::f32);
  const auto logits_of = [&](const model_weights& source) {
    return run_model<integer_products<q8_0>>(models::gpt2<small_gpt2>, source, tokens_of(gpt2))
        .at("logits")
        .values;
  };
  CHECK(logits_of(saved) == logits_of(weights_of(gpt2)));
}

TEST_CASE("saved weights whose rows are no whole blocks stay float32", "[formats]") {
  const model_weights from = random_weights(many_uses); // rows of 24
  const named_values inputs = random_inputs(many_uses, {{"B", 2}, {"T", 5}});
  const temporary_folder folder;
  save_weights<q4_0>(folder / "x.gguf", many_uses, from);
  const model_weights saved = load_weights(folder / "x.gguf");
  for (const auto& [name, tensor] : saved.tensors()) CHECK(tensor.type == element_type::f32);
  CHECK(run_model<q4_0>(many_uses, saved, inputs).at("y").values ==
        run_model<q4_0>(many_uses, from, inputs).at("y").values);
}

namespace {

constexpr auto two_maps = [](graph& g) {
  expr x = g.input<f32>("x", {B, 32});
  g.output("y", linear(linear(x, "in", 32, {.bias = false}), "out", 32, {.bias = false}));
};
constexpr name_rule taken_names[] = {{"in.weight", "out.weight", naming::transposed},
                                     {"out.weight", "last.weight"}};
constexpr auto taken = model("taken", two_maps, taken_names);
constexpr name_rule prefixed_names[] = {{"", "in.", naming::optional_prefix}};
constexpr auto prefixed = model("prefixed", two_maps, prefixed_names);
constexpr auto two_own = model("two_own", two_maps);

} // namespace

TEST_CASE("weights that cannot be saved in a format are refused by the parameter's name", "[formats]") {
  const temporary_folder folder;
  const auto refusal = [&]<class format>(format, const auto& model, const model_weights& from,
                                         const char* name) {
    std::string message = message_of<error>([&] { save_weights<format>(folder / name, model, from); });
    CHECK_FALSE(std::filesystem::exists(folder / name));
    if (const std::string path = (folder / name).string(); message.starts_with(path))
      message.replace(0, path.size(), "OUT");
    return message;
  };
  const weight_tensor square{{32, 32}, std::vector<float>(32 * 32, 1e5f)};
  CHECK(refusal(q8_0{}, taken, model_weights::from({{"out.weight", square}, {"last.weight", square}}),
                "x.gguf") ==
        "OUT: parameter 'in.weight': the model's table of names takes this name for another's");
  CHECK(refusal(q8_0{}, prefixed, model_weights::from({{"in.in.weight", square}, {"in.out.weight", square}}),
                "x.gguf") ==
        "OUT: parameter 'in.weight': the model's table of names takes this name for another's");
  const model_weights own = model_weights::from({{"in.weight", square}, {"out.weight", square}});
  CHECK(refusal(q8_0{}, two_own, own, "x.safetensors") ==
        "OUT: tensor 'in.weight': a safetensors file has no type Q8_0");
  CHECK(refusal(f16{}, two_own, own, "x.gguf") ==
        "OUT: parameter 'in.weight': expected values up to 65504 for F16; found 100000 at "
        "element 0");
}
