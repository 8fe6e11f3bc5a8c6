#pragma once

#include <fovea/dsl/mask.hpp>
#include <fovea/dsl/shape_words.hpp>

namespace fovea::core {

/// A number for the height and one for the width of a plane: {3, 5}; one number is both.
struct height_width {
  int height = 1, width = 1;

  constexpr height_width(int both) : height(both), width(both) {}
  constexpr height_width(int h, int w) : height(h), width(w) {}
};

/// What a convolution or pooling adds around an axis, zeros for a convolution: a number on both sides ({h, w}
/// over planes), `same`, `valid` or `causal`; of a convolution also `circular`.
struct slide_padding {
  enum class kind : std::uint8_t { number, two_numbers, whole, past, around, another_mask };
  kind how = kind::number;
  height_width count = 0;

  constexpr slide_padding(int both) : count(both) {}
  constexpr slide_padding(int h, int w) : how(kind::two_numbers), count(h, w) {}
  constexpr explicit slide_padding(kind k) : how(k) {}
  /// `causal`: all of it before the axis, so that no position sees a later one.
  constexpr slide_padding(const attention_mask& m)
      : how(m.function == core::causal.function ? kind::past : kind::another_mask) {}
};

/// As much padding as keeps the size of the axis; where that is odd, the larger part comes after it.
inline constexpr slide_padding same{slide_padding::kind::whole};
/// As much as `same` adds, at any stride, of the axis' own other end.
inline constexpr slide_padding circular{slide_padding::kind::around};
/// No padding.
inline constexpr slide_padding valid{0};

/// Of time `extent` is a number, of planes a number or {height, width}.
template <class extent>
struct convolution_options {
  extent stride = 1;
  extent dilation = 1;
  slide_padding padding = 0;
  int groups = 1; // of features; group i of the output sees group i of the input
  bool bias = true;
  core::init init = {};
};
template <class extent>
struct transposed_options {
  extent stride = 1;
  extent dilation = 1;
  slide_padding padding = 0; // what the padding of a convolution takes away again: a number
  int groups = 1;
  bool bias = true;
  core::init init = {};
  extent output_padding = 0; // positions added at the end
};
using conv1d_options = convolution_options<int>;
using conv2d_options = convolution_options<height_width>;
using conv_transpose1d_options = transposed_options<int>;
using conv_transpose2d_options = transposed_options<height_width>;

namespace detail {

constexpr sliding_window window_of(int axes, height_width size, height_width stride, height_width dilation) {
  sliding_window w;
  w.axes = axes;
  w.size[1] = size.width, w.stride[1] = stride.width, w.dilation[1] = dilation.width;
  if (axes == 2) w.size[0] = size.height, w.stride[0] = stride.height, w.dilation[0] = dilation.height;
  return w;
}

/// Whether a window may slide over x: the numbers are in their range, x has the axes.
constexpr bool can_slide(expr x, const sliding_window& w, source_place at, const graph::named& who) {
  graph& g = *x.owner;
  if (x.rank() <= w.axes) {
    g.fail(108, at, who, ": expected ",
           w.axes == 1 ? "[..., time, features]" : "[..., height, width, features]", ", found ", x);
    return false;
  }
  const auto in_range = [&](const char* what, const int(&numbers)[2]) {
    for (int n : numbers)
      if (n < 1 || n > sliding_window::largest) {
        g.fail(109, at, who, ": expected ", what, " of 1 to ", sliding_window::largest, ", found ", n);
        return false;
      }
    return true;
  };
  return in_range("a window", w.size) && in_range("a stride", w.stride) && in_range("a dilation", w.dilation);
}

constexpr bool set_padding(sliding_window& w, graph& g, const slide_padding& padding, source_place at,
                           const graph::named& who) {
  using kind = slide_padding::kind;
  if (padding.how == kind::another_mask || (padding.how == kind::past && w.axes == 2)) {
    g.fail(110, at, who, ": expected a padding of a number, same",
           w.axes == 1 ? ", valid or causal" : " or valid", ", found ",
           padding.how == kind::past ? "causal, which is for time alone" : "another mask");
    return false;
  }
  if (padding.how == kind::around) {
    g.fail(111, at, who, ": expected a padding of a number, same",
           w.axes == 1 ? ", valid or causal" : " or valid", ", found circular, which is for convolutions");
    return false;
  }
  if (padding.how == kind::two_numbers && w.axes == 1) {
    g.fail(112, at, who,
           ": expected one number as padding, found two, which are for planes; to pad each end of ",
           "the time by its own, use the word pad");
    return false;
  }
  const int counts[2] = {w.axes == 2 ? padding.count.height : 0, padding.count.width};
  for (int i = 2 - w.axes; i < 2; ++i) {
    const int needed = w.span(i) - 1;
    if (padding.how == kind::whole && w.stride[i] != 1) {
      g.fail(113, at, who, ": padding = same keeps the size of an axis and needs a stride of 1, found ",
             w.stride[i], "; give the padding as a number");
      return false;
    }
    if (counts[i] < 0 || counts[i] > sliding_window::largest) {
      g.fail(114, at, who, ": expected a padding of 0 to ", sliding_window::largest, ", found ", counts[i]);
      return false;
    }
    w.before[i] = padding.how == kind::whole ? needed / 2 : padding.how == kind::past ? needed : counts[i];
    w.after[i] = padding.how == kind::whole ? needed - needed / 2 : padding.how == kind::past ? 0 : counts[i];
  }
  return true;
}

/// The shape of x with each axis that the window slides over replaced by the number of its places; false
/// after an error.
constexpr bool slid_shape(shape& s, expr x, const sliding_window& w, source_place at,
                          const graph::named& who) {
  graph& g = *x.owner;
  s = g.shape_of(x);
  for (int i = 2 - w.axes; i < 2; ++i) {
    std::uint16_t& size = s[i - 3];
    const dim places = (g.dim_of(size) + (w.padding(i) - w.span(i))) / w.stride[i] + 1;
    if (places.is_number() && places.number() < 1) {
      g.fail(115, at, who, ": a window of ", w.size[i], " spans ", w.span(i), " positions, more than the ",
             i == 0        ? "height"
             : w.axes == 1 ? "time"
                           : "width",
             " of ", x, " and its padding of ", w.padding(i));
      return false;
    }
    size = g.intern(places);
  }
  return g.error.empty();
}

/// The same of a transposed convolution, which puts a window wherever a convolution would have read one.
constexpr bool unslid_shape(shape& s, expr x, const sliding_window& w, height_width more, source_place at,
                            const graph::named& who) {
  graph& g = *x.owner;
  s = g.shape_of(x);
  const int added[2] = {w.axes == 2 ? more.height : 0, more.width};
  for (int i = 2 - w.axes; i < 2; ++i) {
    if (added[i] < 0 || (added[i] >= w.stride[i] && added[i] >= w.dilation[i])) {
      g.fail(116, at, who,
             ": expected an output_padding of at least 0 and below the stride or the dilation, ", w.stride[i],
             " and ", w.dilation[i], ", found ", added[i]);
      return false;
    }
    std::uint16_t& size = s[i - 3];
    const dim places = (g.dim_of(size) - 1) * w.stride[i] + (w.span(i) - w.padding(i) + added[i]);
    if (places.is_number() && places.number() < 1) {
      g.fail(117, at, who, ": a padding of ", w.before[i], " leaves nothing of ", x, " under windows of ",
             w.size[i]);
      return false;
    }
    size = g.intern(places);
  }
  return g.error.empty();
}

/// x with what `circular` adds around the axes that a window slides over.
constexpr expr wrapped(expr x, const sliding_window& w, source_place at, const graph::named& who) {
  graph& g = *x.owner;
  const reported_at user(x, at.as(who.word));
  for (int i = 2 - w.axes; i < 2; ++i) {
    const int needed = w.span(i) - 1, before = needed / 2, after = needed - before;
    if (needed == 0) continue;
    const int k = x.rank() + i - 3;
    const dim size = x.size(k);
    if (size.is_number() && size.number() < after)
      return g.fail(118, at, who, ": circular padding adds ", after, " positions, more than the ", size,
                    " of axis ", k, " of ", x);
    const expr first = slice(x, k, 0, after);
    x = before == 0 ? concat(k, x, first) : concat(k, slice(x, k, size - before, size), x, first);
  }
  return x;
}

constexpr bool groups_divide(graph& g, int groups, std::int64_t features, const char* which, source_place at,
                             const graph::named& who) {
  if (groups >= 1 && features % groups == 0) return true;
  g.fail(119, at, who, ": ", groups, " groups do not divide the ", features, " ", which, " features");
  return false;
}

// Operands: x, the weight as PyTorch stores it, a bias if there is one.
constexpr expr convolution(op kind, expr x, const name_text& name, const dim& out, sliding_window w,
                           slide_padding padding, height_width output_padding, bool has_bias, const init& how,
                           source_place at) {
  const graph::named who{word_of(kind), name};
  if (!is_float(x, at, who) || !can_slide(x, w, at, who)) return {x.owner};
  graph& g = *x.owner;
  const std::int64_t in = width_of(x, at, who);
  if (in == 0) return {&g};
  if (!is_width(g, out, at, who)) return {&g};
  if (!groups_divide(g, w.groups, in, "input", at, who) ||
      !groups_divide(g, w.groups, out.number(), "output", at, who))
    return {&g};
  using padding_kind = slide_padding::kind;
  if (is_transposed(kind) && (padding.how == padding_kind::whole || padding.how == padding_kind::past ||
                              padding.how == padding_kind::around))
    return g.fail(120, at, who, ": expected a padding of a number or valid, found ",
                  padding.how == padding_kind::whole  ? "same"
                  : padding.how == padding_kind::past ? "causal"
                                                      : "circular",
                  ", which says how to read an axis, not how long to make one");
  if (padding.how == padding_kind::around) {
    x = wrapped(x, w, at, who);
    padding = valid;
    if (!x.valid()) return {&g};
  }
  shape s;
  if (!set_padding(w, g, padding, at, who) ||
      !(is_transposed(kind) ? unslid_shape(s, x, w, output_padding, at, who) : slid_shape(s, x, w, at, who)))
    return {&g};
  s[-1] = g.intern(out);
  const int window = g.add_window(w, at, who);
  if (window < 0) return {&g};
  const scope inside(&g, name, scope_name::no_index, at);
  const std::int64_t first = is_transposed(kind) ? in : out.number(),
                     second = is_transposed(kind) ? out.number() : in;
  shape filters, features;
  filters.push(g.intern(first)), filters.push(g.intern(second / w.groups));
  for (int i = 2 - w.axes; i < 2; ++i) filters.push(g.intern(w.size[i]));
  features.push(s[-1]);
  const node made{.kind = kind, .shape = s, .settings = {.window = {window}}, .at = at};
  const expr weight = g.add_parameter("weight", filters, how, at);
  if (!has_bias) return g.add(made, x, weight);
  return g.add(made, x, weight, g.add_parameter("bias", features, init::zeros(), at));
}
template <class options>
constexpr expr convolution(op kind, int axes, expr x, const name_text& name, dim out, height_width size,
                           const options& o, source_place at) {
  sliding_window w = window_of(axes, size, o.stride, o.dilation);
  w.groups = o.groups;
  height_width longer = 0;
  if constexpr (requires { o.output_padding; }) longer = o.output_padding;
  return convolution(kind, x, name, out, w, o.padding, longer, o.bias, o.init, at);
}

} // namespace detail

/// Each place of a window of `width` positions that slides over time, mapped to `out` features:
/// y[t] = bias + sum over k of W[:, :, k] x[t * stride + k * dilation - padding] (LeCun et al. 1989; over
/// time: Waibel et al. 1989). [..., T, in] -> [..., (T + padding - span) / stride + 1, out], the padding of
/// both sides and span = dilation * (width - 1) + 1. Makes name.weight [out, in / groups, width] and
/// name.bias [out], as PyTorch does.
constexpr expr conv1d(expr x, const name_text& name, dim out, int width, conv1d_options options = {},
                      source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::convolution(op::conv1d, 1, x, name, out, width, options, at);
}

/// The same over planes: [..., H, W, in] -> [..., height, width, out], each as the time above. `window` is a
/// number or {height, width}. Makes name.weight [out, in / groups, height, width] and name.bias [out].
constexpr expr conv2d(expr x, const name_text& name, dim out, height_width window,
                      conv2d_options options = {}, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::convolution(op::conv2d, 2, x, name, out, window, options, at);
}

/// What conv1d's gradient does to its output (Zeiler et al. 2010): each position adds x[t] W[:, :, k] to
/// y[t * stride + k * dilation - padding]. [..., T, in] -> [..., (T - 1) * stride + span - 2 * padding +
/// output_padding, out]. Makes name.weight [in, out / groups, width] and name.bias [out], as PyTorch does.
constexpr expr conv_transpose1d(expr x, const name_text& name, dim out, int width,
                                conv_transpose1d_options options = {},
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::convolution(op::conv_transpose1d, 1, x, name, out, width, options, at);
}

/// The same over planes: [..., H, W, in]. Makes name.weight [in, out / groups, height, width] and name.bias
/// [out].
constexpr expr conv_transpose2d(expr x, const name_text& name, dim out, height_width window,
                                conv_transpose2d_options options = {},
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::convolution(op::conv_transpose2d, 2, x, name, out, window, options, at);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::circular, core::conv1d, core::conv1d_options, core::conv2d, core::conv2d_options,
    core::conv_transpose1d, core::conv_transpose1d_options, core::conv_transpose2d,
    core::conv_transpose2d_options, core::height_width, core::same, core::slide_padding, core::valid;
} // namespace fovea
