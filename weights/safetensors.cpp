#include <fovea/weights/safetensors.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/base/regular_file.hpp>
#include <fovea/weights/byte_cursor.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

namespace fovea::core {
namespace {

using json = nlohmann::json;

// What the format knows; its dtype is the type's name.
constexpr std::array element_types{
    element_type::f64, element_type::f32, element_type::f16, element_type::bf16, element_type::i64,
    element_type::i32, element_type::i16, element_type::i8,  element_type::u8,   element_type::boolean};

constexpr std::size_t length_bytes = 8;
// The bound that the format's own implementation sets.
constexpr std::uint64_t largest_header = 100'000'000;

std::optional<element_type> element_named(std::string_view name) {
  const auto found = std::ranges::find(element_types, name, element_name);
  return found == element_types.end() ? std::nullopt : std::optional(*found);
}

class header_reader {
public:
  header_reader(const std::string& path, std::span<const std::byte> file) : path_(path), file_(file) {}

  void read(std::map<std::string, stored_tensor>& tensors, std::map<std::string, std::string>& metadata) {
    const std::string_view header = header_text();
    bool has_metadata = false;
    const auto take = [&](const std::string& name, const json& entry) {
      const bool is_metadata = name == "__metadata__";
      if (is_metadata ? std::exchange(has_metadata, true) : tensors.contains(name))
        fail("the header names " + in_quotes(name) + " twice");
      if (is_metadata)
        read_metadata(entry, metadata);
      else
        tensors.emplace(name, read_tensor(name, entry));
    };
    try {
      const taken_part members{.path = {}, .take = take};
      parse_json(header, {&members, 1});
    } catch (const malformed_json& problem) {
      fail(std::string("the header: ") + problem.what());
    }
    check_layout(tensors);
  }

private:
  [[noreturn]] void fail(const std::string& what) const { throw error(path_ + ": " + what); }
  [[noreturn]] void fail(const std::string& tensor, const std::string& what) const {
    fail("tensor " + in_quotes(tensor) + ": " + what);
  }

  /// The header's JSON; data_ becomes what is behind it.
  std::string_view header_text() {
    if (file_.size() < length_bytes)
      fail("expected a safetensors file, which begins with 8 bytes of header length; found " +
           std::to_string(file_.size()) + " bytes in all");
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < length_bytes; ++i)
      length |= std::to_integer<std::uint64_t>(file_[i]) << (8 * i);
    const std::uint64_t room = file_.size() - length_bytes;
    if (length > largest_header)
      fail("expected a safetensors header of at most " + std::to_string(largest_header) +
           " bytes; its length reads " + std::to_string(length) + ", so this is hardly a safetensors file");
    if (length > room)
      fail("the header should have " + std::to_string(length) + " bytes; the file is cut short after " +
           std::to_string(room) + " of them");
    const auto* text = reinterpret_cast<const char*>(file_.data() + length_bytes);
    if (length == 0 || text[0] != '{')
      fail("expected the header to begin with '{', so this is no safetensors file");
    data_ = file_.subspan(length_bytes + static_cast<std::size_t>(length));
    return {text, static_cast<std::size_t>(length)};
  }

