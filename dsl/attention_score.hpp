#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include <fovea/dsl/mask.hpp>

namespace fovea::core {

namespace detail {

template <class F>
concept score_lambda =
    gives_scalar<F, scalar, scalar, scalar> || gives_scalar<F, scalar, scalar, scalar, scalar> ||
    gives_scalar<F, scalar, scalar, scalar, scalar, scalar>;

} // namespace detail

/// How a query and a key are compared. A lambda (score, query, key[, head[, batch]]) changes the score,
/// already scaled, biased and capped.
struct attention_score {
  enum class kind : std::uint8_t { scaled_dot, dot, general, additive, concatenated };
  kind how = kind::scaled_dot;
  name_text name = {};
  int width = 0;         // of the hidden layer of `additive` and `concatenated`
  int heads = any_heads; // that it has slopes for
  scalar_function function = {};
  bool is_none = false; // made of what is no score

  static constexpr int any_heads = std::numeric_limits<int>::min();

  constexpr attention_score(kind k = kind::scaled_dot, name_text n = {}, int w = 0)
      : how(k), name(n), width(w) {}
  template <detail::score_lambda F>
  constexpr attention_score(F f) {
    const scalar s = detail::leaf(function, op::score), q = detail::leaf(function, op::query_position),
                 k = detail::leaf(function, op::key_position);
    const auto result = [&]() -> scalar {
      if constexpr (detail::gives_scalar<F, scalar, scalar, scalar>)
        return f(s, q, k);
      else if constexpr (detail::gives_scalar<F, scalar, scalar, scalar, scalar>)
        return f(s, q, k, detail::leaf(function, op::head_index));
      else
        return f(s, q, k, detail::leaf(function, op::head_index), detail::leaf(function, op::batch_index));
    }();
    detail::finish(function, result);
  }
  template <class other>
  requires(!detail::score_lambda<other> && !std::same_as<other, attention_score> &&
           !std::same_as<other, kind>) constexpr attention_score(other)
      : is_none(true) {}
};

/// q . k / sqrt(head width) (Vaswani et al. 2017); the default.
inline constexpr attention_score scaled_dot{attention_score::kind::scaled_dot};
/// q . k (Luong et al. 2015, "dot").
inline constexpr attention_score dot{attention_score::kind::dot};
/// q W k with a learned matrix (Luong et al. 2015, "general"). Makes name.weight [query width, key width].
constexpr attention_score general(const name_text& name) { return {attention_score::kind::general, name}; }

/// v . tanh(W q + U k), a network of one hidden layer (Bahdanau et al. 2015). Makes name.query.weight [width,
/// query width], name.key.weight [width, key width] and name.score.weight [1, width].
constexpr attention_score additive(const name_text& name, int width) {
  return {attention_score::kind::additive, name, width};
}
/// v . tanh(W [q; k]) (Luong et al. 2015, "concat"). Makes name.weight [width, query width + key width] and
/// name.score.weight [1, width].
constexpr attention_score concatenated(const name_text& name, int width) {
  return {attention_score::kind::concatenated, name, width};
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::additive, core::attention_score, core::concatenated, core::dot, core::general, core::scaled_dot;
} // namespace fovea
