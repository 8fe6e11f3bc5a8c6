#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
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
  /// Where a parameter begins among the values of all.
  std::size_t begin(int parameter) const { return begins_[static_cast<std::size_t>(parameter)]; }

  /// So many values of all, from `first` on.
  struct run_of_values {
    std::size_t first, count;
  };
  /// Makes the moments, zeros: of all values, or of those alone, side by side.
  void make_moments(std::vector<run_of_values> of);
  void make_moments() { make_moments({{0, begins_.back()}}); }
  std::size_t moment_count() const { return moments_.size(); }
  /// Of value k of those that have it.
  float* moment(std::size_t i, std::size_t k) { return moments_[i].data() + k; }
  std::int64_t moment_bytes() const;
  /// The parameter's name, ".*" for the number of a layer.
  const std::string& name(int parameter) const { return names_[static_cast<std::size_t>(parameter)]; }

  const std::string& optimizer() const { return optimizer_; }
  /// By which ranks tell whether they have the same values, and moments where each has all.
  std::uint64_t digest() const;

  /// The parameters, read where they are learned.
  model_parameters shared() const;
  /// A copy of the values as they are now, under the model's own names.
  model_weights snapshot() const;

  /// Writes values, moments and `state` as one safetensors file, whole or not at all, under the names of
  /// training_names.hpp; as weights of a model the file is its parameters. Throws fovea::error where a value
  /// is not finite, for such a file could not be read again, and where a note of the user has a name that
  /// training uses. Where only some values have moments here, `moments` are those of all.
  void save(const file_path& path, const training_state& state,
            const std::vector<buffer>& moments = {}) const;
  /// Takes back what `save` wrote, and gives the user's notes; `take` gets the state. Throws fovea::error,
  /// having changed nothing, where the file is of another model or optimizer, or `take` does.
  std::map<std::string, std::string> load(const file_path& path,
                                          const std::function<void(const training_state&)>& take);

private:
  /// f(name in a file, shape, moment, first, count) of every layer of every parameter and moment: which values of all
  /// parameters, or of that moment; -1 for none.
  template <class F>
  void for_each_tensor(F f) const;
  /// Where the values of a file go.
  using tensor_places = std::vector<std::pair<float*, std::span<const std::byte>>>;
  void add_places(std::size_t moment, std::size_t first, std::size_t count, std::span<const std::byte> bytes,
                  tensor_places& to);

  model_parameters loaded_; // names and views of where values came from
  std::vector<std::string> names_, moment_names_;
  std::string optimizer_; // its name, or empty
  std::vector<std::vector<std::size_t>> shapes_;
  std::vector<std::size_t> begins_;
  buffer values_;
  std::vector<run_of_values> with_moments_;
  std::vector<buffer> moments_;
};

} // namespace fovea::core
