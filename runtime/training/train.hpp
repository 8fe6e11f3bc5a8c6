#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fovea/backends/backend.hpp>
#include <fovea/base/file_path.hpp>
#include <fovea/dsl/passes/gradient_graph.hpp>
#include <fovea/runtime/compile.hpp>
#include <fovea/runtime/training/carried_state.hpp>
#include <fovea/runtime/training/learner.hpp>

namespace fovea::core {

namespace detail {

/// The calls that do not fit what learns and what is evaluated, in a base as those of `refused_calls`.
template <class M, class gradient_model>
struct refused_training_calls {
  template <fixed_name... names, class... values,
            class why = refusal<checked_call<carrying<gradient_model>, names...>,
                                checked_value<gradient_model, names, std::decay_t<values>>...>>
  __attribute__((unavailable("the call does not fit the model"))) training_step
  step(const binding<names, values>&...) {
    return {};
  }
  template <fixed_name... names, class... values,
            class why = refusal<checked_call<carrying<M>, names...>,
                                checked_value<M, names, std::decay_t<values>>...>>
  __attribute__((unavailable("the call does not fit the model"))) refused_value
  evaluate(const binding<names, values>&...) {
    return {};
  }
};

template <class M>
concept has_loss = M::well_formed && find_loss(M::view)
>= 0;
template <class named, class M>
concept learns_in = std::same_as<named, f32> || std::same_as<named, bf16_products> || backend_for<named, M>;

} // namespace detail

/// What updates parameters, with a rate and a number of moments: sgd, adamw and the others, or one of one's
/// own.
template <class T>
concept is_optimizer = requires(T how, parameter_update u) {
  how.rate;
  T::moments;
  how.update(u);
};

/// A model that learns: `train(model, adamw{.rate = 3e-4}, weights, {.capacity = ...})`. Serves one thread at
/// a time.
///
/// What an output "new.NAME" gives is the input NAME of the next call, which then need not be given: zeros in
/// the first one. So a recurrent model goes on through a text that is longer than its windows, gradients
/// being those of a window (truncated backpropagation through time, Williams and Peng 1990). `step` and
/// `evaluate` carry each their own. An output of such a name without such an input is a compile-time error.
template <class M, class optimizer, class gradient_model, class backend>
class trainer : detail::refused_training_calls<M, gradient_model> {
  using engine = typename backend::template engine<gradient_model>;
  using evaluation_engine = typename backend::template engine<M>;
  using refused_calls = detail::refused_training_calls<M, gradient_model>;

public:
  trainer(const M& model, const optimizer& how, const model_weights& source, const train_options& options,
          typename backend::model_code code, typename backend::model_code evaluation_code) try
      : how_(how), parameters_(M::view, source, model.names, optimizer::moment_names, optimizer_name()),
        learner_(parameters_, M::view, options, how.rate), seed_(options.seed),
        sizes_(gradient_model::view, model.name, options.capacity), capacity_(sizes_.sizes()),
        evaluation_sizes_(M::view, model.name, options.capacity),
        evaluation_capacity_(evaluation_sizes_.sizes()),
        threads_(detail::threads_of<M>({.capacity = {}, .regime = options.regime, .threads = options.threads},
                                       model.name)),
        engine_(parameters_.shared(), capacity_, threads_, code), carried_(model.name, "begin()"),
        evaluation_carried_(model.name, "begin_evaluation()"), evaluation_code_(evaluation_code) {
    prepare();
  } catch (const std::bad_alloc&) {
    refuse_memory(model.name, options.capacity);
  }
  trainer(const trainer&) = delete;
  trainer& operator=(const trainer&) = delete;

