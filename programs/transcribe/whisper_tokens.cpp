#include "whisper_tokens.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fovea::programs {
namespace {

using core::in_quotes;
using nlohmann::json;

std::string spelt(const std::string& name) { return "<|" + name + "|>"; }

token_id named(const whisper_files& from, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const std::optional<token_id> id = from.words.id(spelt(name))) return *id;
  throw error(from.words_source + ": expected a Whisper's tokenizer, with the token " +
              in_quotes(spelt(*names.begin())) + "; there is none");
}

/// The code of a language in a token such as <|en|>; empty where it is another.
std::string language_in(std::string_view token) {
  if (!token.starts_with("<|") || !token.ends_with("|>")) return "";
  const std::string_view code = token.substr(2, token.size() - 4);
  const bool fits = (code.size() == 2 || code.size() == 3) &&
                    std::ranges::all_of(code, [](char c) { return c >= 'a' && c <= 'z'; });
  return fits ? std::string(code) : "";
}

/// They follow the token that starts a text.
std::vector<spoken_language> languages_of(const tokenizer& words, token_id start) {
  std::vector<spoken_language> made;
  for (token_id id = start + 1; static_cast<std::size_t>(id) < words.vocabulary_size(); ++id) {
    std::string code = language_in(words.token(id));
    if (code.empty()) break;
    made.push_back({std::move(code), id});
  }
  return made;
}

/// generation_config.json, whose members may be left out or null.
class generation_config {
public:
  generation_config(const json& all, const std::string& source) : all_(all), source_(source) {
    if (!all.is_object()) throw error(source + ": expected an object of settings; found " + core::shown(all));
  }

  const json* find(const char* key) const {
    const auto found = all_.find(key);
    return found == all_.end() || found->is_null() ? nullptr : &*found;
  }
  std::size_t whole(const char* key, std::size_t otherwise) const {
    const json* found = find(key);
    return found == nullptr ? otherwise : core::whole_number<std::size_t>(*found, source_ + ": " + key);
  }
  token_ids ids(const char* key, std::size_t vocabulary) const {
    const json* found = find(key);
    if (found == nullptr) return {};
    if (!found->is_array())
      throw error(
          fmt::format("{}: {}: expected a list of tokens; found {}", source_, key, core::shown(*found)));
    token_ids made;
    for (const json& one : *found) {
      made.push_back(core::whole_number<token_id>(one, source_ + ": " + key));
      if (made.back() < 0 || static_cast<std::size_t>(made.back()) >= vocabulary)
        throw error(fmt::format("{}: {}: expected tokens of 0 to {}; found {}", source_, key, vocabulary - 1,
                                made.back()));
    }
    return made;
  }
  /// That a token of the tokenizer is the one that the settings name.
  void expect(const char* key, token_id id, const char* name) const {
    const json* found = find(key);
    if (found != nullptr && *found != id)
      throw error(fmt::format("{}: {}: expected {}, the token {} of the tokenizer; found {}", source_, key,
                              id, in_quotes(spelt(name)), core::shown(*found)));
  }
  bool is_multilingual() const {
    const json* found = find("is_multilingual");
    if (found != nullptr && !found->is_boolean())
      throw error(source_ + ": is_multilingual: expected true or false; found " + core::shown(*found));
    return found == nullptr ? find("lang_to_id") != nullptr : found->get<bool>();
  }

private:
  const json& all_;
  const std::string& source_;
};

} // namespace

whisper_tokens whisper_tokens_of(const whisper_files& from, const speech_sizes& sizes) {
  const generation_config said(from.config, from.config_source);
  const auto id_of = [&](auto... names) { return named(from, {names...}); };
  whisper_tokens t{.end = id_of("endoftext"),
                   .start = id_of("startoftranscript"),
                   .translate = id_of("translate"),
                   .transcribe = id_of("transcribe"),
                   .before = id_of("startofprev"),
                   .silence = id_of("nospeech", "nocaptions"),
                   .no_times = id_of("notimestamps"),
                   .languages = {},
                   .suppressed = {},
                   .suppressed_first = {},
                   .most_first = said.whole("max_initial_timestamp_index", 50),
                   .context = said.whole("max_length", 448)};
  const std::size_t vocabulary = sizes.vocabulary, times = sizes.frames / 2 + 1,
                    needed = static_cast<std::size_t>(t.no_times) + 1 + times;
  if (vocabulary < needed)
    throw error(fmt::format(
        "{}: expected the tokenizer of a model of {} tokens; found the token {} at {}, behind which "
        "there are {} times",
        from.words_source, vocabulary, in_quotes(spelt("notimestamps")), t.no_times, times));
  said.expect("eos_token_id", t.end, "endoftext");
  said.expect("decoder_start_token_id", t.start, "startoftranscript");
  said.expect("no_timestamps_token_id", t.no_times, "notimestamps");
  if (t.context < 8)
    throw error(
        fmt::format("{}: max_length: expected at least 8 tokens; found {}", from.config_source, t.context));
  t.suppressed = said.ids("suppress_tokens", vocabulary);
  t.suppressed.insert(t.suppressed.end(), {t.start, t.translate, t.transcribe, t.before, t.silence});
  for (std::size_t id = needed; id < vocabulary; ++id) t.suppressed.push_back(static_cast<token_id>(id));
  t.suppressed_first = said.ids("begin_suppress_tokens", vocabulary);
  if (said.is_multilingual()) {
    t.languages = languages_of(from.words, t.start);
    if (t.languages.empty())
      throw error(from.words_source + ": expected a Whisper's tokenizer, with languages behind the token " +
                  in_quotes(spelt("startoftranscript")) + "; there is none");
  }
  return t;
}

token_ids whisper_tokens::beginning(const std::string& language, bool translated, bool with_times) const {
  token_ids made{start};
  if (languages.empty()) {
    if (translated || (!language.empty() && language != "en"))
      throw error(translated ? "--task: expected transcribe, for the model knows but English; found translate"
                             : "--language: expected en, all that the model knows; found " + language);
  } else {
    const auto found = std::ranges::find(languages, language, &spoken_language::code);
    if (found == languages.end()) {
      std::string known;
      for (const spoken_language& one : languages) known += (known.empty() ? "" : ", ") + one.code;
      throw error("--language: expected one of " + known + "; found " + core::shortened(language));
    }
    made.insert(made.end(), {found->id, translated ? translate : transcribe});
  }
  if (!with_times) made.push_back(no_times);
  return made;
}

} // namespace fovea::programs
