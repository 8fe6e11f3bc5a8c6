#include <fovea/runtime/tokenizers/pack_tokenizer.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/runtime/tokenizers/packed_tokenizer.hpp>
#include <fovea/runtime/tokenizers/save_tokenizer.hpp>
#include <fovea/runtime/tokenizers/state.hpp>
#include <fovea/runtime/tokenizers/tokenizer_tables.hpp>
#include <fovea/weights/gguf.hpp>
#include <fovea/weights/packed_weights.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <variant>

namespace fovea::core {
namespace {

/// Sets the tables of a model; false where it has more than tables and a tokenizer.json say.
struct add_tables {
  tokenizer_tables& to;

  bool operator()(std::monostate) const { return false; }
  bool operator()(const word_piece& model) const {
    to.trie = model.trie().walked();
    return true;
  }
  bool operator()(const byte_pair& model) const {
    const auto found = model.looked_up();
    to.pairs = found.value_or(byte_pair::tables());
    return found.has_value();
  }
  bool operator()(const unigram& model) const {
    to.trie = model.trie().walked();
    to.scores = model.scores();
    return true;
  }
  bool operator()(const whole_word&) const { return true; }
};

/// A tokenizer.json without its lists of tokens and merges.
std::string without_lists(std::string_view text) {
  static constexpr std::array<std::string_view, 2> vocab{"model", "vocab"}, merges{"model", "merges"};
  const auto leave_out = [](const std::string&, const nlohmann::json&) {};
  const std::array<taken_part, 3> lists{
      {{vocab, false, leave_out}, {vocab, true, leave_out}, {merges, true, leave_out}}};
  return parse_json(text, lists)->dump();
}

/// Those of a file that holds these words; nothing where no tokenizer.json says the same.
std::optional<std::string> stages_of(const file_path& path, std::shared_ptr<const mapped_file> file,
                                     const tokenizer& words) {
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  if (!is_gguf(file->bytes())) {
    const std::size_t begin = std::min(text.size(), text.find_first_not_of(" \t\r\n"));
    const bool is_json =
        text.substr(begin).starts_with('{') && std::filesystem::path(path).extension() != ".bin";
    return is_json ? std::optional(without_lists(text)) : std::nullopt;
  }
  if (const auto packed = gguf_file(path, file).metadata().text(packed_keys::tokenizer))
    return std::string(*packed);
  try {
    const std::string json = to_json(words);
    parse_tokenizer(json);
    return without_lists(json);
  } catch (const error&) { // it has no such form
    return std::nullopt;
  }
}

/// The tokenizer that a GGUF file of weights has, if it can be packed. What is wrong with it is told to who uses it.
std::optional<packed_tokenizer> packed_from_weights(const std::filesystem::path& weights) {
  const gguf_metadata keys = keys_for_packed(weights);
  if (!keys.contains("tokenizer.ggml.model") && !has_packed_tokenizer(keys)) return std::nullopt;
  try {
    return pack_tokenizer(weights);
  } catch (const error&) {
    return std::nullopt;
  }
}

} // namespace

std::optional<packed_tokenizer> pack_tokenizer(const file_path& path) {
  packed_tokenizer made{{}, {}, load_tokenizer(path)};
  const tokenizer::state& stages = made.words.stages();
  tokenizer_tables tables{.tokens = stages.tokens.looked_up()};
  if (!std::visit(add_tables{tables}, stages.model)) return std::nullopt;
  const auto said = stages_of(path, std::make_shared<const mapped_file>(path), made.words);
  if (!said) return std::nullopt;
  made.stages = *said;
  tables.for_each([&](const char* name, auto table) {
    const std::span<const std::byte> bytes = std::as_bytes(table);
    if (!bytes.empty()) made.tables[name] = {element_type::i8, {bytes.size()}, bytes};
  });
  return made;
}

void save_packed(const file_path& path, const graph_view& declared, const model_weights& source,
                 std::span<const name_rule> names, weight_format format, const panel_set& set,
                 const packed_sources& from) {
  gguf_metadata keys = keys_for_packed(from.weights);
  const auto words =
      from.tokenizer.empty() ? packed_from_weights(from.weights) : pack_tokenizer(from.tokenizer);
  if (words) keys.set(packed_keys::tokenizer, words->stages);
  save_packed(path, declared, source, names, format, set, keys,
              words ? words->tables : std::map<std::string, stored_tensor>());
}

} // namespace fovea::core
