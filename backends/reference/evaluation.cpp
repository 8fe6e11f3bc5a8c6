#include <fovea/backends/reference/evaluation.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fovea/backends/reference/affine.hpp>
#include <fovea/backends/reference/convolution.hpp>
#include <fovea/backends/reference/elementwise.hpp>
#include <fovea/backends/reference/experts.hpp>
#include <fovea/backends/reference/fourier.hpp>
#include <fovea/backends/reference/loss.hpp>
#include <fovea/backends/reference/norm.hpp>
#include <fovea/backends/reference/position.hpp>
#include <fovea/backends/reference/reduce.hpp>
#include <fovea/backends/reference/select.hpp>
#include <fovea/backends/reference/shape.hpp>
#include <fovea/base/error.hpp>
#include <fovea/base/half.hpp>

namespace fovea::core::reference_ops {

namespace {

std::size_t unsigned_of(std::int64_t x) { return static_cast<std::size_t>(x); }

/// y_i = y_(i-1) + x_i along an axis.
array cumsum(array x, std::size_t axis) {
  const blocks b = blocks_around(x, axis);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i / b.after % b.size > 0) x.data()[i] += x.data()[i - b.after];
  return x;
}

/// As float32 rounds to bfloat16.
array in_bfloat(array x) {
  for (double& value : x)
    if (std::isfinite(value)) value = static_cast<double>(from_bfloat(to_bfloat(static_cast<float>(value))));
  return x;
}

[[noreturn]] void has_no_function(const node& n) {
  throw std::logic_error(std::string("the reference backend has no function for ") + word_of(n));
}

} // namespace

evaluation::evaluation(const graph_view& graph, const parameter_layers& parameters,
                       const std::vector<array>& inputs, const std::map<std::string, std::int64_t>& sizes,
                       random_state random, const std::vector<bool>& rounded)
    : graph_(graph), parameters_(parameters), inputs_(inputs), sizes_(sizes), random_(random),
      rounded_(rounded), values_(graph.nodes.size()), turns_(graph.regions.size()) {
  check_inputs();
  walk(0, graph.node_count(), 0);
}

std::vector<array> evaluation::outputs() const {
  std::vector<array> found;
  for (const named_value& output : graph_.outputs) found.push_back(value(output.node));
  return found;
}

void evaluation::check_inputs() const {
  if (inputs_.size() != graph_.inputs.size())
    throw error("inputs: expected " + std::to_string(graph_.inputs.size()) + ", found " +
                std::to_string(inputs_.size()));
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const named_value& declared = graph_.inputs[i];
    if (shape_of(inputs_[i]) != shape_of_node(declared.node))
      throw error(std::string("input \"") + declared.name + "\": expected " +
                  shape_text(shape_of_node(declared.node)) + ", found " + shape_text(inputs_[i].shape()));
  }
}

const array& evaluation::value(int id) const {
  const node& n = graph_.at(id);
  if (n.kind == op::parameter) return parameters_[unsigned_of(n.settings.entry.index)][layer_of(id)];
  return values_[unsigned_of(id)];
}

const array* evaluation::optional_operand(int id, int i) const {
  return i < graph_.at(id).operand_count ? &operand(id, i) : nullptr;
}

std::vector<const array*> evaluation::operands_of(int id) const {
  std::vector<const array*> found;
  for (int i = 0; i < graph_.at(id).operand_count; ++i) found.push_back(&operand(id, i));
  return found;
}

std::int64_t evaluation::size_of_dim(int dim_id) const {
  return graph_.size(dim_id, [this](const char* symbol) {
    const auto found = sizes_.find(symbol);
    if (found == sizes_.end()) throw error(std::string("dim ") + symbol + ": no size is given for it");
    return found->second;
  });
}

array_shape evaluation::shape_of_node(int id) const {
  const shape& declared = graph_.at(id).shape;
  array_shape sizes;
  for (int i = 0; i < declared.rank; ++i) {
    const std::int64_t size = size_of_dim(declared[i]);
    if (size < 0) {
      sentence text;
      graph_.write_shape(text, declared);
      fail(graph_.at(id).at, std::string(word_of(graph_.at(id))) + ": axis " + std::to_string(i) + " of " +
                                 text.text + " would have " + std::to_string(size) + " elements");
    }
    sizes.push_back(unsigned_of(size));
  }
  return sizes;
}

