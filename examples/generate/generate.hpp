#pragma once

#include <generate/arguments.hpp>
#include <generate/configuration.hpp>
#include <fovea/programs/printed_text.hpp>

#include <fovea/base/error.hpp>
#include <fovea/runtime/decoding/generate.hpp>

#include <chrono>
#include <string>

namespace generate_program {

using fovea::programs::printed_text;

/// How fast tokens came, the first of each text left out: it waits for the prompt to be read.
struct pace {
  std::size_t tokens = 0;
  double seconds = 0;
};

/// The prompt as the model reads it. Throws fovea::error when it leaves no room for another token.
inline fovea::token_ids ids_of(const std::string& prompt, const fovea::tokenizer& words,
                               const configuration& c) {
  fovea::token_ids ids = words.encode(prompt).ids;
  if (ids.empty()) ids.push_back(c.begin);
  if (ids.size() >= static_cast<std::size_t>(c.context))
    throw fovea::error("a prompt has " + std::to_string(ids.size()) + " tokens; expected fewer than " +
                       std::to_string(c.context) + ", the context of " + c.name);
  return ids;
}

/// Goes on with each prompt in turn, printing token by token; an empty line stands between texts.
template <fovea::next_token_model M>
pace write_texts(M& model, const fovea::tokenizer& words, const arguments& a, const configuration& c,
                 const printed_text::sink& print) {
  using clock = std::chrono::steady_clock;
  if (words.vocabulary_size() > c.vocabulary)
    throw fovea::error(a.tokenizer.string() + ": expected a tokenizer of at most " +
                       std::to_string(c.vocabulary) + " tokens, as " + c.name + " has; found " +
                       std::to_string(words.vocabulary_size()));
  pace measured;
  for (std::size_t i = 0; i < a.prompts.size(); ++i) {
    const fovea::token_ids prompt = ids_of(a.prompts[i], words, c);
    if (i > 0) print("\n");
    printed_text text(words, a.stops, print);
    for (const fovea::token_id id : prompt) text.add_prompt(id);
    clock::time_point first, last;
    const std::size_t room = static_cast<std::size_t>(c.context) - prompt.size();
    const auto result = sample(model, prompt, a.how, {.max_tokens = std::min(a.tokens, room), .end = c.end},
                               [&](const fovea::generated_token& token) {
                                 last = clock::now();
                                 if (first == clock::time_point{}) first = last;
                                 return text.add(token.id);
                               });
    text.finish();
    print("\n");
    measured.tokens += result.front().ids.size() - 1;
    measured.seconds += std::chrono::duration<double>(last - first).count();
  }
  return measured;
}

} // namespace generate_program
