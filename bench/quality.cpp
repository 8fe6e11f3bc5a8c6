// What do weights in fewer bytes lose, and keys and values? In each format: how near MiniLM's embeddings of a text's sentences
// stay to those of float32, as cosines, and how well the GPT in a folder of train_gpt (--size small) predicts
// a text, as perplexity. Without a text it predicts what it writes itself in float32, from nothing and by a
// fixed seed: the ratio to float32's perplexity is then, but for chance, the exponential of their divergence
// in nats a token.
//
//     quality --model DIR --sentences FILE --learned DIR [--text FILE] [--threads N] [--json FILE]
//
// A row's time is that of all sentences, a call each.

#include "measure.hpp"
#include "program.hpp"
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fovea/base/mapped_file.hpp>
#include <fovea/decoding.hpp>
#include <fovea/fovea.hpp>
#include <fovea/models/bert.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/weights/from_floats.hpp>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <train_gpt/sizes.hpp>
#include <utility>
#include <vector>

namespace {

using namespace fovea;
using namespace fovea::core;

inline constexpr dim B{"B"}, T{"T"};
constexpr const auto& encoder = models::sentence_encoder<models::minilm>;
constexpr const auto& writer = models::gpt2<train_gpt::small>;
// Tokens of a sentence: headings have fewer, and what has more is cut.
constexpr std::size_t shortest = 8, longest = 128;
// Texts that the GPT writes, each as long as its context, and rows that it reads together.
constexpr std::size_t written = 256;

struct subject {
  model_weights encoder, writer;
  std::vector<token_ids> sentences, texts;
  int threads;
};

using vector = std::vector<double>;

/// Sentences end with a point, or before an empty line.
std::vector<token_ids> sentences_of(std::string_view text, const tokenizer& words) {
  std::vector<token_ids> sentences;
  const auto ends = [&](std::size_t i) {
    return i + 1 >= text.size() ||
           (text[i] == '.' && std::isspace(static_cast<unsigned char>(text[i + 1]))) ||
           text.substr(i, 2) == "\n\n";
  };
  for (std::size_t begin = 0, i = 0; i < text.size(); ++i)
    if (ends(i)) {
      token_ids ids = words.encode(text.substr(begin, i + 1 - begin), {.max_length = longest}).ids;
      if (ids.size() >= shortest) sentences.push_back(std::move(ids));
      begin = i + 1;
    }
  if (sentences.empty())
    throw error("expected a text with a sentence of at least " + std::to_string(shortest) + " tokens");
  return sentences;
}

/// A text in pieces of the GPT's context.
std::vector<token_ids> pieces_of(std::string_view text, const tokenizer& words) {
  const token_ids ids = words.encode(text, {.special = false}).ids;
  std::vector<token_ids> pieces;
  for (auto at = ids.begin(); ids.end() - at >= train_gpt::small.context; at += train_gpt::small.context)
    pieces.emplace_back(at, at + train_gpt::small.context);
  return pieces;
}

std::string_view text_of(const mapped_file& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

/// Calls `use` with the GPT as a model of the next token.
template <class format>
auto with_writer(const subject& s, cache_format cache, auto use) {
  auto live = stream<T, format>(
      writer, s.writer,
      {.capacity = {{B, written}, {T, train_gpt::small.context}}, .threads = s.threads, .cache = cache});
  stream_reader model(live, [](auto& l, const auto& ids) { return l.step("tokens"_in = ids)["logits"_out]; });
  return use(model);
}

std::vector<token_ids> written_texts(const subject& s) {
  constexpr token_id begin = 1; // the end of a line
  return with_writer<f32>(s, {}, [](auto& model) {
    std::vector<token_ids> texts;
    for (const hypothesis& text : sample(model, token_ids{begin}, {.seed = 1, .samples = written},
                                         {.max_tokens = train_gpt::small.context - 1})) {
      texts.push_back({begin});
      texts.back().insert(texts.back().end(), text.ids.begin(), text.ids.end());
    }
    return texts;
  });
}

/// log p of all tokens of the texts but the first of each.
template <class format>
vector predictions_of(const subject& s, cache_format cache = {}) {
  return with_writer<format>(s, cache, [&](auto& model) {
    vector all;
    for (std::size_t first = 0; first < s.texts.size(); first += written) {
      const auto texts = std::span(s.texts).subspan(first, std::min(written, s.texts.size() - first));
      for (const vector& each : log_probabilities(model, texts))
        all.insert(all.end(), each.begin(), each.end());
    }
    return all;
  });
}

template <class format>
std::vector<vector> embeddings_of(const subject& s, bench::timings& us) {
  auto net = compile<format>(encoder, s.encoder, {.capacity = {{B, 1}, {T, longest}}, .threads = s.threads});
  std::vector<vector> embeddings;
  us.take(3, [&] {
    embeddings.clear();
    for (const token_ids& ids : s.sentences) {
      const xt::xtensor<token_id, 2> tokens =
          xt::adapt(ids.data(), ids.size(), xt::no_ownership(), std::array{std::size_t{1}, ids.size()});
      const xt::xtensor<std::int32_t, 2> types = xt::zeros<std::int32_t>(tokens.shape());
      const xt::xtensor<std::int32_t, 1> lengths{static_cast<std::int32_t>(ids.size())};
      const auto out = net("tokens"_in = tokens, "types"_in = types, "lengths"_in = lengths);
      const auto sentence = out["sentence"_out];
      embeddings.emplace_back(sentence.begin(), sentence.end());
    }
  });
  return embeddings;
}

double cosine(const vector& a, const vector& b) {
  const auto dot = [](const vector& x, const vector& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
  };
  return dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
}

/// Of a weight in rows as long as the encoder is wide, its share of their scales included.
double bits_of(weight_format format) {
  constexpr double row = models::minilm.width;
  if (const auto type = element_of(format))
    return 8 * static_cast<double>(block_bytes(*type)) / static_cast<double>(block_length(*type));
  return 8 * (row + sizeof(float)) / row;
}

/// Cosines are to `plain`, which the first format fills.
template <class format>
void measure(const subject& s, std::vector<vector>& plain, bench::report& rows) {
  bench::timings us;
  const std::vector<vector> found = embeddings_of<format>(s, us);
  if (plain.empty()) plain = found;
  vector cosines;
  std::ranges::transform(found, plain, std::back_inserter(cosines), cosine);
  const vector predictions = predictions_of<format>(s);
  rows.add(std::string("quality/") + name_of(format_named<format>), us);
  rows.note("bits", bits_of(format_named<format>));
  rows.note("sentences", static_cast<double>(cosines.size()));
  rows.note("cosine_mean",
            std::accumulate(cosines.begin(), cosines.end(), 0.0) / static_cast<double>(cosines.size()));
  rows.note("cosine_least", *std::ranges::min_element(cosines));
  rows.note("tokens", static_cast<double>(predictions.size()));
  rows.note("perplexity", perplexity(predictions));
}

void measure_all(const subject& s, bench::report& rows) {
  std::vector<vector> plain;
  all_formats::each([&]<class format>(format) { measure<format>(s, plain, rows); });
  for (const cache_format cache : {cache_format(f16{}), cache_format(bf16{}), cache_format(q8_0{})}) {
    vector predictions;
    bench::timings us;
    us.take(1, [&] { predictions = predictions_of<f32>(s, cache); });
    rows.add(std::string("quality/cache/") + name_of(cache.format), us);
    rows.note("bytes", 4.0 * static_cast<double>(kept_floats(cache.format, weight_group)));
    rows.note("perplexity", perplexity(predictions));
  }
}

} // namespace

int main(int count, char** words) {
  std::filesystem::path model, sentences, learned, text;
  return bench::run(
      "Measures what weights in each format lose.", count, words,
      [&](bench::report& rows) {
        subject s{.encoder = load_weights(model / "model.safetensors"),
                  .writer = load_weights(learned / "weights.safetensors"),
                  .sentences =
                      sentences_of(text_of(mapped_file(sentences)), load_tokenizer(model / "tokenizer.json")),
                  .texts = {},
                  .threads = rows.threads};
        s.texts = text.empty()
                      ? written_texts(s)
                      : pieces_of(text_of(mapped_file(text)), load_tokenizer(learned / "tokenizer.json"));
        measure_all(s, rows);
      },
      [&](CLI::App& app) {
        app.add_option("--model", model, "MiniLM's folder of model.safetensors and tokenizer.json")
            ->required()
            ->check(CLI::ExistingDirectory);
        app.add_option("--sentences", sentences, "the text that is embedded, a sentence at a time")
            ->required()
            ->check(CLI::ExistingFile);
        app.add_option("--learned", learned, "the GPT's folder of weights.safetensors and tokenizer.json")
            ->required()
            ->check(CLI::ExistingDirectory);
        app.add_option("--text", text, "what the GPT predicts instead of texts of its own")
            ->check(CLI::ExistingFile);
      });
}
