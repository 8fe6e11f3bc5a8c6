#include <fovea/mpi/mpi_group.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

#include <mpi.h>

namespace fovea::core {

namespace {

/// Values that are summed at once: each rank adds up a part of them, which the others send it, and sends the
/// sums back. Its parts are what MPI_Alltoallv and MPI_Allgatherv take.
struct bucket {
  float* values = nullptr;
  std::vector<int> counts = {}, places = {}; // of the part of each rank
  std::vector<float> received = {};          // this rank's part, of each rank
  std::vector<int> received_counts = {}, received_places = {};
  MPI_Request exchange = MPI_REQUEST_NULL, gather = MPI_REQUEST_NULL;
};

class mpi_ranks {
public:
  explicit mpi_ranks(MPI_Comm all) : all_(all) {
    MPI_Comm_rank(all_, &rank_);
    MPI_Comm_size(all_, &size_);
  }

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// A bucket is on its way while the one before it is added up: MPI_Allreduce would leave the order of sums
  /// to the number of ranks and the size of the message.
  void sum(std::span<float> values) const {
    std::vector<bucket> buckets = buckets_of(values);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      if (i == 0) begin(buckets[0]);
      if (i + 1 < buckets.size()) begin(buckets[i + 1]);
      add_up(buckets[i]);
    }
    for (bucket& one : buckets) MPI_Wait(&one.gather, MPI_STATUS_IGNORE);
  }

  void broadcast(std::span<std::byte> bytes, int from) const {
    constexpr std::size_t most = std::numeric_limits<int>::max();
    for (std::size_t at = 0; at < bytes.size(); at += most)
      MPI_Bcast(bytes.data() + at, static_cast<int>(std::min(most, bytes.size() - at)), MPI_BYTE, from, all_);
  }

private:
  static constexpr std::size_t most_of_part = std::size_t{1} << 18; // a MiB

  std::vector<bucket> buckets_of(std::span<float> values) const {
    const auto ranks = static_cast<std::size_t>(size_), most = ranks * most_of_part;
    std::vector<bucket> made;
    for (std::size_t at = 0; at < values.size(); at += most) {
      const std::size_t count = std::min(most, values.size() - at);
      bucket& one = made.emplace_back();
      one.values = values.data() + at;
      for (std::size_t r = 0; r < ranks; ++r) {
        const std::size_t first = count * r / ranks;
        one.places.push_back(static_cast<int>(first));
        one.counts.push_back(static_cast<int>(count * (r + 1) / ranks - first));
      }
    }
    return made;
  }

  /// Has each rank send the others their parts.
  void begin(bucket& one) const {
    const int own = one.counts[static_cast<std::size_t>(rank_)];
    one.received.resize(one.counts.size() * static_cast<std::size_t>(own));
    for (int r = 0; r < size_; ++r) {
      one.received_counts.push_back(own);
      one.received_places.push_back(r * own);
    }
    MPI_Ialltoallv(one.values, one.counts.data(), one.places.data(), MPI_FLOAT, one.received.data(),
                   one.received_counts.data(), one.received_places.data(), MPI_FLOAT, all_, &one.exchange);
  }

  /// Adds this rank's part in the order of the ranks, and has it sent to the others.
  void add_up(bucket& one) const {
    MPI_Wait(&one.exchange, MPI_STATUS_IGNORE);
    const auto self = static_cast<std::size_t>(rank_), own = static_cast<std::size_t>(one.counts[self]);
    float* to = one.values + one.places[self];
    std::copy_n(one.received.begin(), own, to);
    for (std::size_t r = 1; r < one.counts.size(); ++r)
      for (std::size_t i = 0; i < own; ++i) to[i] += one.received[r * own + i];
    std::vector<float>().swap(one.received);
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, one.values, one.counts.data(), one.places.data(),
                    MPI_FLOAT, all_, &one.gather);
  }

  MPI_Comm all_;
  int rank_ = 0, size_ = 1;
};

/// Where a rank failed, the others may wait for it, and MPI_Finalize would wait for them.
void end(int status, void*) {
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended != 0) return;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (status != 0 && ranks > 1)
    MPI_Abort(MPI_COMM_WORLD, status);
  else
    MPI_Finalize();
}

MPI_Comm own_communicator() {
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun == 0) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    ::on_exit(end, nullptr);
  }
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  return made;
}

} // namespace

rank_group mpi_group() {
  static const MPI_Comm all = own_communicator();
  return mpi_ranks(all);
}

} // namespace fovea::core
