#include "translator.hpp"

#include "sizes.hpp"

#include <trained/folder.hpp>

#include <fovea/fovea.hpp>
#include <fovea/models/transformer.hpp>
#include <fovea/runtime/decoding/stream_reader.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

namespace translate_program {

using namespace fovea;
using namespace fovea::core;

namespace {

constexpr dim T{"T"};
constexpr token_id start = 1, end = 2; // as train.py numbers them

/// The Transformer with the inputs of the others; with its map, the mean of its last block's heads.
template <models::transformer_config c, bool with_map>
constexpr auto aligning_transformer = model(
    "transformer",
    [](graph& g) {
      const expr source = g.input<i32>("source", {"B", "S"}), lengths = g.input<i32>("lengths", {"B"}),
                 target = g.input<i32>("target", {"B", "T"});
      const expr memory = models::transformer_encoder(source, lengths, c);
      expr x = models::embedded<"tgt">(target, c.target_vocab, c.block.width, c.embedding);
      {
        const scope decoder(x, "decoder");
        for (int i = 0; i < c.layers; ++i) {
          const scope layer(x, "layers", i);
          x = models::decoder_block(x, memory, padding(lengths), c.block);
        }
        if (with_map) g.output("weights", mean(last_attention_map(x), axis(1)));
        x = layer_norm(x, "norm", {.epsilon = c.block.epsilon});
      }
      g.output("logits", models::transformer_generator(x, c.target_vocab, c.block));
    },
    models::transformer_names<c>);

xt::xtensor<int, 2> row_of(std::span<const token_id> ids) {
  auto row = xt::xtensor<int, 2>::from_shape({1, ids.size()});
  std::copy(ids.begin(), ids.end(), row.begin());
  return row;
}

} // namespace

class translator::machine {
public:
  virtual ~machine() = default;
  virtual std::vector<hypothesis> search(const token_ids& source, const beam_options& how,
                                         const stopping_options& where) = 0;
  /// [target, source] for the words of `target`, </s> included.
  virtual std::vector<float> weights_of(const token_ids& source, const token_ids& target) = 0;
};

namespace {

/// `M` is streamed, `W` tells its weights.
template <const auto& M, const auto& W>
class network final : public translator::machine {
public:
  explicit network(const model_weights& from) : from_(from) {}

  std::vector<hypothesis> search(const token_ids& source, const beam_options& how,
                                 const stopping_options& where) override {
    // As wide as the widest beam so far.
    if (!live_ || how.width > width_) {
      width_ = how.width;
      live_.emplace(stream<T>(M, from_, capacity(width_)));
    }
    const xt::xtensor<int, 2> words = row_of(source);
    const xt::xtensor<int, 1> lengths{static_cast<int>(source.size())};
    stream_reader reader(
        *live_, [](auto& s, const auto& ids) { return s.step("target"_in = ids)["logits"_out]; },
        [&](auto& s) { s.begin("source"_in = words, "lengths"_in = lengths); });
    return beam_search(reader, token_ids{start}, how, where);
  }

  std::vector<float> weights_of(const token_ids& source, const token_ids& target) override {
    if (!whole_) whole_.emplace(compile(W, from_, capacity(1)));
    token_ids read{start};
    read.insert(read.end(), target.begin(), target.end() - 1);
    const xt::xtensor<int, 1> lengths{static_cast<int>(source.size())};
    const auto out =
        (*whole_)("source"_in = row_of(source), "lengths"_in = lengths, "target"_in = row_of(read));
    const auto map = out["weights"_out];
    return {map.data(), map.data() + map.size()};
  }

private:
  static compile_options capacity(std::size_t rows) {
    constexpr auto most = static_cast<std::int64_t>(translator::longest) + 1; // </s> or <s> besides
    return {.capacity = {{"B", static_cast<std::int64_t>(rows)}, {"S", most}, {"T", most}}};
  }

  model_weights from_;
  std::size_t width_ = 0;
  std::optional<decltype(stream<T>(M, from_, {}))> live_;
  std::optional<decltype(compile(W, from_, {}))> whole_;
};

std::unique_ptr<translator::machine> machine_of(const std::filesystem::path& folder) {
  const nlohmann::json sizes = trained::read_json(folder / "sizes.json");
  const std::string name = sizes.is_object() ? sizes.value("model", "") : "";
  trained::check_folder(folder, sizes_of(name), {"source.json", "target.json"});
  const model_weights from = load_weights(folder / "weights.safetensors", {.copy = true});
  if (name == "bahdanau")
    return std::make_unique<network<models::bahdanau<bahdanau_sizes>, models::bahdanau<bahdanau_sizes>>>(
        from);
  if (name == "luong")
    return std::make_unique<network<models::luong<luong_sizes>, models::luong<luong_sizes>>>(from);
  return std::make_unique<
      network<aligning_transformer<transformer_sizes, false>, aligning_transformer<transformer_sizes, true>>>(
      from);
}

/// A word as the tokenizer spells it; the network knows more places than there are words.
std::string word_of(const tokenizer& words, token_id id) {
  return static_cast<std::size_t>(id) < words.vocabulary_size() ? std::string(words.token(id)) : "<unk>";
}

} // namespace

translator::translator(const std::filesystem::path& folder)
    : machine_(machine_of(folder)), source_(load_tokenizer(folder / "source.json")),
      target_(load_tokenizer(folder / "target.json")) {}
translator::~translator() = default;

token_ids translator::source_ids(const std::string& line) const {
  token_ids ids = source_.encode(line).ids;
  if (ids.empty()) throw error("there are no words to translate");
  if (ids.size() > longest)
    throw error("the line has " + std::to_string(ids.size()) + " words; expected at most " +
                std::to_string(longest));
  ids.push_back(end);
  return ids;
}

std::vector<translation> translator::translate(const std::string& line, const beam_options& how) {
  std::vector<translation> made;
  for (const hypothesis& h : machine_->search(source_ids(line), how, {.max_tokens = longest, .end = {end}})) {
    std::vector<std::string> words;
    for (const token_id id : h.ids)
      if (id != end) words.push_back(word_of(target_, id));
    made.push_back({written(words), h.log_probability, h.score, h.ids});
  }
  return made;
}

picture::attention_map translator::alignment(const std::string& line, const translation& made) {
  const token_ids source = source_ids(line);
  picture::attention_map map{made.text, {}, {}, machine_->weights_of(source, made.ids)};
  for (const token_id id : made.ids) map.rows.push_back(word_of(target_, id));
  for (const token_id id : source) map.columns.push_back(word_of(source_, id));
  return map;
}

std::string written(const std::vector<std::string>& words) {
  std::string text;
  bool joined = true;
  for (const std::string& word : words) {
    const bool clings =
        word.size() == 1 && std::string_view(".,;:!?)%'-").find(word[0]) != std::string_view::npos;
    if (!joined && !clings) text += ' ';
    text += word;
    joined = word == "(" || word == "-" || word == "'";
  }
  return text;
}

} // namespace translate_program
