#include <fovea/weights/gguf.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/weights/byte_cursor.hpp>
#include <fovea/weights/converted.hpp>
#include <fovea/weights/gguf_layout.hpp>
#include <fovea/weights/temporary_file.hpp>
#include <fovea/weights/to_floats.hpp>

#include <algorithm>
#include <cstdint>

namespace fovea::core {
namespace {

namespace layout = gguf_layout;

/// ggml's number of the type of a tensor that a file may hold. Throws fovea::error, without naming it, where
/// it may not.
std::uint32_t checked_type(const stored_tensor& tensor) {
  if (tensor.shape.size() > layout::most_axes)
    throw error("expected at most " + std::to_string(layout::most_axes) + " axes; found " +
                std::to_string(tensor.shape.size()));
  const auto row = std::ranges::find(layout::types, tensor.type, &layout::type_row::type);
  if (row == layout::types.end())
    throw error("a GGUF file has no type " + std::string(element_name(tensor.type)));
  const auto expected = tensor_bytes(tensor.type, tensor.shape);
  if (expected != tensor.bytes.size())
    throw error(std::string(element_name(tensor.type)) + " of shape " + shape_text(tensor.shape) +
                (!whole_blocks(tensor.type, tensor.shape)
                     ? ": the last axis is no multiple of " + std::to_string(block_length(tensor.type))
                     : " expects " + (expected ? std::to_string(*expected) : too_many_bytes) +
                           " bytes; found " + std::to_string(tensor.bytes.size())));
  if (holds_reals(tensor.type)) check_finite(tensor);
  return row->number;
}

} // namespace

void save_gguf(const file_path& path, const std::map<std::string, stored_tensor>& tensors,
               const gguf_metadata& metadata) {
  const std::size_t alignment = layout::alignment_of(metadata);
  std::string head(layout::magic);
  head += layout::bytes_of(layout::newest_version);
  head += layout::bytes_of(std::uint64_t{tensors.size()});
  head += layout::bytes_of(std::uint64_t{metadata.size()});
  head += metadata.stored();
  std::size_t end = 0;
  for (const auto& [name, tensor] : tensors) {
    const auto fail = [&, &of = name](const std::string& what) {
      throw error(path.string() + ": tensor " + in_quotes(of) + ": " + what);
    };
    if (name.empty()) fail("expected a name; found none");
    head += layout::text_bytes(name);
    head += layout::bytes_of(static_cast<std::uint32_t>(tensor.shape.size()));
    for (auto axis = tensor.shape.rbegin(); axis != tensor.shape.rend(); ++axis)
      head += layout::bytes_of(std::uint64_t{*axis});
    try {
      head += layout::bytes_of(checked_type(tensor));
    } catch (const error& reason) {
      fail(reason.what());
    }
    head += layout::bytes_of(std::uint64_t{end});
    end = layout::aligned(end + tensor.bytes.size(), alignment);
  }
  head.resize(layout::aligned(head.size(), alignment));

  temporary_file file(path);
  file.write(std::as_bytes(std::span(head)));
  const std::vector<std::byte> zeros(alignment);
  for (const auto& [name, tensor] : tensors) {
    file.write(tensor.bytes);
    const std::size_t size = tensor.bytes.size();
    file.write(std::span(zeros).first(layout::aligned(size, alignment) - size));
  }
  file.commit();
}

} // namespace fovea::core
