#include <fovea/library/library.hpp>

#include <fovea/base/error.hpp>
#include <fovea/programs/built.hpp>

#include <algorithm>
#include <cstring>

namespace fovea::library {
namespace {

core::dim_size capacity_of(const fovea_capacity& asked) {
  if (asked.dim == nullptr || *asked.dim == '\0' || std::strlen(asked.dim) > core::dim::max_name)
    throw error(std::string("capacity: expected the name of a dim, found ") +
                (asked.dim == nullptr ? "NULL" : "\"" + std::string(asked.dim) + "\""));
  return {core::dim::symbol(asked.dim), asked.size};
}

} // namespace

model_weights weights_of(const program_parts& parts, const char* file) {
  if (file == nullptr && !programs::has_weights(parts))
    throw error("weights: expected a file, since the library is built without; found NULL");
  return programs::weights_of(parts, core::file_path(file == nullptr ? "" : file));
}

model_weights weights_of(const program_parts& parts, bytes_in_memory bytes) {
  if (bytes.first == nullptr) throw error("weights in memory: expected bytes, found NULL");
  return programs::weights_of(parts, {static_cast<const std::byte*>(bytes.first), bytes.count},
                              "weights in memory");
}

void set_capacity(compile_options& options, const core::dim_size& size) {
  const auto built = std::ranges::find_if(options.capacity,
                                          [&](const core::dim_size& d) { return d.symbol == size.symbol; });
  if (built != options.capacity.end())
    *built = size;
  else
    options.capacity.push_back(size);
}

compile_options options_of(const program_parts& parts, const fovea_options* asked) {
  compile_options options{.capacity = parts.capacity};
  if (asked == nullptr) return options;
  if (asked->capacity == nullptr && asked->capacities > 0)
    throw error("capacity: expected " + std::to_string(asked->capacities) + " of them, found NULL");
  for (std::size_t i = 0; i < asked->capacities; ++i) set_capacity(options, capacity_of(asked->capacity[i]));
  options.threads = asked->threads;
  options.lent = {asked->execute, asked->executor};
  return options;
}

} // namespace fovea::library
