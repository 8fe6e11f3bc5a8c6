#include <fovea/weights/rtneural.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/weights/convert.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace fovea::core {
namespace {

using json = nlohmann::json;

/// Numbers in nested lists.
struct nested {
  std::vector<std::size_t> shape;
  std::vector<float> values;

  stored_tensor stored() const { return {element_type::f32, shape, std::as_bytes(std::span(values))}; }
};

class reader {
public:
  explicit reader(const std::filesystem::path& path) : path_(path) {}

  weight_file read(std::span<const std::byte> file) {
    const auto* text = reinterpret_cast<const char*>(file.data());
    const json_document network = [&] {
      try {
        return parse_json({text, file.size()});
      } catch (const malformed_json& problem) {
        fail(problem.what());
      }
    }();
    if (network->contains("layers"))
      read_keras(*network);
    else
      for (const auto& [name, list] : network->items())
        keep(name, numbers(list, "tensor " + in_quotes(name)));
    return std::move(content_);
  }

private:
  [[noreturn]] void fail(const std::string& what) const { throw error(path_.string() + ": " + what); }

  nested numbers(const json& list, const std::string& what) const {
    nested found;
    for (const json* one = &list; one->is_array(); one = &one->front()) {
      found.shape.push_back(one->size());
      if (one->empty()) fail(what + ": expected numbers; found an empty list");
    }
    append(list, 0, found, what);
    return found;
  }

  void append(const json& list, std::size_t depth, nested& to, const std::string& what) const {
    if (depth == to.shape.size()) {
      if (!list.is_number())
        fail(what + ": expected a number in lists of " + shape_text(to.shape) + "; found " + shown(list));
      to.values.push_back(list.get<float>());
      return;
    }
    if (!list.is_array() || list.size() != to.shape[depth])
      fail(what + ": expected lists of one length, " + shape_text(to.shape) + " as the first ones; found " +
           (list.is_array() ? "one of " + std::to_string(list.size()) : shown(list)));
    for (const json& one : list) append(one, depth + 1, to, what);
  }

  void keep(const std::string& name, const nested& from, const naming::transform& how = {}) {
    const auto values = transformed_values(from.stored(), how);
    float* to = content_.add(name, transformed_shape(how, from.shape));
    std::ranges::copy(values.values, to);
  }
  void keep_filled(const std::string& name, std::size_t width, float value) {
    std::fill_n(content_.add(name, {width}), width, value);
  }

  void read_keras(const json& network) {
    const json& layers = network["layers"];
    if (!layers.is_array()) fail("expected 'layers' to be a list; found " + shown(layers));
    std::optional<std::size_t> in = last_axis(network, "in_shape");
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const json& layer = layers[i];
      const std::string where = "layer " + std::to_string(i);
      if (!layer.is_object() || !layer.contains("type") || !layer["type"].is_string() ||
          !layer.contains("weights") || !layer["weights"].is_array())
        fail(where + ": expected an object with a type and a list of weights");
      prefix_ = "layers." + std::to_string(i) + ".";
      for (const auto& [key, value] : layer.items())
        if (key != "weights")
          content_.metadata[prefix_ + key] = value.is_string() ? value.get<std::string>() : value.dump();

      std::vector<nested> weights;
      for (const json& list : layer["weights"])
        weights.push_back(numbers(list, where + ", weight " + std::to_string(weights.size())));
      const auto type = layer["type"].get<std::string>();
      read_layer(type, weights, where);
      check_stated(layer, type, weights, in, where);
      in = last_axis(layer, "shape");
    }
  }

  /// A number that is stated alone or as a list of one.
  static std::optional<std::size_t> stated(const json& layer, const char* key) {
    const auto found = layer.find(key);
    if (found == layer.end()) return std::nullopt;
    const json& value = found->is_array() && found->size() == 1 ? found->front() : *found;
    return value.is_number_unsigned() ? std::optional(value.get<std::size_t>()) : std::nullopt;
  }

  /// The width in a stated shape; none of a picture, which has features beside its channels.
  static std::optional<std::size_t> last_axis(const json& of, const char* key) {
    const auto found = of.find(key);
    constexpr std::size_t most_axes = 3;
    if (found == of.end() || !found->is_array() || found->empty() || found->size() > most_axes ||
        !found->back().is_number_unsigned())
      return std::nullopt;
    return found->back().get<std::size_t>();
  }

