#include "conversion.hpp"

#include <fovea/base/error.hpp>
#include <fovea/weights/converted.hpp>
#include <fovea/weights/gguf.hpp>
#include <fovea/weights/packed_weights.hpp>
#include <fovea/weights/safetensors.hpp>
#include <fovea/weights/training_names.hpp>
#include <fovea/weights/weight_format.hpp>

#include <deque>
#include <map>

namespace tool::convert {
namespace {

namespace fs = std::filesystem;
using fovea::element_type;
using fovea::gguf_metadata;

/// Keys that say how a GGUF file itself is written.
constexpr const char *alignment_key = "general.alignment", *file_type_key = "general.file_type",
                     *version_key = "general.quantization_version";
constexpr std::size_t longest_ggml_name = 63;

void check_paths(const fs::path& from, const fs::path& to, const choice& asked) {
  if (!asked.gguf && fovea::core::block_length(asked.type) > 1)
    throw fovea::error(to.string() + ": a safetensors file has no blocks of " +
                       std::string(fovea::core::element_name(asked.type)) +
                       "; expected an output that ends in .gguf");
  std::error_code none; // a path that is not there is not the other
  if (fs::equivalent(from, to, none)) throw fovea::error(to.string() + ": the output is the input");
  const fs::path folder = fs::is_directory(from) ? from : from.parent_path();
  const bool of_parts = fs::is_directory(from) || from.string().ends_with(".index.json");
  if (of_parts && fs::exists(to) && fs::equivalent(folder, fs::absolute(to).parent_path(), none))
    throw fovea::error(to.string() + ": the output is a file of the folder that is read");
}

/// What a checkpoint says of itself, without what says how its file is written or how far training is.
std::map<std::string, std::string> texts_of(const fovea::model_weights& source) {
  auto texts = source.metadata();
  for (const char* key : {alignment_key, file_type_key, version_key}) texts.erase(key);
  for (const std::string_view note :
       {fovea::core::step_note, fovea::core::optimizer_note, fovea::core::accumulated_note})
    texts.erase(std::string(note));
  return texts;
}

/// llama.cpp's number of what most of a file's matrices are in.
std::uint32_t file_type(element_type type) {
  for (const fovea::core::format_traits& each : fovea::core::all_formats::traits)
    if (each.stored == type) return each.file_type;
  return 0;
}

gguf_metadata keys_of(const fovea::model_weights& source, const choice& asked) {
  gguf_metadata keys;
  if (const auto file = std::make_shared<const fovea::core::mapped_file>(source.source());
      fovea::core::is_gguf(file->bytes()))
    keys = fovea::core::gguf_file(source.source(), file).metadata();
  else
    for (const auto& [key, text] : texts_of(source)) keys.set(key, text);
  constexpr std::uint32_t quantisation = 2; // ggml's version of its blocks
  keys.set(file_type_key, file_type(asked.type));
  if (fovea::core::block_length(asked.type) > 1) keys.set(version_key, quantisation);
  return keys;
}

/// A tensor as it is planned, in `bytes` where it is not what it was.
fovea::stored_tensor in_type(const planned_tensor& one, const fovea::model_weights& source,
                             std::deque<std::vector<std::byte>>& bytes) {
  try {
    if (one.to != one.from.type)
      return {one.to, one.from.shape, bytes.emplace_back(fovea::core::converted(one.from, one.to))};
    if (one.what != kind::integers) fovea::core::check_finite(one.from);
    return one.from;
  } catch (const fovea::error& reason) {
    throw fovea::error(source.source() + ": tensor '" + one.name + "': " + reason.what());
  }
}

} // namespace

report write_converted(const fs::path& from, const fs::path& to, const choice& asked,
                       const std::function<void(std::size_t, std::size_t)>& progress) {
  check_paths(from, to, asked);
  const fovea::model_weights source = fovea::load_weights(from);
  if (fovea::core::packed_layout_of(source.metadata()))
    throw fovea::error(from.string() +
                       ": expected a checkpoint, found weights that are packed for a model; --packed "
                       "packs the checkpoint that they were made of in another format");
  const std::vector<planned_tensor> plan = plan_of(source, asked);
  std::size_t done = 0, total = 0;
  for (const planned_tensor& one : plan) total += one.from.bytes.size();

  report made;
  double errors = 0;
  std::map<std::string, fovea::stored_tensor> tensors;
  std::deque<std::vector<std::byte>> bytes; // of those that are converted
  for (const planned_tensor& one : plan) {
    progress(done, total);
    done += one.from.bytes.size();
    kind_count& count = made.of[static_cast<std::size_t>(one.what)];
    ++count.tensors;
    count.bytes_before += one.from.bytes.size();
    count.names.push_back(one.name);
    count.types.emplace(fovea::core::element_name(one.from.type));
    if (one.left_out()) continue;
    const fovea::stored_tensor after = in_type(one, source, bytes);
    if (one.what == kind::in_format) {
      const double error = relative_error(one.from, after);
      errors += error;
      if (error > made.greatest_error) made.greatest_error = error, made.worst = one.name;
    }
    count.bytes_after += after.bytes.size();
    if (asked.gguf && one.name.size() > longest_ggml_name) ++made.long_names;
    tensors.emplace(one.name, after);
  }
  if (const std::size_t count = made.at(kind::in_format).tensors; count > 0)
    made.mean_error = errors / static_cast<double>(count);
  if (asked.gguf)
    save_gguf(to, tensors, keys_of(source, asked));
  else
    save_safetensors(to, tensors, texts_of(source));
  return made;
}

} // namespace tool::convert
