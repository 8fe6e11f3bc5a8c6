#pragma once

#include <fovea/programs/text_work.hpp>

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace fovea::programs {

/// Runs the texts of many callers through one network: those that wait while it works go through it together.
class text_embedder {
public:
  /// `waiting` texts may wait.
  text_embedder(text_network& network, std::size_t waiting);
  ~text_embedder();

  /// Gives these texts their values, and returns when they have them; false, and nothing is done, where more would wait
  /// than may. Throws what the network throws.
  bool run(std::vector<text_work>& texts);
  std::size_t waiting() const;

private:
  struct call {
    std::vector<text_work>* texts;
    bool done = false;
    std::exception_ptr problem = nullptr;
  };
  void work();

  text_network& network_;
  const std::size_t most_waiting_;
  mutable std::mutex mutex_; // of what follows
  std::condition_variable wake_, done_;
  std::vector<call*> calls_;
  std::size_t waiting_ = 0;
  bool last_ = false;
  std::thread thread_;
};

} // namespace fovea::programs