/// One node. The docstrings of the words in dsl/ say what operands mean, those in dsl/settings.hpp the rest.
array evaluation::compute(int id) const {
  switch (operation_of(graph_.at(id).kind).of) {
    case family::leaf:
    case family::loop:
      return leaf(id);
    case family::unary:
    case family::binary:
    case family::choice:
      return elementwise(id);
    case family::product:
      return product(id);
    case family::lookup:
      return lookup(id);
    case family::convolution:
    case family::pooling:
      return windowed(id);
    case family::spectrum:
      return framed(id);
    case family::norm:
    case family::softmax:
    case family::loss:
      return normalised(id);
    case family::reduction:
      return reduce(id);
    case family::shape:
      return shaped(id);
    case family::attention:
      return attend(id);
    case family::positions:
      return positions(id);
    case family::gradient:
      return gradient(id);
    case family::random:
      return dropout_mask(id);
    case family::ranks:
      return over_ranks(id);
    default:
      has_no_function(graph_.at(id));
  }
}

array evaluation::leaf(int id) const {
  const node& n = graph_.at(id);
  switch (n.kind) {
    case op::input:
      return inputs_[unsigned_of(n.settings.entry.index)];
    case op::constant:
      return filled({}, n.settings.number);
    case op::range:
      return xt::arange<double>(static_cast<double>(shape_of_node(id)[0]));
    case op::repeat_output:
    case op::scan_output:
      return operand(id, 0);
    case op::time_step: {
      const std::size_t now = unsigned_of(turns_[unsigned_of(n.settings.time.region)]);
      return reshaped(slice(operand(id, 0), unsigned_of(n.settings.time.axis), now, 1), shape_of_node(id));
    }
    case op::time_index:
      return filled({}, static_cast<double>(turns_[unsigned_of(n.settings.time.region)]));
    default:
      has_no_function(n);
  }
}

array evaluation::elementwise(int id) const {
  const node& n = graph_.at(id);
  if (is_unary(n.kind)) return map(exact::unary(n.kind), operand(id, 0));
  if (n.kind == op::where) return where(operand(id, 0), operand(id, 1), operand(id, 2));
  return map(exact::binary(n.kind, n.type), operand(id, 0), operand(id, 1));
}

array evaluation::product(int id) const {
  const node& n = graph_.at(id);
  const bool rounds = !rounded_.empty() && rounded_[unsigned_of(id)];
  const array in_bfloats[] = {rounds ? in_bfloat(operand(id, 0)) : array(),
                              rounds ? in_bfloat(operand(id, 1)) : array()};
  const array &x = rounds ? in_bfloats[0] : operand(id, 0), &by = rounds ? in_bfloats[1] : operand(id, 1);
  switch (n.kind) {
    case op::linear:
      return linear(x, by, optional_operand(id, 2));
    case op::matmul:
      return matmul(x, by);
    case op::expert_linear:
      return expert_linear(x, by, operand(id, 2), shape_of_node(id), n.at);
    default:
      has_no_function(n);
  }
}

array evaluation::lookup(int id) const {
  const node& n = graph_.at(id);
  const array& x = operand(id, 0);
  switch (n.kind) {
    case op::gather:
      return gather(x, operand(id, 1), n.at);
    case op::order:
      return order(x, shape_of_node(id).back(), n.settings.order.ascending, n.at);
    case op::take_along:
      return take_along(x, operand(id, 1), unsigned_of(n.settings.along.axis), n.at);
    default:
      has_no_function(n);
  }
}

array evaluation::windowed(int id) const {
  const node& n = graph_.at(id);
  const array& x = operand(id, 0);
  const sliding_window& window = graph_.window_of(id);
  const array_shape shape = shape_of_node(id);
  if (n.kind == op::max_pool) return max_pool(x, window, shape);
  if (n.kind == op::avg_pool) return avg_pool(x, window, n.settings.window.count_padding, shape);
  const auto convolve = is_transposed(n.kind) ? transposed_convolution : convolution;
  return convolve(x, operand(id, 1), optional_operand(id, 2), window, shape);
}

