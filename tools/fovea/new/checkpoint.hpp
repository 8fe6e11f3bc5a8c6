#pragma once

#include "settings.hpp"

#include <fovea/weights/weights.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tool {

/// A module of a sentence encoder behind the network, by sentence-transformers' modules.json.
struct sentence_module {
  enum class kind { pooling, dense, normalize } what;
  settings config;
  std::filesystem::path folder;
};

/// What `fovea new` starts from: a folder of Hugging Face, or a GGUF file.
class checkpoint {
public:
  checkpoint(std::filesystem::path named, settings said, fovea::model_weights of)
      : path(std::move(named)), weights(path), config(std::move(said)), weights_of_file(std::move(of)),
        tensors(weights_of_file.tensors()) {}

  std::filesystem::path path;           // as it was named, absolute
  std::filesystem::path weights;        // what load_weights takes
  std::filesystem::path tokenizer = {}; // empty: there is none
  std::filesystem::path reference = {}; // reference.safetensors; empty: there is none
  bool gguf = false;
  std::string architecture = {}; // config.json's first architecture, or GGUF's general.architecture
  settings config;
  fovea::model_weights weights_of_file;
  std::map<std::string, fovea::stored_tensor> tensors; // its, and those of the parts
  std::optional<std::vector<sentence_module>> modules = {};
  int longest_text = 0; // in tokens, as a sentence encoder says; 0: it says nothing
  bool joined = false;  // `tensors` are of several files: none has them all

  /// Takes the tensors of another file in, each with this in front of its name.
  void add_part(const std::filesystem::path& file, const std::string& prefix);

private:
  std::vector<fovea::model_weights> parts_ = {}; // whose bytes are used
};

/// Opens it. Throws failure or fovea::error that names what is missing or malformed.
checkpoint open_checkpoint(const std::filesystem::path& path);

/// The tensors of a checkpoint, each of which is asked for, passed over, or refused.
class tensor_list {
public:
  /// `prefix` stands in front of the names where the checkpoint has it, as in "bert.".
  tensor_list(const checkpoint& from, const std::string& prefix);

  /// From here on a tensor is asked for by the first name and found under the second, each without its ending,
  /// .weight or .bias; `*` stands for the number of a layer.
  void call(std::map<std::string, std::string> names) { called_ = std::move(names); }

  /// Tensors that came to the checkpoint since, whose names begin so.
  void take_in(const std::string& beginning);

  bool has(const std::string& name) const;
  /// The tensor is there, with this shape; throws failure that names it otherwise.
  void expect(const std::string& name, const std::vector<int>& shape);
  /// NAME.weight, and NAME.bias with a number for each row of it.
  void expect_biased(const std::string& name, const std::vector<int>& shape);
  /// The first axis of a tensor, which is there.
  int rows_of(const std::string& name);
  /// Tensors of such names, `*` any text, are not used; those that are there are told to the user.
  void pass_over(const std::string& pattern);
  /// Buffers of which the model has none, not worth telling.
  void pass_over_quietly(const std::string& pattern);
  /// Refuses what is left.
  void finish(std::string_view what) const;

  /// The prefix, where names have it.
  const std::string& prefix() const { return prefix_; }
  const std::vector<std::string>& passed_over() const { return passed_over_; }

private:
  std::vector<int> shape_of(const std::string& name);
  std::string name_in_file(const std::string& name) const;
  const std::string* find(const std::string& name) const;

  const checkpoint* from_;
  std::map<std::string, std::string> called_;
  std::string prefix_;
  std::set<std::string, std::less<>> names_, left_;
  std::vector<std::string> passed_over_;
};

} // namespace tool
