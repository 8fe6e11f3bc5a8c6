#include <fovea/base/json/parse_json.hpp>

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/base/regular_file.hpp>

#include <algorithm>
#include <vector>

namespace fovea::core {
namespace {

using json = nlohmann::json;

// Far above what any format nests; what walks through a value calls itself no deeper.
constexpr std::size_t most_nested = 64;

/// Gives back what a value holds, the innermost first: then no destructor of json finds children, for which
/// alone it asks for memory.
void take_apart(json& value) noexcept {
  if (!value.is_structured()) return;
  for (json& part : value) take_apart(part);
  value.clear();
}

/// Builds values from what nlohmann's parser reads.
class builder {
public:
  explicit builder(std::span<const taken_part> parts) : parts_(parts) {}
  builder(const builder&) = delete;
  builder& operator=(const builder&) = delete;
  ~builder() {
    for (level& one : open_) take_apart(one.value);
    take_apart(whole_);
  }

  json_document result() { return json_document(std::move(whole_)); }

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(std::int64_t value) { return put(value); }
  bool number_unsigned(std::uint64_t value) { return put(value); }
  bool number_float(double value, const std::string&) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  bool binary(json::binary_t&) { return false; } // not in texts
  bool start_object(std::size_t) { return begin(json::object()); }
  bool start_array(std::size_t) { return begin(json::array()); }
  bool key(std::string& name) {
    open_.back().name.swap(name);
    return true;
  }
  bool end_object() { return end(); }
  bool end_array() { return end(); }

  bool parse_error(std::size_t, const std::string& last_read, const json::exception& problem) {
    std::string reason = problem.what();
    if (const auto id = reason.find("] "); reason.starts_with('[') && id != std::string::npos)
      reason.erase(0, id + 2); // the library's number of the error
    if (const auto at = reason.find(last_read); at != std::string::npos && !last_read.empty())
      reason.replace(at, last_read.size(), shortened(last_read));
    throw malformed_json("not valid JSON: " + reason);
  }

private:
  /// A list or an object that is not complete.
  struct level {
    json value;
    std::string name = {};            // of the object's member that is being read
    const taken_part* part = nullptr; // that takes what is in it
  };

  bool begin(json&& empty) {
    if (open_.size() == most_nested)
      throw malformed_json("expected lists and objects nested at most " + std::to_string(most_nested) +
                           " deep; found more");
    const auto part = std::ranges::find_if(
        parts_, [&](const taken_part& one) { return one.of_list == empty.is_array() && is_at(one.path); });
    open_.push_back({.value = std::move(empty), .part = part == parts_.end() ? nullptr : &*part});
    return true;
  }

  bool is_at(std::span<const std::string_view> path) const {
    return std::ranges::equal(open_, path, [](const level& one, std::string_view name) {
      return one.value.is_object() && one.name == name;
    });
  }

  bool end() {
    // The value stays where the destructor finds it until it has its place.
    json& value = open_.back().value;
    if (open_.size() == 1)
      whole_.swap(value);
    else
      put(std::move(value), open_[open_.size() - 2]);
    take_apart(value); // if it was taken
    open_.pop_back();
    return true;
  }

  bool put(json&& value) {
    if (open_.empty())
      whole_.swap(value);
    else
      put(std::move(value), open_.back());
    return true;
  }

  void put(json&& value, level& into) {
    if (into.part != nullptr)
      into.part->take(into.name, value);
    else if (into.value.is_array())
      into.value.push_back(std::move(value));
    else if (!into.value.get_ref<json::object_t&>().try_emplace(into.name, std::move(value)).second)
      throw malformed_json("expected each name in an object once; found " + in_quotes(into.name) + " twice");
  }

  std::span<const taken_part> parts_;
  std::vector<level> open_;
  json whole_;
};

} // namespace

json_document::~json_document() { take_apart(value_); }

json_document parse_json(std::string_view text, std::span<const taken_part> parts) {
  builder made(parts);
  json::sax_parse(text, &made);
  return made.result();
}

json_document load_json(const std::filesystem::path& path) try {
  const mapped_file file(path, {.copy = true});
  try {
    return parse_json({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
  } catch (const malformed_json& problem) {
    throw error(path.string() + ": " + problem.what());
  }
} catch (const std::bad_alloc&) {
  refuse_memory(path);
}

std::string shown(const json& value) {
  constexpr std::size_t short_list = 4;
  const bool is_short = value.is_array() && value.size() <= short_list &&
                        std::ranges::none_of(value, [](const json& one) { return one.is_structured(); });
  return value.is_structured() && !is_short ? value.type_name() : shortened(value.dump());
}

} // namespace fovea::core
