#pragma once

// One text after another token by token: greedy decoding and sampling.

#include <fovea/runtime/decoding/decode_together.hpp>
#include <fovea/runtime/decoding/draft.hpp>
#include <fovea/runtime/decoding/hypothesis.hpp>
#include <fovea/runtime/decoding/sampling.hpp>

#include <functional>

namespace fovea::core {

/// A token as it is chosen: which prompt it goes on with, which of the prompt's samples, and log p of it.
struct generated_token {
  std::size_t prompt, sample;
  token_id id;
  double log_probability;
};

/// Is told of every token; false ends that text.
using token_callback = std::function<bool(const generated_token&)>;

namespace detail {

/// A text that goes on with one drawn token after another.
class sampled_text {
public:
  sampled_text(std::size_t prompt, std::size_t sample, token_ids prompt_ids, const sampling_options& options,
               const stopping_options& where, const token_callback& each)
      : prompt_(prompt), sample_(sample), read_(std::move(prompt_ids)), options_(options), where_(where),
        each_(each) {}

  /// Where a token is proposed, that one comes or another, and each as often as if it were not.
  std::vector<continuation> advance(const token_scores& scores, std::size_t row,
                                    const proposed_token* proposed = nullptr);
  /// The prompt, and what was generated.
  const token_ids& read() const { return read_; }
  hypothesis& result() { return result_; }

private:
  std::size_t prompt_, sample_;
  token_ids read_;
  const sampling_options& options_;
  const stopping_options& where_;
  const token_callback& each_;
  hypothesis result_;
};

} // namespace detail

/// Goes on with each prompt by drawing token after token; prompts are decoded together and may differ in
/// length. Returns options.samples texts for each prompt, those of the first prompt first. Throws
/// fovea::error for an empty prompt, an option out of its range, more texts than the model has rows for, and
/// scores that are no numbers.
template <next_token_model M>
std::vector<hypothesis> sample(M& model, std::span<const token_ids> prompts, const sampling_options& options,
                               const stopping_options& where, const token_callback& each = {}) {
  detail::check(options);
  detail::check(where);
  const std::size_t count = detail::text_count(model, prompts.size(), options.samples);
  std::vector<detail::sampled_text> texts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t prompt = i / options.samples;
    texts.emplace_back(prompt, i % options.samples, prompts[prompt], options, where, each);
  }
  detail::decode_together(model, prompts, std::span(texts));
  std::vector<hypothesis> results;
  for (detail::sampled_text& text : texts) results.push_back(std::move(text.result()));
  return results;
}

/// Goes on with each prompt by the most likely token (of equal ones the smallest id), as `sample` does.
template <next_token_model M>
std::vector<hypothesis> greedy(M& model, std::span<const token_ids> prompts, const stopping_options& where,
                               const token_callback& each = {}) {
  return sample(model, prompts, {.temperature = 0}, where, each);
}

/// The same of one prompt.
template <next_token_model M>
std::vector<hypothesis> sample(M& model, const token_ids& prompt, const sampling_options& options,
                               const stopping_options& where, const token_callback& each = {}) {
  return sample(model, std::span(&prompt, 1), options, where, each);
}
template <next_token_model M>
hypothesis greedy(M& model, const token_ids& prompt, const stopping_options& where,
                  const token_callback& each = {}) {
  return std::move(greedy(model, std::span(&prompt, 1), where, each).front());
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::generated_token, core::greedy, core::sample, core::token_callback;
} // namespace fovea
