#include <fovea/runtime/decoding/grammar/grammar_states.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace fovea::core::grammar {
namespace {

using node = byte_grammar::node;

constexpr std::size_t most_work = std::size_t{1} << 21;
constexpr unsigned half = 32;

std::uint64_t pair_of(std::uint32_t high, std::uint32_t low) {
  return static_cast<std::uint64_t>(high) << half | low;
}

} // namespace

states::states(byte_grammar says) : says_(std::move(says)) { forget(); }

void states::forget() {
  frames_.assign(1, {});
  stacks_.clear();
  spots_.clear(), known_.clear(), rows_.clear();
  spot_bytes_ = 0, work_ = 0;
  state_of({}); // nowhere
  first_ = state_of({pair_of(0, says_.start())});
}

std::size_t states::bytes() const {
  constexpr std::size_t of_node = 64; // in a map, with what the memory of it takes
  return rows_.size() * (sizeof(rows_[0]) + sizeof(spots_[0]) + sizeof(spots) + of_node) + spot_bytes_ +
         frames_.size() * (sizeof(frame) + of_node);
}

states::state states::forget_others(state than) {
  spots kept = *spots_[than];
  const std::vector<frame> old = frames_;
  std::vector<bool> is_used(old.size());
  for (const spot at : kept)
    if (at != whole) is_used[at >> half] = true;
  // Frames stand behind those below them.
  for (std::size_t i = old.size(); i-- > 1;)
    if (is_used[i]) is_used[old[i].below] = true;
  forget();
  std::vector<stack> now(old.size());
  for (std::size_t i = 1; i < old.size(); ++i)
    if (is_used[i]) now[i] = pushed(old[i].back, now[old[i].below]);
  for (spot& at : kept)
    if (at != whole) at = pair_of(now[at >> half], static_cast<byte_grammar::place>(at));
  return state_at(std::move(kept));
}

bool states::may_end(state at) const { return !spots_[at]->empty() && spots_[at]->back() == whole; }
bool states::may_go_on(state at) const { return spots_[at]->size() > (may_end(at) ? 1u : 0u); }

states::stack states::pushed(byte_grammar::place back, stack below) {
  if (back == byte_grammar::end)
    return below; // a rule that ends with a call returns to where it was called from
  const auto [found, is_new] = stacks_.try_emplace(pair_of(back, below), static_cast<stack>(frames_.size()));
  if (is_new) frames_.push_back({back, below});
  return found->second;
}

states::state states::find(state from, unsigned char byte) {
  spots reached;
  for (const spot at : *spots_[from]) {
    if (at == whole) break;
    const node& n = says_.at(static_cast<byte_grammar::place>(at));
    if (n.first <= byte && byte <= n.last) reached.push_back(pair_of(static_cast<stack>(at >> half), n.next));
  }
  const state to = state_of(std::move(reached));
  return rows_[from][byte] = to;
}

/// The state of all that is reached from these without a byte.
states::state states::state_of(spots reached) {
  spots kept;
  std::unordered_set<spot> seen;
  while (!reached.empty()) {
    const spot now = reached.back();
    reached.pop_back();
    const auto at = static_cast<byte_grammar::place>(now);
    const auto on = static_cast<stack>(now >> half);
    if (!says_.is_live(at) || !seen.insert(now).second) continue;
    if (++work_ > most_work)
      throw error("grammar: expected fewer ways to read a text; one more token has more than " +
                  std::to_string(most_work));
    const node& n = says_.at(at);
    switch (n.what) {
      case node::kind::bytes:
        kept.push_back(now);
        break;
      case node::kind::split:
        reached.push_back(pair_of(on, n.other));
        reached.push_back(pair_of(on, n.next));
        break;
      case node::kind::call:
        if (says_.is_live(n.next)) reached.push_back(pair_of(pushed(n.next, on), n.other));
        break;
      case node::kind::end:
        if (on == 0)
          kept.push_back(whole);
        else
          reached.push_back(pair_of(frames_[on].below, frames_[on].back));
        break;
    }
  }
  return state_at(std::move(kept));
}

/// The state of places that bytes lead on from.
states::state states::state_at(spots kept) {
  std::sort(kept.begin(), kept.end());
  const auto [found, is_new] = known_.try_emplace(std::move(kept), static_cast<state>(rows_.size()));
  if (is_new) {
    spots_.push_back(&found->first);
    spot_bytes_ += found->first.capacity() * sizeof(spot);
    rows_.emplace_back().fill(unknown);
  }
  return found->second;
}

} // namespace fovea::core::grammar
