#include "arguments.hpp"
#include "utterances.hpp"

#include <program/text.hpp>
#include <trained/folder.hpp>
#include <training/finish.hpp>
#include <training/fit.hpp>
#include <training/group.hpp>
#include <transcribe/network.hpp>

#include <fovea/decoding.hpp>
#include <fovea/fovea.hpp>
#include <fovea/runtime/training/initialise.hpp>
#include <fovea/runtime/training/length_buckets.hpp>
#include <fovea/runtime/training/shuffle.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace train_speech {
namespace {

using namespace fovea;
using namespace transcribe_program;

/// The network without its ears, for bands that were heard before.
inline constexpr auto reads = model("speech_of_bands", [](graph& g) {
  const expr frames = g.input<i32>("frames", {B});
  g.output("scores", speech_scores(g.input<f32>("bands", {B, sizes::spectra * F, sizes::bands}), frames));
});

/// The examples, those that are learned from first.
struct parts {
  std::vector<example> all;
  std::vector<utterance> utterances;
  std::size_t learned = 0, validation = 0;
  std::size_t test() const { return all.size() - learned - validation; }
  std::size_t longest(auto of) const {
    std::size_t most = 1;
    for (const example& e : all) most = std::max<std::size_t>(most, of(e));
    return most;
  }
};

struct read_texts {
  std::size_t wrong = 0, labels = 0, right = 0, all = 0;
  std::vector<std::string> misread;
};

/// What the network reads in the last examples, in batches of like length.
read_texts read_by(const model_weights& trained, const parts& data, std::size_t first, const speller& spells,
                   const training::options& how) {
  auto net =
      compile(reads, trained,
              {.capacity = {{B, how.batch}, {F, data.longest([](const example& e) { return e.frames(); })}},
               .threads = how.threads});
  std::vector<std::size_t> order(data.all.size() - first);
  std::iota(order.begin(), order.end(), first);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return data.all[i].frames(); });
  read_texts made;
  made.all = order.size();
  for (std::size_t at = 0; at < order.size(); at += static_cast<std::size_t>(how.batch)) {
    const auto which = std::span(order).subspan(
        at, std::min<std::size_t>(static_cast<std::size_t>(how.batch), order.size() - at));
    const batch now = batch_of(data.all, which);
    const auto out = net("bands"_in = now.bands, "frames"_in = now.frames);
    const auto scores = out["scores"_out];
    for (std::size_t row = 0; row < which.size(); ++row) {
      const example& e = data.all[which[row]];
      auto own = xt::xtensor<float, 2>::from_shape({e.frames(), static_cast<std::size_t>(sizes::classes)});
      std::copy_n(&scores(row, 0, 0), own.size(), own.begin());
      std::vector<std::int32_t> found;
      for (const ctc_label& l : ctc_greedy(own))
        if (!spells.text_of(l.label).empty()) found.push_back(l.label);
      const std::size_t edits = edits_between(found, e.labels);
      made.wrong += edits, made.labels += e.labels.size(), made.right += edits == 0 ? 1 : 0;
      if (edits > 0 && made.misread.size() < 10)
        made.misread.push_back(fmt::format("{}: '{}', read as '{}'",
                                           data.utterances[which[row]].file.string(),
                                           data.utterances[which[row]].text, spells.text_of(found)));
    }
  }
  return made;
}

/// Hears all, in an order by the seed, those to learn from first.
parts heard_parts(const arguments& a, const std::vector<utterance>& listed, const speller& spells) {
  parts made;
  for (const std::size_t i : shuffled(listed.size(), a.how.seed)) made.utterances.push_back(listed[i]);
  made.validation = static_cast<std::size_t>(a.validation * static_cast<double>(listed.size()));
  made.learned = listed.size() - made.validation;
  if (made.learned == 0 || (a.validation > 0 && made.validation == 0))
    throw fovea::error(
        fmt::format("{}: expected more recordings to hold some out, found {}", a.sounds, listed.size()));
  if (!a.test.empty())
    for (utterance& u : read_list(a.test)) made.utterances.push_back(std::move(u));
  made.all = heard(made.utterances, spells);
  return made;
}

std::vector<std::string> texts_of(const std::vector<utterance>& all) {
  std::vector<std::string> made;
  for (const utterance& u : all) made.push_back(u.text);
  return made;
}

