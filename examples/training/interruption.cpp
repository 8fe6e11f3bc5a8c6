#include "interruption.hpp"

#include <csignal>

namespace training {
namespace {

volatile std::sig_atomic_t noted = 0;

void note(int which) {
  noted = which;
  std::signal(which, SIG_DFL);
}

} // namespace

interruption::interruption() {
  noted = 0;
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
}

interruption::~interruption() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

int interruption::signal() { return noted; }

} // namespace training
