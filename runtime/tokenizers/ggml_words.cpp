#include <fovea/runtime/tokenizers/ggml_words.hpp>

#include <fovea/base/utf8.hpp>
#include <fovea/runtime/tokenizers/byte_level.hpp>

#include <algorithm>
#include <map>

namespace fovea::core {
namespace {

using word_list = std::vector<std::string_view>;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Cuts one piece of a text by a rule.
struct cut {
  std::string_view text;
  word_list& words;

  void add(std::size_t begin, std::size_t end) const {
    if (end > begin) words.push_back(text.substr(begin, end - begin));
  }
  void operator()(const word_pattern& pattern) const {
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = pattern.match(text, at);
      if (end == word_pattern::none || end == at) {
        at += code_point_at(text, at).bytes;
        continue;
      }
      add(done, at);
      add(at, end);
      done = at = end;
    }
    add(done, text.size());
  }
  void operator()(ggml_words::ending_space) const {
    std::size_t begin = text.size();
    while (begin > 0) {
      const std::size_t before = last_code_point(text.substr(0, begin));
      if (!is_white_space(code_point_at(text, before).value)) break;
      begin = before;
    }
    add(0, begin);
    add(begin, text.size());
  }
  void operator()(ggml_words::digits_by_three) const {
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size();) {
      const auto end = static_cast<std::size_t>(
          std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_digit) -
          text.begin());
      for (; at < end; ++at)
        if ((end - at) % 3 == 0) {
          add(done, at);
          done = at;
        }
      at = std::max(at, end) + (end < text.size() ? code_point_at(text, end).bytes : 0);
    }
    add(done, text.size());
  }
  void operator()(ggml_words::gpt2) const {
    for (std::size_t at = 0; at < text.size();) words.push_back(next_gpt2_word(text, at));
  }
  void operator()(ggml_words::llama3 how) const {
    for (std::size_t at = 0; at < text.size();) words.push_back(next_llama3_word(text, at, how.most_digits));
  }
};

// What several expressions have in common.
#define FOVEA_CONTRACTION "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
#define FOVEA_SPACE "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define FOVEA_HAN                                                                                            \
  "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ebef\U0002f800-\U0002fa1f"

/// Words of letters that do not go from small ASCII letters to large ones.
std::string cased_words(const std::string& letters, const std::string& digits, const std::string& behind) {
  const std::string front = "[^\\r\\n\\p{L}\\p{N}]?", large = "[" + letters + "--a-z]",
                    small = "[" + letters + "--A-Z]";
  return front + large + "*" + small + "+" + behind + "|" + front + large + "+" + small + "*" + behind + "|" +
         digits + "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|" FOVEA_SPACE;
}

using table = std::map<std::string_view, ggml_words>;

