#pragma once

// PatchTST: forecasts of time series, each channel by itself, from patches that a Transformer reads as words (Nie et al.
// 2023). Loads Hugging Face checkpoints of PatchTSTForPrediction unchanged, of batch norms and one head for all channels,
// as they are by default.

#include <fovea/models/self_attention.hpp>

namespace fovea::models {

struct patchtst_config {
  int layers, heads, width, inner;
  int context, horizon; // steps that are read, and that are forecast
  int patch, stride;
  bool norm_first = true;       // the paper's norms follow each sum
  bool fixed_positions = false; // not trained
  bool pooled = false;          // the head reads the mean of all patches, not one after another
  double epsilon = 1e-5;

  constexpr int patches() const { return (context - patch) / stride + 1; }
};

/// ibm-granite/granite-timeseries-patchtst: 614 thousand parameters, taught on the loads of electrical transformers.
inline constexpr patchtst_config granite_patchtst{.layers = 3,
                                                  .heads = 16,
                                                  .width = 128,
                                                  .inner = 512,
                                                  .context = 512,
                                                  .horizon = 96,
                                                  .patch = 12,
                                                  .stride = 12,
                                                  .fixed_positions = true,
                                                  .pooled = true};

/// A series less its mean, over its standard deviation, and both, to undo it (section 3.1, instance normalisation).
struct scaled_series {
  expr values;      // [B, context, C]
  expr mean, scale; // [B, 1, C]
};
constexpr scaled_series scaled_by_itself(expr past) {
  const expr middle = mean(past, axis(1), {.keep = true});
  const expr scale = sqrt(variance(past, axis(1), {.keep = true, .correction = 0}) + 1e-5);
  return {(past - middle) / scale, middle, scale};
}

/// The patches of each channel, the last of which ends with the series, as vectors with their positions: values
/// [B, context, C] -> [B, C, patches, width].
constexpr expr patchtst_embeddings(expr values, patchtst_config c,
                                   source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(values, at);
  const int patches = c.patches(), first = c.context - c.patch - (patches - 1) * c.stride;
  const expr steps =
      unsqueeze(range(values, patches) * c.stride + first, 1) + range(values, c.patch); // [patches, patch]
  const expr cut = permute(gather(permute(values, {1, 0, 2}), steps), {2, 3, 0, 1});
  const expr positions = parameter(values, "positions", {patches, c.width}, init::normal(0.02));
  return linear(cut, "patch", c.width) + (c.fixed_positions ? stop_gradient(positions) : positions);
}

/// One block: attention between patches, then a feed-forward layer, each with a batch norm. x [N, patches, width] keeps
/// its shape.
constexpr expr patchtst_block(expr x, patchtst_config c,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const auto added = [&](expr y, const char* norm, auto f) {
    const batch_norm_options options{.epsilon = c.epsilon};
    return c.norm_first ? y + f(batch_norm(y, norm, options)) : batch_norm(y + f(y), norm, options);
  };
  x = added(x, "norm1", [&](expr y) {
    const scope inside(y, "self_attn");
    return multi_head_attention(y, y, {.heads = c.heads, .width = c.width});
  });
  return added(x, "norm2",
               [&](expr y) { return linear(gelu(linear(y, "linear1", c.inner)), "linear2", c.width); });
}

/// A forecast of the scaled series by what the blocks give: x [B, C, patches, width] -> [B, horizon, C].
constexpr expr patchtst_head(expr x, patchtst_config c,
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr read = c.pooled ? mean(x, axis(2)) : reshape(x, {x.size(0), x.size(1), c.patches() * c.width});
  return permute(linear(read, "head", c.horizon), {0, 2, 1});
}

/// past [B, context, C] -> [B, horizon, C].
constexpr expr patchtst_forecast(expr past, patchtst_config c,
                                 source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(past, at);
  const scaled_series series = scaled_by_itself(past);
  const expr x = patchtst_embeddings(series.values, c);
  const expr y = repeat("layers", c.layers, reshape(x, {-1, c.patches(), c.width}),
                        [&](expr each) { return patchtst_block(each, c); });
  const expr whole = reshape(y, {x.size(0), x.size(1), c.patches(), c.width});
  return patchtst_head(whole, c) * series.scale + series.mean;
}

/// How Hugging Face names the parameters.
inline constexpr auto patchtst_names = std::to_array<name_rule>({
    {"patch.weight", "model.encoder.embedder.input_embedding.weight"},
    {"patch.bias", "model.encoder.embedder.input_embedding.bias"},
    {"positions", "model.encoder.positional_encoder.position_enc"},
    {"layers.*.self_attn.q.weight", "model.encoder.layers.*.self_attn.q_proj.weight"},
    {"layers.*.self_attn.q.bias", "model.encoder.layers.*.self_attn.q_proj.bias"},
    {"layers.*.self_attn.k.weight", "model.encoder.layers.*.self_attn.k_proj.weight"},
    {"layers.*.self_attn.k.bias", "model.encoder.layers.*.self_attn.k_proj.bias"},
    {"layers.*.self_attn.v.weight", "model.encoder.layers.*.self_attn.v_proj.weight"},
    {"layers.*.self_attn.v.bias", "model.encoder.layers.*.self_attn.v_proj.bias"},
    {"layers.*.self_attn.out_proj.weight", "model.encoder.layers.*.self_attn.out_proj.weight"},
    {"layers.*.self_attn.out_proj.bias", "model.encoder.layers.*.self_attn.out_proj.bias"},
    {"layers.*.norm1.weight", "model.encoder.layers.*.norm_sublayer1.batchnorm.weight"},
    {"layers.*.norm1.bias", "model.encoder.layers.*.norm_sublayer1.batchnorm.bias"},
    {"layers.*.norm1.running_mean", "model.encoder.layers.*.norm_sublayer1.batchnorm.running_mean"},
    {"layers.*.norm1.running_var", "model.encoder.layers.*.norm_sublayer1.batchnorm.running_var"},
    {"", "model.encoder.layers.*.norm_sublayer1.batchnorm.num_batches_tracked", naming::ignored},
    {"layers.*.linear1.weight", "model.encoder.layers.*.ff.0.weight"},
    {"layers.*.linear1.bias", "model.encoder.layers.*.ff.0.bias"},
    {"layers.*.linear2.weight", "model.encoder.layers.*.ff.3.weight"},
    {"layers.*.linear2.bias", "model.encoder.layers.*.ff.3.bias"},
    {"layers.*.norm2.weight", "model.encoder.layers.*.norm_sublayer3.batchnorm.weight"},
    {"layers.*.norm2.bias", "model.encoder.layers.*.norm_sublayer3.batchnorm.bias"},
    {"layers.*.norm2.running_mean", "model.encoder.layers.*.norm_sublayer3.batchnorm.running_mean"},
    {"layers.*.norm2.running_var", "model.encoder.layers.*.norm_sublayer3.batchnorm.running_var"},
    {"", "model.encoder.layers.*.norm_sublayer3.batchnorm.num_batches_tracked", naming::ignored},
    {"head.weight", "head.projection.weight"},
    {"head.bias", "head.projection.bias"},
});

/// past [B, context, C] -> forecast [B, horizon, C], both in the series' own units.
template <patchtst_config c>
inline constexpr auto patchtst = model(
    "patchtst",
    [](graph& g) {
      g.output("forecast", patchtst_forecast(g.input<f32>("past", {"B", c.context, "C"}), c));
    },
    patchtst_names);

/// past [B, context, C] and future [B, horizon, C] -> the mean squared error of a value.
template <patchtst_config c>
inline constexpr auto patchtst_loss = model(
    "patchtst_loss",
    [](graph& g) {
      const expr past = g.input<f32>("past", {"B", c.context, "C"});
      g.output("loss", mse(patchtst_forecast(past, c), g.input<f32>("future", {"B", c.horizon, "C"})));
    },
    patchtst_names);

} // namespace fovea::models
