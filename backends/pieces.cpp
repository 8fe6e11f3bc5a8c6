#include <fovea/backends/pieces.hpp>

#include <algorithm>
#include <functional>
#include <new>

namespace fovea::core {

pieces::pieces(std::span<const std::size_t> floats, std::size_t between) {
  constexpr std::size_t line = 16; // floats
  const bool together = pieces_lie_together();
  std::vector<std::size_t> offsets;
  std::size_t total = 0;
  for (const std::size_t count : floats) {
    const std::size_t lines = (count + line - 1) / line * line;
    if (lines + between > static_cast<std::size_t>(-1) - total) throw std::bad_alloc();
    if (!together) memory_.push_back(buffer::from_shape({lines}));
    offsets.push_back(total);
    total += lines + between;
  }
  if (together) memory_.push_back(buffer::from_shape({total}));
  clear();
  for (std::size_t i = 0; i < floats.size(); ++i)
    begins_.push_back(together ? memory_[0].data() + offsets[i] : memory_[i].data());
}

void pieces::clear() noexcept {
  for (buffer& one : memory_)
    if (one.size() > 0) zero_lines(one.data(), one.size() * sizeof(float));
}

pieces::pieces(const pieces& other) : memory_(other.memory_) { find_begins(other); }

pieces& pieces::operator=(const pieces& other) {
  memory_ = other.memory_;
  find_begins(other);
  return *this;
}

void pieces::find_begins(const pieces& other) {
  begins_.resize(other.begins_.size());
  for (std::size_t i = 0; i < begins_.size(); ++i) {
    const std::size_t in = memory_.size() == begins_.size() ? i : 0;
    begins_[i] = memory_[in].data() + (other.begins_[i] - other.memory_[in].data());
  }
}

std::size_t pieces::before(std::size_t i) const {
  if (memory_.size() < begins_.size()) return static_cast<std::size_t>(begins_[i] - begins_[0]);
  std::size_t floats = 0;
  for (std::size_t k = 0; k < i; ++k) floats += memory_[k].size();
  return floats;
}

std::size_t pieces::size() const {
  std::size_t total = 0;
  for (const buffer& one : memory_) total += one.size();
  return total;
}

bool pieces::hold(std::span<const float> values) const {
  const std::less<const float*> before;
  return std::ranges::any_of(memory_, [&](const buffer& one) {
    return before(one.data(), values.data() + values.size()) &&
           before(values.data(), one.data() + one.size());
  });
}

} // namespace fovea::core
