#include <fovea/programs/built.hpp>

#include <fovea/base/error.hpp>
#include <fovea/runtime/backend_of.hpp>
#include <fovea/runtime/tokenizers/packed_tokenizer.hpp>
#include <fovea/weights/expect_metadata.hpp>
#include <fovea/weights/gguf.hpp>

#include <algorithm>
#include <memory>

namespace fovea::programs {
namespace {

std::string set_of(const program_parts& parts) {
  const auto runs =
      std::ranges::find_if(parts.sets, [](const std::string& set) { return core::may_run(set); });
  return runs == parts.sets.end() ? parts.sets.back() + " (which this processor lacks)" : *runs;
}

/// What weights carry of a tokenizer: GGUF's tokens, or what packed weights have.
struct carried_tokenizer {
  bool tokens = false, packed = false;
};

carried_tokenizer carried_by(const built_file& weights) {
  if (weights.bytes.empty() && weights.path.extension() != ".gguf") return {};
  const auto file =
      weights.bytes.empty()
          ? std::make_shared<const core::mapped_file>(weights.path)
          : std::make_shared<const core::mapped_file>(weights.bytes, weights.path, load_options{});
  if (!core::is_gguf(file->bytes())) return {};
  const core::gguf_file opened(weights.path, file);
  return {opened.metadata().contains("tokenizer.ggml.model"), core::has_packed_tokenizer(opened.metadata())};
}

/// The tokenizer that the program was built with.
built_file built_tokenizer(const program_parts& parts) {
  const bool of_weights = parts.tokenizer.path.empty() && parts.weights.path.extension() == ".gguf";
  return of_weights ? parts.weights : parts.tokenizer;
}

tokenizer opened(const built_file& file, const program_parts& parts, std::size_t most) {
  tokenizer words = file.bytes.empty()
                        ? load_tokenizer(file.path)
                        : load_tokenizer(file.bytes, file.path.filename().string(), {.copy = false});
  if (words.vocabulary_size() > most)
    throw error(file.path.string() + ": expected a tokenizer of at most " + std::to_string(most) +
                " tokens, as " + parts.model + " has; found " + std::to_string(words.vocabulary_size()));
  return words;
}

/// A file of the build where it lies.
built_file in_place(const built_file& file) {
  if (!file.moves_along) return file;
  std::error_code none; // where a system does not tell where its programs lie
  const auto beside =
      std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / file.path.filename();
  return beside.has_parent_path() && std::filesystem::exists(beside, none) ? built_file{beside} : file;
}

} // namespace

std::string version_of(const program_parts& parts) {
  return parts.name + ": " + parts.model + ", weights in " + parts.format + ", " + set_of(parts) +
         ", Fovea " FOVEA_VERSION;
}

bool has_weights(const program_parts& parts) {
  return !parts.weights.bytes.empty() || !parts.weights.path.empty();
}

model_weights weights_of(const program_parts& parts, const std::filesystem::path& named) {
  if (named.empty() && !parts.weights.bytes.empty())
    return weights_of(parts, parts.weights.bytes, "the weights of " + parts.name);
  model_weights weights = load_weights(named.empty() ? in_place(parts.weights).path : named);
  expect_metadata(weights, parts.metadata);
  return weights;
}

model_weights weights_of(const program_parts& parts, std::span<const std::byte> bytes,
                         const std::string& name) {
  model_weights weights = load_weights(bytes, name);
  expect_metadata(weights, parts.metadata);
  return weights;
}

built_file tokenizer_file_of(const program_parts& parts, const std::filesystem::path& named,
                             const std::filesystem::path& weights) {
  if (!named.empty()) return {named};
  const carried_tokenizer has = carried_by({weights});
  const bool by_weights = has.tokens || (has.packed && parts.tokenizer.path.empty());
  return by_weights ? built_file{weights} : built_tokenizer(parts);
}

std::optional<tokenizer> tokenizer_of(const program_parts& parts, const std::filesystem::path& named,
                                      const std::filesystem::path& weights, std::size_t most) {
  built_file file{named};
  if (named.empty()) {
    file = weights.empty() ? in_place(parts.weights) : built_file{weights};
    const carried_tokenizer has = carried_by(file);
    if (!has.packed && (weights.empty() || !has.tokens)) file = built_tokenizer(parts);
  }
  return file.path.empty() ? std::nullopt : std::optional(opened(file, parts, most));
}

std::optional<tokenizer> target_tokenizer_of(const program_parts& parts, const std::filesystem::path& named,
                                             std::size_t most) {
  if (named.empty() && parts.target_tokenizer.path.empty()) return std::nullopt;
  return opened(named.empty() ? parts.target_tokenizer : built_file{named}, parts, most);
}

void refuse_in_callers_words(const program_parts& parts, const error& problem) {
  const std::string_view sentence = problem.what(), before = parts.declared;
  const bool is_named = sentence.starts_with(before) && sentence.substr(before.size()).starts_with(": ");
  throw error(std::string(is_named ? sentence.substr(before.size() + 2) : sentence));
}

} // namespace fovea::programs
