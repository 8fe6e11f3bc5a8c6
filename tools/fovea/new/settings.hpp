#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tool {

/// The settings of a checkpoint, as Hugging Face's config.json or a GGUF file's keys have them. Each is read, is
/// known to change no number of inference, or is refused: none is ignored in silence. Every member throws
/// failure that names the file, the setting, what was expected and what was found. null counts as missing.
class settings {
public:
  /// `source` is what messages call the file.
  settings(nlohmann::json values, std::string source);

  /// From here on a setting is asked for by the first name and found under the second.
  void call(std::map<std::string, std::string, std::less<>> names) { names_ = std::move(names); }

  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// A whole number from 0 to 2^24, 0 where it is missing.
  int count(std::string_view key);
  /// A whole number from 1 to 2^24.
  int whole(std::string_view key);
  int whole(std::string_view key, int otherwise);
  /// One up to 2^15, of which the product with another is an int.
  int factor(std::string_view key);
  int factor(std::string_view key, int otherwise);
  /// The same, or this text in place of `otherwise`.
  int whole_or(std::string_view key, std::string_view text, int otherwise);
  double number(std::string_view key);
  double number(std::string_view key, double otherwise);
  /// The same; 0 where it is null, as what is turned off.
  double number_unless_null(std::string_view key, double otherwise);
  /// A list of so many numbers above 0.
  std::vector<double> numbers(std::string_view key, std::size_t count);
  bool flag(std::string_view key, bool otherwise);
  std::string text(std::string_view key, std::string_view otherwise = "");
  /// A list of true and false, or of 1 and 0; empty where there is no list.
  std::vector<bool> flags(std::string_view key);
  /// A list of texts, empty where there is none.
  std::vector<std::string> texts(std::string_view key);
  /// The same, or one text with this between them.
  std::vector<std::string> texts_or_text(std::string_view key, char between);
  /// Ids of tokens: one, or a list; none where it is missing.
  std::vector<int> ids(std::string_view key) const;
  /// An object's or list's number of members, nothing where there is none.
  std::optional<int> members(std::string_view key);
  /// An object within, none of whose settings is read yet; nothing where there is none.
  std::optional<settings> within(std::string_view key);

  /// One of these texts, the first where it is missing.
  std::string one_of(std::string_view key, std::initializer_list<const char*> known);
  /// The setting is there and has this value: what transformers takes where it is missing does not fit.
  void demand(std::string_view key, const nlohmann::json& value);
  /// The setting is missing or has this value.
  void expect(std::string_view key, const nlohmann::json& value);
  /// These change no number of inference.
  void pass_over(std::initializer_list<const char*> keys);
  /// So does any that begins with this.
  void pass_over_beginning(std::string_view beginning);
  /// Refuses what is left. `what` is the architecture.
  void finish(std::string_view what) const;

  [[noreturn]] void fail(std::string_view key, const std::string& problem) const;
  /// The file, and the name there, as messages have them.
  const std::string& source() const { return source_; }
  std::string name_of(std::string_view key) const;

private:
  int whole_up_to(std::string_view key, int most);
  const nlohmann::json* find(std::string_view key) const;
  const nlohmann::json* take(std::string_view key);
  const nlohmann::json& needed(std::string_view key);

  nlohmann::json values_;
  std::string source_;
  std::map<std::string, std::string, std::less<>> names_;
  std::set<std::string, std::less<>> known_;
  std::vector<std::string> beginnings_;
};

/// Passes over those of config.json that change no number of inference, whatever the architecture.
void pass_over_common(settings& all, bool encoder_decoder = false);

} // namespace tool
