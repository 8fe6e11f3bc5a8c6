#pragma once

#include <fovea/runtime/decoding/grammar/byte_grammar.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace fovea::core::grammar {

/// Where a text may stand in a grammar: all the places, each with the stack of calls that it returns to. Every such set
/// is made once, when a text first leads there.
class states {
public:
  using state = std::uint32_t;
  static constexpr state nowhere = 0;

  explicit states(byte_grammar says);
  states(states&&) = default; // keeps where `known_` holds its sets
  states& operator=(states&&) = delete;

  state start() const { return first_; }
  /// Where a byte leads; nowhere where the grammar does not allow it. Throws fovea::error where too many places are
  /// possible at once.
  state next(state from, unsigned char byte) {
    const state known = rows_[from][byte];
    return known != unknown ? known : find(from, byte);
  }
  /// Whether a text may end there, and whether it may go on.
  bool may_end(state at) const;
  bool may_go_on(state at) const;

  /// How many there are.
  std::size_t size() const { return rows_.size(); }
  /// About how many bytes they keep.
  std::size_t bytes() const;
  /// Begins anew: all states but nowhere and the first are forgotten.
  void forget();
  /// The same but for one more, and gives back what that one is from then on.
  state forget_others(state than);
  /// From here on, so much work may be done until the next call; more is refused.
  void begin_work() { work_ = 0; }

private:
  using stack = std::uint32_t; // 0: empty
  using spot = std::uint64_t;  // a stack and a place
  using spots = std::vector<spot>;
  static constexpr state unknown = ~state{0};
  static constexpr spot whole = ~spot{0}; // the text may end

  struct frame {
    byte_grammar::place back;
    stack below;
  };

  state find(state from, unsigned char byte);
  state state_of(std::vector<spot> reached);
  state state_at(spots kept);
  stack pushed(byte_grammar::place back, stack below);

  byte_grammar says_;
  std::vector<frame> frames_;
  std::unordered_map<std::uint64_t, stack> stacks_;
  std::vector<const spots*> spots_; // by state
  std::map<spots, state> known_;
  std::size_t spot_bytes_ = 0; // of these sets
  std::vector<std::array<state, 256>> rows_;
  state first_ = nowhere;
  std::size_t work_ = 0;
};

} // namespace fovea::core::grammar