  /// Holds what a layer states against its weights, whose axes are checked; `in` is the width before it, as
  /// far as the file states that.
  void check_stated(const json& layer, const std::string& type, const std::vector<nested>& weights,
                    std::optional<std::size_t> in, const std::string& where) const {
    const auto hold = [&](const std::string& what, std::optional<std::size_t> said, std::size_t found) {
      if (said && *said != found)
        fail(where + " (" + type + "): expected weights for " + what + " " + std::to_string(*said) +
             ", as the file states; found weights for " + std::to_string(found));
    };
    if (weights.empty()) return;
    const std::vector<std::size_t>& first = weights.front().shape;
    const auto out = last_axis(layer, "shape");
    if (type == "gru" || type == "lstm") {
      hold("an input of", in, first[0]);
      hold("a shape of", out, weights[1].shape[0]);
    } else if (type == "conv1d") {
      hold("an input of", in, first[1] * stated(layer, "groups").value_or(1));
      hold("a shape of", out, first[2]);
      hold("a kernel_size of", stated(layer, "kernel_size"), first[0]);
    } else if (type == "conv2d") {
      hold("a kernel_size_time of", stated(layer, "kernel_size_time"), first[0]);
      hold("a kernel_size_feature of", stated(layer, "kernel_size_feature"), first[1]);
      hold("num_filters_in of", stated(layer, "num_filters_in"), first[2]);
      hold("num_filters_out of", stated(layer, "num_filters_out"), first[3]);
    } else if (first.size() == 2) { // dense
      hold("an input of", in, first[0]);
      hold("a shape of", out, first[1]);
    } else if (type != "prelu" || first[0] != 1) { // a number for each channel
      hold("an input of", in, first[0]);
      hold("a shape of", out, first[0]);
      hold("num_filters_in of", stated(layer, "num_filters_in"), first[0]);
    }
  }

