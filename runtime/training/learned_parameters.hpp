#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <fovea/backends/buffer.hpp>
#include <fovea/dsl/graph_view.hpp>
#include <fovea/runtime/parameters.hpp>

namespace fovea {

/// The parameters of a model while they are learned: a copy of their own of all values, with the moments that
/// an optimizer keeps of each, every parameter's layers side by side.
class learned_parameters {
public:
  /// Throws fovea::error where checkpoint and model do not fit, or a parameter has a name of training's own
  /// (runtime/weights/training_names.hpp).
  learned_parameters(graph_view graph, const weights& source, std::span<const name_rule> names,
                     std::span<const char* const> moment_names);

  int count() const { return static_cast<int>(begins_.size()) - 1; }
  std::size_t size(int parameter) const { return begin(parameter + 1) - begin(parameter); }
  float* values(int parameter) { return values_.data() + begin(parameter); }
  float* moment(std::size_t i, int parameter) { return moments_[i].data() + begin(parameter); }
  /// The parameter's name, ".*" for the number of a layer.
  const std::string& name(int parameter) const { return names_[static_cast<std::size_t>(parameter)]; }

  /// The parameters, read where they are learned.
  model_parameters shared() const;
  /// A copy of the values as they are now, under the model's own names.
  weights snapshot() const;

  /// Writes values, moments and `state` as one safetensors file, whole or not at all. Moments are
  /// "optimizer.MOMENT.NAME", what is carried from step to step "carried.NAME"; as weights of a model the
  /// file is its parameters.
  void save(const std::filesystem::path& path, const std::map<std::string, std::string>& state,
            const std::map<std::string, weight_tensor>& carried) const;
  /// Takes back what `save` wrote, and gives its state; `take` gets what was carried. Throws fovea::error,
  /// having changed nothing, where the file is of another model or optimizer, or `take` does.
  std::map<std::string, std::string>
  load(const std::filesystem::path& path,
       const std::function<void(const std::map<std::string, weight_tensor>&)>& take);

private:
  std::size_t begin(int parameter) const { return begins_[static_cast<std::size_t>(parameter)]; }
  /// f(name in a file, shape, values) of every layer of every parameter and moment.
  template <class F>
  void for_each_tensor(F f) const;

  model_parameters loaded_; // names and views of where values came from
  std::vector<std::string> names_, moment_names_;
  std::vector<std::vector<std::size_t>> shapes_;
  std::vector<std::size_t> begins_;
  buffer values_;
  std::vector<buffer> moments_;
};

} // namespace fovea
