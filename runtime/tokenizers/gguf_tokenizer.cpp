#include <fovea/runtime/tokenizers/gguf_tokenizer.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/runtime/tokenizers/scored_pieces.hpp>
#include <fovea/runtime/tokenizers/state.hpp>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fovea::core {
namespace {

/// `tokenizer.ggml.token_type`.
enum class token_type : std::int64_t { normal = 1, unknown, control, user_defined, unused, byte };

std::string key_of(const char* name) { return std::string("tokenizer.ggml.") + name; }

/// Builds the stages from the metadata. Throws errors without the file's name.
class gguf_reader {
public:
  explicit gguf_reader(const gguf_metadata& metadata) : metadata_(metadata) {}

  tokenizer read() {
    const auto model = metadata_.text(key_of("model"));
    if (!model) throw error("expected a key '" + key_of("model") + "'; found none");
    read_lists();
    if (*model == "gpt2")
      make_byte_level();
    else if (*model == "llama")
      make_scored();
    else if (*model == "bert")
      make_word_piece();
    else
      throw error("key '" + key_of("model") + "': expected gpt2, llama or bert; found " + shortened(*model));
    return tokenizer(std::move(made_));
  }

private:
  void read_lists() {
    auto tokens = metadata_.texts(key_of("tokens"));
    if (!tokens || tokens->empty()) throw error("expected a vocabulary in '" + key_of("tokens") + "'");
    tokens_ = std::move(*tokens);
    types_ = metadata_.integers(key_of("token_type"))
                 .value_or(std::vector(tokens_.size(), static_cast<std::int64_t>(token_type::normal)));
    check_length("token_type", types_.size());
  }

  void check_length(const char* name, std::size_t found) const {
    if (found != tokens_.size())
      throw error("key '" + key_of(name) + "': expected a value for each of " +
                  std::to_string(tokens_.size()) + " tokens; found " + std::to_string(found));
  }

  bool is(token_id id, token_type type) const {
    return types_[static_cast<std::size_t>(id)] == static_cast<std::int64_t>(type);
  }

  /// The token whose id a key gives.
  std::optional<token_id> token_of(const char* name) const {
    const auto id = metadata_.integer(key_of(name));
    if (id && (*id < 0 || *id >= static_cast<std::int64_t>(tokens_.size())))
      throw error("key '" + key_of(name) + "': expected an id of 0 to " + std::to_string(tokens_.size() - 1) +
                  "; found " + std::to_string(*id));
    return id ? std::optional(static_cast<token_id>(*id)) : std::nullopt;
  }

  std::optional<token_id> added(const char* name, const char* asked, bool otherwise) const {
    return metadata_.integer(key_of(asked)).value_or(otherwise) ? token_of(name) : std::nullopt;
  }

  /// The tokens that a text may spell out: control tokens, left out of texts, and the user's own.
  void add_tokens() {
    std::vector<added_token> spelt_out;
    for (token_id id = 0; id < static_cast<token_id>(tokens_.size()); ++id) {
      const std::string_view token = tokens_[static_cast<std::size_t>(id)];
      add_token(*made_, token, id);
      const bool control = is(id, token_type::control);
      if (control) made_->special.insert(id);
      if (control || is(id, token_type::user_defined))
        spelt_out.push_back({.content = std::string(token), .id = id, .special = control});
    }
    made_->raw_tokens = added_tokens(std::move(spelt_out));
  }

  void make_byte_level() {
    const auto name = metadata_.text(key_of("pre")).value_or("gpt-2");
    const ggml_words* words = find_ggml_words(name);
    if (!words)
      throw error("key '" + key_of("pre") + "': expected " + ggml_word_names() + "; found " +
                  shortened(name));
    add_tokens();
    const auto list = metadata_.texts(key_of("merges"));
    if (!list) throw error("expected a key '" + key_of("merges") + "'; found none");
    byte_pair::merge_list merges;
    for (const std::string_view entry : *list) {
      const std::size_t space = entry.find(' ', 1);
      if (space == std::string_view::npos)
        throw error("key '" + key_of("merges") + "': expected two tokens; found " + in_quotes(entry));
      merges.emplace_back(entry.substr(0, space), entry.substr(space + 1));
    }
    made_->split =
        byte_level_splitter{.prefix_space = metadata_.integer(key_of("add_space_prefix")).value_or(0) != 0,
                            .words = pattern_of(*words),
                            .rules = words};
    made_->decode = byte_level_decoder();
    made_->model.emplace<byte_pair>(made_->tokens, merges,
                                    byte_pair::settings{.ignore_merges = words->ignore_merges});
    put_around(*made_,
               words->no_begin ? std::nullopt : added("bos_token_id", "add_bos_token", words->add_begin),
               added("eos_token_id", "add_eos_token", false));
  }

