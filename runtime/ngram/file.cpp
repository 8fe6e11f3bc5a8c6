#include <fovea/runtime/ngram/state.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/read_number.hpp>
#include <fovea/base/regular_file.hpp>
#include <fovea/weights/safetensors.hpp>

#include <cstring>
#include <map>
#include <string>

namespace fovea::core {
namespace {

constexpr const char* format = "fovea ngram 1"; // counts up with every change of the layout

std::string name_of(std::size_t length, const char* part) {
  return "grams." + std::to_string(length) + "." + part;
}

/// The bits of 32-bit numbers; counts use all of them.
template <class number>
stored_tensor stored(const std::vector<number>& values) {
  return {element_type::i32, {values.size()}, std::as_bytes(std::span(values))};
}

template <class number>
std::vector<number> read(const safetensors_file& file, const std::string& name) {
  const stored_tensor& tensor = file.at(name);
  if (tensor.type != element_type::i32 || tensor.shape.size() != 1)
    throw error(file.path().string() + ": tensor '" + name + "': expected I32 of one axis; found " +
                std::string(element_name(tensor.type)) + " " + shape_text(tensor.shape));
  std::vector<number> values(tensor.shape[0]);
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

token_id number_of(const safetensors_file& file, const char* key) {
  const auto found = file.metadata().find(key);
  const std::string text = found == file.metadata().end() ? "" : found->second;
  const auto value = number_in<token_id>(text);
  if (!value)
    throw error(file.path().string() + ": metadata '" + key + "': expected a number; found " +
                in_quotes(text));
  return *value;
}

} // namespace

void ngram_counts::save(const file_path& path) const {
  std::map<std::string, stored_tensor> tensors;
  const auto& levels = state_->levels;
  for (std::size_t length = 0; length < levels.size(); ++length) {
    if (length > 0) tensors[name_of(length, "tokens")] = stored(levels[length].tokens);
    if (length > 0) tensors[name_of(length, "counts")] = stored(levels[length].counts);
    if (length + 1 < levels.size()) tensors[name_of(length, "begin")] = stored(levels[length].begin);
  }
  const ngram_config& c = config();
  save_safetensors(path, tensors,
                   {{"format", format},
                    {"order", std::to_string(c.order)},
                    {"vocabulary", std::to_string(c.vocabulary)},
                    {"start", std::to_string(c.start)},
                    {"end", std::to_string(c.end)}});
}

ngram_counts load_ngram_counts(const file_path& path) try {
  const safetensors_file file(path);
  const auto found = file.metadata().find("format");
  if (found == file.metadata().end() || found->second != format)
    throw error(path.string() + ": expected the format '" + format + "'; found " +
                in_quotes(found == file.metadata().end() ? "" : found->second));
  const ngram_config config{.order = number_of(file, "order"),
                            .vocabulary = number_of(file, "vocabulary"),
                            .start = number_of(file, "start"),
                            .end = number_of(file, "end")};
  try {
    detail::check(config);
    std::vector<ngram_counts::level> levels(static_cast<std::size_t>(config.order) + 1);
    levels[0] = {{config.start}, {0}};
    for (std::size_t length = 0; length < levels.size(); ++length) {
      if (length > 0) levels[length].tokens = read<token_id>(file, name_of(length, "tokens"));
      if (length > 0) levels[length].counts = read<std::uint32_t>(file, name_of(length, "counts"));
      if (length + 1 < levels.size())
        levels[length].begin = read<std::uint32_t>(file, name_of(length, "begin"));
    }
    return ngram_counts::assembled(config, std::move(levels));
  } catch (const error& problem) {
    const std::string text = problem.what();
    throw error(text.starts_with(path.string()) ? text : path.string() + ": " + text);
  }
} catch (const std::bad_alloc&) {
  refuse_memory(path);
}

} // namespace fovea::core
