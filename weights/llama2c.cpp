#include <fovea/weights/llama2c.hpp>

#include <fovea/weights/byte_cursor.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace fovea::core {
namespace {

constexpr std::uint32_t magic = 0x616b3432; // "ak42"
constexpr std::size_t header_bytes = 256;   // from version 1 on
constexpr std::uint32_t legacy = 0, plain = 1, quantised = 2;

/// Seven numbers, as every version begins.
struct model_sizes {
  std::int32_t dim, hidden, layers, heads, kv_heads, vocab, context;

  /// The first format writes a vocabulary below zero where the output has a matrix of its own.
  bool plausible() const {
    constexpr std::int32_t most = 1 << 24, most_layers = 1 << 12;
    for (const std::int32_t size : {dim, hidden, layers, heads, kv_heads, context})
      if (size < 1 || size > most) return false;
    if (vocab == 0 || vocab < -most || vocab > most || layers > most_layers) return false;
    return dim % heads == 0 && dim / heads % 2 == 0 && heads % kv_heads == 0;
  }
};

model_sizes read_sizes(byte_cursor& cursor) {
  std::array<std::int32_t, 7> found;
  for (std::int32_t& size : found) size = cursor.read<std::int32_t>("the header");
  return {found[0], found[1], found[2], found[3], found[4], found[5], found[6]};
}

struct matrix {
  std::string name;
  std::vector<std::size_t> shape;

  std::size_t size() const {
    std::size_t product = 1;
    for (const std::size_t extent : shape) product *= extent;
    return product;
  }
};

class reader {
public:
  explicit reader(const opened_file& file) : cursor_(file.path.string(), file.bytes()) {
    content_.mapped = file.mapped;
  }

  weight_file read() {
    read_header();
    check_size();
    if (version_ == legacy) {
      read_legacy();
    } else {
      each_layer("attention_norm.weight", {dim_});
      each_layer("ffn_norm.weight", {dim_});
      take({"norm.weight", {dim_}});
      for (const matrix& one : matrices()) group_ ? take_quantised(one) : take(one);
    }
    return std::move(content_);
  }

private:
  void read_header() {
    const std::size_t size = cursor_.left();
    if (size >= sizeof(magic) && byte_cursor(cursor_).read<std::uint32_t>("the magic number") == magic) {
      cursor_.read<std::uint32_t>("the magic number");
      version_ = cursor_.read<std::uint32_t>("the version");
      if (version_ != plain && version_ != quantised)
        cursor_.fail("expected llama2.c's version 1 or 2; found " + std::to_string(version_));
    }
    const model_sizes sizes = read_sizes(cursor_);
    if (!sizes.plausible() || (version_ != legacy && sizes.vocab < 0))
      cursor_.fail(
          "expected sizes above zero, heads of an even width and a whole number of them for each key "
          "head; found dim " +
          std::to_string(sizes.dim) + ", hidden_dim " + std::to_string(sizes.hidden) + ", n_layers " +
          std::to_string(sizes.layers) + ", n_heads " + std::to_string(sizes.heads) + ", n_kv_heads " +
          std::to_string(sizes.kv_heads) + ", vocab_size " + std::to_string(sizes.vocab) + ", seq_len " +
          std::to_string(sizes.context));
    shared_ = sizes.vocab > 0;
    if (version_ != legacy) shared_ = cursor_.read<std::uint8_t>("the header") != 0;
    if (version_ == quantised) {
      group_ = static_cast<std::size_t>(cursor_.read<std::uint32_t>("the size of groups"));
      if (group_ == 0) cursor_.fail("expected groups of at least one value; found 0");
    }
    if (version_ != legacy) cursor_.take(header_bytes - cursor_.position(), "the header");

    const auto unsigned_of = [](std::int32_t number) { return static_cast<std::size_t>(number); };
    dim_ = unsigned_of(sizes.dim), hidden_ = unsigned_of(sizes.hidden), layers_ = unsigned_of(sizes.layers);
    vocab_ = unsigned_of(std::abs(sizes.vocab)), context_ = unsigned_of(sizes.context);
    head_ = unsigned_of(sizes.dim / sizes.heads), kv_ = head_ * unsigned_of(sizes.kv_heads);
    content_.metadata = {{"dim", std::to_string(sizes.dim)},
                         {"hidden_dim", std::to_string(sizes.hidden)},
                         {"n_layers", std::to_string(sizes.layers)},
                         {"n_heads", std::to_string(sizes.heads)},
                         {"n_kv_heads", std::to_string(sizes.kv_heads)},
                         {"vocab_size", std::to_string(vocab_)},
                         {"seq_len", std::to_string(sizes.context)}};
  }

  static std::string in_layer(std::size_t layer, const std::string& name) {
    return "layers." + std::to_string(layer) + "." + name;
  }

