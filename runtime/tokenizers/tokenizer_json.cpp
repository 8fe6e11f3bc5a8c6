#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/runtime/tokenizers/json_stages.hpp>
#include <fovea/runtime/tokenizers/state.hpp>
#include <fovea/runtime/tokenizers/tokenizer_tables.hpp>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fovea::core {
namespace {

using json = nlohmann::json;

constexpr const char* models = "WordPiece, BPE, Unigram or WordLevel";

/// Builds a tokenizer from its JSON, stage by stage.
class tokenizer_json {
public:
  /// With tables, where these are there already and so are not in the JSON.
  static tokenizer read(std::string_view text, const tokenizer_tables* tables = nullptr) {
    auto shared = std::make_shared<tokenizer::state>();
    if (tables != nullptr) {
      shared->holder = tables->holder;
      shared->tokens = token_vocabulary(tables->tokens);
    }
    byte_pair::merge_list merges;
    const json_document read = parse(text, shared->tokens, merges);
    const json& file = *read;
    if (!file.is_object()) throw error(std::string("expected a JSON object; found ") + file.type_name());
    tokenizer_json reader(*shared, file, std::move(merges), tables);
    reader.read_model();
    shared->normalize = read_normalizer(member(file, "normalizer"));
    reader.read_added_tokens();
    shared->tokens.check_ids();
    shared->split = read_splitter(member(file, "pre_tokenizer"));
    reader.make_model();
    reader.read_template(member(file, "post_processor"));
    shared->decode = read_decoder(member(file, "decoder"));
    if (std::holds_alternative<byte_level_decoder>(shared->decode) && !reader.cuts_bytes())
      unsupported("decoder", "ByteLevel' without pre_tokenizer 'ByteLevel", "both");
    return tokenizer(std::move(shared));
  }

private:
  /// Parses the file, except that the entries of model.vocab go straight into `tokens`, and those of model.merges into
  /// `merges`: as JSON values they would take most of the time. An empty token, as multilingual Whispers have one, stands for
  /// nothing: no text becomes it.
  static json_document parse(std::string_view text, token_vocabulary& tokens, byte_pair::merge_list& merges) {
    static constexpr std::array<std::string_view, 2> vocab{"model", "vocab"}, list{"model", "merges"};
    const std::array<taken_part, 2> parts{
        {{vocab, false,
          [&](const std::string& token, const json& id) {
            if (!id.is_number_integer())
              throw error("token " + in_quotes(token) + ": expected an id; found " + shown(id));
            if (!token.empty()) tokens.add(token, id.get<std::int64_t>());
          }},
         {list, true, [&](const std::string&, const json& entry) {
            constexpr std::size_t least = 16; // bytes of a merge in most files
            if (merges.empty()) merges.reserve(text.size() / least);
            merges.push_back(read_merge(entry));
          }}}};
    return parse_json(text, parts);
  }

  tokenizer_json(tokenizer::state& to, const json& file, byte_pair::merge_list merges,
                 const tokenizer_tables* tables)
      : to_(to), file_(file), model_(member(file, "model")), merges_(std::move(merges)), tables_(tables) {}

  void read_model() {
    // Files of old releases leave the type out.
    type_ = model_.is_object() && !model_.contains("type") ? (model_.contains("merges") ? "BPE" : "WordPiece")
                                                           : type_of(model_);
    if (type_ == "Unigram") read_scores();
    if (to_.tokens.size() == 0) throw error("model: expected vocab to hold tokens");
  }

  /// The vocabulary of Unigram: [token, score], in the order of their ids.
  void read_scores() {
    for (const json& entry : model_.at("vocab")) {
      to_.tokens.add(entry.at(0).get<std::string>(), static_cast<std::int64_t>(scores_.size()));
      scores_.push_back(entry.at(1).get<double>());
    }
  }

  void read_added_tokens() {
    const json& list = member(file_, "added_tokens");
    if (list.is_null()) return;
    std::vector<added_token> raw, of_normalized;
    for (const json& entry : list) {
      const auto content = entry.at("content").get<std::string>();
      if (content.empty()) continue;
      const auto id = whole_number<std::int64_t>(entry.at("id"), "added_tokens: " + in_quotes(content));
      to_.tokens.add(content, id); // checks both
      added_token token{.content = content,
                        .id = static_cast<token_id>(id),
                        .special = entry.value("special", false),
                        .single_word = entry.value("single_word", false),
                        .left_strip = entry.value("lstrip", false),
                        .right_strip = entry.value("rstrip", false),
                        .normalized = entry.value("normalized", false)};
      if (token.special) to_.special.insert(token.id);
      if (!token.normalized) {
        raw.push_back(std::move(token));
        continue;
      }
      token.content = normalized(to_.normalize, content);
      if (token.content.empty())
        throw error("added_tokens: the normaliser leaves nothing of " + in_quotes(content));
      of_normalized.push_back(std::move(token));
    }
    to_.raw_tokens = added_tokens(std::move(raw));
    to_.normalized_tokens = added_tokens(std::move(of_normalized));
  }

