// What does a recurrence cost a sample? One row over many steps, and streamed sample by sample, beside the
// figures of bench/RESULTS.md; one layer of 512 over 100 steps, whose peers bench/peers/recurrent.py times on
// rows of the same names.

#include "measure.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fovea/fovea.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace {

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

template <bool gated_by_three, int input, int hidden>
inline constexpr auto network = model("network", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, input});
  g.output("y", gated_by_three ? gru(x, "rnn", hidden) : lstm(x, "rnn", hidden));
});

template <class M>
weights some_weights(const M&) {
  std::map<std::string, weight_tensor> made;
  const graph_view& g = M::view;
  for (std::size_t p = 0; p < g.parameters.size(); ++p) {
    weight_tensor t;
    std::size_t count = 1;
    const shape& s = g.at(g.parameters[p].node).shape;
    for (int axis = 0; axis < s.rank; ++axis) {
      t.shape.push_back(static_cast<std::size_t>(g.number(s.dims[axis])));
      count *= t.shape.back();
    }
    for (std::size_t i = 0; i < count; ++i) t.values.push_back(static_cast<float>(i * 7 % 23) * 0.01f - 0.1f);
    made[g.parameter_name(static_cast<int>(p)).text] = std::move(t);
  }
  return weights::from(std::move(made));
}

nlohmann::json reported = nlohmann::json::array();

void report(const std::string& name, int threads, double us) {
  std::printf("%-28s %8d %12.3f us\n", name.c_str(), threads, us);
  reported.push_back({{"name", name},
                      {"isa", instruction_set()},
                      {"threads", threads},
                      {"ours_us", us},
                      {"bound", nullptr}});
}

/// One row, input of one number: microseconds a sample, in blocks of 512 and one at a time.
template <bool gated_by_three, int hidden>
void samples() {
  constexpr auto& m = network<gated_by_three, 1, hidden>;
  const weights from = some_weights(m);
  const std::string name = std::string(gated_by_three ? "gru/" : "lstm/") + std::to_string(hidden);
  constexpr std::size_t steps = 512;
  auto net = compile(m, from, {.capacity = {{B, 1}, {T, steps}}, .regime = regime::small});
  const xt::xtensor<float, 3> block = xt::ones<float>({std::size_t{1}, steps, std::size_t{1}}) * 0.1f;
  report(name + "/block", 1, bench::best_us(400, [&] { net("x"_in = block); }) / steps);
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 1 << 20}}, .regime = regime::small});
  const xt::xtensor<float, 3> one = xt::ones<float>({1, 1, 1}) * 0.1f;
  report(name + "/sample", 1, bench::best_us(400, [&] {
                                if (live.position() + 512 > 1 << 20) live.begin();
                                for (int i = 0; i < 512; ++i) live.step("x"_in = one);
                              }) / steps);
}

template <bool gated_by_three>
void layer(int threads, std::size_t batch) {
  constexpr auto& m = network<gated_by_three, 512, 512>;
  auto net = compile(m, some_weights(m),
                     {.capacity = {{B, static_cast<std::int64_t>(batch)}, {T, 100}}, .threads = threads});
  const xt::xtensor<float, 3> x = xt::ones<float>({batch, std::size_t{100}, std::size_t{512}}) * 0.1f;
  report((gated_by_three ? "gru/512x100/batch " : "lstm/512x100/batch ") + std::to_string(batch), threads,
         bench::best_us(batch == 1 ? 60 : 12, [&] { net("x"_in = x); }));
}

} // namespace

int main(int argc, char** argv) try {
  int threads = 1;
  std::string file;
  CLI::App app{"Times recurrences."};
  app.add_option("--threads", threads, "of the layers of 512");
  app.add_option("--json", file, "where to write the rows");
  CLI11_PARSE(app, argc, argv);
  samples<true, 8>();
  samples<true, 16>();
  samples<true, 24>();
  samples<true, 32>();
  samples<true, 64>();
  samples<false, 8>();
  samples<false, 16>();
  samples<false, 24>();
  samples<false, 32>();
  samples<false, 64>();
  for (const std::size_t batch : {std::size_t{1}, std::size_t{32}}) {
    layer<false>(threads, batch);
    layer<true>(threads, batch);
  }
  if (!file.empty()) std::ofstream(file) << reported.dump(2) << '\n';
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "recurrent: %s\n", e.what());
  return 1;
}
