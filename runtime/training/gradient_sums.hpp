#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <fovea/backends/buffer.hpp>
#include <fovea/runtime/ranks/rank_group.hpp>
#include <fovea/runtime/training/communication.hpp>

namespace fovea::core::detail {

/// So many values of a parameter, from `first` on.
struct parameter_part {
  int parameter;
  std::size_t first, count;
};

/// How gradients go from rank to rank.
///   bucket   values that are summed at once; 0: a sixteenth of all, in bounds
///   as_bf16  rounded to bfloat16 on their way; they are added in float32, and each sum is rounded, too
///   shared   each rank gets the sums of its share alone: of each bucket one part
struct summing_options {
  std::size_t bucket = 0;
  bool as_bf16 = false, shared = false;
};

/// The gradients of an update on their way to sums over all ranks: parts side by side in the order in which
/// they become final, cut into buckets. A bucket that is full goes to the other ranks while the next fills.
/// Each rank adds one part of it in the order of the ranks, and sends the sums back; so numbers do not depend
/// on buckets.
class gradient_sums {
public:
  gradient_sums(const rank_group& group, std::vector<parameter_part> parts, const summing_options& how);
  ~gradient_sums() { abandon(); }
  gradient_sums(const gradient_sums&) = delete;
  gradient_sums& operator=(const gradient_sums&) = delete;

  /// Begins with the gradients of the next update.
  void begin();
  const std::vector<parameter_part>& parts() const { return parts_; }
  /// The part that comes next; parts().size() if all are here.
  std::size_t next() const { return next_; }
  /// Where it is to be written, and says that it was.
  float* place_of_next() { return values_.data() + staged_; }
  void add_next();

  /// Whether a bucket is full and has not begun, and whether one has.
  bool is_full() const { return begun_ < buckets_.size() && buckets_[begun_].end() <= staged_; }
  bool has_begun() const { return begun_ > 0; }
  void begin_full();
  /// Looks for what is over, and goes on with it.
  void progress();
  /// Waits until all are summed.
  void finish();
  /// Does the same for the other ranks' sake where buckets have begun; their sums are of no use.
  void abandon() noexcept;

  /// What this rank gets the sums of; they lie from `at` on in sums().
  struct summed_part : parameter_part {
    std::size_t at;
  };
  const std::vector<summed_part>& own() const { return own_; }
  const float* sums() const { return values_.data(); }

  // Where each rank has a share.

  /// Sends what own() has to all, and gives each part: read(part, to) of this rank's, write(part, from) of
  /// the others'.
  template <class R, class W>
  void gather(R read, W write) {
    for (std::size_t i = 0; i < own_.size(); ++i) read(own_[i], values_.data() + own_[i].at);
    gather_shares();
    for (const bucket& one : buckets_)
      for (std::size_t r = 0; r < one.ends.size(); ++r)
        if (static_cast<int>(r) != group_.rank())
          for (const summed_part& part : parts_within(one.first + one.begin_of(r), one.first + one.ends[r]))
            write(part, values_.data() + part.at);
  }

  communication_clock& clock() { return clock_; }

private:
  /// What is sent and received of a bucket, by type.
  struct messages {
    std::vector<float> received = {};
    std::vector<std::uint16_t> rounded = {}, received_rounded = {};
  };
  struct bucket {
    std::size_t first, count;
    std::vector<std::size_t> ends = {};      // of each rank's part, in values from `first` on
    std::vector<std::size_t> byte_ends = {}; // as they are sent
    std::unique_ptr<transfer> under_way = {};
    messages memory = {};
    std::int64_t began = 0;

    std::size_t end() const { return first + count; }
    std::size_t begin_of(std::size_t rank) const { return rank == 0 ? 0 : ends[rank - 1]; }
  };
  std::vector<summed_part> parts_within(std::size_t first, std::size_t last) const;
  std::span<float> part_of(const bucket& one, int rank);
  std::span<std::byte> bytes_of(const bucket& one);
  void begin_exchange(bucket& one);
  void add_up(bucket& one);
  void end_bucket(bucket& one);
  void sum_at_once();
  void gather_shares();
  bool is_over(bucket& one);
  void wait_for(bucket& one);

  rank_group group_;
  std::vector<parameter_part> parts_;
  std::vector<std::size_t> begins_; // of each part among all values, and the end
  summing_options how_;
  buffer values_;
  std::vector<bucket> buckets_;
  std::vector<messages> spare_;
  std::vector<summed_part> own_;
  std::size_t next_ = 0, staged_ = 0;
  std::size_t begun_ = 0, added_ = 0, ended_ = 0; // buckets
  communication_clock clock_;
};

} // namespace fovea::core::detail
