#include <fovea/mpi/mpi_group.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <span>
#include <thread>
#include <utility>
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

/// What connects the processes of a program.
class connection {
public:
  connection() {
    for (MPI_Comm* made : {&all_, &exchanges_, &gathers_, &leaving_}) MPI_Comm_dup(MPI_COMM_WORLD, made);
    MPI_Comm_rank(all_, &rank_);
    MPI_Comm_size(all_, &size_);
    last_call_.resize(static_cast<std::size_t>(size_), still_there);
  }

  MPI_Comm all() const { return all_; }
  // Ranks begin collective calls of one communicator in one order; these go beside each other.
  MPI_Comm exchanges() const { return exchanges_; }
  MPI_Comm gathers() const { return gathers_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  void begin_call() { ++calls_; }
  /// Waits for what was begun in this call. Ends all ranks where one has left before it, which MPI would wait
  /// for without end.
  void wait(MPI_Request& request) {
    for (int done = 0;;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return;
      look_for_who_left();
      std::this_thread::yield(); // a rank that it waits for may need the processor
    }
  }
  /// Tells the others, and waits until they leave, too.
  void leave() {
    std::vector<MPI_Request> sent(static_cast<std::size_t>(size_), MPI_REQUEST_NULL);
    for (int r = 0; r < size_; ++r)
      if (r != rank_) MPI_Isend(&calls_, 1, MPI_UINT64_T, r, 0, leaving_, &sent[static_cast<std::size_t>(r)]);
    for (int r = 0; r < size_; ++r)
      if (r != rank_ && last_call_[static_cast<std::size_t>(r)] == still_there) hear_that_left(r);
    MPI_Waitall(size_, sent.data(), MPI_STATUSES_IGNORE);
  }

private:
  static constexpr std::uint64_t still_there = std::numeric_limits<std::uint64_t>::max();

  void hear_that_left(int rank) {
    MPI_Recv(&last_call_[static_cast<std::size_t>(rank)], 1, MPI_UINT64_T, rank, 0, leaving_,
             MPI_STATUS_IGNORE);
  }
  void look_for_who_left() {
    int found = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, leaving_, &found, &status);
    if (found != 0) hear_that_left(status.MPI_SOURCE);
    const auto gone = std::ranges::find_if(last_call_, [&](std::uint64_t last) { return last < calls_; });
    if (gone == last_call_.end()) return;
    std::fprintf(stderr, "rank %td has left the group; expected the same calls on every rank\n",
                 gone - last_call_.begin());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  MPI_Comm all_ = MPI_COMM_NULL, exchanges_ = MPI_COMM_NULL, gathers_ = MPI_COMM_NULL,
           leaving_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::uint64_t calls_ = 0;              // of the group, on this rank
  std::vector<std::uint64_t> last_call_; // of each rank that has left
};

/// What each rank has of a message: its size and where it begins, in bytes.
struct message_parts {
  std::vector<int> sizes = {}, places = {};

  void add(std::size_t size) {
    places.push_back(sizes.empty() ? 0 : places.back() + sizes.back());
    sizes.push_back(static_cast<int>(size));
  }
};
message_parts parts_to(std::span<const std::size_t> ends) {
  message_parts made;
  for (std::size_t r = 0; r < ends.size(); ++r) made.add(ends[r] - (r == 0 ? 0 : ends[r - 1]));
  return made;
}

/// MPI moves on what is under way whenever it is called, which a rank does between the steps of its run.
class request final : public transfer {
public:
  request(connection& by, message_parts sent, message_parts received)
      : sent_(std::move(sent)), received_(std::move(received)), by_(&by) {}

  MPI_Request* begun() { return &begun_; }
  const message_parts& sent() const { return sent_; }
  const message_parts& received() const { return received_; }

  bool is_over() override {
    int done = 0;
    MPI_Test(&begun_, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }
  void wait() override { by_->wait(begun_); }

private:
  message_parts sent_, received_; // which MPI reads until it is over
  connection* by_;
  MPI_Request begun_ = MPI_REQUEST_NULL;
};

class mpi_ranks {
public:
  explicit mpi_ranks(connection& by) : by_(&by) {}

  int rank() const { return by_->rank(); }
  int size() const { return by_->size(); }