array evaluation::framed(int id) const {
  const node& n = graph_.at(id);
  const auto transform = is_transposed(n.kind) ? transposed_stft : stft;
  return transform(operand(id, 0), operand(id, 1), operand(id, 2),
                   {graph_.window_of(id).before[1], n.settings.window.first}, shape_of_node(id));
}

array evaluation::normalised(int id) const {
  const node& n = graph_.at(id);
  const array& x = operand(id, 0);
  const array *scale = optional_operand(id, 1), *shift = optional_operand(id, 2);
  switch (n.kind) {
    case op::layer_norm:
      return layer_norm(x, scale, shift, n.settings.norm.epsilon);
    case op::rms_norm:
      return rms_norm(x, scale, shift, n.settings.norm.epsilon);
    case op::batch_norm:
      return batch_norm(x, *scale, *shift, operand(id, 3), operand(id, 4), n.settings.norm.epsilon);
    case op::group_norm:
      return group_norm(x, scale, shift, unsigned_of(n.settings.norm.groups), n.settings.norm.epsilon);
    case op::softmax:
      return softmax(x, unsigned_of(n.settings.along.axis));
    case op::log_softmax:
      return log_softmax(x, unsigned_of(n.settings.along.axis));
    case op::cross_entropy:
      return cross_entropy(x, operand(id, 1), n.settings.loss.smoothing);
    default:
      has_no_function(n);
  }
}

array evaluation::shaped(int id) const {
  const node& n = graph_.at(id);
  const array& x = operand(id, 0);
  switch (n.kind) {
    case op::transpose:
      return transpose(x);
    case op::reshape:
      return reshaped(x, shape_of_node(id));
    case op::permute: {
      array_shape order;
      for (int i = 0; i < n.shape.rank; ++i) order.push_back(unsigned_of(n.settings.permute.order[i]));
      return permute(x, order);
    }
    case op::slice:
      return slice_of(id);
    case op::concat:
      return concat(operands_of(id), unsigned_of(n.settings.along.axis));
    case op::pad: {
      const pad_settings& o = n.settings.pad;
      return pad(x, unsigned_of(o.axis), unsigned_of(o.before), unsigned_of(o.after), o.value);
    }
    case op::reverse:
      return reverse(x, unsigned_of(n.settings.along.axis));
    case op::broadcast:
      return broadcast(x, shape_of_node(id));
    default:
      has_no_function(n);
  }
}

array evaluation::positions(int id) const {
  const node& n = graph_.at(id);
  if (n.kind == op::rope) {
    const rope_settings& o = n.settings.rope;
    return rope(operand(id, 0), o,
                rope_turns_of(o.base, static_cast<std::size_t>(o.width), graph_.scaling_of(id)));
  }
  const array_shape shape = shape_of_node(id);
  return sinusoidal(shape[0], shape[1], n.settings.sinusoidal.base);
}

array evaluation::gradient(int id) const {
  const node& n = graph_.at(id);
  const auto x = [&](int k) -> const array& { return operand(id, k); };
  switch (n.kind) {
    case op::scatter_add:
      return scatter_add(x(0), x(1), shape_of_node(id));
    case op::take_along_gradient:
      return put_along(x(0), x(1), shape_of_node(id), unsigned_of(n.settings.along.axis));
    case op::expert_linear_gradient:
      return expert_linear_gradient(x(0), x(1), x(2), shape_of_node(id));
    case op::expert_weight_gradient:
      return expert_weight_gradient(x(0), x(1), x(2), shape_of_node(id));
    case op::slice_gradient:
      return slice_gradient(id);
    case op::attention_gradient:
      return attend(id);
    case op::conv_weight_gradient:
      return convolution_weight_gradient(x(0), x(1), graph_.window_of(id), shape_of_node(id));
    case op::max_pool_gradient:
      return max_pool_gradient(x(0), x(1), graph_.window_of(id));
    case op::avg_pool_gradient:
      return avg_pool_gradient(x(0), graph_.window_of(id), n.settings.window.count_padding,
                               shape_of_node(id));
    case op::layer_norm_gradient:
    case op::rms_norm_gradient:
      return norm_gradient(x(0), x(1), optional_operand(id, 2), n.kind == op::layer_norm_gradient,
                           n.settings.norm.epsilon);
    case op::cross_entropy_gradient:
      return cross_entropy_gradient(x(0), x(1), x(2), n.settings.loss.smoothing);
    default:
      has_no_function(n);
  }
}

