#include <fovea/programs/token_ids.hpp>

#include <fovea/base/error.hpp>

#include <fmt/format.h>

#include <optional>

namespace fovea::programs {

token_id id_of(const std::string& token, const tokenizer& words) {
  const std::optional<token_id> id = words.id(token);
  if (!id) throw error("the tokenizer has no token \"" + token + "\", which the program is built with");
  return *id;
}

token_ids ids_of(const std::vector<std::string>& tokens, const tokenizer& words) {
  token_ids ids;
  for (const std::string& token : tokens) ids.push_back(id_of(token, words));
  return ids;
}

token_ids prompt_ids(const std::string& text, const std::string& place, const tokenizer& words,
                     const program_parts& parts, std::size_t context) {
  token_ids ids = words.encode(text).ids;
  if (ids.empty()) {
    if (parts.begin.empty()) throw error(place + ": the text is empty");
    ids.push_back(id_of(parts.begin, words));
  }
  expect_room(ids, place, context);
  return ids;
}

void expect_room(const token_ids& ids, const std::string& place, std::size_t context) {
  if (ids.size() >= context)
    throw error(fmt::format("{}: the text has {} tokens; expected fewer than {}, the context of the model",
                            place, ids.size(), context));
}

} // namespace fovea::programs
