#include <fovea/weights/gguf_metadata.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/weights/byte_cursor.hpp>
#include <fovea/weights/gguf_layout.hpp>

#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace fovea::core {
namespace {

using gguf_layout::bytes_of;
using gguf_layout::text_bytes;

constexpr int deepest_array = 4;

const char* name_of(gguf_type type) {
  constexpr std::array names{"uint8",   "int8", "uint16", "int16",  "uint32", "int32",  "float32",
                             "boolean", "text", "array",  "uint64", "int64",  "float64"};
  return names[static_cast<std::size_t>(type)];
}

/// Calls f with a number of the C++ type that `type` stands for; does nothing for texts and arrays.
template <typename function>
void with_number(gguf_type type, function f) {
  switch (type) {
    case gguf_type::uint8:
    case gguf_type::boolean:
      return f(std::uint8_t{});
    case gguf_type::int8:
      return f(std::int8_t{});
    case gguf_type::uint16:
      return f(std::uint16_t{});
    case gguf_type::int16:
      return f(std::int16_t{});
    case gguf_type::uint32:
      return f(std::uint32_t{});
    case gguf_type::int32:
      return f(std::int32_t{});
    case gguf_type::float32:
      return f(float{});
    case gguf_type::uint64:
      return f(std::uint64_t{});
    case gguf_type::int64:
      return f(std::int64_t{});
    case gguf_type::float64:
      return f(double{});
    case gguf_type::text:
    case gguf_type::array:
      return;
  }
}

/// The fewest digits that tell a number from all others of its type.
template <class number>
std::string shortest_text(number value) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string_view read_text(byte_cursor& cursor, std::string_view what) {
  const auto length = cursor.read<std::uint64_t>(what);
  return cursor.text(addressable(length), what);
}

gguf_type read_type(byte_cursor& cursor, std::string_view what) {
  const auto number = cursor.read<std::uint32_t>(what);
  if (number > static_cast<std::uint32_t>(gguf_type::float64))
    cursor.fail(std::string(what) + ": expected a type of 0 to 12; found " + std::to_string(number));
  return static_cast<gguf_type>(number);
}

/// Moves past a value and checks it.
void skip(byte_cursor& cursor, gguf_type type, std::string_view what, int depth = 0) {
  if (type == gguf_type::text) {
    read_text(cursor, what);
  } else if (type == gguf_type::array) {
    if (depth == deepest_array) cursor.fail(std::string(what) + ": arrays are nested too deeply");
    const gguf_type element = read_type(cursor, what);
    for (auto left = cursor.read<std::uint64_t>(what); left > 0; --left)
      skip(cursor, element, what, depth + 1);
  } else if (type == gguf_type::boolean) {
    if (const auto value = cursor.read<std::uint8_t>(what); value > 1)
      cursor.fail(std::string(what) + ": expected a boolean of 0 or 1; found " + std::to_string(value));
  } else {
    with_number(type, [&](auto number) { cursor.read<decltype(number)>(what); });
  }
}

std::optional<std::string_view> as_text(byte_cursor& cursor, gguf_type type) {
  return type == gguf_type::text ? std::optional(read_text(cursor, "a text")) : std::nullopt;
}

std::optional<std::int64_t> as_integer(byte_cursor& cursor, gguf_type type) {
  std::optional<std::int64_t> value;
  with_number(type, [&]<typename number>(number) {
    if constexpr (std::is_integral_v<number>)
      if (const auto found = cursor.read<number>("an integer"); std::in_range<std::int64_t>(found))
        value = static_cast<std::int64_t>(found);
  });
  return value;
}

std::optional<double> as_number(byte_cursor& cursor, gguf_type type) {
  std::optional<double> value;
  with_number(type,
              [&]<typename number>(number) { value = static_cast<double>(cursor.read<number>("a number")); });
  return value;
}

} // namespace

gguf_metadata::gguf_metadata(std::shared_ptr<const mapped_file> file, byte_cursor& cursor,
                             std::uint64_t count)
    : source_(cursor.source()), file_(std::move(file)) {
  entry_map entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string key(
        read_text(cursor, "the name of key " + std::to_string(i + 1) + " of " + std::to_string(count)));
    const std::string what = "key " + in_quotes(key);
    entry made{read_type(cursor, what), std::nullopt, {}, nullptr};
    if (made.type == gguf_type::array) {
      made.type = read_type(cursor, what);
      made.count = addressable(cursor.read<std::uint64_t>(what));
    }
    const std::size_t from = cursor.position();
    for (std::size_t element = 0; element < made.count.value_or(1); ++element) skip(cursor, made.type, what);
    made.bytes = file_->bytes().subspan(from, cursor.position() - from);
    if (!entries.emplace(key, made).second) cursor.fail(what + " occurs twice");
  }
  entries_ = std::make_shared<const entry_map>(std::move(entries));
}

