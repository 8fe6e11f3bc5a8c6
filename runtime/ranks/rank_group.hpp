#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace fovea::core {

/// What connects the processes or threads that learn together, the ranks of a group. An engine of one's own is
/// a type of these functions; each rank has one:
///   rank(), size()          which of how many ranks this one is, from 0
///   sum(values)             puts the sum over all ranks in the place of each value. It adds in the order of
///                           the ranks, so that each rank has the same bits, and each run
///   broadcast(bytes, from)  puts the bytes of rank `from` in the place of the others'
/// All ranks make the same calls in the same order, with as many values. Where that cannot be, for a rank is
/// gone, a call throws or ends the process: it waits for nobody who does not come.
template <class E>
concept connects_ranks = requires(E engine, const E fixed, std::span<float> values,
                                  std::span<std::byte> bytes, int from) {
  { fixed.rank() } -> std::same_as<int>;
  { fixed.size() } -> std::same_as<int>;
  engine.sum(values);
  engine.broadcast(bytes, from);
};

/// What moves between ranks while each goes on with its work. Who began it waits for its end, or asks until
/// it is over, and leaves its memory alone so long.
class transfer {
public:
  virtual ~transfer() = default;
  virtual bool is_over() = 0;
  virtual void wait() = 0;
};

/// An engine may move bytes while its rank computes, so that gradients are summed while the others are made:
///   begin_exchange(from, ends, to)  sends each rank its part, and puts in `to` what each rank has for this
///                                   one, in the order of the ranks. Part r of `from` ends at byte ends[r],
///                                   and begins where the one before ends
///   begin_gather(bytes, ends)       puts in the place of each part that of its rank
/// Each gives a transfer, or null where it is over at once. Of either kind ranks begin the same in the same
/// order; between an exchange and a gather, and other calls, the order may differ.
template <class E>
concept moves_meanwhile = connects_ranks<E> &&
    requires(E engine, std::span<const std::byte> from, std::span<std::byte> to,
             std::span<const std::size_t> ends) {
  { engine.begin_exchange(from, ends, to) } -> std::same_as<std::unique_ptr<transfer>>;
  { engine.begin_gather(to, ends) } -> std::same_as<std::unique_ptr<transfer>>;
};

/// The ranks that learn together, as one of them sees them: train(model, how, weights, {.group = mpi_group()}).
/// Without an engine it is a group of one. Copies are of the same rank.
class rank_group {
public:
  rank_group() = default;
  template <connects_ranks E>
  requires(!std::same_as<E, rank_group>) rank_group(E engine)
      : engine_(std::make_shared<held<E>>(std::move(engine))), rank_(engine_->rank()), size_(engine_->size()),
        moves_meanwhile_(core::moves_meanwhile<E>) {}

  int rank() const { return rank_; }
  int size() const { return size_; }
  void sum(std::span<float> values) const;
  void broadcast(std::span<std::byte> bytes, int from = 0) const;
  /// Puts the mean over all ranks in the place of each value.
  void mean(std::span<float> values) const;

  /// Whether the engine has these two (moves_meanwhile).
  bool moves_meanwhile() const { return moves_meanwhile_; }
  std::unique_ptr<transfer> begin_exchange(std::span<const std::byte> from, std::span<const std::size_t> ends,
                                           std::span<std::byte> to) const;
  std::unique_ptr<transfer> begin_gather(std::span<std::byte> bytes, std::span<const std::size_t> ends) const;
  /// While it lives, this rank waits for others; in calls of the group it does.
  class waiting {
  public:
    explicit waiting(const rank_group& group);
    ~waiting();
    waiting(const waiting&) = delete;
    waiting& operator=(const waiting&) = delete;

  private:
    const rank_group& group_;
    double start_; // seconds
  };
  /// How many seconds it has waited so far.
  double seconds_waited() const { return engine_ ? engine_->seconds_waited : 0; }

private:
  struct any_engine {
    virtual ~any_engine() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    virtual void sum(std::span<float> values) = 0;
    virtual void broadcast(std::span<std::byte> bytes, int from) = 0;
    virtual std::unique_ptr<transfer> begin_exchange(std::span<const std::byte> from,
                                                     std::span<const std::size_t> ends,
                                                     std::span<std::byte> to) = 0;
    virtual std::unique_ptr<transfer> begin_gather(std::span<std::byte> bytes,
                                                   std::span<const std::size_t> ends) = 0;
    double seconds_waited = 0;
  };
  template <class E>
  struct held final : any_engine {
    explicit held(E given) : engine(std::move(given)) {}
    int rank() const override { return engine.rank(); }
    int size() const override { return engine.size(); }
    void sum(std::span<float> values) override { engine.sum(values); }
    void broadcast(std::span<std::byte> bytes, int from) override { engine.broadcast(bytes, from); }
    std::unique_ptr<transfer> begin_exchange([[maybe_unused]] std::span<const std::byte> from,
                                             [[maybe_unused]] std::span<const std::size_t> ends,
                                             [[maybe_unused]] std::span<std::byte> to) override {
      if constexpr (core::moves_meanwhile<E>)
        return engine.begin_exchange(from, ends, to);
      else
        return nullptr;
    }
    std::unique_ptr<transfer> begin_gather([[maybe_unused]] std::span<std::byte> bytes,
                                           [[maybe_unused]] std::span<const std::size_t> ends) override {
      if constexpr (core::moves_meanwhile<E>)
        return engine.begin_gather(bytes, ends);
      else
        return nullptr;
    }
    E engine;
  };

  std::shared_ptr<any_engine> engine_;
  int rank_ = 0, size_ = 1;
  bool moves_meanwhile_ = false;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::connects_ranks, core::moves_meanwhile, core::rank_group, core::transfer;
} // namespace fovea
