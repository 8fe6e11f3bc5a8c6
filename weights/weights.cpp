#include <fovea/weights/weights.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/base/regular_file.hpp>
#include <fovea/weights/state.hpp>
#include <fovea/weights/training_names.hpp>

#include <algorithm>
#include <filesystem>
#include <new>
#include <numeric>
#include <system_error>
#include <utility>

namespace fovea::core {
namespace {

constexpr const char* single_file = "model.safetensors";
constexpr const char* index_file = "model.safetensors.index.json";

/// A file in a folder. The path library's own `/` destroys what it has not made where memory runs out (g++
/// 12).
std::filesystem::path file_in(const std::filesystem::path& folder, const std::string& name) {
  return file_path(folder.empty() ? name : folder.string() + "/" + name);
}

/// The index's `weight_map`: tensor -> shard.
std::map<std::string, std::string> read_index(const std::filesystem::path& path) {
  const json_document index = load_json(path);
  const bool fits =
      index->is_object() && index->contains("weight_map") && index->at("weight_map").is_object();
  if (!fits) throw error(path.string() + ": expected an object with a weight_map from tensor to file");
  std::map<std::string, std::string> shard_of;
  for (const auto& [tensor, shard] : index->at("weight_map").items()) {
    if (!shard.is_string())
      throw error(path.string() + ": tensor " + in_quotes(tensor) + ": expected a file name; found " +
                  shown(shard));
    const std::filesystem::path name = file_path(shard.get_ref<const std::string&>());
    // An index comes from the net with the shards: it may not reach outside its folder.
    if (name.empty() || name != name.filename() || name == "..")
      throw error(path.string() + ": tensor " + in_quotes(tensor) +
                  ": expected the name of a file beside the index; found " + in_quotes(name.string()));
    shard_of.emplace(tensor, name.string());
  }
  return shard_of;
}

} // namespace

void model_weights::state::take(weight_file only) try {
  layout = packed_layout_of(only.metadata);
  tensors = only.tensors;
  if (layout) std::erase_if(tensors, [](const auto& one) { return is_of_tokenizer(one.first); });
  metadata = only.metadata;
  files.push_back(std::move(only));
} catch (const error& reason) {
  throw error(source + ": " + reason.what());
}

const model_weights::state::known_values&
model_weights::state::remember(known_map& all, content_key key, std::span<const std::byte> bytes,
                               std::shared_ptr<const packed> owner) {
  if (const auto found = all.find(key); found != all.end()) return found->second;
  const bool owned = owner != nullptr;
  if (!owned) owner = std::make_shared<const packed>(0); // of which copies are counted
  return all.emplace(std::move(key), known_values{bytes, owned, std::move(owner)}).first->second;
}

void model_weights::state::let_go(std::span<const std::byte> bytes) const noexcept {
  for (const weight_file& file : files)
    if (file.mapped != nullptr) file.mapped->let_go(bytes);
  for (const std::shared_ptr<state>& part : parts) part->let_go(bytes);
}

void model_weights::let_go() const {
  const std::lock_guard lock(state_->guard);
  for (state::known_map* all : {&state_->checked, &state_->stored})
    std::erase_if(*all, [&](const auto& one) {
      const auto& [key, known] = one;
      if (known.is_held()) return false;
      if (!known.owned) state_->let_go(known.bytes);
      return known.owned;
    });
}

const float* model_weights::lasting_values(const wanted_parameter& wanted,
                                           std::span<const name_rule> rules) const {
  const weight_view found = views_of({&wanted, 1}, rules, matching::known).front();
  const std::lock_guard lock(state_->guard);
  if (found.holder != nullptr && std::ranges::find(state_->lasting, found.holder) == state_->lasting.end())
    state_->lasting.push_back(found.holder);
  return found.data;
}

model_weights model_weights::from(std::map<std::string, weight_tensor> tensors, std::string source) {
  auto shared = std::make_shared<state>();
  shared->source = std::move(source);
  shared->given = std::move(tensors);
  for (const auto& [name, tensor] : shared->given) {
    const auto expected =
        std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::size_t{1}, std::multiplies<>());
    if (expected != tensor.values.size())
      throw error(shared->source + ": tensor " + in_quotes(name) + " of shape " + shape_text(tensor.shape) +
                  " expects " + std::to_string(expected) + " values; found " +
                  std::to_string(tensor.values.size()));
    shared->tensors[name] = {element_type::f32, tensor.shape, std::as_bytes(std::span(tensor.values))};
  }
  return model_weights(std::move(shared));
}