table make_table() {
  using rules = std::vector<ggml_words::rule>;
  using ending_space = ggml_words::ending_space;
  const auto pattern = [](std::string_view expression) { return word_pattern(expression); };
  const ggml_words::gpt2 gpt2;
  const ggml_words::llama3 by_three{3}, by_one{1};
  table made;
  const auto add = [&](std::initializer_list<std::string_view> names, const ggml_words& words) {
    for (const std::string_view name : names) made.emplace(name, words);
  };

  add({"gpt-2", "phi-2", "jina-es", "jina-de", "gigachat", "jina-v2-es", "jina-v2-de", "a.x-4.0", "mellum",
       "modern-bert", "jina-v1-en", "jina-v2-code", "roberta-bpe", "exaone4", "mpt", "olmo", "jais",
       "trillion", "granite-docling"},
      {rules{gpt2}});
  add({"llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2",
       "jina-v5-nano"},
      {.rules = {by_three}, .ignore_merges = true, .add_begin = true});
  add({"dbrx", "smaug-bpe"}, {rules{by_three}});
  add({"chatglm-bpe"}, {.rules = {by_three}, .no_begin = true});
  add({"glm4", "glm5"}, {.rules = {by_three}, .ignore_merges = true, .no_begin = true});
  add({"qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "megrez", "stablelm2", "hunyuan", "solar-open",
       "grok-2"},
      {rules{by_one}});
  add({"starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b", "mellum2"},
      {rules{pattern("\\p{N}"), gpt2}});
  add({"falcon"}, {rules{pattern("[\\p{P}$+<=>^~|`]+"), gpt2, pattern("[0-9]{3}")}});
  add({"default"}, {rules{pattern("[\\p{P}$+<=>^~|]+"), gpt2, pattern("\\p{N}+"), pattern("[0-9]{3}")}});

  add({"jais-2"},
      {rules{pattern(FOVEA_CONTRACTION
                     "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|"
                     "\\s*[\\r\\n]+|\\s{512}(?!\\S)|\\s{256}(?!\\S)|\\s{128}(?!\\S)|\\s{64}(?!\\S)|"
                     "\\s{32}(?!\\S)|\\s{16}(?!\\S)|\\s{8}(?!\\S)|\\s{4}(?!\\S)|\\s{1,2}(?!\\S)|\\s")}});
  add({"bailingmoe", "bailingmoe2", "llada-moe"},
      {rules{pattern("'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|"
                     " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+")}});
  add({"seed-coder"}, {rules{pattern(FOVEA_CONTRACTION "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|"
                                                       " ?[^\\s\\p{L}\\p{N}\\r\\n]+|" FOVEA_SPACE)}});
  add({"ufakzeka"},
      {rules{pattern("[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" FOVEA_SPACE)}});
  add({"minicpm5"}, {.rules = {pattern("\\p{N}{1,3}"),
                               pattern(FOVEA_CONTRACTION "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}+|"
                                                         " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" FOVEA_SPACE)},
                     .ignore_merges = true});
  add({"qwen35"}, {rules{pattern(FOVEA_CONTRACTION "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}|"
                                                   " ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|" FOVEA_SPACE)}});
  add({"laguna"}, {rules{pattern("[^\\n]+|\\n+"), by_one}});
  add({"kimi-k2"},
      {rules{pattern("[" FOVEA_HAN "]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}--" FOVEA_HAN "]+" FOVEA_CONTRACTION
                     "?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" FOVEA_SPACE)}});

  add({"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"},
      {rules{pattern(cased_words("\\p{L}", "\\p{N}{1,3}", FOVEA_CONTRACTION "?"))}});
  add({"granite-embed-multi-97m"},
      {.rules = {pattern(cased_words("\\p{L}\\p{M}", "\\p{N}{1,3}", FOVEA_CONTRACTION "?"))},
       .ignore_merges = true});
  add({"tekken"},
      {.rules = {pattern(cased_words("\\p{L}", "\\p{N}", ""))}, .ignore_merges = true, .add_begin = true});

  const auto bloom = pattern(" ?[^(\\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+");
  add({"poro-chat", "bloom", "gpt3-finnish"}, {rules{bloom}});
  add({"viking"}, {rules{bloom, pattern("\\p{N}")}});

  const auto ideographs = pattern("[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+");
  add({"deepseek-coder"}, {rules{pattern("[\\r\\n]"), pattern("\\s?\\p{L}+"), pattern("\\s?\\p{P}+"),
                                 ideographs, pattern("\\p{N}")}});
  add({"deepseek-llm"},
      {rules{pattern("[\\r\\n]"),
             pattern(
                 "\\s?[A-Za-z"
                 "\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af\u0370-"
                 "\u0373"
                 "\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-"
                 "\u0481"
                 "\u048a-\u052f\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf"
                 "\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d"
                 "\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4"
                 "\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107"
                 "\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139\u213c-"
                 "\u213f"
                 "\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3\ua640-"
                 "\ua66d"
                 "\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17"
                 "\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044f\U000104b0-\U000104d3\U000104d8-\U000104fb"
                 "\U00010c80-\U00010cb2\U00010cc0-\U00010cf2\U000118a0-\U000118df\U0001e900-\U0001e943]+"),
             pattern("\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+"), ending_space(),
             ideographs, pattern("\\p{N}+")}});

  const auto kana = pattern("[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+");
#define FOVEA_PUNCTUATION                                                                                    \
  "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|"
  add({"deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"},
      {rules{pattern("\\p{N}{1,3}"), kana,
             pattern(FOVEA_PUNCTUATION " ?[\\p{P}\\p{S}]+[\\r\\n]*|" FOVEA_SPACE)}});
  add({"spark2_5"},
      {rules{pattern("\\p{N}{1,3}"), kana,
             pattern(FOVEA_PUNCTUATION " ?[\\p{P}\\p{S}]+|[\\r\\n]|\\s+(?!\\S)|\\s+"), pattern("\\p{N}")}});
  add({"superbpe"}, {rules{pattern("\\p{N}+"), ggml_words::digits_by_three()}});
  add({"youtu"},
      {.rules =
           {pattern(
                "[\uac00-\ud7a3\u3131-\u318e]+|"
                "[\uff01\u2026\u201c\u201d\u2018\u2019\u2014\uff1a\uff1b\uff0c\u3001-\u303f\ufe30-\ufe4f]+|"
                "[\u3105-\u312f]+|[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"),
            pattern("[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+" FOVEA_CONTRACTION "?|\\p{N}|"
                    " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|" FOVEA_SPACE)},
       .ignore_merges = true});
#undef FOVEA_PUNCTUATION
  return made;
}

#undef FOVEA_CONTRACTION
#undef FOVEA_SPACE
#undef FOVEA_HAN

const table& known() {
  static const table all = make_table();
  return all;
}

} // namespace

void ggml_words::split(std::string_view text, std::vector<std::string_view>& words) const {
  if (text.empty()) return;
  word_list pieces{text}, cuts;
  for (const rule& each : rules) {
    cuts.clear();
    for (const std::string_view piece : pieces) std::visit(cut{piece, cuts}, each);
    pieces.swap(cuts);
  }
  words.insert(words.end(), pieces.begin(), pieces.end());
}

const ggml_words* find_ggml_words(std::string_view name) {
  const auto found = known().find(name);
  return found == known().end() ? nullptr : &found->second;
}

std::string ggml_word_names() {
  std::string names;
  for (const auto& [name, words] : known()) (names += names.empty() ? "" : ", ") += name;
  return names;
}

} // namespace fovea::core
