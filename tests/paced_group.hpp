#pragma once

#include <fovea/runtime/ranks/rank_group.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace fovea::core::test {

/// Engines that tell what they are called for, and say of what they begin that it is not over yet.
enum class pace { at_once, late, at_end };
struct told_engine {
  rank_group by;
  pace how;
  std::shared_ptr<std::string> calls = std::make_shared<std::string>();

  int rank() const { return by.rank(); }
  int size() const { return by.size(); }
  void sum(std::span<float> values) const {
    *calls += 's';
    by.sum(values);
  }
  void broadcast(std::span<std::byte> bytes, int from) const { by.broadcast(bytes, from); }

protected:
  struct late_transfer final : transfer {
    int asked = 0;
    bool is_over() override { return ++asked > 3; }
    void wait() override { asked = 3; }
  };
  std::unique_ptr<transfer> begun(char call) const {
    *calls += call;
    return how == pace::late ? std::make_unique<late_transfer>() : nullptr;
  }
};
struct told_moving_engine : told_engine {
  std::unique_ptr<transfer> begin_exchange(std::span<const std::byte> from, std::span<const std::size_t> ends,
                                           std::span<std::byte> to) const {
    by.begin_exchange(from, ends, to);
    return begun('x');
  }
  std::unique_ptr<transfer> begin_gather(std::span<std::byte> bytes,
                                         std::span<const std::size_t> ends) const {
    by.begin_gather(bytes, ends);
    return begun('g');
  }
};
inline rank_group paced(const rank_group& group, pace how, const std::shared_ptr<std::string>& calls = {}) {
  told_engine engine{group, how};
  if (calls) engine.calls = calls;
  if (how == pace::at_end) return engine;
  return told_moving_engine{engine};
}

} // namespace fovea::core::test
