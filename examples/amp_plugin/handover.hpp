#pragma once

#include <atomic>
#include <memory>

namespace amp_plugin {

/// Hands things from the thread that makes and frees them to the thread of sound, which does neither and never
/// waits.
template <class T>
class handover {
public:
  handover() = default;
  handover(const handover&) = delete;
  handover& operator=(const handover&) = delete;
  ~handover() {
    give(nullptr);
    free_retired();
  }

  // Called by the thread that makes.

  void give(std::unique_ptr<T> made) { delete arrived_.exchange(made.release()); }
  void free_retired() { delete retired_.exchange(nullptr); }

  // Called by the thread of sound.

  /// Puts what was given last in the place of `now`, which retires. Returns false where nothing was given, or
  /// what retired before is not freed yet.
  bool take(std::unique_ptr<T>& now) {
    if (retired_.load() != nullptr) return false;
    T* const arrived = arrived_.exchange(nullptr);
    if (arrived == nullptr) return false;
    retired_.store(now.release());
    now.reset(arrived);
    return true;
  }

private:
  std::atomic<T*> arrived_{nullptr}, retired_{nullptr};
  static_assert(std::atomic<T*>::is_always_lock_free);
};

} // namespace amp_plugin
