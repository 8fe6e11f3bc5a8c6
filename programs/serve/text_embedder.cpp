#include <fovea/programs/serve/text_embedder.hpp>

#include <exception>
#include <iterator>
#include <utility>

namespace fovea::programs {

text_embedder::text_embedder(text_network& network, std::size_t waiting)
    : network_(network), most_waiting_(waiting), thread_([this] { work(); }) {}

text_embedder::~text_embedder() {
  {
    const std::lock_guard lock(mutex_);
    last_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

bool text_embedder::run(std::vector<text_work>& texts) {
  call mine{&texts};
  std::unique_lock lock(mutex_);
  if (last_ || waiting_ + texts.size() > most_waiting_) return false;
  waiting_ += texts.size();
  calls_.push_back(&mine);
  wake_.notify_one();
  done_.wait(lock, [&] { return mine.done; });
  if (mine.problem) std::rethrow_exception(mine.problem);
  return true;
}

std::size_t text_embedder::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

void text_embedder::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return !calls_.empty() || last_; });
    if (calls_.empty()) return;
    const std::vector<call*> calls = std::exchange(calls_, {});
    lock.unlock();
    std::vector<text_work> all;
    for (const call* c : calls) std::move(c->texts->begin(), c->texts->end(), std::back_inserter(all));
    std::exception_ptr problem;
    try {
      run_together(network_, all, false);
    } catch (...) {
      problem = std::current_exception();
    }
    auto from = all.begin();
    for (call* c : calls)
      for (text_work& text : *c->texts) text = std::move(*from++);
    lock.lock();
    for (call* c : calls) c->done = true, c->problem = problem;
    waiting_ -= all.size();
    done_.notify_all();
  }
}

} // namespace fovea::programs
