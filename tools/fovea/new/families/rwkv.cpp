#include "../family.hpp"

#include <fmt/format.h>

namespace tool {

model_plan plan_rwkv(checkpoint& from) {
  settings& config = from.config;
  const int layers = config.whole("num_hidden_layers"), width = config.factor("hidden_size"),
            vocab = config.whole("vocab_size"), inner = config.whole("intermediate_size", 4 * width),
            context = config.whole("context_length", 1024);
  const double epsilon = config.number("layer_norm_epsilon", 1e-5);
  pass_over_common(config);
  config.expect("attention_hidden_size", width);
  config.expect("tie_word_embeddings", false);
  // Halves what runs through the layers so that float16 holds it, which the norms undo.
  config.pass_over({"rescale_every"});

  tensor_list tensors(from, "rwkv.");
  const auto norm = [&](const std::string& name) { tensors.expect_biased(name, {width}); };
  tensors.expect("embeddings.weight", {vocab, width});
  tensors.expect("head.weight", {vocab, width});
  norm("blocks.0.pre_ln"), norm("ln_out");
  for (int i = 0; i < layers; ++i) {
    const std::string at = fmt::format("blocks.{}.", i), attention = at + "attention.",
                      forward = at + "feed_forward.";
    norm(at + "ln1"), norm(at + "ln2");
    for (const char* one : {"time_decay", "time_first"}) tensors.expect(attention + one, {width});
    for (const char* one : {"time_mix_key", "time_mix_value", "time_mix_receptance"})
      tensors.expect(attention + one, {1, 1, width});
    for (const char* one : {"key.weight", "value.weight", "receptance.weight", "output.weight"})
      tensors.expect(attention + one, {width, width});
    for (const char* one : {"time_mix_key", "time_mix_receptance"})
      tensors.expect(forward + one, {1, 1, width});
    tensors.expect(forward + "key.weight", {inner, width});
    tensors.expect(forward + "receptance.weight", {width, width});
    tensors.expect(forward + "value.weight", {width, inner});
  }
  tensors.finish(from.architecture);
  config.finish(from.architecture);
  return {"new/rwkv.hpp.in",
          "decoder",
          "generate",
          {{"layers", std::to_string(layers)},
           {"width", std::to_string(width)},
           {"inner", std::to_string(inner)},
           {"vocab", std::to_string(vocab)},
           {"context", std::to_string(context)},
           {"epsilon", number_text(epsilon, from)}},
          tensors.passed_over()};
}

} // namespace tool
