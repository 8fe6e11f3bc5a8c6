#pragma once

#include <fovea/base/file_path.hpp>
#include <fovea/dsl/names.hpp>
#include <fovea/weights/packed.hpp>
#include <fovea/weights/panels.hpp>
#include <fovea/weights/safetensors.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fovea::core {

/// A tensor that a program makes itself, row-major.
struct weight_tensor {
  std::vector<std::size_t> shape;
  std::vector<float> values;
};

/// What must find each other: every parameter a tensor and every tensor a parameter; every parameter a tensor; neither.
enum class matching { whole, part, known };

/// A parameter that a model asks for, with its layer index written out ("h.0.attn.q.weight").
struct wanted_parameter {
  std::string name;
  std::vector<std::size_t> shape;
  /// The type that its user reads as well as float32, if any; where files mix it with others, those too.
  std::optional<element_type> stored = {};
  /// Whether its user reads panels of a format as well.
  bool reads_panels = false;
  weight_format format = weight_format::f32;
};

/// A parameter's values, row-major in the wanted shape; they live as long as a copy of the `weights` they
/// came from and a copy of `holder`. Aligned to 4 bytes, no more. Where the checkpoint has them in a type that was wanted beside
/// float32, `stored` is their bytes and there is no data; where it has the panels that were wanted, they are `panels` and
/// there is no data either.
struct weight_view {
  const float* data;
  std::size_t size;
  std::span<const std::byte> stored = {};
  panels_view panels = {};
  element_type type = element_type::f32; // of what is stored
  /// Has the values stay when others are let go; none where they stay as long as the weights, as panels do.
  std::shared_ptr<const void> holder = {};
};

/// A checkpoint: a cheap handle to immutable, shared state. Copies share the files, the converted tensors
/// and the packed copies. All members may be called from several threads at once.
class model_weights {
public:
  /// Weights that a program makes or a test writes down. Throws fovea::error when values don't fit a shape.
  static model_weights from(std::map<std::string, weight_tensor> tensors,
                            std::string source = "weights of the program");

  /// What several checkpoints hold, as if it were one. Throws fovea::error that names both where a tensor is
  /// in two; what training keeps beside parameters is left out. Of what they say of themselves under one key,
  /// the first counts.
  static model_weights join(std::vector<model_weights> parts);

  /// The values of every wanted parameter, in order. `rules` is the model's table (dsl/names.hpp).
  ///
  /// A float32 tensor without transform is used where it lies in the file, and so is one, or rows of one, of
  /// a type that was wanted beside float32, whose rows may be put in another order; others, quantised ones among
  /// them, are converted and kept until let_go().
  /// Throws fovea::error, having handed out nothing, when a parameter has no tensor, a tensor is used by no
  /// parameter and ignored by no rule, a shape or element type doesn't fit, a value is NaN or infinite, or a
  /// `tied` copy differs. Problems of one kind are reported together. What a checkpoint of training has
  /// beside its parameters ("optimizer.*", "accumulated.*", "carried.*") is passed over.
  std::vector<weight_view> resolve(std::span<const wanted_parameter> wanted,
                                   std::span<const name_rule> rules = {}) const&;
  /// The same of a part of a model: tensors that no parameter wants are passed over.
  std::vector<weight_view> resolve_part(std::span<const wanted_parameter> wanted,
                                        std::span<const name_rule> rules = {}) const&;
  /// The same of what the checkpoint has: a parameter without a tensor gets an empty view, and tensors that
  /// no parameter wants are passed over.
  std::vector<weight_view> resolve_known(std::span<const wanted_parameter> wanted,
                                         std::span<const name_rule> rules = {}) const&;
  // The views would outlive what they point into.
  std::vector<weight_view> resolve(std::span<const wanted_parameter> wanted,
                                   std::span<const name_rule> rules = {}) const&& = delete;
  std::vector<weight_view> resolve_part(std::span<const wanted_parameter> wanted,
                                        std::span<const name_rule> rules = {}) const&& = delete;
  std::vector<weight_view> resolve_known(std::span<const wanted_parameter> wanted,
                                         std::span<const name_rule> rules = {}) const&& = delete;

  /// The values of one parameter that the checkpoint has, or null, which stay as long as a copy of these weights.
  const float* lasting_values(const wanted_parameter& wanted, std::span<const name_rule> rules) const;

  /// Lets go of all values that nobody holds: copies of them are freed, and of what is mapped the memory goes back to
  /// the system until it is touched again. Who asks for them again gets them again.
  void let_go() const;

  /// The copy of a parameter that `key` names (parameter and format), built by the first who asks and shared
  /// by all who hold it at the same time. It is freed with its last holder.
  std::shared_ptr<const packed> packed_copy(const std::string& key,
                                            const std::function<packed()>& build) const;

  /// The file or folder, as messages name it.
  const std::string& source() const;
  /// What the checkpoint holds, under its own names, what training keeps among it, and what it says of itself
  /// (of a GGUF file, all but its arrays). The bytes are there as long as a copy of these weights.
  const std::map<std::string, stored_tensor>& tensors() const;
  const std::map<std::string, std::string>& metadata() const;

private:
  std::vector<weight_view> views_of(std::span<const wanted_parameter> wanted,
                                    std::span<const name_rule> rules, matching how) const;
  /// The same of packed weights, whose names are the model's own.
  std::vector<weight_view> packed_views_of(std::span<const wanted_parameter> wanted, matching how) const;

  struct state;
  friend model_weights load_weights(const file_path& path, load_options how);
  friend model_weights load_weights(std::span<const std::byte> bytes, const std::string& name,
                                    load_options how);
  explicit model_weights(std::shared_ptr<state> shared) : state_(std::move(shared)) {}

  std::shared_ptr<state> state_;
};

/// Opens a checkpoint and checks its structure: a weight file of any format that is known (safetensors, GGUF,
/// llama2.c's and rwkv.cpp's .bin, RTNeural's JSON, word vectors), told by its content; an index
/// (`model.safetensors.index.json`) with its shards; or a folder that holds a model.safetensors or an index.
/// A checkpoint that training saved is its parameters. Values are checked when a model resolves them.
///
/// Files are mapped and may be replaced by renaming others to their names, not cut short or written over;
/// `load_weights(path, {.copy = true})` reads them into memory, for a program that runs long.
///
/// Throws fovea::error that names the file, the tensor, what was expected and what was found.
model_weights load_weights(const file_path& path, load_options how = {});

/// The same of a file's content that is in memory, such as an array that was compiled into the program;
/// messages call it `name`. It is used where it lies, so it must live as long as the weights and what is
/// compiled from them, or be copied by {.copy = true}.
model_weights load_weights(std::span<const std::byte> bytes, const std::string& name = "weights in memory",
                           load_options how = {});
/// What would not live so long.
model_weights load_weights(std::vector<std::byte>&& bytes, const std::string& name = "weights in memory",
                           load_options how = {}) = delete;

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::load_weights, core::model_weights, core::weight_tensor;
} // namespace fovea