  /// One batch, or this rank's share of it: the loss, its gradients, an update. Throws fovea::error that names
  /// the input before anything runs, one that is carried on and has other rows than this batch among them; and
  /// where the loss or a gradient is not finite, parameters being as they were. What one rank of a group
  /// throws the others throw too, with its number.
  template <fixed_name... names, class... values>
  requires detail::holds<detail::checked_call<detail::carrying<gradient_model>, names...>,
                         detail::checked_value<gradient_model, names, std::decay_t<values>>...>
      training_step step(const binding<names, values>&... given) {
    learner_.others().attempt(detail::occasion::step,
                              [&] { carried_.with([&](const auto&... all) { run(all...); }, given...); });
    const training_step done =
        learner_.learn(how_, {loss(), weight()}, rows(), gradients(), engine_.pool(), backend::update);
    carried_.take(engine_, sizes_);
    const bool gathered = gather();
    if (done.updated || gathered) changed();
    return done;
  }
  using refused_calls::step;
  template <class... values>
  requires(!(is_binding<values> && ...)) //
      __attribute__((unavailable("an input has no name; expected fit.step(\"tokens\"_in = ids) [F0299]")))
      training_step step(const values&...) {
    return {};
  }
  /// The next step carries nothing on: it begins a text.
  void begin() { carried_.begin(); }

  /// The model as it is now, without learning from the batch: its outputs, the loss among them, valid until
  /// the next call.
  template <fixed_name... names, class... values>
  requires detail::holds<detail::checked_call<detail::carrying<M>, names...>,
                         detail::checked_value<M, names, std::decay_t<values>>...>
  auto evaluate(const binding<names, values>&... given) {
    return evaluation_carried_.with([&](const auto&... all) { return evaluation_of(all...); }, given...);
  }
  using refused_calls::evaluate;
  template <class... values>
  requires(!(is_binding<values> && ...)) //
      __attribute__((unavailable("an input has no name; expected fit.evaluate(\"tokens\"_in = ids) [F0300]")))
      refused_value evaluate(const values&...) {
    return {};
  }
  /// The next evaluation carries nothing on.
  void begin_evaluation() { evaluation_carried_.begin(); }

  /// A copy of what was learned so far, under the model's own names: to be compiled, or written by
  /// save_safetensors(path, fit.weights().tensors()) as a file of parameters alone.
  model_weights weights() const { return parameters_.snapshot(); }
  std::int64_t steps() const { return learner_.step(); }
  std::int64_t arena_bytes() const { return engine_.arena_bytes(); }
  /// Of what the optimizer keeps, on this rank.
  std::int64_t state_bytes() const { return parameters_.moment_bytes(); }
  /// What this rank of a group had to send and to receive.
  communication communicated() const { return learner_.communication_so_far(); }

