#include <fovea/weights/rwkv_cpp.hpp>

#include <fovea/base/in_quotes.hpp>
#include <fovea/weights/byte_cursor.hpp>

#include <cstdint>

namespace fovea::core {
namespace {

constexpr std::uint32_t magic = 0x67676d66; // "ggmf"
constexpr std::uint32_t oldest_version = 100, newest_version = 101;
constexpr std::uint32_t most_axes = 4;

element_type type_of(std::uint32_t number, const byte_cursor& cursor, const std::string& what) {
  if (number > 1)
    cursor.fail(what + ": expected type 0 (float32) or 1 (float16); found " + std::to_string(number));
  return number == 0 ? element_type::f32 : element_type::f16;
}

} // namespace

bool is_rwkv_cpp(std::span<const std::byte> file) {
  return file.size() >= sizeof(magic) && byte_cursor("", file).read<std::uint32_t>("") == magic;
}

weight_file read_rwkv_cpp(const opened_file& file) {
  byte_cursor cursor(file.path.string(), file.bytes());
  const auto number = [&](const std::string& what) { return cursor.read<std::uint32_t>(what); };
  number("the magic number");
  const auto version = number("the version");
  if (version < oldest_version || version > newest_version)
    cursor.fail("expected version 100 or 101 of rwkv.cpp's format; found " + std::to_string(version));
  weight_file content;
  content.mapped = file.mapped;
  for (const char* key : {"n_vocab", "n_embed", "n_layer"})
    content.metadata[key] = std::to_string(number("the header"));
  type_of(number("the header"), cursor, "the header");

  while (cursor.left() > 0) {
    const std::string head = "the head of tensor " + std::to_string(content.tensors.size() + 1);
    const auto axes = number(head), length = number(head), type = number(head);
    if (axes > most_axes)
      cursor.fail(head + ": expected at most " + std::to_string(most_axes) + " axes; found " +
                  std::to_string(axes));
    stored_tensor tensor;
    tensor.shape.resize(axes);
    for (std::size_t axis = axes; axis > 0; --axis) tensor.shape[axis - 1] = number(head);
    const std::string name(cursor.text(length, head));
    const std::string what = "tensor " + in_quotes(name);
    tensor.type = type_of(type, cursor, what);
    const auto size = tensor_bytes(tensor.type, tensor.shape);
    if (!size)
      cursor.fail(what + ": shape " + shape_text(tensor.shape) + " takes " + too_many_bytes + " bytes");
    tensor.bytes = cursor.take(*size, what);
    if (!content.tensors.emplace(name, tensor).second) cursor.fail(what + " occurs twice");
  }
  return content;
}

} // namespace fovea::core
