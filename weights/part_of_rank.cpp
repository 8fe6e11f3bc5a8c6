#include <fovea/weights/part_of_rank.hpp>

#include <utility>

namespace fovea::core {

void part_of_rank(weight_view& all, std::span<const std::size_t> shape, int axis, int rank, int ranks,
                  std::vector<std::vector<float>>& kept) {
  const auto r = static_cast<std::size_t>(rank), n = static_cast<std::size_t>(ranks);
  const std::size_t count = all.size / n;
  if (axis == 0) {
    all.data += r * count, all.size = count; // the same holder
    return;
  }
  const std::size_t width = shape[1], part = width / n;
  std::vector<float> made;
  made.reserve(count);
  for (const float* row = all.data; row != all.data + all.size; row += width)
    made.insert(made.end(), row + r * part, row + (r + 1) * part);
  kept.push_back(std::move(made));
  all = {kept.back().data(), count};
}

} // namespace fovea::core
