#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <fovea/backends/buffer.hpp>
#include <fovea/base/file_path.hpp>
#include <fovea/dsl/graph_view.hpp>
#include <fovea/weights/parameters.hpp>

namespace fovea::core {

/// What a checkpoint keeps of training beside parameters and moments.
struct training_state {
  std::map<std::string, std::string, std::less<>> notes = {}; // of training itself (training_names.hpp)
  std::map<std::string, std::string> notes_of_user = {};
  std::map<std::string, weight_tensor> carried = {}, accumulated = {};
};

/// The parameters of a model while they are learned: a copy of their own of all values, with the moments that
/// an optimizer keeps of each, every parameter's layers side by side.
class learned_parameters {
public:
  /// Throws fovea::error where checkpoint and model do not fit, or a parameter has a name of training's own
  /// (weights/training_names.hpp).
  learned_parameters(graph_view graph, const model_weights& source, std::span<const name_rule> names,
                     std::span<const char* const> moment_names, std::string optimizer);

  int count() const { return static_cast<int>(begins_.size()) - 1; }
  std::size_t size(int parameter) const { return begin(parameter + 1) - begin(parameter); }
  float* values(int parameter) { return values_.data() + begin(parameter); }
  float* moment(std::size_t i, int parameter) { return moments_[i].data() + begin(parameter); }
  /// The parameter's name, ".*" for the number of a layer.
  const std::string& name(int parameter) const { return names_[static_cast<std::size_t>(parameter)]; }

  const std::string& optimizer() const { return optimizer_; }
  /// By which ranks tell whether they have the same values and moments.
  std::uint64_t digest() const;

  /// The parameters, read where they are learned.
  model_parameters shared() const;
  /// A copy of the values as they are now, under the model's own names.
  model_weights snapshot() const;

  /// Writes values, moments and `state` as one safetensors file, whole or not at all, under the names of
  /// training_names.hpp; as weights of a model the file is its parameters. Throws fovea::error where a value
  /// is not finite, for such a file could not be read again, and where a note of the user has a name that
  /// training uses.
  void save(const file_path& path, const training_state& state) const;
  /// Takes back what `save` wrote, and gives the user's notes; `take` gets the state. Throws fovea::error,
  /// having changed nothing, where the file is of another model or optimizer, or `take` does.
  std::map<std::string, std::string> load(const file_path& path,
                                          const std::function<void(const training_state&)>& take);

private:
  std::size_t begin(int parameter) const { return begins_[static_cast<std::size_t>(parameter)]; }
  /// f(name in a file, shape, values) of every layer of every parameter and moment.
  template <class F>
  void for_each_tensor(F f) const;

  model_parameters loaded_; // names and views of where values came from
  std::vector<std::string> names_, moment_names_;
  std::string optimizer_; // its name, or empty
  std::vector<std::vector<std::size_t>> shapes_;
  std::vector<std::size_t> begins_;
  buffer values_;
  std::vector<buffer> moments_;
};

} // namespace fovea::core
