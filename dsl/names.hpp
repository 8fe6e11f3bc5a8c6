#pragma once

#include <fovea/dsl/sentence.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace fovea::core::naming {

/// How a checkpoint's tensor becomes a model's parameter: up to four steps, done from left to right.
/// `columns(0, 768) | transposed` takes 768 columns of theirs, then transposes them.
struct transform {
  enum class kind : std::uint8_t {
    transposed,
    rows,
    columns,
    permuted,
    squeezed,
    flattened,
    joined,
    rotary_halves,
    scaled,
    raised,
    weight_normed,
    ignored,
    tied,
    optional_prefix
  };
  struct step {
    kind what = kind::transposed;
    std::int64_t from = 0, to = 0;     // rows, columns; rotary_halves: to is a head's width
    float number = 1;                  // scaled, raised
    std::array<std::int8_t, 4> axes{}; // permuted
    int rank = 0;                      // permuted

    friend constexpr auto operator<=>(const step&, const step&) = default;
  };
  static constexpr int most_steps = 4;
  std::array<step, most_steps> steps{};
  int count = 0;

  constexpr transform() = default;
  constexpr explicit transform(step only) : steps{only}, count(1) {}

  friend constexpr transform operator|(transform first, const transform& then) {
    for (int i = 0; i < then.count; ++i) {
      if (first.count == most_steps) impossible("a rule of a names table joins at most four transforms");
      first.steps[static_cast<unsigned>(first.count++)] = then.steps[static_cast<unsigned>(i)];
    }
    return first;
  }

  friend constexpr auto operator<=>(const transform&, const transform&) = default;

  constexpr bool is(kind what) const { return count == 1 && steps[0].what == what; }
  constexpr bool joins() const {
    return count > 0 && steps[static_cast<unsigned>(count - 1)].what == kind::joined;
  }
  constexpr bool takes_a_gain() const { return count > 0 && steps[0].what == kind::weight_normed; }
};

/// Their last two axes swapped: GPT-2's Conv1D keeps [in, out] where `linear` wants [out, in].
inline constexpr transform transposed{transform::step{.what = transform::kind::transposed}};

/// Their tensor is skipped on purpose (a buffer such as position_ids, or a head that the model leaves out).
/// It need not be there, and `ours` stays empty.
inline constexpr transform ignored{transform::step{.what = transform::kind::ignored}};

/// Their tensor, where present, is a second copy of our parameter and must equal it (GPT-2's lm_head.weight
/// is wte).
inline constexpr transform tied{transform::step{.what = transform::kind::tied}};

/// `theirs` is a prefix that some checkpoints of the model put in front of every name ("bert.",
/// "transformer.", "model."): it is taken off where it occurs, before any other rule is looked at. `ours`
/// stays empty.
inline constexpr transform optional_prefix{transform::step{.what = transform::kind::optional_prefix}};

/// Entries from <= i < to of their first axis: [rows, ...], or a bias's [rows].
constexpr transform rows(std::int64_t from, std::int64_t to) {
  return transform{transform::step{.what = transform::kind::rows, .from = from, .to = to}};
}

/// Entries from <= i < to of their last axis.
constexpr transform columns(std::int64_t from, std::int64_t to) {
  return transform{transform::step{.what = transform::kind::columns, .from = from, .to = to}};
}

/// Axis i of the result is their axis axes[i], as numpy's transpose has it. Up to four axes.
template <typename... axis>
constexpr transform permuted(axis... axes) {
  static_assert(sizeof...(axes) >= 2 && sizeof...(axes) <= 4, "permuted takes two to four axes [F0277]");
  return transform{transform::step{.what = transform::kind::permuted,
                                   .axes = {static_cast<std::int8_t>(axes)...},
                                   .rank = static_cast<int>(sizeof...(axes))}};
}

/// Their axes of size 1 left out: [1, 1, width] is [width], a convolution's [out, in, 1] is a linear map's
/// [out, in].
inline constexpr transform squeezed{transform::step{.what = transform::kind::squeezed}};

/// Their first two axes as one: the experts of a mixture, [experts, out, in], are [experts * out, in].
inline constexpr transform flattened{transform::step{.what = transform::kind::flattened}};

/// Their tensors of `{n}` = 0, 1, 2, ... are one of ours, one after another along the first axis, each after
/// the steps before this one, which is the last: {"q.weight", "head.{n}.W_Q", transposed | joined}.
inline constexpr transform joined{transform::step{.what = transform::kind::joined}};

/// Their rows, `head_width` to a head, are turned by rotary positions in neighbouring pairs (2i, 2i + 1);
/// ours in halves (i, i + head_width / 2), as `rope` pairs them by default. Of the weights or biases of
/// queries and keys: Meta's, llama2.c's and llama.cpp's files pair neighbours, Hugging Face's halves.
constexpr transform rotary_halves(std::int64_t head_width) {
  return transform{transform::step{.what = transform::kind::rotary_halves, .to = head_width}};
}

/// Every value times `factor`.
constexpr transform scaled(float factor) {
  return transform{transform::step{.what = transform::kind::scaled, .number = factor}};
}

/// Every value plus `term`: Gemma keeps of its norms what their weights are above 1.
constexpr transform raised(float term) {
  return transform{transform::step{.what = transform::kind::raised, .number = term}};
}

/// Weight normalisation as the weight that it makes (Salimans and Kingma 2016, equation 2): g v / |v|, the norm
/// over the axes where the gain g has 1. `theirs` is the direction, v, and the gain lies beside it, as PyTorch
/// names the two: weight_v and weight_g, weight.original1 and weight.original0. It comes first.
inline constexpr transform weight_normed{transform::step{.what = transform::kind::weight_normed}};

} // namespace fovea::core::naming

namespace fovea::core {

/// One rule of a model's table of checkpoint names: our parameter `ours` is their tensor `theirs`, changed by
/// `how`.
///
/// A `*` on our side stands for a layer index i; on theirs, `*` or `{i}` is the same index and `{2*i+1}`,
/// `{i+12}`,
/// `{i-1}` compute with it. A second and third `*` on our side are j and k. In an `ignored` rule `*` is any
/// index and `**` any text ("cls.**").
///
///     inline constexpr name_rule gpt2_names[] = {
///         {"", "transformer.", naming::optional_prefix},
///         {"wte", "wte.weight"},
///         {"h.*.attn.q.weight", "h.*.attn.c_attn.weight", naming::columns(0, 768) | naming::transposed},
///         {"h.*.attn.q.bias", "h.*.attn.c_attn.bias", naming::rows(0, 768)},
///         {"", "h.*.attn.bias", naming::ignored},
///         {"wte", "lm_head.weight", naming::tied},
///     };
///
/// A parameter that no rule names is looked up under its own name. Several rules may fill one parameter: the
/// first whose tensor the checkpoint has is taken.
struct name_rule {
  const char* ours;
  const char* theirs;
  naming::transform how{};
};

namespace naming {

/// Tables of rules as one, one behind the other.
template <std::size_t... sizes>
constexpr auto together(const std::array<name_rule, sizes>&... tables) {
  std::array<name_rule, (sizes + ...)> whole{};
  std::size_t at = 0;
  const auto add = [&](const auto& table) {
    for (const name_rule& rule : table) whole[at++] = rule;
  };
  (add(tables), ...);
  return whole;
}

} // namespace naming

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::name_rule;
namespace naming = core::naming;
} // namespace fovea
