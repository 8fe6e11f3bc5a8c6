#pragma once

#include <fovea/backends/xtensor.hpp>
#include <fovea/runtime/decoding/next_token.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <numeric>
#include <optional>
#include <utility>

namespace fovea::core {
namespace detail {

template <class F>
auto call_network(F& run, const xt::xtensor<token_id, 2>& ids, std::span<const std::size_t> text) {
  if constexpr (std::invocable<F&, const xt::xtensor<token_id, 2>&, std::span<const std::size_t>>)
    return run(ids, text);
  else
    return run(ids);
}

} // namespace detail

/// A network as a model of the next token, run over the whole text again at every step (no state is kept in
/// it, so anything causal will do):
///
///   whole_prefix model([&](const auto& ids) { return net("tokens"_in = ids)["logits"_out]; });
///
/// `run` takes the ids [rows, T] (xt::xtensor<token_id, 2>) and gives scores, row-major: [rows, T,
/// vocabulary], or [rows, vocabulary] after the last id alone (last<T>(model)). Where it takes a second
/// argument, that is the text (as `begin` counts them) that each row goes back to: an encoder-decoder chooses
/// its source by it. The network's own errors (too many rows, too long a text) pass through.
template <class F>
class whole_prefix {
public:
  using ids_type = xt::xtensor<token_id, 2>;

  explicit whole_prefix(F run) : run_(std::move(run)) {}

  void begin(std::size_t rows) {
    read_.assign(rows, {});
    text_.resize(rows);
    std::iota(text_.begin(), text_.end(), std::size_t{0});
  }

  token_scores step(std::span<const token_id> ids) {
    const std::size_t rows = read_.size(), positions = ids.size() / rows;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto next = ids.subspan(row * positions, positions);
      read_[row].insert(read_[row].end(), next.begin(), next.end());
    }
    const std::size_t length = read_.front().size();
    ids_type whole(std::array<std::size_t, 2>{rows, length});
    for (std::size_t row = 0; row < rows; ++row)
      std::copy(read_[row].begin(), read_[row].end(), &whole(row, 0));
    scores_.emplace(detail::call_network(run_, whole, text_));
    const std::size_t vocabulary = scores_->shape()[scores_->dimension() - 1];
    if (scores_->dimension() == 2) return {scores_->data(), rows, 1, vocabulary};
    return {scores_->data() + (length - positions) * vocabulary, rows, positions, vocabulary,
            length * vocabulary};
  }

  void reorder(std::span<const std::size_t> from) {
    reorder_rows(read_, from);
    reorder_rows(text_, from);
  }

  void rewind(std::size_t count) {
    for (token_ids& read : read_) read.resize(read.size() - count);
  }

private:
  F run_;
  std::vector<token_ids> read_;
  std::vector<std::size_t> text_;
  std::optional<decltype(detail::call_network(std::declval<F&>(), ids_type(), {}))> scores_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::whole_prefix;
} // namespace fovea
