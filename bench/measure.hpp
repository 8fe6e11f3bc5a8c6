#pragma once

// What the benchmarks share: buffers, and times: the best of many, which other processes disturb least, and the
// median.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <fovea/base/memory.hpp>
#include <fovea/base/threads.hpp>
#include <memory>
#include <vector>

namespace fovea::core::bench {

using std::size_t;

struct aligned_free {
  void operator()(float* p) const { free_lines(p); }
};
using buffer = std::unique_ptr<float[], aligned_free>;

inline buffer floats(size_t count) {
  buffer b(static_cast<float*>(allocate_lines(count * sizeof(float))));
  for (size_t i = 0; i < count; ++i) b[i] = static_cast<float>(i % 17) * 0.01f - 0.08f;
  return b;
}

inline double now_us() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

template <class F>
inline double time_us(F f) {
  const double start = now_us();
  f();
  return now_us() - start;
}

/// Microseconds of the runs of one thing.
class timings {
public:
  void add(double us) { us_.push_back(us); }
  template <class F>
  void take(int repeats, F f) {
    for (int i = 0; i < repeats; ++i) add(time_us(f));
  }
  double best() const { return us_.empty() ? 0 : *std::min_element(us_.begin(), us_.end()); }
  /// Of so many in a hundred, the longest.
  double percentile(int share) const {
    if (us_.empty()) return 0;
    std::vector<double> sorted = us_;
    const auto at =
        sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) * static_cast<size_t>(share) / 100);
    std::nth_element(sorted.begin(), at, sorted.end());
    return *at;
  }
  double median() const { return percentile(50); }
  /// Of one of the `parts` that each run consists of.
  timings per(double parts) const {
    timings each = *this;
    for (double& us : each.us_) us /= parts;
    return each;
  }

private:
  std::vector<double> us_;
};

template <class F>
inline timings times_us(int repeats, F f) {
  timings made;
  made.take(repeats, f);
  return made;
}

template <class F>
inline double best_us(int repeats, F f) {
  return times_us(repeats, f).best();
}

} // namespace fovea::core::bench
