#include <fovea/programs/conversation.hpp>

#include <fovea/programs/token_ids.hpp>

#include <algorithm>
#include <utility>

namespace fovea::programs {
namespace {

/// Templates put white space around an answer themselves.
std::string trimmed(const std::string& text) {
  constexpr const char* space = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(space);
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(space) + 1 - begin);
}

} // namespace

conversation::conversation(next_token_network& network, tokenizer words, chat_form form,
                           std::string variables, const std::string& system, std::size_t context)
    : network_(network), words_(std::move(words)), form_(std::move(form)), variables_(std::move(variables)),
      context_(context) {
  if (!system.empty()) said_.push_back({"system", system});
}

text_writer& conversation::answer(const std::string& said, const std::string& place,
                                  const sampling_options& how, std::optional<std::size_t> most_tokens,
                                  std::vector<std::string> stops, std::optional<token_grammar> grammar) {
  said_.push_back({"user", said});
  const token_ids ids =
      form_.ids_of(form_.text().prompt(said_, {.add_generation_prompt = true, .variables = variables_}));
  expect_room(ids, place, context_);
  stops.insert(stops.end(), form_.stops().begin(), form_.stops().end());
  const std::size_t left = context_ - ids.size();
  writer_ = std::make_unique<text_writer>(
      network_, words_, ids, how,
      stopping_options{.max_tokens = std::min(most_tokens.value_or(left), left), .end = form_.ends()},
      std::move(stops), known(ids), std::move(grammar));
  return *writer_;
}

void conversation::keep(const std::string& answer) {
  said_.push_back({"assistant", trimmed(answer)});
  read_ = writer_->read();
}

/// How many of these ids the network has read, if what it has read goes on with them.
std::size_t conversation::known(const token_ids& ids) const {
  const bool goes_on = read_.size() < ids.size() && std::equal(read_.begin(), read_.end(), ids.begin());
  return goes_on ? read_.size() : 0;
}

} // namespace fovea::programs
