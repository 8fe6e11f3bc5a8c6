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
#include <vector>

namespace fovea::programs {

/// Token ids of some texts, [rows, longest]; behind a text's own stand zeros.
struct token_rows {
  std::size_t rows, longest;
  std::vector<int> ids, types, lengths; // types as ids, lengths [rows]
};

/// A call of a net of M by texts: its inputs are tokens [B, T] and, where it has them, types [B, T] and lengths [B].
template <class M>
auto call_of_texts(auto& net, const token_rows& t) {
  constexpr bool has_types = M::has_input("types"), has_lengths = M::has_input("lengths");
  const std::array<std::size_t, 2> shape{t.rows, t.longest};
  const auto ids = xt::adapt(t.ids, shape), types = xt::adapt(t.types, shape);
  const auto lengths = xt::adapt(t.lengths, std::array<std::size_t, 1>{t.rows});
  if constexpr (has_types && has_lengths)
    return net("tokens"_in = ids, "types"_in = types, "lengths"_in = lengths);
  else if constexpr (has_types)
    return net("tokens"_in = ids, "types"_in = types);
  else if constexpr (has_lengths)
    return net("tokens"_in = ids, "lengths"_in = lengths);
  else
    return net("tokens"_in = ids);
}

/// A network over texts, whatever model it is.
class text_network {
public:
  virtual ~text_network() = default;
  /// Whether texts of different lengths may share a call: whether the model is told their lengths.
  virtual bool takes_lengths() const = 0;
  /// The size of the output's last axis.
  virtual std::size_t width() const = 0;
  /// The output, [rows, ...], until the next call.
  virtual std::span<const float> operator()(const token_rows& texts) = 0;
  /// How checkpoints name its parameters.
  virtual std::span<const name_rule> names() const = 0;
};
using text_network_maker = std::unique_ptr<text_network> (*)(const model_weights&, const compile_options&);

/// The model M as `compiled` makes it, from texts to the output of that name.
template <class M, auto compiled, core::fixed_name output>
class text_network_of final : public text_network {
public:
  static std::unique_ptr<text_network> make(const model_weights& weights, const compile_options& how) {
    return std::make_unique<text_network_of>(weights, how);
  }
  text_network_of(const model_weights& weights, const compile_options& how) : net_(compiled(weights, how)) {}

  bool takes_lengths() const override { return M::has_input("lengths"); }
  std::size_t width() const override { return output_width<M>(output.text); }

  std::span<const float> operator()(const token_rows& t) override {
    const auto values = call_of_texts<M>(net_, t)[core::output_key<output>{}];
    return {values.data(), values.size()};
  }
  std::span<const name_rule> names() const override { return net_.runs_on().parameters().rules(); }

private:
  std::invoke_result_t<decltype(compiled), const model_weights&, const compile_options&> net_;
};

} // namespace fovea::programs
