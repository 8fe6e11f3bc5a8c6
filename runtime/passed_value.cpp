#include <fovea/runtime/passed_value.hpp>

#include <fovea/base/error.hpp>

namespace fovea::core::detail {

passed_value& passed_values::named(const std::string& name) {
  const int number = number_of_passed(name.c_str());
  return number < 0 ? given[name] : passed[static_cast<std::size_t>(number)];
}

void share(passed_values& values, std::span<const char* const> names, const rank_group& group, int from,
           const std::string& problem) {
  if (group.size() == 1) {
    if (!problem.empty()) throw error(problem);
    return;
  }
  std::vector<std::int64_t> told{static_cast<std::int64_t>(problem.size())};
  for (const char* name : names) {
    const passed_value& value = values.named(name);
    told.push_back(static_cast<std::int64_t>(value.bytes.size()));
    told.insert(told.end(), value.sizes.begin(), value.sizes.end());
  }
  group.broadcast(std::as_writable_bytes(std::span(told)), from);
  if (told[0] > 0) {
    std::string text = problem;
    text.resize(static_cast<std::size_t>(told[0]));
    group.broadcast(std::as_writable_bytes(std::span(text)), from);
    throw error(text);
  }
  auto next = told.cbegin() + 1;
  for (const char* name : names) {
    passed_value& value = values.named(name);
    value.bytes.resize(static_cast<std::size_t>(*next++));
    std::copy_n(next, value.sizes.size(), value.sizes.begin());
    next += static_cast<std::ptrdiff_t>(value.sizes.size());
    group.broadcast(value.bytes, from);
  }
}

} // namespace fovea::core::detail
