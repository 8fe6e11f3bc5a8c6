#include "options.hpp"

#include <limits>

namespace training {

void declare(CLI::App& app, options& o) {
  constexpr std::int64_t many = std::int64_t{1} << 40;
  const CLI::Range count(std::int64_t{1}, many), count_or_none(std::int64_t{0}, many);
  app.add_option("--out", o.out, "The folder for checkpoint, weights, log, curves and report")
      ->capture_default_str();
  app.add_option("--steps", o.steps, "Batches to learn from")->capture_default_str()->check(count);
  app.add_option("--batch", o.batch, "Examples of a batch")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--rate", o.rate, "The optimizer's rate, at its highest")
      ->capture_default_str()
      ->check(CLI::Range(0.0, std::numeric_limits<double>::max()));
  app.add_option("--seed", o.seed, "Of the first parameters and the batches; the same seed, the same numbers")
      ->capture_default_str();
  app.add_option("--threads", o.threads, "0: one for each core; the numbers do not depend on it")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  app.add_option("--evaluate-every", o.evaluate_every, "Steps between two looks at what was held out")
      ->capture_default_str()
      ->check(count);
  app.add_option("--log-every", o.log_every, "Steps of a line of log.csv, which has their mean loss")
      ->capture_default_str()
      ->check(count);
  app.add_option("--save-every", o.save_every, "Steps between two checkpoints; 0: by time alone")
      ->capture_default_str()
      ->check(count_or_none);
  app.add_option("--save-seconds", o.save_seconds, "Seconds between two checkpoints; 0: by steps alone")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e9));
  app.add_option("--patience", o.patience,
                 "Stop after that many looks in a row without a better loss; 0: learn to the end")
      ->capture_default_str()
      ->check(CLI::Range(0, 1 << 20));
  app.add_option("--products", o.products, "f32, or bf16: multiply numbers rounded to bfloat16")
      ->capture_default_str()
      ->check(CLI::IsMember({"f32", "bf16"}));
  app.add_flag("--resume", o.resume, "Go on from the folder's checkpoint, to the same numbers");
}

} // namespace training
