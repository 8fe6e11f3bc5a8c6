#include "../streams/stream_case.hpp"
#include "../training/loss_case.hpp"

#include <fovea/models/transformer.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

template <transformer_block_config c>
constexpr auto encoder_rules = encoder_block_names(c.width);
template <transformer_block_config c>
constexpr auto decoder_rules = decoder_block_names(c.width);

template <transformer_block_config c>
constexpr auto encoder_layer = model(
    "encoder_layer",
    [](graph& g) {
      const expr x = g.input<f32>("x", {"B", "T", c.width});
      g.output("y", encoder_block(x, padding(g.input<i32>("lengths", {"B"})), c));
    },
    encoder_rules<c>);

template <transformer_block_config c>
constexpr auto decoder_layer = model(
    "decoder_layer",
    [](graph& g) {
      const expr x = g.input<f32>("x", {"B", "T", c.width}),
                 memory = g.input<f32>("memory", {"B", "S", c.width});
      g.output("y", decoder_block(x, memory, padding(g.input<i32>("lengths", {"B"})), c));
    },
    decoder_rules<c>);

constexpr transformer_block_config block(bool norm_first, activation how) {
  return {.heads = 4, .width = 16, .inner = 32, .norm_first = norm_first, .activation = how};
}

constexpr transformer_block_config narrow{
    .heads = 2, .width = 16, .inner = 64, .norm_first = true, .activation = activation::gelu};

template <bool norm_first, activation how>
void check_both_blocks(const std::string& name) {
  check_case(encoder_layer<block(norm_first, how)>, ("encoder_layer_" + name).c_str());
  check_case(decoder_layer<block(norm_first, how)>, ("decoder_layer_" + name).c_str());
}

} // namespace

TEST_CASE("post-norm blocks", "[transformer]") {
  check_both_blocks<false, activation::relu>("post_relu");
  check_both_blocks<false, activation::gelu>("post_gelu");
  check_both_blocks<false, activation::gelu_tanh>("post_gelu_tanh");
}

TEST_CASE("pre-norm blocks", "[transformer]") {
  check_both_blocks<true, activation::relu>("pre_relu");
  check_both_blocks<true, activation::gelu>("pre_gelu");
  check_both_blocks<true, activation::gelu_tanh>("pre_gelu_tanh");
}

TEST_CASE("an encoder block that sees no later position, and a wider one", "[transformer]") {
  check_case(model(
                 "encoder_layer",
                 [](graph& g) {
                   g.output("y", encoder_block(g.input<f32>("x", {"B", "T", 16}), causal, narrow));
                 },
                 encoder_rules<narrow>),
             "encoder_layer_causal");
  check_case(encoder_layer<transformer_block_config{
                 .heads = 8, .width = 128, .inner = 256, .norm_first = true, .activation = activation::gelu}>,
             "encoder_layer_128");
}

namespace {

/// The cases write zeros where the source is padded.
void clear_padding(golden_tensor& memory, const golden_tensor& lengths) {
  const std::size_t positions = memory.shape[1], width = memory.shape[2];
  for (std::size_t i = 0; i < memory.values.size(); ++i)
    if (static_cast<double>(i / width % positions) >= lengths.values[i / width / positions])
      memory.values[i] = 0;
}

template <transformer_config c>
void check_transformer(const char* name) {
  const golden_case reference_case(name);
  check_loss(transformer_loss<c>, reference_case, inputs_of(reference_case));
  on_both_backends([&](auto backend) {
    named_values out =
        run_model<decltype(backend)>(transformer<c>, weights_of(reference_case), inputs_of(reference_case));
    clear_padding(out["memory"], reference_case.at("input.source_lengths"));
    for (const auto& [output, values] : out)
      check(reference_case, "output." + output, std::span<const double>(values.values), values.shape);
  });
}

} // namespace

