#include <fovea/runtime/training/initialise.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <fovea/base/error.hpp>

namespace fovea::core::detail {

namespace {

/// Numbers that look random by where they are asked for: the hash of a seed, a name and a count (Steele et
/// al. 2014, "Fast splittable pseudorandom number generators").
class numbers_of {
public:
  numbers_of(std::uint64_t seed, std::string_view name) : state_(mixed(seed)) {
    for (const char c : name) state_ = mixed(state_ ^ static_cast<unsigned char>(c));
  }
  /// From 0 on, below 1.
  double uniform() { return static_cast<double>(mixed(state_ + next_++) >> 11) * 0x1p-53; }
  double normal() { // Box and Muller 1958
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

private:
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
  }
  std::uint64_t state_, next_ = 0;
};

/// Rows, or columns where these are fewer, of length `gain` at right angles to each other (Saxe et al. 2014).
void make_orthogonal(std::vector<float>& values, std::size_t rows, std::size_t columns, double gain,
                     numbers_of& random) {
  const std::size_t count = std::min(rows, columns), length = std::max(rows, columns);
  std::vector<double> basis(count * length);
  for (double& x : basis) x = random.normal();
  for (std::size_t i = 0; i < count; ++i) {
    double* row = basis.data() + i * length;
    for (int again = 0; again < 2; ++again) // once more for what rounding left
      for (std::size_t k = 0; k < i; ++k) {
        const double* other = basis.data() + k * length;
        double product = 0;
        for (std::size_t j = 0; j < length; ++j) product += row[j] * other[j];
        for (std::size_t j = 0; j < length; ++j) row[j] -= product * other[j];
      }
    double square = 0;
    for (std::size_t j = 0; j < length; ++j) square += row[j] * row[j];
    for (std::size_t j = 0; j < length; ++j) row[j] /= std::sqrt(square);
  }
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      values[i * columns + j] =
          static_cast<float>(gain * (rows <= columns ? basis[i * length + j] : basis[j * length + i]));
}

/// Whether rows of a parameter are looked up by number.
bool is_table(const graph_view& g, int parameter) {
  for (int id = 0; id < g.node_count(); ++id)
    if (g.at(id).kind == op::gather &&
        g.operand(id, 0) == g.parameters[static_cast<std::size_t>(parameter)].node)
      return true;
  return false;
}

/// The values that a parameter begins with, [out, in, taps...] where it is a matrix or filter.
std::vector<float> initial_values(const init& how, const std::vector<std::size_t>& shape, bool is_table,
                                  numbers_of random) {
  using kind = init::kind;
  const std::size_t size = std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  std::vector<float> values(size);
  const bool is_matrix = shape.size() >= 2;
  const std::size_t taps = is_matrix ? size / (shape[0] * shape[1]) : 1;
  const auto fan_in = static_cast<double>(is_matrix ? shape[1] * taps : size),
             fan_out = static_cast<double>(is_matrix ? shape[0] * taps : size);
  const auto uniform = [&](double bound) {
    for (float& x : values) x = static_cast<float>(bound * (2 * random.uniform() - 1));
  };
  const auto normal = [&](double deviation) {
    for (float& x : values) x = static_cast<float>(deviation * random.normal());
  };
  switch (how.how) {
    case kind::zeros:
      break;
    case kind::ones:
    case kind::constant:
      values.assign(size, static_cast<float>(how.scale));
      break;
    case kind::normal:
      normal(how.scale);
      break;
    case kind::uniform:
      uniform(how.scale);
      break;
    case kind::xavier: // Glorot and Bengio 2010, eq. 16
      uniform(how.scale * std::sqrt(6 / (fan_in + fan_out)));
      break;
    case kind::he:
      normal(how.scale * std::sqrt(2 / fan_in));
      break;
    case kind::orthogonal:
      if (is_matrix)
        make_orthogonal(values, shape[0], size / shape[0], how.scale, random);
      else
        normal(how.scale / std::sqrt(fan_in));
      break;
    case kind::standard:
      if (is_table)
        normal(1);
      else if (is_matrix)
        uniform(1 / std::sqrt(fan_in));
  }
  return values;
}

std::map<std::string, weight_tensor> initial_tensors(const graph_view& g, std::uint64_t seed) {
  std::map<std::string, weight_tensor> made;
  for (std::size_t p = 0; p < g.parameters.size(); ++p) {
    const node& n = g.at(g.parameters[p].node);
    std::vector<std::size_t> shape;
    for (int axis = 0; axis < n.shape.rank; ++axis)
      shape.push_back(static_cast<std::size_t>(g.number(n.shape[axis])));
    const bool looked_up = is_table(g, static_cast<int>(p));
    for (std::int64_t layer = 0; layer < g.layers(g.parameters[p].node); ++layer) {
      const std::string name = g.parameter_name(static_cast<int>(p), layer).text;
      made[name] = {shape, initial_values(g.parameters[p].init, shape, looked_up, numbers_of(seed, name))};
    }
  }
  return made;
}

} // namespace

model_weights initial_weights(graph_view g, std::uint64_t seed) {
  return model_weights::from(initial_tensors(g, seed), "initial weights");
}

model_weights initial_weights(graph_view g, std::uint64_t seed, const model_weights& known,
                              std::span<const name_rule> names) {
  auto made = initial_tensors(g, seed);
  std::vector<wanted_parameter> wanted;
  for (const auto& [name, tensor] : made) wanted.push_back({name, tensor.shape});
  const std::vector<weight_view> views = known.resolve_known(wanted, names);
  bool any = false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (views[i].data == nullptr) continue;
    made[wanted[i].name].values.assign(views[i].data, views[i].data + views[i].size);
    any = true;
  }
  if (!any)
    throw error(known.source() + ": has no parameter of the model; the first is " +
                (wanted.empty() ? "missing too" : wanted.front().name));
  return model_weights::from(std::move(made), known.source() + " and initial weights");
}

} // namespace fovea::core::detail