  /// Writes parameters, what the optimizer keeps, what is carried and accumulated, and the step, as one
  /// safetensors file that appears whole or not at all; `load_weights` opens it for its parameters. `notes`
  /// are kept with it. Throws fovea::error where the disk refuses, where a parameter is not finite, as a rate
  /// too large makes it, and where a note has a name that training uses. Of a group rank 0 writes, and all
  /// return when it has; the file is that of one who learns alone, so nothing may be accumulated.
  void save(const file_path& path, std::map<std::string, std::string> notes = {}) const {
    training_state state{{}, std::move(notes), {}, {}};
    learner_.save(
        state, path, [&] { state.carried = carried_.kept(path, learner_.others().group()); },
        [&](const std::vector<buffer>& moments) { parameters_.save(path, state, moments); });
  }
  /// Goes on from what `save` wrote, to the same numbers as if it had not been interrupted; gives its notes.
  /// Throws fovea::error, having changed nothing, where the file is of another model or optimizer. Each rank of
  /// a group reads the file, which one who learns alone or another number of ranks has saved.
  std::map<std::string, std::string> resume(const file_path& path) {
    std::map<std::string, std::string> notes;
    learner_.others().attempt(detail::occasion::resume, [&] {
      notes = parameters_.load(path, [&](const training_state& state) {
        auto progress = learner_.saved(state, path, [](int p) { return gradient_model::output_of(p) >= 0; });
        if (!learner_.others().is_alone()) learner_.others().meet(detail::occasion::resume);
        carried_.restore(state.carried, path, learner_.others().group());
        learner_.resume(std::move(progress));
      });
    });
    changed();
    learner_.expect_same_checkpoint();
    return notes;
  }

private:
  template <fixed_name... names, class... values>
  void run(const binding<names, values>&... given) {
    inputs_.resolve(sizes_, given...);
    inputs_.fill(sizes_, engine_, given...);
    const auto rank = static_cast<std::uint64_t>(learner_.others().rank());
    engine_.set_random({seed_, learner_.calls(), rank, learner_.means_over_ranks()});
    learner_.begin_run(engine_.pool());
    engine_.run(sizes_.sizes());
    learner_.end_run();
  }
  /// Has the engine tell the learner of gradients while it makes them, for the other ranks of a group.
  void prepare() {
    std::vector<int> outputs;
    for (int p = 0; p < parameters_.count(); ++p) outputs.push_back(gradient_model::output_of(p));
    if constexpr (requires { engine_.leave_out(std::span<const std::size_t>()); }) {
      std::vector<std::size_t> frozen;
      for (int p = 0; p < parameters_.count(); ++p)
        if (const int output = outputs[static_cast<std::size_t>(p)]; output >= 0 && learner_.is_frozen(p))
          frozen.push_back(static_cast<std::size_t>(output));
      if (!frozen.empty()) engine_.leave_out(frozen);
    }
    const std::vector<output_part>* told = nullptr;
    if constexpr (requires { engine_.watch(learner_); })
      if (!learner_.others().is_alone()) {
        told = &engine_.final_parts();
        engine_.watch(learner_);
      }
    learner_.prepare(outputs, gradient_model::count_output(), told);
  }
  template <fixed_name... names, class... values>
  auto evaluation_of(const binding<names, values>&... given) {
    if (evaluation_ == nullptr)
      evaluation_ = std::make_unique<evaluation_engine>(parameters_.shared(), evaluation_capacity_, threads_,
                                                        evaluation_code_);
    else if (stale_)
      evaluation_->parameters_changed();
    stale_ = false;
    evaluation_inputs_.resolve(evaluation_sizes_, given...);
    evaluation_inputs_.fill(evaluation_sizes_, *evaluation_, given...);
    evaluation_->run(evaluation_sizes_.sizes());
    evaluation_carried_.take(*evaluation_, evaluation_sizes_);
    evaluation_outputs_.set(*evaluation_, evaluation_sizes_);
    return call_outputs<M>(evaluation_outputs_);
  }

  static constexpr const char* optimizer_name() {
    if constexpr (requires { optimizer::name; })
      return optimizer::name;
    else
      return "";
  }
  float loss() const {
    constexpr int loss = detail::find_output<gradient_model, "loss">();
    return *static_cast<const float*>(engine_.output(static_cast<std::size_t>(loss)));
  }
  double weight() const {
    constexpr int count = gradient_model::count_output();
    if constexpr (count < 0)
      return 1;
    else
      return static_cast<double>(*static_cast<const float*>(engine_.output(static_cast<std::size_t>(count))));
  }
  std::vector<const float*>& gradients() {
    gradients_.clear();
    for (int p = 0; p < parameters_.count(); ++p) {
      const int output = gradient_model::output_of(p);
      gradients_.push_back(
          output < 0 ? nullptr : static_cast<const float*>(engine_.output(static_cast<std::size_t>(output))));
    }
    return gradients_;
  }
  /// Of this call: the first axis of the first input that has one.
  std::int64_t rows() const {
    constexpr int dim = detail::rows_of_batch<gradient_model>();
    return dim < 0 ? 1 : sizes_.sizes()[static_cast<std::size_t>(dim)];
  }
  /// Takes what the call gathered of its batch, the statistics of batch_norm; whether there is any.
  bool gather() {
    gathered_.clear();
    for (int p = 0; p < parameters_.count(); ++p)
      if (const int output = gradient_model::new_value_of(p); output >= 0 && !learner_.is_frozen(p)) {
        std::copy_n(static_cast<const float*>(engine_.output(static_cast<std::size_t>(output))),
                    parameters_.size(p), parameters_.values(p));
        gathered_.push_back(p);
      }
    learner_.average(gathered_);
    return !gathered_.empty();
  }
  void changed() {
    engine_.parameters_changed();
    stale_ = true;
  }

