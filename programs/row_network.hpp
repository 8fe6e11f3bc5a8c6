#pragma once

#include <fovea/backends/xtensor.hpp>
#include <fovea/fovea.hpp>
#include <fovea/programs/output_width.hpp>
#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace fovea::programs {

/// A model of the next token whose rows read texts of their own, whatever model it is.
class row_network {
public:
  virtual ~row_network() = default;
  /// How many tokens it scores.
  virtual std::size_t vocabulary() const = 0;
  /// A row begins an empty text.
  virtual void reset(std::size_t row) = 0;
  /// Row i reads the first lengths[i] of its ids [rows, longest]. The scores after the last of them, [rows,
  /// vocabulary], until the next call; those of a row that reads none say nothing.
  virtual std::span<const float> step(std::span<const std::size_t> lengths,
                                      std::span<const token_id> ids) = 0;
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
  row_network_of(const model_weights& weights, const compile_options& how) : stream_(streamed(weights, how)) {
    stream_.begin();
  }

  std::size_t vocabulary() const override { return output_width<M>("logits"); }
  void reset(std::size_t row) override { stream_.reset(row); }
  std::span<const float> step(std::span<const std::size_t> lengths, std::span<const token_id> ids) override {
    const std::array<std::size_t, 2> shape{lengths.size(), ids.size() / lengths.size()};
    const auto tokens = xt::adapt(ids.data(), ids.size(), xt::no_ownership(), shape);
    if constexpr (M::has_input("types")) {
      const xt::xtensor<int, 2> types = xt::zeros<int>(shape);
      return of(stream_.step(lengths, "tokens"_in = tokens, "types"_in = types));
    } else {
      return of(stream_.step(lengths, "tokens"_in = tokens));
    }
  }

private:
  template <class stepped>
  static std::span<const float> of(const stepped& out) {
    const auto& scores = out["logits"_out];
    return {scores.data(), scores.size()};
  }

  std::invoke_result_t<decltype(streamed), const model_weights&, const compile_options&> stream_;
};

} // namespace fovea::programs