TEST_CASE("the encoder-decoder, post-norm and pre-norm", "[transformer]") {
  check_transformer<transformer_config{
      .layers = 2, .block = {.heads = 4, .width = 16, .inner = 32}, .source_vocab = 30, .target_vocab = 34}>(
      "transformer_2_2_post");
  check_transformer<transformer_config{
      .layers = 2,
      .block = {.heads = 2, .width = 16, .inner = 48, .norm_first = true, .activation = activation::gelu},
      .source_vocab = 30,
      .target_vocab = 34}>("transformer_2_2_pre");
}

TEST_CASE("the base model of the paper", "[transformer]") {
  const golden_case c("transformer_base_formula");
  const model_weights made = weights_of(c);
  constexpr const auto& base = transformer<transformer_base(1000, 1000)>;
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(base, made, {.capacity = {{"B", 2}, {"S", 16}, {"T", 15}}});
    const auto out = net("source_ids"_in = integers<2>(c, "source_ids"),
                         "source_lengths"_in = integers<1>(c, "source_lengths"),
                         "decoder_ids"_in = integers<2>(c, "decoder_ids"));
    const auto logits = out["logits"_out];
    check_parts(c, "logits_", logits, 1);
    check_argmax(c, logits);
    const xt::xtensor<float, 3> memory =
        xt::view(out["memory"_out], xt::all(), xt::range(0, 11), xt::range(0, 16));
    check(c, "output.memory_part", memory);
  });
}

namespace {

inline constexpr dim T{"T"};

/// The decoder alone, as in the paper; and with each choice taken the other way.
constexpr transformer_language_model_config original{
    .layers = 2, .block = {.heads = 3, .width = 24, .inner = 40}, .vocab = 11},
    other{.layers = 2,
          .block = {.heads = 3, .width = 24, .inner = 40, .norm_first = true, .bias = false},
          .vocab = 11,
          .embedding = {.scaled = false, .positions = position_kind::learned, .context = 20},
          .final_norm = false};

constexpr transformer_language_model_config without_bias(transformer_language_model_config c) {
  c.block.bias = false;
  return c;
}
constexpr transformer_language_model_config without_scale(transformer_language_model_config c) {
  c.embedding.scaled = false;
  return c;
}

} // namespace

TEST_CASE("the decoder alone is the same on both backends, and streams", "[transformer]") {
  compare_at_awkward_sizes(transformer_language_model<original>);
  compare_at_awkward_sizes(transformer_language_model<other>);
  check_stream<T>(transformer_language_model<original>, {{"B", 2}, {"T", 11}});
  check_stream<T>(transformer_language_model<other>, {{"B", 2}, {"T", 11}});
}

TEST_CASE("without biases is with biases of 0; without the scale is with a table scaled beforehand",
          "[transformer]") {
  constexpr const auto& plain = transformer_language_model<original>;
  const named_values inputs = random_inputs(plain, {{"B", 2}, {"T", 7}});
  auto tensors = random_tensors(plain);
  const auto logits = [&](const auto& m, const auto& from) {
    return run_model<f32>(m, model_weights::from(from), inputs).at("logits");
  };
  {
    auto scaled = tensors;
    for (float& x : scaled.at("token_embedding.weight").values) x *= std::sqrt(24.0f);
    const golden_tensor found = logits(transformer_language_model<without_scale(original)>, scaled);
    CHECK(distance_of(std::span<const double>(found.values), logits(plain, tensors), 1e-5, 1e-5).share <= 1);
  }
  auto fewer = tensors;
  for (auto& [name, tensor] : tensors)
    if (name.ends_with("bias")) {
      fewer.erase(name);
      std::fill(tensor.values.begin(), tensor.values.end(), 0.0f);
    }
  const golden_tensor found = logits(transformer_language_model<without_bias(original)>, fewer);
  CHECK(distance_of(std::span<const double>(found.values), logits(plain, tensors), 1e-5, 1e-5).share <= 1);
}
