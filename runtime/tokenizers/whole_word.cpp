#include <fovea/runtime/tokenizers/whole_word.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>

#include <string>

namespace fovea::core {

void whole_word::append(std::string_view word, std::vector<token_id>& ids) const {
  const auto id = tokens_.id(word);
  if (!id && !unknown_)
    throw error("text: " + in_quotes(word) + " is no token, and the vocabulary has no unknown token");
  ids.push_back(id ? *id : *unknown_);
}

} // namespace fovea::core
