#include <fovea/weights/convert.hpp>

#include <fovea/base/error.hpp>
#include <fovea/weights/to_floats.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <numeric>
#include <string>

namespace fovea::core {
namespace {

using kind = naming::transform::kind;

std::span<const naming::transform::step> steps_of(const naming::transform& how) {
  return {how.steps.data(), static_cast<std::size_t>(how.count)};
}

std::size_t product(std::span<const std::size_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

/// Values under way through the steps, together with their shape.
struct working {
  std::vector<std::size_t> shape;
  float_values content;
};

void replace(working& w, std::vector<std::size_t> shape, const std::shared_ptr<const packed>& buffer) {
  w.shape = std::move(shape);
  w.content = {{buffer->data(), buffer->size()}, buffer};
}

working load(const stored_tensor& tensor) {
  const std::size_t count = product(tensor.shape);
  const bool aligned = reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % alignof(float) == 0;
  if (tensor.type == element_type::f32 && aligned)
    return {tensor.shape, {{reinterpret_cast<const float*>(tensor.bytes.data()), count}, nullptr}};
  // A system of 32 bits may open what it has no addresses for as floats.
  if (tensor.bytes.size() / block_bytes(tensor.type) >
      std::numeric_limits<std::size_t>::max() / sizeof(float) / block_length(tensor.type))
    throw std::bad_alloc();
  auto buffer = std::make_shared<packed>(count);
  to_floats(tensor.type, tensor.bytes, buffer->data());
  working w;
  replace(w, tensor.shape, std::move(buffer));
  return w;
}

void take_rows(working& w, std::size_t from, std::size_t to) {
  const std::size_t stride = product(std::span(w.shape).subspan(1));
  w.shape[0] = to - from;
  w.content.values = w.content.values.subspan(from * stride, (to - from) * stride);
}

void take_columns(working& w, std::size_t from, std::size_t to) {
  const std::size_t width = w.shape.back();
  auto shape = w.shape;
  shape.back() = to - from;
  auto buffer = std::make_shared<packed>(product(shape));
  const std::size_t lines = product(std::span(w.shape).first(w.shape.size() - 1));
  for (std::size_t line = 0; line < lines; ++line)
    std::copy_n(w.content.values.data() + line * width + from, to - from,
                buffer->data() + line * (to - from));
  replace(w, std::move(shape), std::move(buffer));
}

void swap_last_axes(working& w) {
  auto shape = w.shape;
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  const std::size_t rows_before = shape.back(), columns_before = shape[shape.size() - 2];
  const std::size_t area = rows_before * columns_before;
  auto buffer = std::make_shared<packed>(w.content.values.size());
  // Square tiles, so that neither side misses the cache at every element.
  constexpr std::size_t tile = 32;
  for (std::size_t base = 0; base < w.content.values.size(); base += area)
    for (std::size_t r0 = 0; r0 < rows_before; r0 += tile)
      for (std::size_t c0 = 0; c0 < columns_before; c0 += tile)
        for (std::size_t c = c0; c < std::min(c0 + tile, columns_before); ++c)
          for (std::size_t r = r0; r < std::min(r0 + tile, rows_before); ++r)
            buffer->data()[base + c * rows_before + r] = w.content.values[base + r * columns_before + c];
  replace(w, std::move(shape), std::move(buffer));
}

void permute(working& w, const naming::transform::step& step) {
  const std::size_t rank = w.shape.size();
  std::vector<std::size_t> stride_before(rank, 1), shape(rank), stride(rank), at(rank, 0);
  for (std::size_t i = rank - 1; i > 0; --i) stride_before[i - 1] = stride_before[i] * w.shape[i];
  for (std::size_t i = 0; i < rank; ++i) {
    const auto axis = std::size_t{static_cast<unsigned char>(step.axes[i])};
    shape[i] = w.shape[axis];
    stride[i] = stride_before[axis];
  }
  auto buffer = std::make_shared<packed>(w.content.values.size());
  std::size_t from = 0;
  for (std::size_t i = 0; i < buffer->size(); ++i) {
    buffer->data()[i] = w.content.values[from];
    for (std::size_t axis = rank; axis-- > 0;) {
      from += stride[axis];
      if (++at[axis] < shape[axis]) break;
      from -= stride[axis] * shape[axis];
      at[axis] = 0;
    }
  }
  replace(w, std::move(shape), std::move(buffer));
}

void squeeze(std::vector<std::size_t>& shape) { std::erase(shape, 1u); }

void flatten(std::vector<std::size_t>& shape) {
  shape[1] *= shape[0];
  shape.erase(shape.begin());
}

/// Rows of `size` bytes each, pairs of each head as halves.
std::shared_ptr<packed> gathered_halves(std::span<const std::byte> rows, std::size_t size, std::size_t head) {
  auto buffer = std::make_shared<packed>((rows.size() + sizeof(float) - 1) / sizeof(float));
  auto* const to = reinterpret_cast<std::byte*>(buffer->data());
  for (std::size_t row = 0; row * size < rows.size(); ++row) {
    const std::size_t first = row / head * head, in_head = row % head, half = head / 2;
    const std::size_t from = first + (in_head < half ? 2 * in_head : 2 * (in_head - half) + 1);
    std::ranges::copy(rows.subspan(from * size, size), to + row * size);
  }
  return buffer;
}

void gather_halves(working& w, std::size_t head) {
  const std::size_t stride = product(std::span(w.shape).subspan(1));
  replace(w, w.shape, gathered_halves(std::as_bytes(w.content.values), stride * sizeof(float), head));
}

/// Each value is f of what it was.
template <class F>
void map(working& w, F f) {
  auto buffer = std::make_shared<packed>(w.content.values.size());
  std::ranges::transform(w.content.values, buffer->data(), f);
  replace(w, w.shape, std::move(buffer));
}

/// The weight of a direction and a gain: a norm for each element of the gain.
std::shared_ptr<packed> weight_of(const stored_tensor& direction, const stored_tensor& gain) {
  const working v = load(direction), g = load(gain);
  const auto in_gain = [&](std::size_t i) {
    std::size_t at = 0, stride = 1;
    for (std::size_t axis = v.shape.size(); axis-- > 0; i /= v.shape[axis]) {
      if (g.shape[axis] == 1) continue;
      at += i % v.shape[axis] * stride;
      stride *= g.shape[axis];
    }
    return at;
  };
  std::vector<double> squares(g.content.values.size());
  for (std::size_t i = 0; i < v.content.values.size(); ++i) {
    const double x = v.content.values[i];
    squares[in_gain(i)] += x * x;
  }
  auto buffer = std::make_shared<packed>(v.content.values.size());
  for (std::size_t i = 0; i < buffer->size(); ++i) {
    const std::size_t at = in_gain(i);
    buffer->data()[i] =
        static_cast<float>(v.content.values[i] * (g.content.values[at] / std::sqrt(squares[at])));
  }
  return buffer;
}

/// Whether each row holds whole blocks.
bool can_be_split(const stored_tensor& tensor) {
  return !tensor.bytes.empty() && (block_length(tensor.type) == 1 || tensor.shape.size() > 1);
}

/// The rows that a first step takes: what it leaves out need not be converted.
stored_tensor taken_rows(const stored_tensor& tensor, const naming::transform::step& step) {
  const auto from = static_cast<std::size_t>(step.from), count = static_cast<std::size_t>(step.to) - from;
  const std::size_t row = tensor.bytes.size() / tensor.shape[0];
  stored_tensor part{tensor.type, tensor.shape, tensor.bytes.subspan(from * row, count * row)};
  part.shape[0] = count;
  return part;
}

} // namespace

std::vector<std::size_t> transformed_shape(const naming::transform& how, std::vector<std::size_t> shape) {
  const auto range = [&](const char* name, const naming::transform::step& step, std::size_t axis) {
    if (step.from < 0 || step.from > step.to || static_cast<std::size_t>(step.to) > shape[axis])
      throw error(std::string(name) + "(" + std::to_string(step.from) + ", " + std::to_string(step.to) +
                  ") does not fit shape " + shape_text(shape));
    shape[axis] = static_cast<std::size_t>(step.to - step.from);
  };
  for (const auto& step : steps_of(how)) {
    switch (step.what) {
      case kind::transposed:
        if (shape.size() < 2)
          throw error("transposed needs two axes or more; found shape " + shape_text(shape));
        std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
        break;
      case kind::rows:
        if (shape.empty()) throw error("rows needs an axis; found shape []");
        range("rows", step, 0);
        break;
      case kind::columns:
        if (shape.empty()) throw error("columns needs an axis; found shape []");
        range("columns", step, shape.size() - 1);
        break;
      case kind::permuted: {
        std::vector<std::size_t> axes(step.axes.begin(), step.axes.begin() + step.rank),
            counted(shape.size());
        std::iota(counted.begin(), counted.end(), std::size_t{0});
        if (!std::ranges::is_permutation(axes, counted))
          throw error("permuted" + shape_text(axes) + " does not fit shape " + shape_text(shape));
        std::vector<std::size_t> result;
        for (const std::size_t axis : axes) result.push_back(shape[axis]);
        shape = result;
        break;
      }
      case kind::squeezed:
        squeeze(shape);
        break;
      case kind::flattened:
        if (shape.size() < 2)
          throw error("flattened needs two axes or more; found shape " + shape_text(shape));
        flatten(shape);
        break;
      case kind::joined:
        if (!how.joins() || &step != &steps_of(how).back() || shape.empty())
          throw error("joined comes last, and needs an axis; found shape " + shape_text(shape));
        break;
      case kind::rotary_halves: {
        const auto head = static_cast<std::size_t>(step.to);
        if (step.to < 2 || head % 2 != 0 || shape.empty() || shape[0] % head != 0)
          throw error("rotary_halves(" + std::to_string(step.to) + ") does not fit shape " +
                      shape_text(shape));
        break;
      }
      case kind::weight_normed:
        if (&step != &steps_of(how).front()) throw error("weight_normed comes first");
        break;
      case kind::scaled:
      case kind::raised:
      case kind::tied:
        break;
      case kind::ignored:
      case kind::optional_prefix:
        throw error("ignored and optional_prefix can't be joined with other transforms");
    }
  }
  return shape;
}

float_values transformed_values(const stored_tensor& tensor, const naming::transform& how) {
  auto steps = steps_of(how);
  const bool rows_first = !steps.empty() && steps.front().what == kind::rows && can_be_split(tensor);
  working w = load(rows_first ? taken_rows(tensor, steps.front()) : tensor);
  for (const auto& step : steps.subspan(rows_first ? 1 : 0)) {
    switch (step.what) {
      case kind::transposed:
        swap_last_axes(w);
        break;
      case kind::rows:
        take_rows(w, static_cast<std::size_t>(step.from), static_cast<std::size_t>(step.to));
        break;
      case kind::columns:
        take_columns(w, static_cast<std::size_t>(step.from), static_cast<std::size_t>(step.to));
        break;
      case kind::permuted:
        permute(w, step);
        break;
      case kind::squeezed:
        squeeze(w.shape);
        break;
      case kind::flattened:
        flatten(w.shape);
        break;
      case kind::rotary_halves:
        gather_halves(w, static_cast<std::size_t>(step.to));
        break;
      case kind::scaled:
        map(w, [&](float value) { return value * step.number; });
        break;
      case kind::raised:
        map(w, [&](float value) { return value + step.number; });
        break;
      case kind::weight_normed:
      case kind::joined:
      case kind::tied:
      case kind::ignored:
      case kind::optional_prefix:
        break;
    }
  }
  return w.content;
}

std::optional<stored_rows> whole_rows(const stored_tensor& tensor, const naming::transform& how) {
  stored_rows made{tensor};
  for (const auto& step : steps_of(how)) {
    stored_tensor& now = made.tensor;
    if (step.what == kind::flattened) {
      flatten(now.shape);
    } else if (!can_be_split(now)) {
      return std::nullopt;
    } else if (step.what == kind::rows) {
      now = taken_rows(now, step);
    } else if (step.what == kind::rotary_halves) {
      made.owned =
          gathered_halves(now.bytes, now.bytes.size() / now.shape[0], static_cast<std::size_t>(step.to));
      now.bytes = std::as_bytes(std::span(made.owned->data(), made.owned->size())).first(now.bytes.size());
    } else {
      return std::nullopt;
    }
  }
  return made;
}

float_values transformed_values(std::span<const stored_tensor* const> tensors, const naming::transform& how) {
  if (tensors.size() == 1) return transformed_values(*tensors.front(), how);
  if (how.takes_a_gain()) {
    const auto buffer = weight_of(*tensors[0], *tensors[1]);
    const stored_tensor weight{element_type::f32, tensors[0]->shape,
                               std::as_bytes(std::span(buffer->data(), buffer->size()))};
    float_values made = transformed_values(weight, how);
    if (!made.owned) made.owned = buffer;
    return made;
  }
  std::size_t count = 0;
  for (const stored_tensor* each : tensors) count += product(each->shape);
  auto buffer = std::make_shared<packed>(count);
  float* to = buffer->data();
  for (const stored_tensor* each : tensors)
    to = std::ranges::copy(transformed_values(*each, how).values, to).out;
  return {{buffer->data(), static_cast<std::size_t>(to - buffer->data())}, buffer};
}

std::optional<std::size_t> first_non_finite(std::span<const float> values) {
  // Adding one to the exponent field carries into the sign bit exactly when the field is all ones. A block of
  // fixed length keeps the loop vectorised at every optimisation level.
  constexpr std::size_t block = 256;
  const auto exceeds = [](float value) {
    return (std::bit_cast<std::uint32_t>(value) & 0x7fffffffu) + 0x00800000u;
  };
  std::size_t at = 0;
  for (; at + block <= values.size(); at += block) {
    std::uint32_t seen = 0;
    for (std::size_t i = 0; i < block; ++i) seen |= exceeds(values[at + i]);
    if (seen >> 31) break;
  }
  for (; at < values.size(); ++at)
    if (!std::isfinite(values[at])) return at;
  return std::nullopt;
}

} // namespace fovea::core
