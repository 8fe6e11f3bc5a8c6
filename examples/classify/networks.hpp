#pragma once

#include "sizes.hpp"

#include <fovea/fovea.hpp>
#include <fovea/runtime/training/length_buckets.hpp>

#include <algorithm>
#include <utility>

namespace classify_program {

inline constexpr std::size_t longest = 512; // words of a text; what follows them is not read
inline constexpr fovea::token_id padding = 0, start = 1;

/// Each network: its sizes, the model and its loss, how it takes a text's words, and its inputs:
/// inputs(texts, f) calls f with those of some texts.
struct kim {
  static constexpr auto sizes = kim_sizes;
  static constexpr const auto& model = fovea::models::kim_cnn<sizes>;
  static constexpr const auto& loss = fovea::models::kim_cnn_loss<sizes>;

  /// As much padding on both sides as the widest filter sees: each filter then sees some of it in every text,
  /// and more behind it, for the sake of longer texts beside it, changes nothing.
  static constexpr std::size_t around = std::ranges::max(sizes.widths), added = 2 * around;
  static fovea::token_ids framed(const fovea::token_ids& words) {
    fovea::token_ids ids(words.size() + added, padding);
    std::ranges::copy(words, ids.begin() + around);
    return ids;
  }
  template <class F>
  static decltype(auto) inputs(const fovea::padded_lines& texts, F f) {
    using namespace fovea;
    return f("tokens"_in = texts.tokens);
  }
};

struct rnn {
  static constexpr auto sizes = rnn_sizes;
  static constexpr const auto& model = fovea::models::rnn_classifier<sizes>;
  static constexpr const auto& loss = fovea::models::rnn_classifier_loss<sizes>;

  static constexpr std::size_t added = 0;
  static fovea::token_ids framed(const fovea::token_ids& words) { return words; }
  template <class F>
  static decltype(auto) inputs(const fovea::padded_lines& texts, F f) {
    using namespace fovea;
    return f("tokens"_in = texts.tokens, "lengths"_in = texts.lengths);
  }
};

struct bert {
  static constexpr auto sizes = bert_sizes;
  static constexpr const auto& model = fovea::models::bert_classifier<sizes, classes>;
  static constexpr const auto& loss = fovea::models::bert_classifier_loss<sizes, classes>;

  /// The first vector stands for the text.
  static constexpr std::size_t added = 1;
  static fovea::token_ids framed(const fovea::token_ids& words) {
    fovea::token_ids ids{start};
    ids.insert(ids.end(), words.begin(), words.end());
    return ids;
  }
  template <class F>
  static decltype(auto) inputs(const fovea::padded_lines& texts, F f) {
    using namespace fovea;
    const xt::xtensor<int, 2> types = xt::zeros<int>(texts.tokens.shape());
    return f("tokens"_in = texts.tokens, "types"_in = types, "lengths"_in = texts.lengths);
  }
};
static_assert(bert_sizes.context == longest + bert::added);

/// What a text's words are to a network: those that are read, framed as it takes them.
template <class network>
fovea::token_ids read_by(fovea::token_ids words) {
  words.resize(std::min(words.size(), longest));
  return network::framed(words);
}

} // namespace classify_program