  void make_model() {
    if (cuts_bytes() && type_ != "BPE")
      unsupported("pre_tokenizer", "ByteLevel' with model '" + shortened(type_), "model BPE");
    if (type_ == "WordPiece") {
      const auto unknown = value_or(model_, "unk_token", std::string("[UNK]")),
                 continuation = value_or(model_, "continuing_subword_prefix", std::string("##"));
      const auto longest_word = value_or(model_, "max_input_chars_per_word", std::size_t{100});
      if (tables_ == nullptr)
        to_.model.emplace<word_piece>(to_.tokens, unknown, continuation, longest_word);
      else
        to_.model.emplace<word_piece>(to_.tokens, token_trie(tables_->trie, to_.tokens.size()), unknown,
                                      continuation, longest_word);
    } else if (type_ == "BPE") {
      make_byte_pair();
    } else if (type_ == "Unigram") {
      make_unigram();
    } else if (type_ == "WordLevel") {
      to_.model.emplace<whole_word>(to_.tokens, to_.tokens.id(value_or(model_, "unk_token", std::string())));
    } else {
      unsupported("model", type_, models);
    }
  }

  bool cuts_bytes() const { return std::holds_alternative<byte_level_splitter>(to_.split); }

  void make_byte_pair() {
    constexpr const char* expected = "BPE without dropout, prefixes and, but over bytes, suffixes";
    if (value_or(model_, "dropout", 0.0) != 0.0) unsupported("model", "BPE with dropout", expected);
    using unit = byte_pair::settings::unit;
    const bool bytes = cuts_bytes();
    const auto word_end = value_or(model_, "end_of_word_suffix", std::string());
    if (!value_or(model_, "continuing_subword_prefix", std::string()).empty())
      unsupported("model", "BPE with continuing_subword_prefix", expected);
    if (!bytes && !word_end.empty())
      unsupported("model", "BPE over characters with end_of_word_suffix", expected);
    constexpr std::size_t longest_end = 64; // which each word is spelt with
    if (word_end.size() > longest_end)
      throw error("model: expected an end_of_word_suffix of at most " + std::to_string(longest_end) +
                  " bytes; found " + std::to_string(word_end.size()));
    byte_pair::settings settings{.over = bytes ? unit::byte : unit::character,
                                 .fuse_unknown = value_or(model_, "fuse_unk", false),
                                 .ignore_merges = value_or(model_, "ignore_merges", false),
                                 .byte_fallback = value_or(model_, "byte_fallback", false),
                                 .word_end = word_end};
    if (const auto unknown = value_or(model_, "unk_token", std::string()); !unknown.empty())
      settings.unknown = id_of(unknown);
    for (const json& entry : model_.at("merges")) merges_.push_back(read_merge(entry)); // of what is no list
    if (tables_ == nullptr)
      to_.model.emplace<byte_pair>(to_.tokens, merges_, settings);
    else
      to_.model.emplace<byte_pair>(to_.tokens, tables_->pairs, settings);
  }

  void make_unigram() {
    unigram::settings settings{.byte_fallback = value_or(model_, "byte_fallback", false)};
    if (const json& unknown = member(model_, "unk_id"); !unknown.is_null()) {
      settings.unknown = whole_number<token_id>(unknown, "model: unk_id");
      if (to_.tokens.token(*settings.unknown).empty())
        throw error("model: expected unk_id to be the id of a token; found " +
                    std::to_string(*settings.unknown));
    }
    if (tables_ == nullptr)
      to_.model.emplace<unigram>(to_.tokens, std::move(scores_), settings);
    else
      to_.model.emplace<unigram>(to_.tokens, tables_->scores,
                                 token_trie(tables_->trie, tables_->scores.size()), settings);
  }

  /// ["left", "right"], or "left right" in older files.
  static std::pair<std::string, std::string> read_merge(const json& entry) {
    if (entry.is_array() && entry.size() == 2)
      return {entry[0].get<std::string>(), entry[1].get<std::string>()};
    if (entry.is_string()) {
      const auto& text = entry.get_ref<const std::string&>();
      const auto space = text.find(' ');
      if (space != std::string::npos) return {text.substr(0, space), text.substr(space + 1)};
    }
    throw error("merges: expected two tokens; found " + shown(entry));
  }