array evaluation::reduce(int id) const {
  const node& n = graph_.at(id);
  const array& x = operand(id, 0);
  const std::size_t axis = unsigned_of(n.settings.along.axis);
  if (n.kind == op::cumsum) return cumsum(x, axis);
  const auto function = n.kind == op::sum        ? sum
                        : n.kind == op::mean     ? mean
                        : n.kind == op::max_over ? max_over
                        : n.kind == op::min_over ? min_over
                                                 : argmax;
  return reshaped(function(x, axis), shape_of_node(id));
}

array evaluation::slice_of(int id) const {
  const node& n = graph_.at(id);
  const array& x = operand(id, 0);
  const slice_settings& o = n.settings.slice;
  const std::size_t axis = unsigned_of(o.axis);
  const std::int64_t first = size_of_dim(o.first), length = size_of_dim(n.shape[o.axis]);
  const auto size = static_cast<std::int64_t>(x.shape(axis));
  if (first < 0 || length < 0 || first + length > size)
    fail(n.at, "slice: from " + std::to_string(first) + " to " + std::to_string(first + length) +
                   " is outside axis " + std::to_string(axis) + " of " + shape_text(x.shape()));
  return slice(x, axis, unsigned_of(first), unsigned_of(length));
}

array evaluation::slice_gradient(int id) const {
  const slice_settings& o = graph_.at(id).settings.slice;
  const std::size_t axis = unsigned_of(o.axis), first = unsigned_of(size_of_dim(o.first));
  const array& d = operand(id, 0);
  return pad(d, axis, first, shape_of_node(id)[axis] - first - d.shape(axis), 0);
}

/// Operands: the numbers of the passes of the loops around it.
array evaluation::dropout_mask(int id) const {
  const node& n = graph_.at(id);
  dropout_draw draw(random_, n.settings.dropout.draw, n.settings.dropout.rate);
  for (int i = 0; i < n.operand_count; ++i) draw.add(static_cast<std::uint64_t>(operand(id, i).data()[0]));
  array made = filled(shape_of_node(id), 0);
  const std::uint64_t before = random_.part * made.size();
  for (std::size_t i = 0; i < made.size(); ++i) made.data()[i] = draw(static_cast<std::uint32_t>(before + i));
  return made;
}

array evaluation::over_ranks(int id) const {
  rank_means* const ranks = random_.over;
  if (graph_.at(id).kind == op::rank_count) return filled({}, ranks == nullptr ? 1 : ranks->ranks());
  const array& x = operand(id, 0);
  if (ranks == nullptr) return x;
  std::vector<float> values(x.begin(), x.end());
  ranks->take_mean(values);
  array made = x;
  std::ranges::copy(values, made.begin());
  return made;
}

/// Operands: query, key, value, a bias if there is one, the tables that the score captures, those of the
/// mask.
array evaluation::attend(int id) const {
  const node& n = graph_.at(id);
  const attention_settings& o = n.settings.attention;
  attention_call call{.heads = unsigned_of(o.heads),
                      .kv_heads = unsigned_of(o.kv_heads),
                      .scale = o.scale,
                      .soft_cap = o.soft_cap,
                      .bias = o.has_bias ? &operand(id, 3) : nullptr,
                      .score = {},
                      .mask = {}};
  int next = o.has_bias || n.kind == op::attention_gradient ? 4 : 3;
  const auto read_lambda = [&](lambda& made, int function) {
    if (function < 0) return;
    made.function = &graph_.function(function);
    for (int i = 0; i < made.function->capture_count; ++i) made.tables.push_back(&operand(id, next++));
  };
  read_lambda(call.score, o.score);
  read_lambda(call.mask, o.mask);

  const auto batched = [](const array& x) {
    return x.dimension() == 3 ? x : reshaped(x, {1, x.shape(0), x.shape(1)});
  };
  const array query = batched(operand(id, 0)), key = batched(operand(id, 1)), value = batched(operand(id, 2));
  if (n.kind == op::attention_gradient)
    return attention_gradient(query, key, value, batched(operand(id, 3)), call);
  return reshaped(n.kind == op::attention ? attention(query, key, value, call)
                                          : attention_weights(query, key, call),
                  shape_of_node(id));
}

} // namespace fovea::core::reference_ops
