#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <fovea/dsl/plan/extent.hpp>
#include <fovea/dsl/plan/fuse.hpp>

namespace fovea::core {

enum class step_kind : std::uint8_t {
  product,     // linear, or matmul by weights, with its epilogue; several that share their left side
  convolution, // but for pointwise ones, which are products; with its epilogue
  matmul,      // of two computed values; with the sums over the rows of a turned left side
  chain,       // elementwise nodes in one pass
  loop_begin,  // of a repeat or a scan
  loop_end,
  single, // one node by itself, by its op
};

/// One unit of work.
///   node         whose value it makes; for loops, the region
///   first, count the parts of a product, convolution or matmul in plan::parts; the matching step of a loop
///   temporary    slots that only this step uses, or -1
///   once         it runs before the first call, and in none
struct step {
  step_kind kind = step_kind::single;
  std::int32_t node = 0;
  std::int32_t first = 0, count = 0;
  std::int32_t temporary[2] = {-1, -1};
  bool once = false;

  constexpr bool has_parts() const {
    return kind == step_kind::product || kind == step_kind::convolution || kind == step_kind::matmul;
  }
};

/// One value that a loop carries: read from `slot`, written to `next`, and the two exchanged after each pass.
///   initial  the node it begins as, or -1 where that node's slot is taken over
///   copied   the node to copy to `next` at the end of a pass, or -1 where the body writes there itself
struct carried_value {
  std::int32_t slot = -1, next = -1, initial = -1, copied = -1;
};

/// Where a value lies.
enum class lies : std::uint8_t {
  nowhere,   // a number that chains have in their code, or part of a group that keeps it in registers
  slot,      // in a slot
  each_pass, // in a slot, behind those of the passes before of the loop around it
  parameter, // with the weights
  kept,      // among the values that a stream keeps
  inside,    // inside its operand: this pass's part of it, or the part that a slice is
};
/// `index` is that of the slot, the parameter, or the kept value.
struct place {
  lies where = lies::nowhere;
  std::int32_t index = -1;

  constexpr bool in_slot() const { return where == lies::slot || where == lies::each_pass; }
};

/// What a chain computes, in order, and what it reads beside numbers, each once: so many of plan::members and
/// plan::leaves.
struct chain_range {
  std::int32_t first_member = 0, members = 0, first_leaf = 0, leaves = 0;
};

/// The order of the work and where each value lies. Made at compile time, all of it linear in the number of
/// nodes but for the choice of a slot.
///   places[n]     of a node that others are renamings of (fusion::base)
///   handed_on[n]  where the output is kept that is input n itself, or -1
///   chains[n]     of the chain whose value n is
///   tables[n]     whether calls read n as the steps before the first of them left it
template <std::size_t nodes, std::size_t regions>
struct plan {
  static constexpr int max_slots = nodes < 96 ? 96 : nodes < 512 ? static_cast<int>(nodes) : 512;

  fusion<nodes> groups{};
  step steps[nodes + 2 * regions] = {};
  int step_count = 0;
  std::int32_t parts[nodes] = {}; // roots of products and convolutions; matmuls and the sums that they make
  int part_count = 0;
  place places[nodes] = {};
  std::int32_t handed_on[nodes] = {};
  chain_range chains[nodes] = {};
  bool tables[nodes] = {};
  std::int32_t members[nodes] = {},
               leaves[3 * nodes] = {}; // an operation of a chain has at most three operands
  extent slots[max_slots] = {};
  int slot_count = 0;
  carried_value carried[regions][region_entry::max_carried] = {};
  bool overflow = false; // more slots needed than there are

  constexpr int base(int node) const { return groups.base[node]; }
  /// Of the chain whose value a node is.
  constexpr std::span<const std::int32_t> members_of(int node) const {
    return {members + chains[node].first_member, static_cast<std::size_t>(chains[node].members)};
  }
  constexpr std::span<const std::int32_t> leaves_of(int node) const {
    return {leaves + chains[node].first_leaf, static_cast<std::size_t>(chains[node].leaves)};
  }
};

/// The most parts of its rows that the gradient of a norm sums on their own.
inline constexpr int norm_gradient_parts = 64;

/// A plan without its sizes in the type, for code that is compiled once.
struct plan_view {
  const bool *live, *viewed, *largest;
  const std::int32_t *base, *product, *other, *norm;
  const op* activation;
  const op* join;
  const step* steps;
  int step_count;
  const std::int32_t *parts, *handed_on;
  const place* places;
  const chain_range* chains;
  const std::int32_t *members, *leaves;
  const extent* slots;
  int slot_count;
  const carried_value (*carried)[region_entry::max_carried];

  template <std::size_t nodes, std::size_t regions>
  explicit constexpr plan_view(const plan<nodes, regions>& p)
      : live(p.groups.live), viewed(p.groups.viewed), largest(p.groups.largest), base(p.groups.base),
        product(p.groups.product), other(p.groups.other), norm(p.groups.norm),
        activation(p.groups.activation), join(p.groups.join), steps(p.steps), step_count(p.step_count),
        parts(p.parts), handed_on(p.handed_on), places(p.places), chains(p.chains), members(p.members),
        leaves(p.leaves), slots(p.slots), slot_count(p.slot_count), carried(p.carried) {}
};

} // namespace fovea::core
