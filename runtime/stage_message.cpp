#include <fovea/runtime/stage_message.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>

namespace fovea::core::detail {

namespace {

constexpr std::size_t room_for_problem = 1024; // at the beginning of a message, and a 0 at its end

} // namespace

stage_message::~stage_message() {
  try {
    if (under_way_ != nullptr) under_way_->wait(); // into bytes_
  } catch (const std::exception&) {
    // The others are gone, too.
  }
}

void stage_message::tell_sizes(const rank_group& group, int from) {
  std::vector<std::int64_t> told;
  for (const passed_value* value : values_) {
    told.push_back(static_cast<std::int64_t>(value->bytes.size()));
    told.insert(told.end(), value->sizes.begin(), value->sizes.end());
  }
  group.broadcast(std::as_writable_bytes(std::span(told)), from);
  auto next = told.cbegin();
  for (passed_value* value : values_) {
    value->bytes.resize(static_cast<std::size_t>(*next++));
    std::copy_n(next, value->sizes.size(), value->sizes.begin());
    next += static_cast<std::ptrdiff_t>(value->sizes.size());
  }
}

void stage_message::write() {
  std::fill_n(bytes_.begin(), room_for_problem, std::byte{});
  const std::size_t length = std::min(problem_.size(), room_for_problem - 1);
  std::ranges::copy(std::as_bytes(std::span(problem_)).first(length), bytes_.begin());
  auto to = bytes_.begin() + room_for_problem;
  for (const passed_value* value : values_) to = std::ranges::copy(value->bytes, to).out;
}

void stage_message::read() {
  problem_ = reinterpret_cast<const char*>(bytes_.data());
  auto from = bytes_.cbegin() + room_for_problem;
  for (passed_value* value : values_) {
    std::copy_n(from, value->bytes.size(), value->bytes.begin());
    from += static_cast<std::ptrdiff_t>(value->bytes.size());
  }
}

void stage_message::begin(const rank_group& group, int from, std::vector<passed_value*> values,
                          const std::string& problem, bool sizes_are_known) {
  group_ = group;
  values_ = std::move(values);
  problem_ = problem;
  is_begun_ = true;
  is_read_ = group.rank() == from;
  if (group.size() == 1) return;
  if (!sizes_are_known) tell_sizes(group, from);
  std::size_t size = room_for_problem;
  for (const passed_value* value : values_) size += value->bytes.size();
  bytes_.resize(size);
  if (is_read_) write();
  if (!group.moves_meanwhile()) return group.broadcast(bytes_, from);
  std::vector<std::size_t> ends(static_cast<std::size_t>(group.size())); // of each rank's part: all is one's
  std::fill(ends.begin() + from, ends.end(), size);
  under_way_ = group.begin_gather(bytes_, ends);
}

const std::string& stage_message::end() {
  if (under_way_ != nullptr) {
    const rank_group::waiting now(group_);
    under_way_->wait();
    under_way_.reset();
  }
  if (!is_read_) read();
  is_read_ = true;
  is_begun_ = false;
  return problem_;
}

} // namespace fovea::core::detail