  void read_metadata(const json& entry, std::map<std::string, std::string>& metadata) const {
    if (!entry.is_object()) fail("expected __metadata__ to be an object of texts");
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string())
        fail("expected __metadata__ " + in_quotes(key) + " to be a text; found " + value.type_name());
      metadata.emplace(key, value.get<std::string>());
    }
  }

  stored_tensor read_tensor(const std::string& name, const json& entry) const {
    if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") || !entry.contains("shape") ||
        !entry.contains("data_offsets"))
      fail(name, "expected an object of dtype, shape and data_offsets");
    const json& type_name = entry["dtype"];
    if (!type_name.is_string()) fail(name, "expected dtype to be a text; found " + shown(type_name));
    const auto type = element_named(type_name.get<std::string>());
    if (!type) {
      std::string known;
      for (const element_type one : element_types)
        known += (known.empty() ? "" : ", ") + std::string(element_name(one));
      fail(name, "expected a dtype of " + known + "; found " + shortened(type_name.get<std::string>()));
    }
    const auto shape = sizes(name, "shape", entry["shape"]);
    const auto offsets = sizes(name, "data_offsets", entry["data_offsets"]);
    if (offsets.size() != 2 || offsets[0] > offsets[1])
      fail(name, "expected data_offsets [begin, end]; found " + shown(entry["data_offsets"]));
    if (offsets[1] > data_.size())
      fail(name, "its data should end at byte " + std::to_string(offsets[1]) +
                     " of the data; the file is cut short at " + std::to_string(data_.size()));
    const auto expected = tensor_bytes(*type, shape);
    const std::size_t found = offsets[1] - offsets[0];
    if (!expected || *expected != found)
      fail(name, std::string(element_name(*type)) + " of shape " + shape_text(shape) + " expects " +
                     (expected ? std::to_string(*expected) : too_many_bytes) + " bytes; data_offsets give " +
                     std::to_string(found));
    return {*type, shape, data_.subspan(offsets[0], found)};
  }

  std::vector<std::size_t> sizes(const std::string& name, const char* key, const json& list) const {
    if (!list.is_array())
      fail(name, std::string("expected ") + key + " to be a list; found " + list.type_name());
    std::vector<std::size_t> result;
    for (const json& value : list) {
      if (!value.is_number_unsigned())
        fail(name, std::string("expected ") + key + " to hold whole numbers; found " + shown(value));
      result.push_back(addressable(value.get<std::uint64_t>()));
    }
    return result;
  }

  /// The tensors' ranges must tile the data: no byte in two tensors, none in no tensor.
  void check_layout(const std::map<std::string, stored_tensor>& tensors) const {
    std::vector<const std::pair<const std::string, stored_tensor>*> order;
    for (const auto& entry : tensors) order.push_back(&entry);
    std::ranges::sort(order, {}, [](const auto* entry) {
      return std::pair(entry->second.bytes.data(), entry->second.bytes.size());
    });
    std::size_t end = 0;
    const std::string* previous = nullptr;
    for (const auto* entry : order) {
      const auto begin = static_cast<std::size_t>(entry->second.bytes.data() - data_.data());
      if (begin < end)
        fail(entry->first, "its data begins at byte " + std::to_string(begin) +
                               ", inside the data of tensor " + in_quotes(*previous) + ", which ends at " +
                               std::to_string(end));
      if (begin > end)
        fail(entry->first, "expected its data to begin at byte " + std::to_string(end) + "; found " +
                               std::to_string(begin) + ", which leaves a gap");
      end = begin + entry->second.bytes.size();
      previous = &entry->first;
    }
    if (end != data_.size())
      fail("the tensors end at byte " + std::to_string(end) + " of the data; the file has " +
           std::to_string(data_.size() - end) + " bytes more that belong to none");
  }

  const std::string& path_;
  std::span<const std::byte> file_;
  std::span<const std::byte> data_;
};

} // namespace

bool is_safetensors(std::span<const std::byte> file) {
  if (file.size() <= length_bytes) return false;
  const auto length = byte_cursor("", file).read<std::uint64_t>("");
  return length <= largest_header && file[length_bytes] == std::byte{'{'};
}

safetensors_file::safetensors_file(const file_path& path)
    : safetensors_file(path, std::make_shared<const mapped_file>(path)) {}

safetensors_file::safetensors_file(const file_path& path, std::shared_ptr<const mapped_file> file) try
    : path_(path.string()), file_(std::move(file)) {
  header_reader(path_, file_->bytes()).read(tensors_, metadata_);
} catch (const std::bad_alloc&) {
  refuse_memory(path);
}

const stored_tensor& safetensors_file::at(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end())
    throw error(path_ + ": expected a tensor " + in_quotes(name) + "; the file has " +
                std::to_string(tensors_.size()) + " others");
  return found->second;
}

} // namespace fovea::core