  /// What tokenizer.json has a form for too.
  static byte_level_splitter::pattern pattern_of(const ggml_words& words) {
    using enum byte_level_splitter::pattern;
    if (words.rules.size() > 1) return ggml;
    const auto& rule = words.rules.front();
    if (std::holds_alternative<ggml_words::gpt2>(rule)) return gpt2;
    const auto* digits = std::get_if<ggml_words::llama3>(&rule);
    return !digits ? ggml : digits->most_digits == 1 ? qwen2 : llama3;
  }

  void make_scored() {
    add_tokens();
    const auto given = metadata_.numbers(key_of("scores"));
    if (!given) throw error("expected a key '" + key_of("scores") + "'; found none");
    check_length("scores", given->size());
    std::vector<float> scores;
    for (token_id id = 0; id < static_cast<token_id>(tokens_.size()); ++id) {
      const bool joined = is(id, token_type::normal) || is(id, token_type::user_defined);
      scores.push_back(joined ? static_cast<float>((*given)[static_cast<std::size_t>(id)])
                              : std::numeric_limits<float>::quiet_NaN());
    }
    cut_by_scores(*made_, scores, token_of("unknown_token_id"),
                  metadata_.integer(key_of("add_space_prefix")).value_or(1) != 0);
    put_around(*made_, added("bos_token_id", "add_bos_token", true),
               added("eos_token_id", "add_eos_token", false));
  }

  /// In the file "##x" is "x", a word's beginning "x" is U+2581 "x", and what is in brackets stays.
  void make_word_piece() {
    constexpr std::string_view initial = "\u2581", continuation = "##";
    std::vector<added_token> spelt_out;
    for (token_id id = 0; id < static_cast<token_id>(tokens_.size()); ++id) {
      const std::string_view token = tokens_[static_cast<std::size_t>(id)];
      if (token.starts_with(initial)) {
        add_token(*made_, token.substr(initial.size()), id);
      } else if (token.starts_with('[') && token.ends_with(']')) {
        add_token(*made_, token, id);
        if (!is(id, token_type::control)) continue;
        made_->special.insert(id);
        spelt_out.push_back({.content = std::string(token), .id = id, .special = true});
      } else {
        add_token(*made_, std::string(continuation).append(token), id);
      }
    }
    made_->raw_tokens = added_tokens(std::move(spelt_out));
    const auto unknown = token_of("unknown_token_id");
    made_->normalize.emplace_back(bert_normalizer());
    made_->split = bert_splitter();
    made_->decode = word_piece_decoder{std::string(continuation), true};
    constexpr std::size_t longest_word = 100;
    made_->model.emplace<word_piece>(made_->tokens,
                                     unknown ? std::string(made_->tokens.token(*unknown)) : "[UNK]",
                                     std::string(continuation), longest_word);
    // The key of the separator is misspelt in the format itself.
    put_around(*made_, token_of("cls_token_id"), token_of("seperator_token_id"));
  }

  const gguf_metadata& metadata_;
  std::vector<std::string_view> tokens_;
  std::vector<std::int64_t> types_;
  std::shared_ptr<tokenizer::state> made_ = std::make_shared<tokenizer::state>();
};

} // namespace

tokenizer gguf_tokenizer(const gguf_metadata& metadata) {
  try {
    return gguf_reader(metadata).read();
  } catch (const error& reason) {
    if (std::string_view(reason.what()).starts_with(metadata.source())) throw;
    throw error(metadata.source() + ": " + reason.what());
  }
}

} // namespace fovea::core
