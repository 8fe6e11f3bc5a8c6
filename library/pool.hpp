#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace fovea::library {

/// What one thread uses at a time: who needs one takes an idle one, or has another made, which is kept for the next.
template <class T>
class pool {
public:
  /// One for the caller alone, until he lets it go. `make()` returns a std::unique_ptr of one.
  template <class F>
  std::shared_ptr<T> take(F make) {
    std::unique_ptr<T> one = idle();
    if (one == nullptr) one = make();
    return {one.release(), [to = kept_](T* used) {
              std::unique_ptr<T> back(used);
              const std::lock_guard lock(to->mutex);
              to->idle.push_back(std::move(back));
            }};
  }

private:
  struct kept {
    std::mutex mutex;
    std::vector<std::unique_ptr<T>> idle;
  };
  std::unique_ptr<T> idle() {
    const std::lock_guard lock(kept_->mutex);
    if (kept_->idle.empty()) return nullptr;
    std::unique_ptr<T> last = std::move(kept_->idle.back());
    kept_->idle.pop_back();
    return last;
  }

  std::shared_ptr<kept> kept_ = std::make_shared<kept>();
};

} // namespace fovea::library