  /// All matrices in the order of versions 1 and 2.
  std::vector<matrix> matrices() const {
    std::vector<matrix> all{{"tok_embeddings.weight", {vocab_, dim_}}};
    const std::array<matrix, 7> of_layer{{{"attention.wq.weight", {dim_, dim_}},
                                          {"attention.wk.weight", {kv_, dim_}},
                                          {"attention.wv.weight", {kv_, dim_}},
                                          {"attention.wo.weight", {dim_, dim_}},
                                          {"feed_forward.w1.weight", {hidden_, dim_}},
                                          {"feed_forward.w2.weight", {dim_, hidden_}},
                                          {"feed_forward.w3.weight", {hidden_, dim_}}}};
    for (const matrix& one : of_layer)
      for (std::size_t layer = 0; layer < layers_; ++layer)
        all.push_back({in_layer(layer, one.name), one.shape});
    if (!shared_) all.push_back({"output.weight", {vocab_, dim_}});
    return all;
  }

  std::size_t rotary_values() const { return context_ * head_; } // cosines and sines

  void check_size() const {
    // Floating-point: the product of a header's implausible numbers exceeds any integer.
    double expected = static_cast<double>((2 * layers_ + 1) * dim_) * 4;
    if (version_ == legacy) expected += static_cast<double>(rotary_values()) * 4;
    for (const matrix& m : matrices()) {
      const double size = static_cast<double>(m.shape[0]) * static_cast<double>(m.shape[1]);
      const auto group = static_cast<double>(group_);
      if (group_ && std::fmod(size, group) != 0)
        cursor_.fail("tensor '" + m.name + "' " + shape_text(m.shape) +
                     ": expected a whole number of groups of " + std::to_string(group_) + " values");
      expected += group_ ? size + size / group * 4 : size * 4;
    }
    const auto found = static_cast<double>(cursor_.left());
    if (expected != found)
      cursor_.fail((found < expected ? "the file is cut short: " : "") +
                   ("expected " + text_of(expected) +
                    " bytes behind the header of a llama2.c model of these sizes; "
                    "found " +
                    text_of(found)));
  }
  static std::string text_of(double whole) {
    const std::string digits = std::to_string(whole);
    return digits.substr(0, digits.find('.'));
  }

  void take(const matrix& one) {
    content_.tensors[one.name] = {element_type::f32, one.shape,
                                  cursor_.take(one.size() * sizeof(float), one.name)};
  }
  void each_layer(const std::string& name, const std::vector<std::size_t>& shape) {
    for (std::size_t layer = 0; layer < layers_; ++layer) take({in_layer(layer, name), shape});
  }

  void take_quantised(const matrix& one) {
    const auto values = cursor_.take(one.size(), one.name);
    float* to = content_.add(one.name, one.shape);
    for (std::size_t from = 0; from < values.size(); from += group_) {
      const auto scale = cursor_.read<float>(one.name);
      for (std::size_t i = from; i < from + group_; ++i)
        to[i] = scale * static_cast<float>(static_cast<std::int8_t>(values[i]));
    }
  }

  void read_legacy() {
    take({"tok_embeddings.weight", {vocab_, dim_}});
    each_layer("attention_norm.weight", {dim_});
    each_layer("attention.wq.weight", {dim_, dim_});
    each_layer("attention.wk.weight", {kv_, dim_});
    each_layer("attention.wv.weight", {kv_, dim_});
    each_layer("attention.wo.weight", {dim_, dim_});
    each_layer("ffn_norm.weight", {dim_});
    each_layer("feed_forward.w1.weight", {hidden_, dim_});
    each_layer("feed_forward.w2.weight", {dim_, hidden_});
    each_layer("feed_forward.w3.weight", {hidden_, dim_});
    take({"norm.weight", {dim_}});
    cursor_.take(rotary_values() * sizeof(float), "the rotary tables");
    if (!shared_) take({"output.weight", {vocab_, dim_}});
  }

  byte_cursor cursor_;
  weight_file content_;
  std::uint32_t version_ = legacy;
  bool shared_ = true;
  std::size_t group_ = 0; // 0: not quantised
  std::size_t dim_ = 0, hidden_ = 0, layers_ = 0, vocab_ = 0, context_ = 0, head_ = 0, kv_ = 0;
};

} // namespace

bool is_llama2c(std::span<const std::byte> file) {
  byte_cursor cursor("", file);
  if (cursor.left() < sizeof(model_sizes)) return false;
  return byte_cursor(cursor).read<std::uint32_t>("") == magic || read_sizes(cursor).plausible();
}

weight_file read_llama2c(const opened_file& file) { return reader(file).read(); }

} // namespace fovea::core
