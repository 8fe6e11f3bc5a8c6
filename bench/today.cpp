// Models of today: Whisper tiny's encoder of 30 seconds and 50 tokens of its decoder, ModernBERT base over 512 tokens, one
// layer of a mixture of experts, and Qwen3 0.6B's prompt and tokens by products of integers. Their weights are of no
// meaning. bench/peers/today_models.py has written them, with what the peers make of them: a result that differs ends
// the program. The peers' times are those of bench/peers/today.py.
//
//     today --models DIR [--only ROW...] [--threads N] [--json FILE]

#include "measure.hpp"
#include "program.hpp"

#include <fovea/fovea.hpp>
#include <fovea/models/modernbert.hpp>
#include <fovea/models/qwen.hpp>
#include <fovea/models/qwen3_moe.hpp>
#include <fovea/models/whisper.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto listener_names = naming::together(
    whisper_names,
    std::to_array<name_rule>({{"", "decoder.**", naming::ignored}, {"", "proj_out.**", naming::ignored}}));
inline constexpr auto writer_names =
    naming::together(whisper_names, std::to_array<name_rule>({{"", "encoder.**", naming::ignored}}));

inline constexpr auto listener = model(
    "whisper_tiny_encoder",
    [](graph& g) {
      g.output("memory",
               whisper_encoder(g.input<f32>("features", {B, whisper_tiny.frames, whisper_tiny.mels}),
                               whisper_tiny));
    },
    listener_names);

inline constexpr auto writer = model(
    "whisper_tiny_decoder",
    [](graph& g) {
      const expr ids = g.input<i32>("tokens", {B, T}),
                 memory = g.input<f32>("memory", {B, whisper_tiny.frames / 2, whisper_tiny.block.width});
      const expr words = bart_words(ids, whisper_tiny.vocab, whisper_tiny.block.width);
      g.output("logits", matmul(whisper_decoder(words, ids, memory, whisper_tiny), transpose(words)));
    },
    writer_names);

/// Of Qwen3's kind, with fewer and smaller experts.
constexpr moe_config mixture{
    .decoder = {.layers = 1, .heads = 1, .kv_heads = 1, .width = 1024, .inner = 512, .vocab = 1},
    .experts = 32,
    .active = 4,
    .normalised = true};

inline constexpr auto experts_names = [] {
  using naming::transposed, naming::flattened;
  constexpr int inner = mixture.decoder.inner;
  return std::to_array<name_rule>({
      {"mlp.router.weight", "gate.weight"},
      {"mlp.experts.gate.weight", "experts.gate_up_proj",
       transposed | naming::columns(0, inner) | transposed | flattened},
      {"mlp.experts.up.weight", "experts.gate_up_proj",
       transposed | naming::columns(inner, 2 * inner) | transposed | flattened},
      {"mlp.experts.down.weight", "experts.down_proj", flattened},
  });
}();
inline constexpr auto experts_layer = model(
    "experts_layer",
    [](graph& g) {
      g.output("y", moe_feed_forward(g.input<f32>("x", {B, T, mixture.decoder.width}), mixture));
    },
    experts_names);

/// What the peers were given, and what they made of it.
class known {
public:
  explicit known(const std::string& file) : from_(load_weights(file)) {}

  template <class number, std::size_t rank>
  xt::xtensor<number, rank> tensor(const std::string& name) const {
    const stored_tensor& stored = at(name);
    std::array<std::size_t, rank> shape;
    if (stored.shape.size() != rank || stored.bytes.size() != count_of(stored) * sizeof(number))
      throw error(name + ": " + shape_text(stored.shape) + " of " + std::string(element_name(stored.type)));
    std::ranges::copy(stored.shape, shape.begin());
    xt::xtensor<number, rank> made(shape);
    std::memcpy(made.data(), stored.bytes.data(), stored.bytes.size());
    return made;
  }

  /// The mean square of the difference as a share of the mean square of what is known, its root.
  template <class tensor>
  void expect(const std::string& name, const tensor& ours, double most) const {
    const stored_tensor& stored = at(name);
    if (count_of(stored) != ours.size())
      throw error(name + ": " + std::to_string(ours.size()) + " numbers of ours");
    double apart = 0, all = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      float theirs;
      std::memcpy(&theirs, stored.bytes.data() + i * sizeof theirs, sizeof theirs);
      apart += std::pow(static_cast<double>(ours.data()[i]) - static_cast<double>(theirs), 2);
      all += std::pow(static_cast<double>(theirs), 2);
    }
    const double share = std::sqrt(apart / all);
    std::printf("%s: %.2g from the peers'\n", name.c_str(), share);
    if (!(share <= most))
      throw error(name + ": not what the peers made, which is at most " + std::to_string(most) + " away");
  }

private:
  const stored_tensor& at(const std::string& name) const {
    const auto found = from_.tensors().find(name);
    if (found == from_.tensors().end()) throw error(from_.source() + ": no tensor " + name);
    return found->second;
  }

  model_weights from_;
};

class session {
public:
  session(std::string folder, bench::report& rows)
      : folder_(std::move(folder)), known_(file("known.safetensors")), rows_(rows) {}

  void listen() {
    const model_weights from = load_weights(file("whisper.safetensors"));
    auto net = compile(listener, from, {.capacity = {{"B", 1}}, .threads = rows_.threads});
    const auto features = known_.tensor<float, 3>("whisper.features");
    known_.expect("whisper.memory", net("features"_in = features)["memory"_out], 1e-4);
    rows_.add("today/whisper_tiny_encoder", bench::times_us(8, [&] { net("features"_in = features); }),
              bench::demand{static_cast<double>(listener.flops({{"B", 1}})) / 2});
  }

