#include "../family.hpp"

#include <fmt/format.h>

namespace tool {

model_plan plan_t5(checkpoint& from) {
  settings& config = from.config;
  const int layers = config.whole("num_layers"), heads = config.factor("num_heads"),
            head_width = config.factor("d_kv"), width = config.factor("d_model"),
            inner = config.whole("d_ff"), vocab = config.whole("vocab_size"),
            buckets = config.whole("relative_attention_num_buckets", 32),
            max_distance = config.whole("relative_attention_max_distance", 128),
            context = config.whole("n_positions", 512);
  const int below = config.whole("num_decoder_layers", layers);
  if (below != layers)
    config.fail("num_decoder_layers",
                fmt::format("expected {}, as the encoder has; found {}", layers, below));
  const std::string form = config.one_of("feed_forward_proj", {"relu", "gated-gelu"});
  const bool gated = form == "gated-gelu";
  config.expect("is_gated_act", gated);
  if (config.has("dense_act_fn")) config.one_of("dense_act_fn", {gated ? "gelu_new" : "relu"});
  const bool tied = config.flag("tie_word_embeddings", true);
  config.expect("scale_decoder_outputs", tied);
  config.expect("is_decoder", false);
  const double epsilon = config.number("layer_norm_epsilon", 1e-6);
  pass_over_common(config, true);
  config.pass_over({"dropout_rate", "decoder_start_token_id"});

  tensor_list tensors(from, "");
  const auto expect = [&](const std::string& name, std::vector<int> shape) { tensors.expect(name, shape); };
  expect("shared.weight", {vocab, width});
  if (!tied) expect("lm_head.weight", {vocab, width});
  for (const char* copy : {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"})
    if (tensors.has(copy)) expect(copy, {vocab, width});
  for (const std::string stack : {"encoder", "decoder"}) {
    const bool decoder = stack == "decoder";
    expect(stack + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight", {buckets, heads});
    expect(stack + ".final_layer_norm.weight", {width});
    for (int i = 0; i < layers; ++i) {
      const std::string at = fmt::format("{}.block.{}.layer.", stack, i);
      const auto attention = [&](const std::string& name) {
        for (const char* part : {".q.weight", ".k.weight", ".v.weight"})
          expect(at + name + part, {heads * head_width, width});
        expect(at + name + ".o.weight", {width, heads * head_width});
      };
      attention("0.SelfAttention");
      if (decoder) attention("1.EncDecAttention");
      const std::string last = decoder ? "2" : "1";
      for (int k = 0; k <= (decoder ? 2 : 1); ++k)
        expect(at + std::to_string(k) + ".layer_norm.weight", {width});
      for (const std::string& up :
           gated ? std::vector<std::string>{"wi_0", "wi_1"} : std::vector<std::string>{"wi"})
        expect(at + last + ".DenseReluDense." + up + ".weight", {inner, width});
      expect(at + last + ".DenseReluDense.wo.weight", {width, inner});
    }
  }
  tensors.pass_over("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight");
  tensors.finish(from.architecture);
  config.finish(from.architecture);
  return {"new/t5.hpp.in",
          "translator",
          "translate",
          {{"layers", std::to_string(layers)},
           {"heads", std::to_string(heads)},
           {"head_width", std::to_string(head_width)},
           {"width", std::to_string(width)},
           {"inner", std::to_string(inner)},
           {"vocab", std::to_string(vocab)},
           {"gated", bool_text(gated)},
           {"tied", bool_text(tied)},
           {"buckets", std::to_string(buckets)},
           {"max_distance", std::to_string(max_distance)},
           {"context", std::to_string(context)},
           {"epsilon", number_text(epsilon, from)}},
          tensors.passed_over(),
          {"B", "S", "T"}};
}

} // namespace tool