  /// A bucket is on its way while the one before it is added up: MPI_Allreduce would leave the order of sums
  /// to the number of ranks and the size of the message.
  void sum(std::span<float> values) const {
    by_->begin_call();
    std::vector<bucket> buckets = buckets_of(values);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      if (i == 0) begin(buckets[0]);
      if (i + 1 < buckets.size()) begin(buckets[i + 1]);
      add_up(buckets[i]);
    }
    for (bucket& one : buckets) by_->wait(one.gather);
  }

  void broadcast(std::span<std::byte> bytes, int from) const {
    by_->begin_call();
    constexpr std::size_t most = std::numeric_limits<int>::max();
    for (std::size_t at = 0; at < bytes.size(); at += most) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Ibcast(bytes.data() + at, static_cast<int>(std::min(most, bytes.size() - at)), MPI_BYTE, from,
                 by_->all(), &request);
      by_->wait(request);
    }
  }

  std::unique_ptr<transfer> begin_exchange(std::span<const std::byte> from, std::span<const std::size_t> ends,
                                           std::span<std::byte> to) const {
    by_->begin_call();
    message_parts received;
    for (std::size_t r = 0; r < ends.size(); ++r) received.add(to.size() / ends.size());
    auto made = std::make_unique<request>(*by_, parts_to(ends), std::move(received));
    MPI_Ialltoallv(from.data(), made->sent().sizes.data(), made->sent().places.data(), MPI_BYTE, to.data(),
                   made->received().sizes.data(), made->received().places.data(), MPI_BYTE, by_->exchanges(),
                   made->begun());
    return made;
  }

  std::unique_ptr<transfer> begin_gather(std::span<std::byte> bytes,
                                         std::span<const std::size_t> ends) const {
    by_->begin_call();
    auto made = std::make_unique<request>(*by_, message_parts{}, parts_to(ends));
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, bytes.data(), made->received().sizes.data(),
                    made->received().places.data(), MPI_BYTE, by_->gathers(), made->begun());
    return made;
  }

private:
  static constexpr std::size_t most_of_part = std::size_t{1} << 18; // a MiB

  std::vector<bucket> buckets_of(std::span<float> values) const {
    const auto ranks = static_cast<std::size_t>(size()), most = ranks * most_of_part;
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
    const int own = one.counts[static_cast<std::size_t>(rank())];
    one.received.resize(one.counts.size() * static_cast<std::size_t>(own));
    for (int r = 0; r < size(); ++r) {
      one.received_counts.push_back(own);
      one.received_places.push_back(r * own);
    }
    MPI_Ialltoallv(one.values, one.counts.data(), one.places.data(), MPI_FLOAT, one.received.data(),
                   one.received_counts.data(), one.received_places.data(), MPI_FLOAT, by_->all(),
                   &one.exchange);
  }

  /// Adds this rank's part in the order of the ranks, and has it sent to the others.
  void add_up(bucket& one) const {
    by_->wait(one.exchange);
    const auto self = static_cast<std::size_t>(rank()), own = static_cast<std::size_t>(one.counts[self]);
    float* to = one.values + one.places[self];
    std::copy_n(one.received.begin(), own, to);
    for (std::size_t r = 1; r < one.counts.size(); ++r)
      for (std::size_t i = 0; i < own; ++i) to[i] += one.received[r * own + i];
    std::vector<float>().swap(one.received);
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, one.values, one.counts.data(), one.places.data(),
                    MPI_FLOAT, by_->all(), &one.gather);
  }

  connection* by_;
};

connection& joined();

/// Where a rank failed, the others may wait for it, and MPI_Finalize would wait for them.
void end(int status, void*) {
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended != 0) return;
  if (status != 0 && joined().size() > 1) MPI_Abort(MPI_COMM_WORLD, status);
  joined().leave();
  MPI_Finalize();
}

connection& joined() {
  static connection& made = [&]() -> connection& {
    int begun = 0;
    MPI_Initialized(&begun);
    if (begun == 0) {
      int provided = 0;
      MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
      ::on_exit(end, nullptr);
    }
    return *new connection; // there until the program has ended
  }();
  return made;
}

} // namespace

rank_group mpi_group() { return mpi_ranks(joined()); }

} // namespace fovea::core