  /// Throws unless there are as many weights as axes are given, each with that many.
  void expect(const std::vector<nested>& weights, const std::string& where, const std::string& type,
              std::initializer_list<std::size_t> axes) const {
    bool fits = weights.size() == axes.size();
    std::string expected, found;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      fits = fits && weights[i].shape.size() == axes.begin()[i];
      expected += (i ? ", " : "") + std::to_string(axes.begin()[i]);
    }
    for (const nested& weight : weights) found += (found.empty() ? "" : ", ") + shape_text(weight.shape);
    if (!fits)
      fail(where + " (" + type + "): expected weights of " + (expected.empty() ? "no" : expected) +
           " axes; found " + (found.empty() ? "none" : found));
  }

  void read_layer(const std::string& type, std::vector<nested>& weights, const std::string& where) {
    const auto one_of = [&](std::initializer_list<const char*> names) {
      return std::ranges::find(names, type) != names.end();
    };
    if (one_of({"dense", "time-distributed-dense"})) {
      read_linear(weights, where, type, 2, naming::transposed);
    } else if (type == "conv1d") {
      read_linear(weights, where, type, 3, naming::permuted(2, 1, 0));
    } else if (type == "conv2d") {
      read_linear(weights, where, type, 4, naming::permuted(3, 2, 0, 1));
    } else if (one_of({"batchnorm", "batchnorm2d"})) {
      read_norm(weights, where, type);
    } else if (type == "prelu") {
      read_prelu(weights, where);
    } else if (type == "gru") {
      read_gru(weights, where);
    } else if (type == "lstm") {
      read_lstm(weights, where);
    } else if (type == "activation") {
      expect(weights, where, type, {});
    } else {
      fail(where +
           ": expected a type of dense, time-distributed-dense, conv1d, conv2d, batchnorm, batchnorm2d, "
           "prelu, gru, lstm or activation; found " +
           shortened(type));
    }
  }

  void read_linear(const std::vector<nested>& weights, const std::string& where, const std::string& type,
                   std::size_t axes, const naming::transform& how) {
    if (weights.size() == 1)
      expect(weights, where, type, {axes});
    else
      expect(weights, where, type, {axes, 1});
    const std::size_t out = weights[0].shape.back();
    if (weights.size() == 2 && weights[1].shape[0] != out)
      fail(where + " (" + type + "): expected a bias of " + std::to_string(out) + "; found " +
           shape_text(weights[1].shape));
    keep(prefix_ + "weight", weights[0], how);
    if (weights.size() == 2) keep(prefix_ + "bias", weights[1]);
  }

  void read_norm(const std::vector<nested>& weights, const std::string& where, const std::string& type) {
    const bool affine = weights.size() != 2;
    if (affine)
      expect(weights, where, type, {1, 1, 1, 1});
    else
      expect(weights, where, type, {1, 1});
    for (const nested& weight : weights)
      if (weight.shape != weights[0].shape)
        fail(where + " (" + type + "): expected weights of one length, " + shape_text(weights[0].shape) +
             " as the first; found " + shape_text(weight.shape));
    if (affine) {
      keep(prefix_ + "weight", weights[0]);
      keep(prefix_ + "bias", weights[1]);
    } else {
      keep_filled(prefix_ + "weight", weights[0].shape[0], 1);
      keep_filled(prefix_ + "bias", weights[0].shape[0], 0);
    }
    keep(prefix_ + "running_mean", weights[weights.size() - 2]);
    keep(prefix_ + "running_var", weights[weights.size() - 1]);
  }

  /// The slopes' axes but the last are of size one.
  void read_prelu(std::vector<nested>& weights, const std::string& where) {
    const bool one = weights.size() == 1 && !weights[0].shape.empty() &&
                     weights[0].values.size() == weights[0].shape.back();
    if (!one) expect(weights, where, "prelu", {1});
    weights[0].shape = {weights[0].values.size()};
    keep(prefix_ + "weight", weights[0]);
  }

  /// Checks a recurrent layer's kernels [in, gates * hidden] and [hidden, gates * hidden]; gives `hidden`.
  std::size_t hidden_of(const std::vector<nested>& weights, const std::string& where, const std::string& type,
                        std::size_t gates) const {
    const std::size_t hidden = weights[1].shape[0];
    for (const nested& weight : weights)
      if (weight.shape.back() != gates * hidden)
        fail(where + " (" + type + "): expected " + std::to_string(gates) + " gates of " +
             std::to_string(hidden) + " in each weight; found " + shape_text(weight.shape));
    return hidden;
  }

  /// Keras has the gates z, r, n; PyTorch r, z, n.
  void read_gru(std::vector<nested>& weights, const std::string& where) {
    expect(weights, where, "gru", {2, 2, 2});
    const std::size_t hidden = hidden_of(weights, where, "gru", 3);
    if (weights[2].shape[0] != 2)
      fail(
          where +
          " (gru): expected two rows of biases, as the reset gate acts behind the recurrent product; found " +
          shape_text(weights[2].shape));
    for (nested& weight : weights)
      for (auto row = weight.values.begin(); row != weight.values.end();
           row += static_cast<std::ptrdiff_t>(3 * hidden))
        std::swap_ranges(row, row + static_cast<std::ptrdiff_t>(hidden),
                         row + static_cast<std::ptrdiff_t>(hidden));
    keep(prefix_ + "weight_ih_l0", weights[0], naming::transposed);
    keep(prefix_ + "weight_hh_l0", weights[1], naming::transposed);
    const auto half = weights[2].values.begin() + static_cast<std::ptrdiff_t>(3 * hidden);
    keep(prefix_ + "bias_ih_l0", {{3 * hidden}, {weights[2].values.begin(), half}});
    keep(prefix_ + "bias_hh_l0", {{3 * hidden}, {half, weights[2].values.end()}});
  }

  void read_lstm(const std::vector<nested>& weights, const std::string& where) {
    expect(weights, where, "lstm", {2, 2, 1});
    const std::size_t hidden = hidden_of(weights, where, "lstm", 4);
    keep(prefix_ + "weight_ih_l0", weights[0], naming::transposed);
    keep(prefix_ + "weight_hh_l0", weights[1], naming::transposed);
    keep(prefix_ + "bias_ih_l0", weights[2]);
    keep_filled(prefix_ + "bias_hh_l0", 4 * hidden, 0);
  }

  const std::filesystem::path& path_;
  weight_file content_;
  std::string prefix_; // of the layer that is being read
};

} // namespace

bool is_rtneural(std::span<const std::byte> file) {
  for (const std::byte one : file) {
    const char c = std::to_integer<char>(one);
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c == '{';
  }
  return false;
}

weight_file read_rtneural(const opened_file& file) { return reader(file.path).read(file.bytes()); }

} // namespace fovea::core