template <typename result, typename reader>
std::optional<std::vector<result>> gguf_metadata::read(std::string_view key, bool array, const char* expected,
                                                       reader one) const {
  const auto at = entries_->find(key);
  if (at == entries_->end()) return std::nullopt;
  const entry& found = at->second;
  byte_cursor cursor(source_, found.bytes);
  std::vector<result> values;
  bool fits = found.count.has_value() == array;
  for (std::size_t i = 0; fits && i < found.count.value_or(1); ++i) {
    const std::optional<result> value = one(cursor, found.type);
    fits = value.has_value();
    if (fits) values.push_back(*value);
  }
  if (!fits)
    throw error(source_ + ": key " + in_quotes(key) + ": expected " + expected + "; found " +
                (found.count ? "an array of " : "") + name_of(found.type));
  return values;
}

template <typename result, typename reader>
std::optional<result> gguf_metadata::read_single(std::string_view key, const char* expected,
                                                 reader one) const {
  const auto values = read<result>(key, false, expected, one);
  return values ? std::optional(values->front()) : std::nullopt;
}

std::optional<std::string_view> gguf_metadata::text(std::string_view key) const {
  return read_single<std::string_view>(key, "text", as_text);
}
std::optional<std::int64_t> gguf_metadata::integer(std::string_view key) const {
  return read_single<std::int64_t>(key, "int64", as_integer);
}
std::optional<double> gguf_metadata::number(std::string_view key) const {
  return read_single<double>(key, "a number", as_number);
}

std::optional<std::vector<std::string_view>> gguf_metadata::texts(std::string_view key) const {
  return read<std::string_view>(key, true, "an array of text", as_text);
}
std::optional<std::vector<std::int64_t>> gguf_metadata::integers(std::string_view key) const {
  return read<std::int64_t>(key, true, "an array of int64", as_integer);
}
std::optional<std::vector<double>> gguf_metadata::numbers(std::string_view key) const {
  return read<double>(key, true, "an array of numbers", as_number);
}

std::map<std::string, std::string> gguf_metadata::as_texts() const {
  std::map<std::string, std::string> result;
  for (const auto& [key, found] : *entries_) {
    if (found.count) continue;
    byte_cursor cursor(source_, found.bytes);
    if (found.type == gguf_type::text)
      result.emplace(key, read_text(cursor, key));
    else
      with_number(found.type, [&]<typename number>(number) {
        const auto value = +cursor.read<number>(key); // of a byte the number
        result.emplace(key, shortest_text(value));
      });
  }
  return result;
}

std::map<std::string, std::size_t> gguf_metadata::array_lengths() const {
  std::map<std::string, std::size_t> result;
  for (const auto& [key, found] : *entries_)
    if (found.count) result.emplace(key, *found.count);
  return result;
}

void gguf_metadata::set(const std::string& key, gguf_type type, std::string value) {
  entry_map entries = *entries_;
  const auto owned = std::make_shared<const std::string>(std::move(value));
  entries[key] = {type, std::nullopt, std::as_bytes(std::span(*owned)), owned};
  entries_ = std::make_shared<const entry_map>(std::move(entries));
}

void gguf_metadata::set(const std::string& key, std::string_view text) {
  set(key, gguf_type::text, text_bytes(text));
}
void gguf_metadata::set(const std::string& key, std::uint32_t number) {
  set(key, gguf_type::uint32, bytes_of(number));
}
void gguf_metadata::set(const std::string& key, float number) {
  set(key, gguf_type::float32, bytes_of(number));
}

std::string gguf_metadata::stored() const {
  std::string pairs;
  for (const auto& [key, found] : *entries_) {
    pairs += text_bytes(key);
    if (found.count) pairs += bytes_of(gguf_type::array);
    pairs += bytes_of(found.type);
    if (found.count) pairs += bytes_of(std::uint64_t{*found.count});
    pairs.append(reinterpret_cast<const char*>(found.bytes.data()), found.bytes.size());
  }
  return pairs;
}

} // namespace fovea::core