  token_id id_of(const std::string& token) const {
    const auto id = to_.tokens.id(token);
    if (!id) throw error("expected a token " + in_quotes(token) + " in the vocabulary");
    return *id;
  }

  using piece = encoding_template::piece;
  using kind = piece::kind;

  void read_template(const json& stage) {
    const std::string type = type_of(stage);
    if (type == "null" || type == "ByteLevel") return; // concerns offsets alone
    if (type == "Sequence") {
      for (const json& inner : stage.at("processors")) read_template(inner);
      return;
    }
    if (type == "TemplateProcessing") {
      to_.single = read_pieces(stage.at("single"), stage.at("special_tokens"));
      to_.pair = read_pieces(stage.at("pair"), stage.at("special_tokens"));
    } else if (type == "BertProcessing") {
      const piece cls = ending(stage, "cls", 0), sep = ending(stage, "sep", 0);
      to_.single = {{cls, {kind::first_text}, sep}};
      to_.pair = {{cls, {kind::first_text}, sep, {kind::second_text, 1}, ending(stage, "sep", 1)}};
    } else if (type == "RobertaProcessing") {
      const piece cls = ending(stage, "cls", 0), sep = ending(stage, "sep", 0);
      to_.single = {{cls, {kind::first_text}, sep}};
      to_.pair = {{cls, {kind::first_text}, sep, sep, {kind::second_text}, sep}};
    } else {
      unsupported("post_processor", type,
                  "TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel or a Sequence of them");
    }
  }

  /// The special token that BertProcessing writes as ["[SEP]", 102].
  piece ending(const json& stage, const char* key, token_id type) const {
    const auto token = stage.at(key).at(0).get<std::string>();
    const auto id = whole_number<token_id>(stage.at(key).at(1), std::string("post_processor: ") + key);
    if (id_of(token) != id)
      throw error(std::string("post_processor: ") + key + ": expected " + in_quotes(token) + " to have id " +
                  std::to_string(id_of(token)) + "; found " + std::to_string(id));
    return {kind::special, type, {id}};
  }

  static token_id type_id_of(const json& entry) {
    return whole_number<token_id>(entry.at("type_id"), "post_processor: type_id");
  }

  encoding_template read_pieces(const json& list, const json& special) const {
    encoding_template form;
    bool seen[2] = {};
    for (const json& entry : list) {
      if (entry.contains("Sequence")) {
        const json& text = entry["Sequence"];
        const bool second = text.at("id").get<std::string>() == "B";
        if (std::exchange(seen[second], true))
          throw error(std::string("post_processor: expected each text once; found ") + (second ? "B" : "A") +
                      " again");
        form.pieces.push_back({second ? kind::second_text : kind::first_text, type_id_of(text)});
        continue;
      }
      const json& token = entry.at("SpecialToken");
      const auto name = token.at("id").get<std::string>();
      if (!special.contains(name))
        throw error("post_processor: expected special_tokens to hold " + in_quotes(name));
      const json& list_of_ids = special.at(name).at("ids");
      if (!list_of_ids.is_array())
        throw error("post_processor: expected a list of ids for " + in_quotes(name) + "; found " +
                    shown(list_of_ids));
      std::vector<token_id> ids;
      for (const json& id : list_of_ids) {
        ids.push_back(whole_number<token_id>(id, "post_processor: " + in_quotes(name)));
        if (to_.tokens.token(ids.back()).empty())
          throw error("post_processor: expected the id of a token; found " + std::to_string(ids.back()));
      }
      form.pieces.push_back({kind::special, type_id_of(token), std::move(ids)});
    }
    return form;
  }

  tokenizer::state& to_;
  const json& file_;
  const json& model_;
  byte_pair::merge_list merges_;
  const tokenizer_tables* tables_;
  std::string type_;
  std::vector<double> scores_;
};

} // namespace

tokenizer parse_tokenizer(std::string_view text, const std::string& source) {
  try {
    return tokenizer_json::read(text);
  } catch (const json::exception& reason) {
    throw error(source + ": expected the layout of tokenizer.json: " + reason.what());
  } catch (const error& reason) {
    throw error(source + ": " + reason.what());
  }
}

tokenizer parse_tokenizer(std::string_view stages, const tokenizer_tables& tables) {
  try {
    return tokenizer_json::read(stages, &tables);
  } catch (const json::exception& reason) {
    throw error(std::string("expected the layout of tokenizer.json: ") + reason.what());
  }
}

} // namespace fovea::core
