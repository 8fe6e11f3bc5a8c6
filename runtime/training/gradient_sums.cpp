#include <fovea/runtime/training/gradient_sums.hpp>

#include <exception>
#include <utility>

#include <fovea/base/half.hpp>

namespace fovea::core::detail {

namespace {

constexpr const char *summing = "sum of gradients", *gathering = "parameters of all ranks",
                     *waiting = "wait for ranks";

/// Of a row of parts, adds the values of all ranks in their order.
template <class T, class F>
void add_in_order(std::span<float> to, const std::vector<T>& received, F value) {
  const T* from = received.data();
  for (float& x : to) x = value(*from++);
  for (const T* const end = received.data() + received.size(); from != end; from += to.size())
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += value(from[i]);
}

} // namespace

gradient_sums::gradient_sums(const rank_group& group, std::vector<parameter_part> parts,
                             const summing_options& how)
    : group_(group), parts_(std::move(parts)), begins_{0}, how_(how) {
  for (const parameter_part& part : parts_) begins_.push_back(begins_.back() + part.count);
  values_ = buffer::from_shape({begins_.back()});
  const auto ranks = static_cast<std::size_t>(group.size());
  // The bytes of a message are counted in an int.
  const std::size_t chosen =
      how.bucket > 0 ? std::min(how.bucket, std::size_t{1} << 28)
                     : std::clamp(values_.size() / 16, std::size_t{1} << 14, std::size_t{1} << 20);
  const std::size_t most = std::max(chosen, ranks);
  for (std::size_t first = 0; first < values_.size(); first += most) {
    buckets_.push_back({.first = first, .count = std::min(most, values_.size() - first)});
    bucket& one = buckets_.back();
    for (std::size_t r = 1; r <= ranks; ++r) {
      one.ends.push_back(one.count * r / ranks);
      one.byte_ends.push_back(one.ends.back() * (how.as_bf16 ? sizeof(std::uint16_t) : sizeof(float)));
    }
    if (!how.shared) continue;
    const auto self = static_cast<std::size_t>(group.rank());
    for (const summed_part& part : parts_within(first + one.begin_of(self), first + one.ends[self]))
      own_.push_back(part);
  }
  if (!how.shared) own_ = parts_within(0, values_.size());
}

std::vector<gradient_sums::summed_part> gradient_sums::parts_within(std::size_t first,
                                                                    std::size_t last) const {
  std::vector<summed_part> found;
  if (first == last) return found;
  for (auto i = static_cast<std::size_t>(std::ranges::upper_bound(begins_, first) - begins_.begin()) - 1;
       i < parts_.size() && begins_[i] < last; ++i) {
    const std::size_t begin = std::max(first, begins_[i]), end = std::min(last, begins_[i + 1]);
    found.push_back({{parts_[i].parameter, parts_[i].first + begin - begins_[i], end - begin}, begin});
  }
  return found;
}

std::span<float> gradient_sums::part_of(const bucket& one, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  return {values_.data() + one.first + one.begin_of(r), one.ends[r] - one.begin_of(r)};
}

std::span<std::byte> gradient_sums::bytes_of(const bucket& one) {
  return std::as_writable_bytes(std::span(values_.data() + one.first, one.count));
}

void gradient_sums::begin() { next_ = staged_ = begun_ = added_ = ended_ = 0; }

void gradient_sums::add_next() { staged_ += parts_[next_++].count; }

bool gradient_sums::is_over(bucket& one) {
  if (one.under_way == nullptr) return true;
  const communication_clock::waiting now(clock_); // an engine may do its work when it is asked
  return one.under_way->is_over();
}

void gradient_sums::wait_for(bucket& one) {
  if (is_over(one)) return;
  const communication_clock::waiting now(clock_, waiting);
  const rank_group::waiting for_others(group_);
  one.under_way->wait();
}

void gradient_sums::begin_exchange(bucket& one) {
  if (!spare_.empty()) {
    one.memory = std::move(spare_.back());
    spare_.pop_back();
  }
  messages& m = one.memory;
  const std::size_t received = part_of(one, group_.rank()).size() * one.ends.size();
  const communication_clock::waiting now(clock_, "begin a sum");
  one.began = clock_.begin();
  if (how_.as_bf16) {
    m.rounded.resize(one.count), m.received_rounded.resize(received);
    std::transform(values_.data() + one.first, values_.data() + one.end(), m.rounded.begin(), to_bfloat);
    one.under_way = group_.begin_exchange(std::as_bytes(std::span(m.rounded)), one.byte_ends,
                                          std::as_writable_bytes(std::span(m.received_rounded)));
  } else {
    m.received.resize(received);
    one.under_way =
        group_.begin_exchange(bytes_of(one), one.byte_ends, std::as_writable_bytes(std::span(m.received)));
  }
}

void gradient_sums::add_up(bucket& one) {
  messages& m = one.memory;
  one.under_way.reset();
  const std::span<float> sums = part_of(one, group_.rank());
  if (sums.empty())
    ;
  else if (how_.as_bf16)
    add_in_order(sums, m.received_rounded, from_bfloat);
  else
    add_in_order(sums, m.received, [](float x) { return x; });
  if (how_.shared) return;
  const communication_clock::waiting now(clock_, "begin to send sums");
  if (how_.as_bf16) {
    std::transform(sums.begin(), sums.end(),
                   m.rounded.begin() +
                       (sums.data() - values_.data() - static_cast<std::ptrdiff_t>(one.first)),
                   to_bfloat);
    one.under_way = group_.begin_gather(std::as_writable_bytes(std::span(m.rounded)), one.byte_ends);
  } else {
    one.under_way = group_.begin_gather(bytes_of(one), one.byte_ends);
  }
}

void gradient_sums::end_bucket(bucket& one) {
  one.under_way.reset();
  if (how_.as_bf16 && !how_.shared)
    std::ranges::transform(one.memory.rounded, values_.data() + one.first, from_bfloat);
  spare_.push_back(std::move(one.memory));
  clock_.end(summing, one.began);
}

void gradient_sums::begin_full() {
  for (; is_full(); progress()) begin_exchange(buckets_[begun_++]);
}

void gradient_sums::progress() {
  while (added_ < begun_ && is_over(buckets_[added_])) add_up(buckets_[added_++]);
  while (ended_ < added_ && is_over(buckets_[ended_])) end_bucket(buckets_[ended_++]);
}

void gradient_sums::finish() {
  if (!group_.moves_meanwhile()) return sum_at_once();
  begin_full();
  while (ended_ < begun_) {
    wait_for(buckets_[added_ < begun_ ? added_ : ended_]);
    progress();
  }
}

void gradient_sums::sum_at_once() {
  const communication_clock::waiting now(clock_, summing);
  const auto round = [this] {
    if (how_.as_bf16)
      for (float& x : values_) x = from_bfloat(to_bfloat(x));
  };
  round();
  group_.sum(std::span(values_.data(), values_.size()));
  if (!how_.shared) round();
}

void gradient_sums::abandon() noexcept {
  try {
    if (has_begun()) finish();
  } catch (const std::exception&) {
    // The others are gone, too.
  }
  begin();
}

void gradient_sums::gather_shares() {
  if (!group_.moves_meanwhile()) {
    const communication_clock::waiting now(clock_, gathering);
    for (const bucket& one : buckets_)
      for (int r = 0; r < group_.size(); ++r) group_.broadcast(std::as_writable_bytes(part_of(one, r)), r);
    return;
  }
  for (bucket& one : buckets_) {
    one.began = clock_.begin();
    std::vector<std::size_t> ends;
    for (const std::size_t end : one.ends) ends.push_back(end * sizeof(float));
    one.under_way = group_.begin_gather(bytes_of(one), ends);
  }
  for (bucket& one : buckets_) {
    wait_for(one);
    one.under_way.reset();
    clock_.end(gathering, one.began);
  }
}

} // namespace fovea::core::detail
