#include <fovea/runtime/tokenizers/sentence_piece.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/tokenizers/protobuf.hpp>
#include <fovea/runtime/tokenizers/scored_pieces.hpp>
#include <fovea/runtime/tokenizers/state.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace fovea::core {
namespace {

enum class piece_type : std::uint64_t { normal = 1, unknown, control, user_defined, unused, byte };
enum class model_type : std::uint64_t { unigram = 1, bpe, words, characters };

/// What a model file says, and what holds where it says nothing.
struct description {
  struct piece {
    std::string text{};
    float score = 0;
    piece_type type = piece_type::normal;
  };
  std::vector<piece> pieces{};
  model_type model = model_type::unigram;
  bool whitespace_as_suffix = false;
  bool byte_fallback = false;
  std::string unknown_surface = " \u2047 ";
  std::string replacements{};
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
  bool changes_decoded = false;
};

using field = protobuf_message::field;

template <typename function>
void for_each_field(std::string_view message, const function& take) {
  protobuf_message fields(message);
  while (const auto found = fields.next()) take(*found);
}

/// A field that is there must have the kind that the format gives it.
const field& expect(const field& found, bool is_bytes, const char* name) {
  if (found.is_bytes != is_bytes)
    throw error(std::string(name) + ": expected " +
                (is_bytes ? "bytes; found a number" : "a number; found bytes"));
  return found;
}

std::string text_of(const field& found, const char* name) {
  return std::string(expect(found, true, name).bytes);
}
bool is_set(const field& found, const char* name) { return expect(found, false, name).value != 0; }

/// An enumerator from 1 to `last`.
template <typename kind>
kind kind_of(const field& found, const char* name, kind last) {
  const std::uint64_t value = expect(found, false, name).value;
  if (value < 1 || value > static_cast<std::uint64_t>(last))
    throw error(std::string(name) + ": expected 1 to " + std::to_string(static_cast<std::uint64_t>(last)) +
                "; found " + std::to_string(value));
  return static_cast<kind>(value);
}

description::piece read_piece(std::string_view message) {
  description::piece made;
  for_each_field(message, [&](const field& found) {
    switch (found.number) {
      case 1:
        made.text = text_of(found, "piece");
        break;
      case 2:
        made.score = std::bit_cast<float>(static_cast<std::uint32_t>(expect(found, false, "score").value));
        break;
      case 3:
        made.type = kind_of(found, "a piece's type", piece_type::byte);
        break;
    }
  });
  return made;
}

void read_trainer(std::string_view message, description& to) {
  for_each_field(message, [&](const field& found) {
    switch (found.number) {
      case 3:
        to.model = kind_of(found, "model_type", model_type::characters);
        break;
      case 24:
        to.whitespace_as_suffix = is_set(found, "treat_whitespace_as_suffix");
        break;
      case 35:
        to.byte_fallback = is_set(found, "byte_fallback");
        break;
      case 44:
        to.unknown_surface = text_of(found, "unk_surface");
        break;
    }
  });
}

void read_normalizer(std::string_view message, description& to) {
  for_each_field(message, [&](const field& found) {
    switch (found.number) {
      case 2:
        to.replacements = text_of(found, "precompiled_charsmap");
        break;
      case 3:
        to.add_dummy_prefix = is_set(found, "add_dummy_prefix");
        break;
      case 4:
        to.remove_extra_whitespaces = is_set(found, "remove_extra_whitespaces");
        break;
      case 5:
        to.escape_whitespaces = is_set(found, "escape_whitespaces");
        break;
    }
  });
}

description read(std::string_view bytes) {
  description made;
  for_each_field(bytes, [&](const field& found) {
    switch (found.number) {
      case 1:
        made.pieces.push_back(read_piece(expect(found, true, "pieces").bytes));
        break;
      case 2:
        read_trainer(expect(found, true, "trainer_spec").bytes, made);
        break;
      case 3:
        read_normalizer(expect(found, true, "normalizer_spec").bytes, made);
        break;
      case 5: {
        description denormalizer;
        read_normalizer(expect(found, true, "denormalizer_spec").bytes, denormalizer);
        made.changes_decoded |= !denormalizer.replacements.empty();
        break;
      }
    }
  });
  return made;
}

/// Builds the stages of a tokenizer from a description. Throws errors without the file's name.
class builder {
public:
  explicit builder(description from) : from_(std::move(from)) {}

  tokenizer build() {
    if (from_.changes_decoded) throw error("denormalizer_spec: expected no table of replacements; found one");
    add_pieces();
    made_->normalize.emplace_back(text_stage());
    made_->split = whole_splitter();
    made_->decode = decoder_stage();
    if (from_.model == model_type::unigram)
      make_unigram();
    else
      make_byte_pair();
    return tokenizer(std::move(made_));
  }

private:
  using piece = description::piece;

  std::string name_of(token_id id) const { return "piece " + std::to_string(id); }
  const piece& at(token_id id) const { return from_.pieces[static_cast<std::size_t>(id)]; }
  token_id count() const { return static_cast<token_id>(from_.pieces.size()); }

