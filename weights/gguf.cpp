#include <fovea/weights/byte_cursor.hpp>
#include <fovea/weights/gguf.hpp>

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/regular_file.hpp>
#include <fovea/weights/gguf_layout.hpp>

#include <algorithm>
#include <cstdint>
#include <set>

namespace fovea::core {
namespace {

namespace layout = gguf_layout;

element_type read_type(byte_cursor& cursor, const std::string& tensor) {
  const auto number = cursor.read<std::uint32_t>(tensor);
  std::string known;
  for (const layout::type_row& row : layout::types) {
    if (row.number == number) return row.type;
    known += (known.empty() ? "" : ", ") + std::string(element_name(row.type));
  }
  cursor.fail(tensor + ": expected a type of " + known + "; found ggml's type " + std::to_string(number));
}

/// A tensor whose data lies at `offset` of the data section.
struct placed_tensor {
  std::string name;
  element_type type;
  std::vector<std::size_t> shape;
  std::uint64_t offset;
};

placed_tensor read_tensor(byte_cursor& cursor, std::string_view what) {
  placed_tensor made;
  made.name = cursor.text(addressable(cursor.read<std::uint64_t>(what)), what);
  const std::string tensor = "tensor " + in_quotes(made.name);
  const auto axes = cursor.read<std::uint32_t>(tensor);
  if (axes > layout::most_axes)
    cursor.fail(tensor + ": expected at most " + std::to_string(layout::most_axes) + " axes; found " +
                std::to_string(axes));
  made.shape.resize(axes);
  for (std::size_t axis = axes; axis > 0; --axis)
    made.shape[axis - 1] = addressable(cursor.read<std::uint64_t>(tensor));
  made.type = read_type(cursor, tensor);
  made.offset = cursor.read<std::uint64_t>(tensor);
  return made;
}

} // namespace

bool is_gguf(std::span<const std::byte> file) {
  return file.size() >= layout::magic.size() &&
         byte_cursor("", file).text(layout::magic.size(), "") == layout::magic;
}

gguf_file::gguf_file(const file_path& path) : gguf_file(path, std::make_shared<const mapped_file>(path)) {}

gguf_file::gguf_file(const file_path& path, std::shared_ptr<const mapped_file> file) try
    : file_(std::move(file)) {
  byte_cursor cursor(path.string(), file_->bytes());
  if (!is_gguf(file_->bytes())) cursor.fail("expected a GGUF file, which begins with the letters GGUF");
  cursor.take(layout::magic.size(), layout::magic);
  const auto version = cursor.read<std::uint32_t>("the version");
  if (version < layout::oldest_version || version > layout::newest_version)
    cursor.fail("expected GGUF of version 2 or 3; found " +
                (version << 16 != 0 ? "version " + std::to_string(version) : "a big-endian file"));
  const auto tensors = cursor.read<std::uint64_t>("the number of tensors");
  const auto pairs = cursor.read<std::uint64_t>("the number of keys");
  metadata_ = gguf_metadata(file_, cursor, pairs);
  if (const auto parts = metadata_.integer("split.count"); parts && *parts > 1)
    cursor.fail("expected a whole model; found one of " + std::to_string(*parts) +
                " parts (merge them first)");
  const std::size_t alignment = layout::alignment_of(metadata_);

  std::vector<placed_tensor> placed;
  for (std::uint64_t i = 0; i < tensors; ++i)
    placed.push_back(read_tensor(cursor, "the name of tensor " + std::to_string(i + 1) + " of " +
                                             std::to_string(tensors)));

  // The data tile their section in order, each tensor aligned.
  const std::size_t section = layout::aligned(cursor.position(), alignment);
  const std::size_t room = file_->bytes().size() - std::min(section, file_->bytes().size());
  std::size_t end = 0;
  std::set<std::string_view> names;
  for (const placed_tensor& tensor : placed) {
    const std::string what = "tensor " + in_quotes(tensor.name);
    if (!names.insert(tensor.name).second) cursor.fail(what + " occurs twice");
    const auto size = tensor_bytes(tensor.type, tensor.shape);
    if (!size)
      cursor.fail(what + ": " + std::string(element_name(tensor.type)) + " of shape " +
                  shape_text(tensor.shape) +
                  (whole_blocks(tensor.type, tensor.shape)
                       ? " takes " + std::string(too_many_bytes) + " bytes"
                       : ": the last axis is no multiple of " + std::to_string(block_length(tensor.type))));
    const std::size_t begin = layout::aligned(end, alignment);
    if (tensor.offset != begin)
      cursor.fail(what + ": expected its data at byte " + std::to_string(begin) +
                  " of the data, behind the tensor before it; found " + std::to_string(tensor.offset));
    if (begin > room || *size > room - begin)
      cursor.fail(what + ": the file is cut short: expected " + std::to_string(*size) + " bytes at byte " +
                  std::to_string(begin) + " of the data, which has " + std::to_string(room));
    // Behind a file that ends with its header there are no bytes, not even none of them.
    const std::size_t at = std::min(section + begin, file_->bytes().size());
    tensors_.emplace_back(tensor.name,
                          stored_tensor{tensor.type, tensor.shape, file_->bytes().subspan(at, *size)});
    end = begin + *size;
  }
  if (room > layout::aligned(end, alignment))
    cursor.fail("the tensors end at byte " + std::to_string(end) + " of the data; the file has " +
                std::to_string(room - end) + " bytes more that belong to none");
} catch (const std::bad_alloc&) {
  refuse_memory(path);
}

} // namespace fovea::core