  /// Keys and values of the memory, a prompt of four tokens and 50 more.
  void write() {
    const model_weights from = load_weights(file("whisper.safetensors"));
    auto live =
        stream<T>(last<T>(writer), from, {.capacity = {{"B", 1}, {"T", 64}}, .threads = rows_.threads});
    const auto memory = known_.tensor<float, 3>("whisper.memory");
    const auto prompt = known_.tensor<std::int32_t, 2>("whisper.prompt");
    const auto ids = known_.tensor<std::int32_t, 1>("whisper.ids");
    const auto most_likely = [&](const auto& tokens) {
      const auto scores = live.step("tokens"_in = tokens)["logits"_out];
      return static_cast<std::int32_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    };
    std::vector<std::int32_t> made(ids.size());
    const auto text = [&] {
      live.begin("memory"_in = memory);
      made[0] = most_likely(prompt);
      for (std::size_t i = 1; i < made.size(); ++i)
        made[i] = most_likely(xt::xtensor<std::int32_t, 2>{{made[i - 1]}});
    };
    text();
    if (!std::ranges::equal(made, ids)) throw error("whisper.ids: not the tokens that the peers wrote");
    rows_.add("today/whisper_tiny_50_tokens", bench::times_us(12, text));
  }

  void read() {
    const auto tokens = known_.tensor<std::int32_t, 2>("modernbert.tokens");
    const std::size_t count = tokens.size();
    auto net = compile(modernbert<modernbert_base>, load_weights(file("modernbert.safetensors")),
                       {.capacity = {{"B", 1}, {"T", count}}, .threads = rows_.threads});
    const xt::xtensor<std::int32_t, 1> lengths{static_cast<std::int32_t>(count)};
    const auto call = [&] { return net("tokens"_in = tokens, "lengths"_in = lengths); };
    known_.expect("modernbert.hidden", call()["hidden"_out], 1e-3);
    const double flops = static_cast<double>(
        modernbert<modernbert_base>.flops({{"B", 1}, {"T", static_cast<std::int64_t>(count)}}));
    rows_.add("today/modernbert_base_1x512", bench::times_us(6, call), bench::demand{flops / 2});
  }

  void choose() {
    const auto x = known_.tensor<float, 3>("experts.x");
    const std::size_t count = x.shape()[1];
    auto net = compile(experts_layer, load_weights(file("experts.safetensors")),
                       {.capacity = {{"B", 1}, {"T", count}}, .threads = rows_.threads});
    known_.expect("experts.y", net("x"_in = x)["y"_out], 1e-4);
    const double products = 3.0 * mixture.active * mixture.decoder.inner + mixture.experts;
    rows_.add("today/experts_layer", bench::times_us(60, [&] { net("x"_in = x); }),
              bench::demand{static_cast<double>(count) * mixture.decoder.width * products});
  }

  /// A prompt of 128 tokens; and after 64 of them 64 tokens, one by one.
  template <class format>
  void speak(const std::string& name) {
    const model_weights from = load_weights(file("qwen3-" + name + ".gguf"));
    const auto ids = known_.tensor<std::int32_t, 2>("qwen3.tokens");
    const std::size_t count = ids.size();
    auto live = stream<T, integer_products<format>>(
        last<T>(qwen<qwen3_0_6b>), from, {.capacity = {{"B", 1}, {"T", count}}, .threads = rows_.threads});
    live.begin();
    known_.expect("qwen3." + name + ".logits", live.step("tokens"_in = ids)["logits"_out], 0.05);
    const std::string row = "today/qwen3_0.6b_" + name;
    bench::timings prompt, token;
    for (int round = 0; round < 3; ++round) {
      live.begin();
      prompt.take(1, [&] { live.step("tokens"_in = ids); });
    }
    live.begin();
    live.step("tokens"_in = xt::view(ids, xt::all(), xt::range(std::size_t{0}, count / 2)));
    const xt::xtensor<std::int32_t, 2> one{{7}};
    token.take(static_cast<int>(count / 2), [&] { live.step("tokens"_in = one); });
    double bytes = 0;
    for (const auto& [tensor, stored] : from.tensors()) bytes += static_cast<double>(stored.bytes.size());
    rows_.add(row + "/prompt_" + std::to_string(count), prompt);
    rows_.add(row + "/token", token, bench::demand{0, bytes});
  }

private:
  std::string file(const char* name) const { return folder_ + "/" + name; }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
  known known_;
  bench::report& rows_;
};

const std::map<std::string, std::function<void(session&)>> parts{
    {"whisper_tiny_encoder", [](session& s) { s.listen(); }},
    {"whisper_tiny_50_tokens", [](session& s) { s.write(); }},
    {"modernbert_base", [](session& s) { s.read(); }},
    {"experts_layer", [](session& s) { s.choose(); }},
    {"qwen3_q8_0", [](session& s) { s.speak<q8_0>("q8_0"); }},
    {"qwen3_q4_0", [](session& s) { s.speak<q4_0>("q4_0"); }},
    {"qwen3_q4_k", [](session& s) { s.speak<q4_k>("q4_k"); }},
};

} // namespace

int main(int count, char** words) {
  std::string folder;
  std::vector<std::string> only;
  return bench::run(
      "Times models of today.", count, words,
      [&](bench::report& rows) {
        session made(folder, rows);
        for (const auto& [name, part] : parts)
          if (only.empty() || std::ranges::count(only, name) > 0) part(made);
      },
      [&](CLI::App& app) {
        app.add_option("--models", folder, "the folder that bench/peers/today_models.py has written")
            ->required()
            ->check(CLI::ExistingDirectory);
        app.add_option("--only", only, "these parts alone")->check(CLI::IsMember(parts));
      });
}
