#include <fovea/backends/simd/step_times.hpp>

#include <algorithm>
#include <chrono>

#include <fovea/backends/simd/times_wanted.hpp>

namespace fovea::core::simd {
namespace {

// Who reads, and what is read, each a list. Nets may be used until the program ends, and so may these.
constinit times_reader* readers = nullptr;
constinit step_times* nets = nullptr;

/// It is never destroyed, and takes no memory that could be missing.
std::mutex& changing() {
  union kept {
    kept() : mutex() {}
    ~kept() {}
    std::mutex mutex;
  };
  static kept made;
  return made.mutex;
}

/// The threads of the program by number, as they come.
int this_thread() {
  static constinit std::atomic<int> count{0};
  thread_local constinit int number = 0;
  if (number == 0) number = ++count;
  return number;
}

} // namespace

constinit std::atomic<bool> times_wanted{false};

std::int64_t step_times::now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void times_reader::start() {
  const std::lock_guard changes(changing());
  step_times::give_all_kept();
  next_ = readers;
  readers = this;
  times_wanted = true;
}

void times_reader::stop() {
  const std::lock_guard changes(changing());
  step_times::give_all_kept();
  times_reader** at = &readers;
  while (*at != this) at = &(*at)->next_;
  *at = next_;
  times_wanted = readers != nullptr;
}

step_times::step_times(const net_view& net)
    : net_(net), sizes_(std::make_unique<std::int64_t[]>(net.graph->dim_numbers.size())),
      kept_(std::make_unique_for_overwrite<timed_step[]>(most_kept)) {
  const std::lock_guard changes(changing());
  next_ = nets;
  nets = this;
}

step_times::~step_times() {
  const std::lock_guard changes(changing());
  give_kept();
  step_times** at = &nets;
  while (*at != this) at = &(*at)->next_;
  *at = next_;
}

/// With `changing()` held. A call that another thread is in keeps what it has.
void step_times::give_all_kept() {
  for (step_times* net = nets; net != nullptr; net = net->next_)
    if (net->calling_.try_lock()) {
      net->give_kept();
      net->calling_.unlock();
    }
}

/// With `changing()` held.
void step_times::give_kept() {
  if (count_ > 0)
    for (times_reader* reader = readers; reader != nullptr; reader = reader->next_)
      reader->take(net_, {sizes_.get(), net_.graph->dim_numbers.size()}, {kept_.get(), count_}, thread_);
  count_ = 0;
}

void step_times::begin_call(dim_values sizes) {
  calling_.lock();
  const int thread = this_thread();
  if (thread != thread_ || !std::equal(sizes.begin(), sizes.end(), sizes_.get())) {
    const std::lock_guard changes(changing());
    give_kept();
    thread_ = thread;
    std::copy(sizes.begin(), sizes.end(), sizes_.get());
  }
  call_begin_ = now();
}

void step_times::add(std::int32_t step, std::int64_t begin) {
  kept_[count_++] = {step, begin, now()};
  if (count_ < most_kept) return;
  const std::lock_guard changes(changing());
  give_kept();
}

void step_times::tell_split(const generated_step* step, told_split split) {
  split.step = static_cast<std::int32_t>(step - net_.code);
  const std::lock_guard changes(changing());
  for (times_reader* reader = readers; reader != nullptr; reader = reader->next_)
    reader->take_split(net_, {sizes_.get(), net_.graph->dim_numbers.size()}, split);
}

void step_times::end_call() {
  add(timed_step::whole_call, call_begin_);
  calling_.unlock();
}

} // namespace fovea::core::simd

namespace fovea::core {

std::int64_t span_clock() { return simd::step_times::now(); }

bool spans_are_wanted() { return simd::times_wanted.load(std::memory_order_relaxed); }

void tell(const told_span& span) {
  const int thread = simd::this_thread();
  const std::lock_guard changes(simd::changing());
  for (simd::times_reader* reader = simd::readers; reader != nullptr; reader = reader->next_)
    reader->take_span(span, thread);
}

} // namespace fovea::core