  void add_pieces() {
    if (from_.pieces.empty()) throw error("expected pieces; found none");
    for (token_id id = 0; id < count(); ++id) {
      const piece& each = at(id);
      if (!std::isfinite(each.score))
        throw error(name_of(id) + ": expected a score that is a number; found " + std::to_string(each.score));
      add_token(*made_, each.text, id);
      if (each.type == piece_type::control) made_->special.insert(id);
      if (each.type == piece_type::byte && !from_.byte_fallback)
        throw error(name_of(id) + ": expected no bytes without byte_fallback; found one");
      if (each.type != piece_type::unknown) continue;
      if (unknown_)
        throw error("expected one unknown piece; found " + std::to_string(*unknown_) + " and " +
                    std::to_string(id));
      unknown_ = id;
    }
    if (!unknown_) throw error("expected an unknown piece; found none");
    for (int byte = 0; from_.byte_fallback && byte < 256; ++byte) {
      const auto id = made_->tokens.id(fallback_token(static_cast<unsigned char>(byte)));
      if (!id || at(*id).type != piece_type::byte)
        throw error("byte_fallback: expected a piece " + fallback_token(static_cast<unsigned char>(byte)) +
                    " that is a byte; found none");
    }
  }

  token_trie user_defined() const {
    std::vector<std::pair<std::string_view, token_id>> symbols;
    for (token_id id = 0; id < count(); ++id) {
      if (at(id).type != piece_type::user_defined) continue;
      if (at(id).text.size() > longest_walked_token)
        throw error(name_of(id) + ": expected at most " + std::to_string(longest_walked_token) +
                    " bytes; found " + std::to_string(at(id).text.size()));
      symbols.emplace_back(at(id).text, id);
    }
    return token_trie(symbols);
  }

  sentence_piece_text text_stage() const {
    sentence_piece_text stage{.whole = user_defined(),
                              .add_dummy_prefix = from_.add_dummy_prefix,
                              .dummy_behind = from_.whitespace_as_suffix,
                              .remove_extra_whitespaces = from_.remove_extra_whitespaces,
                              .escape_whitespaces = from_.escape_whitespaces};
    if (!from_.replacements.empty()) stage.replacements.emplace(from_.replacements);
    return stage;
  }

  meta_space_decoder decoder_stage() const {
    using enum meta_space_decoder::leading;
    return {.front = from_.remove_extra_whitespaces ? one_each
                     : from_.add_dummy_prefix       ? one
                                                    : kept,
            .byte_fallback = from_.byte_fallback,
            .unknown = at(*unknown_).text,
            .unknown_text = from_.unknown_surface};
  }

  void make_unigram() {
    constexpr float penalty = 10;
    // A symbol of the user's own is given a score that is better than that of any other cut.
    float least = std::numeric_limits<float>::max(), greatest = std::numeric_limits<float>::min();
    for (const piece& each : from_.pieces) {
      if (each.type != piece_type::normal) continue;
      least = std::min(least, each.score);
      greatest = std::max(greatest, each.score);
    }
    std::vector<double> scores;
    for (const piece& each : from_.pieces)
      scores.push_back(each.type == piece_type::normal         ? static_cast<double>(each.score)
                       : each.type == piece_type::user_defined ? user_defined_score(each, greatest)
                                                               : -std::numeric_limits<double>::infinity());
    made_->model.emplace<unigram>(made_->tokens, std::move(scores),
                                  unigram::settings{.unknown = unknown_,
                                                    .byte_fallback = from_.byte_fallback,
                                                    .uncovered_score = least - penalty,
                                                    .single_precision = true});
  }

  static double user_defined_score(const piece& each, float greatest) {
    return static_cast<double>(static_cast<float>(each.text.size()) * greatest) - 0.1;
  }

  /// Characters and words are BPE without merges.
  void make_byte_pair() {
    const bool joins = from_.model == model_type::bpe;
    std::vector<float> scores;
    for (token_id id = 0; id < count(); ++id) {
      const bool joined = joins && at(id).type == piece_type::normal;
      if (joins && at(id).type == piece_type::unused)
        throw error(name_of(id) + ": expected a type other than unused (5) in a BPE model");
      if (joined) check_characters(id);
      using limits = std::numeric_limits<float>;
      const bool spelt = at(id).type == piece_type::normal || at(id).type == piece_type::user_defined ||
                         at(id).type == piece_type::unused;
      scores.push_back(joined ? at(id).score : spelt ? limits::quiet_NaN() : -limits::infinity());
    }
    using unit = byte_pair::settings::unit;
    made_->model.emplace<byte_pair>(
        made_->tokens, scores,
        byte_pair::settings{.over = from_.model == model_type::words ? unit::word : unit::character,
                            .unknown = unknown_,
                            .fuse_unknown = true,
                            .byte_fallback = from_.byte_fallback},
        user_defined());
  }

  /// Merges begin with pieces of one character.
  void check_characters(token_id id) const {
    const std::string_view text = at(id).text;
    for (std::size_t place = 0; place < text.size();) {
      const std::string_view character = text.substr(place, code_point_at(text, place).bytes);
      if (!made_->tokens.id(character))
        throw error(name_of(id) + ": expected its character '" + std::string(character) +
                    "' to be a piece as well");
      place += character.size();
    }
  }

  description from_;
  std::optional<token_id> unknown_;
  std::shared_ptr<tokenizer::state> made_ = std::make_shared<tokenizer::state>();
};

} // namespace

tokenizer parse_sentence_piece(std::string_view bytes, const std::string& source) {
  try {
    return builder(read(bytes)).build();
  } catch (const error& reason) {
    throw error(source + ": expected a SentencePiece model: " + reason.what());
  }
}

} // namespace fovea::core
