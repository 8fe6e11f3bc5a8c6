#pragma once

#include <fovea/base/mapped_file.hpp>
#include <fovea/weights/byte_cursor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::core {

/// The types of a GGUF file's values, by their numbers in the file.
enum class gguf_type : std::uint32_t {
  uint8,
  int8,
  uint16,
  int16,
  uint32,
  int32,
  float32,
  boolean,
  text,
  array,
  uint64,
  int64,
  float64
};

/// The keys and values of a GGUF file, among them a tokenizer's vocabulary ("tokenizer.ggml.tokens"). Each
/// member gives nothing where there is no such key, and throws fovea::error that names the file, the key and
/// both types where the value is of another type. A cheap handle: copies share the file, and texts live as
/// long as one of them.
class gguf_metadata {
public:
  /// No keys, to be set by a program.
  gguf_metadata() = default;

  bool contains(std::string_view key) const { return entries_->contains(key); }
  /// The file, as messages call it.
  const std::string& source() const { return source_; }

  std::optional<std::string_view> text(std::string_view key) const;
  /// An integer of any width; a boolean is 0 or 1.
  std::optional<std::int64_t> integer(std::string_view key) const;
  /// An integer or a floating-point number.
  std::optional<double> number(std::string_view key) const;

  /// Arrays of these.
  std::optional<std::vector<std::string_view>> texts(std::string_view key) const;
  std::optional<std::vector<std::int64_t>> integers(std::string_view key) const;
  std::optional<std::vector<double>> numbers(std::string_view key) const;

  /// All values but arrays, as text.
  std::map<std::string, std::string> as_texts() const;
  /// The lengths of its arrays.
  std::map<std::string, std::size_t> array_lengths() const;

  /// Gives a key a value, in place of what it had. Copies made before keep theirs.
  void set(const std::string& key, std::string_view text);
  void set(const std::string& key, std::uint32_t number);
  void set(const std::string& key, float number);

  std::size_t size() const { return entries_->size(); }
  /// The pairs as a file has them, one after another.
  std::string stored() const;

private:
  friend class gguf_file;

  struct entry {
    gguf_type type;                           // of an array, of its elements
    std::optional<std::size_t> count;         // of an array
    std::span<const std::byte> bytes;         // the value, or the array's elements
    std::shared_ptr<const std::string> owned; // what they lie in, of a value that was set
  };
  using entry_map = std::map<std::string, entry, std::less<>>;

  /// Reads `count` pairs where the cursor stands and checks each.
  gguf_metadata(std::shared_ptr<const mapped_file> file, byte_cursor& cursor, std::uint64_t count);

  template <typename result, typename reader>
  std::optional<std::vector<result>> read(std::string_view key, bool array, const char* expected,
                                          reader one) const;
  template <typename result, typename reader>
  std::optional<result> read_single(std::string_view key, const char* expected, reader one) const;

  void set(const std::string& key, gguf_type type, std::string value);

  std::string source_ = "keys of the program";
  std::shared_ptr<const mapped_file> file_;
  std::shared_ptr<const entry_map> entries_ = std::make_shared<const entry_map>();
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::gguf_metadata, core::gguf_type;
} // namespace fovea
