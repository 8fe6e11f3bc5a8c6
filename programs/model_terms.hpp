#pragma once

#include <fovea/dsl/ill_formed.hpp>
#include <fovea/dsl/model.hpp>
#include <fovea/programs/whole_model.hpp>

#include <cstddef>
#include <string_view>

namespace fovea::programs {

/// A value that a program gives to its model, or takes from it. An axis in capitals is the dim of that name; another stands
/// for any number: "B T classes".
struct value_terms {
  const char* name = nullptr;
  std::string_view axes = {};
  bool is_needed = true;
};

/// What a program asks of its model: these inputs and no other, and this output.
struct model_terms {
  const char* program;
  value_terms inputs[3]; // those behind the last have no name
  value_terms output;

  constexpr std::size_t input_count() const {
    std::size_t count = 0;
    while (count < 3 && inputs[count].name != nullptr) ++count;
    return count;
  }
};

namespace terms {

constexpr value_terms tokens{"tokens", "B T"}, types{"types", "B T", false}, lengths{"lengths", "B", false};
inline constexpr model_terms embed{"embed", {tokens, types, lengths}, {"sentence", "B width"}};
inline constexpr model_terms classify{"classify", {tokens, types, lengths}, {"logits", "B classes"}};
inline constexpr model_terms tag{"tag", {tokens, types, lengths}, {"logits", "B T classes"}};
inline constexpr model_terms generate{"generate", {tokens, types}, {"logits", "B T vocab"}};
inline constexpr model_terms score{"score", {tokens, types}, {"logits", "B T vocab"}};
inline constexpr model_terms translate{
    "translate", {{"source", "B S"}, {"lengths", "B"}, {"target", "B T"}}, {"logits", "B T vocab"}};
inline constexpr model_terms transcribe{
    "transcribe", {{"features", "B frames mels"}, {"decoder_ids", "B T"}}, {"logits", "B T vocab"}};
inline constexpr model_terms embeddings{
    "serve with ROUTE embeddings", {tokens, types, lengths}, {"sentence", "B width"}};
inline constexpr model_terms completions{
    "serve without ROUTE embeddings", {tokens, types}, {"logits", "B T vocab"}};

} // namespace terms

namespace detail {

constexpr std::string_view first_axis(std::string_view& axes) {
  const std::size_t end = axes.find(' ');
  const std::string_view axis = axes.substr(0, end);
  axes.remove_prefix(end == std::string_view::npos ? axes.size() : end + 1);
  return axis;
}

/// Whether a shape has these axes.
constexpr bool has_axes(const core::graph_view& g, const core::shape& s, std::string_view axes) {
  for (int i = 0; i < s.rank; ++i) {
    const std::string_view axis = first_axis(axes);
    if (axis.empty()) return false;
    const bool is_dim = axis[0] >= 'A' && axis[0] <= 'Z';
    const dim found = g.dim_of(s[i]);
    if (is_dim ? !found.is_symbol() || axis != found.name() : !g.is_number(s[i])) return false;
  }
  return axes.empty();
}

/// Whether values are those asked for; where `alone`, and no other.
constexpr bool are_as_asked(const core::graph_view& g, core::table_view<core::named_value> values,
                            core::table_view<value_terms> asked, bool alone) {
  std::size_t found = 0;
  for (const value_terms& one : asked) {
    bool fits = !one.is_needed;
    for (const core::named_value& value : values)
      if (one.name == std::string_view(value.name))
        ++found, fits = has_axes(g, g.at(value.node).shape, one.axes);
    if (!fits) return false;
  }
  return !alone || found == values.size();
}

constexpr void write(core::sentence& s, const char* what, core::table_view<value_terms> asked) {
  s << what;
  for (const value_terms& one : asked) {
    s << (&one == asked.begin() ? " " : ", ") << (one.is_needed ? "" : "perhaps ") << one.name << " [";
    for (const char c : one.axes) c == ' ' ? s << ", " : s << c;
    s << ']';
  }
}
constexpr void write(core::sentence& s, const char* what, const core::graph_view& g,
                     core::table_view<core::named_value> values) {
  s << what;
  for (const core::named_value& one : values) {
    s << (&one == values.begin() ? " " : ", ") << one.name << ' ';
    g.write_shape(s, g.at(one.node).shape);
  }
}

constexpr core::sentence& write_found(core::sentence& s, const core::graph_view& g) {
  write(s, "; found one of", g, g.inputs);
  write(s, " with", g, g.outputs);
  return s;
}

/// Why a model is not as a program asks; empty: it is.
template <class M, const model_terms& asked>
struct checked_terms {
  static constexpr core::sentence error = [] {
    core::sentence s;
    const core::graph_view& g = M::view;
    const core::table_view<value_terms> inputs(asked.inputs, asked.input_count()), output(&asked.output, 1);
    if (are_as_asked(g, g.inputs, inputs, true) && are_as_asked(g, g.outputs, output, false)) return s;
    s << g.at(g.outputs[0].node).at << ": APP " << asked.program << " expects a model of";
    write(s, "", inputs);
    write(s, " with the output", output);
    return write_found(s, g) << core::sentence_id{339};
  }();
};

/// Why a model is not one of numbers [B, T, ...] to numbers [B, T, ...].
template <class M>
struct checked_motion {
  static constexpr bool moves(const core::graph_view& g, core::table_view<core::named_value> values) {
    if (values.size() != 1) return false;
    const core::node& n = g.at(values[0].node);
    bool fits = n.type == core::element::f32 && n.shape.rank >= 2;
    for (int axis = 0; fits && axis < n.shape.rank; ++axis)
      fits = axis < 2 ? g.dim_of(n.shape[axis]) == (axis == 0 ? dim("B") : dim("T"))
                      : g.is_number(n.shape[axis]);
    return fits;
  }
  static constexpr core::sentence error = [] {
    core::sentence s;
    const core::graph_view& g = M::view;
    if (moves(g, g.inputs) && moves(g, g.outputs)) return s;
    s << g.at(g.outputs[0].node).at
      << ": APP stream expects a model of one input of numbers [B, T, ...] with one output [B, T, ...]";
    return write_found(s, g) << core::sentence_id{340};
  }();
};

/// Why a small model D is no draft of M: both give logits, of the same tokens.
template <class M, class D>
struct checked_draft {
  static constexpr core::dim tokens_of(const core::graph_view& g) {
    for (const core::named_value& one : g.outputs)
      if (std::string_view("logits") == one.name) return g.dim_of(g.at(one.node).shape[-1]);
    return 0;
  }
  static constexpr core::sentence error = [] {
    core::sentence s;
    const core::dim asked = tokens_of(M::view), found = tokens_of(D::view);
    if (asked == found) return s;
    s << D::view.at(D::view.outputs[0].node).at << ": DRAFT expects a small model with logits of the "
      << asked << " tokens that MODEL has; found " << found;
    return s << core::sentence_id{401};
  }();
};

} // namespace detail

/// Whether a model is as a program asks.
template <class M, const model_terms& asked>
inline constexpr bool fits = [] {
  if constexpr (M::well_formed)
    return detail::checked_terms<whole_model<M>, asked>::error.empty();
  else
    return false;
}();
/// The same of a program that streams numbers.
template <class M>
inline constexpr bool streams_numbers = [] {
  if constexpr (M::well_formed)
    return detail::checked_motion<M>::error.empty();
  else
    return false;
}();

/// Instead of a program over a model that does not fit: the one error is the sentence that says why. What is wrong with the
/// model itself has been said.
template <class M, const model_terms& asked>
int refuse() {
  if constexpr (whole_model<M>::well_formed)
    static_cast<void>(sizeof(core::detail::report_of<detail::checked_terms<whole_model<M>, asked>>));
  return 2;
}
template <class M>
int refuse_to_stream() {
  if constexpr (M::well_formed) static_cast<void>(sizeof(core::detail::report_of<detail::checked_motion<M>>));
  return 2;
}

/// Whether a small model, which is as a program asks, reads the tokens of another.
template <class M, class D>
inline constexpr bool fits_as_draft = detail::checked_draft<M, D>::error.empty();
template <class M, class D>
int refuse_draft() {
  static_cast<void>(sizeof(core::detail::report_of<detail::checked_draft<M, D>>));
  return 2;
}

/// What `make` makes of a model that is as a program asks, called as make.operator()<M>(). Of another it makes nothing, and
/// the one error is the sentence.
template <class M, const model_terms& asked, class F>
constexpr auto made_where_fits([[maybe_unused]] F make) {
  if constexpr (fits<M, asked>)
    return make.template operator()<M>();
  else
    return static_cast<void>(refuse<M, asked>()), nullptr;
}
/// The same of a model that streams numbers.
template <class M, class F>
constexpr auto made_where_streams([[maybe_unused]] F make) {
  if constexpr (streams_numbers<M>)
    return make.template operator()<M>();
  else
    return static_cast<void>(refuse_to_stream<M>()), nullptr;
}

} // namespace fovea::programs
