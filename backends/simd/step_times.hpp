#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/net_view.hpp>
#include <fovea/backends/told_span.hpp>

namespace fovea::core::simd {

/// When a step of a call began and ended, in nanoseconds since some time before: the step's number in the plan, or
///   whole_call    all of the call
///   one_position  the step of a small stream, which runs none of its plan
struct timed_step {
  static constexpr std::int32_t whole_call = -2, one_position = -1;

  std::int32_t step;
  std::int64_t begin, end;
};

/// Tasks that a step has handed to threads at once; where they are not `shared`, the caller does all.
struct told_split {
  std::int32_t step = 0;
  std::size_t tasks;
  bool shared;
  std::size_t together; // as task_order has it
  const task_costs& costs;
};

/// What wants to know how long the steps of all nets take, from `start` to `stop`.
class times_reader {
public:
  virtual ~times_reader() = default;
  /// Steps of one or more calls of a net, all of the same sizes and by the same thread of the program, in the order in
  /// which they ended. One call of this at a time.
  virtual void take(const net_view& net, dim_values sizes, std::span<const timed_step> steps, int thread) = 0;

  /// How a step that runs falls into tasks, before they run; `take` tells of the step later.
  virtual void take_split(const net_view&, dim_values, const told_split&) {}
  /// The same of what the program does beside.
  virtual void take_span(const told_span&, int) {}

protected:
  void start();
  void stop(); // what is kept of calls that have ended is taken before

private:
  friend class step_times;
  friend void core::tell(const told_span& span);
  times_reader* next_ = nullptr;
};

/// The times of the steps of one net, kept until there are some thousands, or the sizes change. Steps are added by the
/// thread that calls the net.
class step_times {
public:
  static std::int64_t now();

  explicit step_times(const net_view& net);
  ~step_times();
  step_times(const step_times&) = delete;
  step_times& operator=(const step_times&) = delete;

  void begin_call(dim_values sizes);
  /// A step that has begun then and ends now.
  void add(std::int32_t step, std::int64_t begin);
  void end_call();
  void tell_split(const generated_step* step, told_split split);

private:
  friend class times_reader;
  static void give_all_kept();
  void give_kept();

  static constexpr std::size_t most_kept = 4096;

  const net_view net_;
  step_times* next_;
  std::mutex calling_; // held during a call
  std::unique_ptr<std::int64_t[]> sizes_;
  std::unique_ptr<timed_step[]> kept_;
  std::size_t count_ = 0;
  std::int64_t call_begin_ = 0;
  int thread_ = 0;
};

} // namespace fovea::core::simd
