#include <fovea/runtime/weights/gguf.hpp>

#include <fovea/runtime/error.hpp>
#include <fovea/runtime/weights/converted.hpp>
#include <fovea/runtime/weights/gguf_layout.hpp>
#include <fovea/runtime/weights/temporary_file.hpp>
#include <fovea/runtime/weights/to_floats.hpp>

#include <algorithm>
#include <cstdint>

namespace fovea {
namespace {

namespace layout = gguf_layout;

/// A file's head, number by number.
class head {
public:
  template <typename number>
  void add(number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add_bytes(std::string_view text) { bytes_ += text; }
  void add_text(std::string_view text) {
    add(std::uint64_t{text.size()});
    add_bytes(text);
  }
  void align(std::size_t alignment) { bytes_.resize(layout::aligned(bytes_.size(), alignment)); }
  const std::string& bytes() const { return bytes_; }

private:
  std::string bytes_;
};

/// ggml's number of the type of a tensor that a file may hold. Throws fovea::error, without naming it, where
/// it may not.
std::uint32_t checked_type(const stored_tensor& tensor) {
  if (tensor.shape.size() > layout::most_axes)
    throw error("expected at most " + std::to_string(layout::most_axes) + " axes; found " +
                std::to_string(tensor.shape.size()));
  const auto* const row = std::ranges::find(layout::types, tensor.type, &layout::type_row::type);
  if (row == layout::types.end())
    throw error("a GGUF file has no type " + std::string(element_name(tensor.type)));
  const auto expected = tensor_bytes(tensor.type, tensor.shape);
  if (expected != tensor.bytes.size())
    throw error(std::string(element_name(tensor.type)) + " of shape " + shape_text(tensor.shape) +
                (!whole_blocks(tensor.type, tensor.shape)
                     ? ": the last axis is no multiple of " + std::to_string(block_length(tensor.type))
                     : " expects " + (expected ? std::to_string(*expected) : "more than 2^64") +
                           " bytes; found " + std::to_string(tensor.bytes.size())));
  if (holds_reals(tensor.type)) check_finite(tensor);
  return row->number;
}

} // namespace

void save_gguf(const std::filesystem::path& path, const std::map<std::string, stored_tensor>& tensors,
               const gguf_metadata& metadata) {
  const std::size_t alignment = layout::alignment_of(metadata);
  head made;
  made.add_bytes(layout::magic);
  made.add(layout::newest_version);
  made.add(std::uint64_t{tensors.size()});
  made.add(std::uint64_t{metadata.size()});
  made.add_bytes(metadata.stored());
  std::size_t end = 0;
  for (const auto& [name, tensor] : tensors) {
    const auto fail = [&, &of = name](const std::string& what) {
      throw error(path.string() + ": tensor '" + of + "': " + what);
    };
    if (name.empty()) fail("expected a name; found none");
    made.add_text(name);
    made.add(static_cast<std::uint32_t>(tensor.shape.size()));
    for (auto axis = tensor.shape.rbegin(); axis != tensor.shape.rend(); ++axis)
      made.add(std::uint64_t{*axis});
    try {
      made.add(checked_type(tensor));
    } catch (const error& reason) {
      fail(reason.what());
    }
    made.add(std::uint64_t{end});
    end = layout::aligned(end + tensor.bytes.size(), alignment);
  }
  made.align(alignment);

  temporary_file file(path);
  file.write(std::as_bytes(std::span(made.bytes())));
  const std::vector<std::byte> zeros(alignment);
  for (const auto& [name, tensor] : tensors) {
    file.write(tensor.bytes);
    const std::size_t size = tensor.bytes.size();
    file.write(std::span(zeros).first(layout::aligned(size, alignment) - size));
  }
  file.commit();
}

} // namespace fovea