  optimizer how_;
  learned_parameters parameters_;
  detail::learner learner_;
  std::uint64_t seed_;
  call_sizes sizes_;
  std::vector<std::int64_t> capacity_;
  call_sizes evaluation_sizes_;
  std::vector<std::int64_t> evaluation_capacity_;
  int threads_;
  engine engine_;
  detail::call_inputs<gradient_model> inputs_;
  detail::carried_state<gradient_model> carried_;
  std::vector<const float*> gradients_;
  std::vector<int> gathered_; // the statistics
  std::unique_ptr<evaluation_engine> evaluation_;
  detail::call_inputs<M> evaluation_inputs_;
  detail::carried_state<M> evaluation_carried_;
  detail::output_views<M> evaluation_outputs_;
  typename backend::model_code evaluation_code_;
  bool stale_ = false;
};

namespace generated {

/// train with the generated code of a given instruction set: of the gradients, and of the model itself. `sets` are
/// those whose kernels the program links; all where none is named.
template <class named, simd::set_name... sets, class M, class optimizer>
auto train(const M& model, const optimizer& how, const model_weights& source, const train_options& options,
           typename backend_of<named>::model_code code,
           typename backend_of<named>::model_code evaluation_code) {
  using G = decltype(gradients<false, true>(model));
  if constexpr (!G::well_formed) {
    return refused_value{};
  } else if constexpr (!detail::holds<detail::checked_carried<M>>) {
    detail::refuse<detail::checked_carried<M>>();
    return refused_value{};
  } else {
    return trainer<M, optimizer, G, backend_of<named>>(model, how, source, options,
                                                       learning_in<named, sets...>(code),
                                                       learning_in<named, sets...>(evaluation_code));
  }
}

} // namespace generated

/// Makes a model learn: its output "loss" is made small by the optimizer, beginning with the given weights
/// (initial_weights(model, seed) for a new model). train<bf16_products> multiplies numbers rounded to bfloat16, forward
/// and in both products of a gradient (rounded_products); sums, and all that is learned, are float32. Throws
/// fovea::error where weights, capacity and model do not fit. A model without such an output, or whose loss no
/// parameter moves, is a compile-time error.
template <class backend = f32, class M, class optimizer>
requires(detail::has_loss<M>&& detail::learns_in<backend, M>&& is_optimizer<optimizer>) auto train(
    const M& model, const optimizer& how, const model_weights& source, const train_options& options = {}) {
  using runs = backend_of<backend>;
  using G = decltype(gradients<false, true>(model));
  if constexpr (G::well_formed)
    return generated::train<backend>(model, how, source, options, runs::template code_of_model<G>(),
                                     runs::template code_of_model<M>());
  else
    return refused_value{};
}

template <class backend = f32, class M, class optimizer>
requires(M::well_formed && !is_optimizer<optimizer>) //
    __attribute__((
        unavailable("what comes behind the model is the optimizer, such as adamw{.rate = 3e-4}, and "
                    "then the weights [F0303]"))) refused_value
    train(const M&, const optimizer&, const model_weights&, const train_options& = {}) {
  return {};
}
template <class backend = f32, class M, class optimizer>
requires(M::well_formed) //
    __attribute__((unavailable(
        "the optimizer comes before the weights, as in train(model, adamw{.rate = 3e-4}, weights) [F0330]")))
    refused_value train(const M&, const model_weights&, const optimizer&, const train_options& = {}) {
  return {};
}
template <class backend = f32, class M, class optimizer>
requires(M::well_formed&& is_optimizer<optimizer> && !detail::has_loss<M>) //
    __attribute__((unavailable("the model has no output \"loss\" to learn by [F0301]"))) refused_value
    train(const M&, const optimizer&, const model_weights&, const train_options& = {}) {
  return {};
}
template <class backend, class M, class optimizer>
requires(detail::has_loss<M>&& is_optimizer<optimizer> && !detail::learns_in<backend, M>) //
    __attribute__((
        unavailable("a model learns in f32, bf16_products or reference: its parameters are float32 [F0302]")))
    refused_value train(const M&, const optimizer&, const model_weights&, const train_options& = {}) {
  return {};
}
/// A model with an error has said so already.
template <class backend = f32, class M, class optimizer>
requires(!M::well_formed) refused_value
    train(const M&, const optimizer&, const model_weights&, const train_options& = {}) {
  return {};
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::train;
} // namespace fovea