model_weights model_weights::join(std::vector<model_weights> parts) {
  auto shared = std::make_shared<state>();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::shared_ptr<state>& part = shared->parts.emplace_back(parts[i].state_);
    if (part->layout)
      throw error("model_weights::join: " + part->source + ": expected tensors; found packed weights");
    shared->source += (i == 0 ? "" : i + 1 < parts.size() ? ", " : " and ") + part->source;
    for (const auto& [name, tensor] : part->tensors) {
      if (is_of_training(name)) continue;
      const auto [first, added] = shared->shard_of.emplace(name, part->file_of(name));
      if (!added)
        throw error("model_weights::join: tensor " + in_quotes(name) + " is in " + first->second +
                    " and in " + part->file_of(name));
      shared->tensors[name] = tensor;
    }
    shared->metadata.insert(part->metadata.begin(), part->metadata.end());
  }
  return model_weights(std::move(shared));
}

model_weights load_weights(const file_path& path, load_options how) try {
  std::filesystem::path file = path;
  std::error_code unreadable; // then opening it says why
  if (!file.empty() && std::filesystem::is_directory(file, unreadable)) {
    file = file_in(path, single_file);
    if (!std::filesystem::exists(file)) file = file_in(path, index_file);
    if (!std::filesystem::exists(file))
      throw error(path.string() + ": expected the folder to hold " + single_file + " or " + index_file);
  }
  auto shared = std::make_shared<model_weights::state>();
  shared->source = file.string();
  if (!file.string().ends_with(".index.json")) {
    shared->take(open_weight_file(file, how));
    return model_weights(std::move(shared));
  }
  const auto index = read_index(file);
  std::map<std::string, std::size_t> opened;
  for (const auto& [tensor, shard] : index) {
    const std::filesystem::path path_of_shard = file_in(file.parent_path(), shard);
    const auto [at, added] = opened.emplace(shard, shared->files.size());
    if (added) {
      const weight_file& part = shared->files.emplace_back(open_weight_file(path_of_shard, how));
      for (const auto& [name, stored] : part.tensors) {
        const auto named = index.find(name);
        if (named == index.end() || named->second != shard)
          throw error(
              path_of_shard.string() + ": tensor " + in_quotes(name) + ": the index " + file.string() +
              (named == index.end() ? " does not name it" : " expects it in " + shortened(named->second)));
      }
      shared->metadata.insert(part.metadata.begin(), part.metadata.end());
    }
    const auto& tensors = shared->files[at->second].tensors;
    const auto stored = tensors.find(tensor);
    if (stored == tensors.end())
      throw error(path_of_shard.string() + ": expected a tensor " + in_quotes(tensor) + ", as the index " +
                  file.string() + " says; the file has " + std::to_string(tensors.size()) + " others");
    shared->tensors[tensor] = stored->second;
    shared->shard_of[tensor] = path_of_shard.string();
  }
  return model_weights(std::move(shared));
} catch (const std::bad_alloc&) {
  refuse_memory(path);
}

model_weights load_weights(std::span<const std::byte> bytes, const std::string& name, load_options how) try {
  const opened_file file{name, std::make_shared<const mapped_file>(bytes, name, how)};
  auto shared = std::make_shared<model_weights::state>();
  shared->source = name;
  shared->take(read_weight_file(file));
  return model_weights(std::move(shared));
} catch (const std::bad_alloc&) {
  refuse_memory(name);
}

std::shared_ptr<const packed> model_weights::packed_copy(const std::string& key,
                                                         const std::function<packed()>& build) const {
  std::shared_ptr<state::packed_slot> slot;
  {
    const std::lock_guard lock(state_->guard);
    auto& place = state_->packed_slots[key];
    if (!place) place = std::make_shared<state::packed_slot>();
    slot = place;
  }
  const std::lock_guard lock(slot->building);
  auto copy = slot->copy.lock();
  if (!copy) {
    copy = std::make_shared<const packed>(build());
    slot->copy = copy;
  }
  return copy;
}

const std::string& model_weights::source() const { return state_->source; }
const std::map<std::string, stored_tensor>& model_weights::tensors() const { return state_->tensors; }
const std::map<std::string, std::string>& model_weights::metadata() const { return state_->metadata; }

} // namespace fovea::core
