#pragma once

#include <fovea/backends/xtensor.hpp>
#include <fovea/fovea.hpp>
#include <fovea/programs/output_width.hpp>
#include <fovea/programs/step_of_tokens.hpp>
#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

namespace fovea::programs {

/// A model of the next token that writes several texts, a row each, while it reads another; whatever model it is.
class row_network {
public:
  virtual ~row_network() = default;
  /// How many tokens it scores.
  virtual std::size_t vocabulary() const = 0;
  /// Reads ids of a text, its first or more of it, beside the rows. The scores after them, [vocabulary], until the next
  /// call.
  virtual std::span<const float> read(std::span<const token_id> ids, bool first) = 0;
  /// The text that has been read becomes the last row.
  virtual void join() = 0;
  /// A row has ended; the last one takes its place.
  virtual void leave(std::size_t row) = 0;
  /// Each row reads an id. The scores after it, [rows, vocabulary], until the next call.
  virtual std::span<const float> step(std::span<const token_id> ids) = 0;
  /// How checkpoints name its parameters.
  virtual std::span<const name_rule> names() const = 0;
};
using row_network_maker = std::unique_ptr<row_network> (*)(const model_weights&, const compile_options&);

/// The model M as `streamed` makes a stream of it: tokens [B, T] and, where it has such an input, types [B, T] to the
/// logits [B, vocab] of the last position.
template <class M, auto streamed>
class row_network_of final : public row_network {
public:
  static std::unique_ptr<row_network> make(const model_weights& weights, const compile_options& how) {
    return std::make_unique<row_network_of>(weights, how);
  }
  row_network_of(const model_weights& weights, const compile_options& how)
      : rows_(streamed(weights, how)), reader_(streamed(weights, of_one_row(how))) { // they share the weights
    rows_.begin();
    step_of(rows_, std::array<token_id, 1>{}); // a stream has the rows of its first step
  }

  std::size_t vocabulary() const override { return output_width<M>("logits"); }
  std::span<const float> read(std::span<const token_id> ids, bool first) override {
    if (first) reader_.begin();
    return step_of(reader_, ids);
  }
  void join() override {
    if (count_ > 0) {
      order_.resize(count_ + 1);
      std::iota(order_.begin(), order_.end(), std::size_t{0});
      order_.back() = 0;
      rows_.reorder(order_);
    }
    rows_.load(count_++, reader_.save(0));
  }
  void leave(std::size_t row) override {
    if (--count_ == 0) return; // the row stays, for the next text
    order_.resize(count_);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (row < count_) order_[row] = count_;
    rows_.reorder(order_);
  }
  std::span<const float> step(std::span<const token_id> ids) override {
    return step_of(rows_, ids, ids.size());
  }
  std::span<const name_rule> names() const override { return rows_.step_runs_on().parameters().rules(); }

private:
  using stream_type = std::invoke_result_t<decltype(streamed), const model_weights&, const compile_options&>;

  static compile_options of_one_row(compile_options how) {
    for (dim_size& size : how.capacity)
      if (size.symbol == dim("B")) size.size = 1;
    return how;
  }
  static std::span<const float> step_of(stream_type& of, std::span<const token_id> ids,
                                        std::size_t rows = 1) {
    const std::array<std::size_t, 2> shape{rows, ids.size() / rows};
    const auto tokens = xt::adapt(ids.data(), ids.size(), xt::no_ownership(), shape);
    const auto scores = step_of_tokens<M>()(of, tokens);
    return {scores.data(), scores.size()};
  }

  stream_type rows_, reader_;
  std::size_t count_ = 0; // of rows that write
  std::vector<std::size_t> order_;
};

} // namespace fovea::programs