/// The folder's own files: the network with its ears, as `transcribe` opens it.
void write_speech(const training::options& how, const levels& level, const speller& spells) {
  const model_weights learned = load_weights(how.best(), {.copy = true});
  auto all = learned.tensors();
  std::map<std::string, weight_tensor> tables = tables_of_hearing();
  tables["mean"] = {{level.mean.size()}, level.mean};
  tables["scale"] = {{level.scale.size()}, level.scale};
  for (const auto& [name, tensor] : tables)
    all[name] = {element_type::f32, tensor.shape, std::as_bytes(std::span(tensor.values))};
  save_safetensors(how.out / "speech.safetensors", all, {});
  trained::write_json(how.out / "characters.json", spells.characters());
}

} // namespace

void run(const arguments& a) {
  const training::options& how = a.how;
  const rank_group group = training::group();
  const std::vector<utterance> listed = read_list(a.sounds);
  const speller spells(texts_of(listed), a.sounds);
  parts data = heard_parts(a, listed, spells);
  const levels level = levels_of(std::span(data.all).first(data.learned));
  bring(data.all, level);
  if (group.rank() == 0)
    program::print(fmt::format("{} recordings to learn from, {} to choose by, {} to test; {} characters\n"
                               "{} parameters\n",
                               data.learned, data.validation, data.test(), spells.characters().size(),
                               speech_loss.parameters()));

  const auto rows = static_cast<std::size_t>(how.batch),
             share = static_cast<std::size_t>(training::share_of(how.batch, group));
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < data.learned; ++i) lengths.push_back(data.all[i].frames());
  length_buckets batches(lengths, {.rows = rows, .seed = how.seed, .bucket = 4});
  auto fit = training::fit(how, speech_loss, adam{.rate = how.rate}, initial_weights(speech_loss, how.seed),
                           {.capacity = {{B, static_cast<std::int64_t>(share)},
                                         {F, data.longest([](const example& e) { return e.frames(); })},
                                         {S, data.longest([](const example& e) { return e.labels.size(); })}},
                            .threads = how.threads,
                            .schedule = cosine_schedule({.total = how.steps, .warmup = 100, .floor = 0.03}),
                            .clip = 5,
                            .seed = how.seed,
                            .group = group});
  const training::run what{.program = "train_speech",
                           .how = how,
                           .same = {{"recordings", std::to_string(listed.size())},
                                    {"test", std::to_string(data.test())},
                                    {"validation", fmt::format("{}", a.validation)},
                                    {"gain", fmt::format("{}", a.gain)},
                                    {"warp", fmt::format("{}", a.warp)},
                                    {"mask", std::to_string(a.mask)}},
                           .tokens = rows,
                           .unit = "recordings",
                           .held_out = data.validation > 0 ? "validation" : "test",
                           .group = group,
                           .data = a.files()};
  const bool chooses = data.validation > 0;
  const std::size_t looked_at = chooses ? data.validation : data.test();
  std::vector<std::size_t> held_out(looked_at);
  std::iota(held_out.begin(), held_out.end(), data.learned);
  const auto inputs = [](const batch& now, auto f) {
    return f("bands"_in = now.bands, "frames"_in = now.frames, "labels"_in = now.labels);
  };
  const auto result = training::learn(
      fit, what,
      [&](std::uint64_t i) {
        batch all = batch_of(data.all, training::filled(batches.batch(i), group));
        change(all, {.gain = a.gain, .warp = a.warp, .mask = a.mask, .seed = how.seed}, level, i);
        const batch own{training::share_of(all.bands, group), training::share_of(all.frames, group),
                        training::share_of(all.labels, group)};
        return inputs(own, [&](const auto&... given) { return fit.step(given...); });
      },
      [&] {
        return training::mean_over((looked_at + share - 1) / share, group, [&](std::size_t i) {
          const auto which = std::span(held_out).subspan(i * share, std::min(share, looked_at - i * share));
          const batch now = batch_of(data.all, which);
          const auto loss = [&](const auto&... given) { return fit.evaluate(given...)["loss"_out](); };
          return training::part_of_mean{static_cast<double>(inputs(now, loss)),
                                        static_cast<double>(which.size())};
        });
      });
  if (!what.writes()) return;
  // The test may not choose: without a part to choose by, the last parameters are what was learned.
  if (!chooses) save_safetensors(how.best(), fit.weights().tensors(), {});
  write_speech(how, level, spells);
  const bool tests = data.test() > 0;
  const read_texts read = read_by(load_weights(how.best(), {.copy = true}), data,
                                  tests ? data.all.size() - data.test() : data.learned, spells, how);
  const std::string where = tests ? "test, " : "held out, ";
  training::finish(what, result,
                   {{where + "characters wrong", training::share(read.wrong, read.labels)},
                    {where + "texts right", training::share(read.right, read.all)}},
                   read.misread);
}

} // namespace train_speech
