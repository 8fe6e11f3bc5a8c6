#include "catalogue.hpp"
#include "../run_model.hpp"
#include "../weights/temporary_folder.hpp"

#include <fovea/weights/save_weights.hpp>

// What holds for every model of the catalogue, bit for bit: neither threads, nor what the object did before,
// nor the memory it has, nor a file that its weights were saved in, nor whether a repeat is written out,
// changes a result.

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

using sizes = std::map<std::string, std::size_t>;

/// Inputs of the given sizes, the same for the same name and sizes. Integers suit as ids, types and lengths:
/// they are 1, or 1 to 6 where the model has more than two of what they number.
template <class M>
named_values inputs_for(const M&, const sizes& of) {
  const graph_view& g = M::view;
  named_values made;
  for (const named_value& input : g.inputs) {
    golden_tensor value;
    std::size_t count = 1;
    for (int axis = 0; axis < g.at(input.node).shape.rank; ++axis) {
      const int d = g.at(input.node).shape[axis];
      sentence label;
      label << g.dim_of(d);
      value.shape.push_back(g.is_number(d) ? static_cast<std::size_t>(g.number(d)) : of.at(label.text));
      count *= value.shape.back();
    }
    value.whole = g.at(input.node).type == element::i32;
    const std::string name = input.name;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bits = splitmix64(fnv1a64(name) + i) >> 40;
      const double real = static_cast<double>(bits) / 8388608.0 - 1;
      value.values.push_back(!value.whole                   ? static_cast<double>(static_cast<float>(real))
                             : std::string("types") == name ? static_cast<double>(bits % 2)
                                                            : static_cast<double>(1 + bits % 6));
    }
    made[name] = value;
  }
  return made;
}

void check_same_bits(const named_values& found, const named_values& expected) {
  REQUIRE(found.size() == expected.size());
  for (const auto& [name, value] : expected) {
    INFO("output " << name);
    CHECK(found.at(name).shape == value.shape);
    CHECK(std::all_of(value.values.begin(), value.values.end(), [](double x) { return std::isfinite(x); }));
    CHECK(found.at(name).values == value.values);
  }
}

/// More positions than a tile of attention holds, more rows than a block of a product; and few.
const sizes many{{"B", 3}, {"T", 37}, {"S", 70}, {"H", 9}, {"W", 11}},
    few{{"B", 2}, {"T", 5}, {"S", 3}, {"H", 2}, {"W", 3}};

template <class M>
void check_laws(const M& model) {
  INFO("model " << model.name);
  const model_weights from = formula_weights(model);
  const named_values large_call = inputs_for(model, many), small_call = inputs_for(model, few);
  const named_values large_result = run_model<f32>(model, from, large_call),
                     small_result = run_model<f32>(model, from, small_call);
  for (int threads : {2, 3, 5}) {
    INFO(threads << " threads");
    check_same_bits(run_model<f32>(model, from, large_call, threads), large_result);
    check_same_bits(run_model<f32>(model, from, small_call, threads), small_result);
  }

  compile_options options = test::detail::fitting<M>(large_call);
  options.threads = 2;
  auto net = compile(model, from, options);
  {
    INFO("a small call after a large one, and a large one after a small one");
    check_same_bits(call_model(model, net, large_call), large_result);
    check_same_bits(call_model(model, net, small_call), small_result);
    check_same_bits(call_model(model, net, large_call), large_result);
  }
  {
    INFO("a copy, and the object that it was made from");
    auto copy = net;
    check_same_bits(call_model(model, copy, small_call), small_result);
    check_same_bits(call_model(model, net, large_call), large_result);
    check_same_bits(call_model(model, copy, large_call), large_result);
  }
  {
    INFO("weights that are saved and read back");
    const temporary_folder folder;
    save_weights<f32>(folder / "x.gguf", model, from);
    check_same_bits(run_model<f32>(model, load_weights(folder / "x.gguf"), small_call), small_result);
  }
}

} // namespace

TEST_CASE("laws of BERT and its heads", "[laws]") {
  check_laws(bert<small_bert>);
  check_laws(bert_masked_language_model<small_bert>);
  check_laws(sentence_encoder<small_bert>);
}

TEST_CASE("laws of the n-gram table", "[laws]") { check_laws(dense_ngram<small_ngram>); }

TEST_CASE("laws of GPT-2, Llama, T5 and the Transformer", "[laws]") {
  check_laws(gpt2<small_gpt2>);
  check_laws(llama<small_llama>);
  check_laws(t5<small_t5>);
  check_laws(transformer<small_transformer>);
  check_laws(transformer_language_model<small_decoder>);
}

TEST_CASE("laws of recurrent networks", "[laws]") {
  check_laws(rnn_language_model<small_rnn>);
  check_laws(rnn_language_model<large_rnn>);
  check_laws(rnn_classifier<small_classifier>);
  check_laws(rnn_tagger<small_tagger>);
  check_laws(window_lm<small_window>);
  check_laws(char_lm<small_char_lm>);
}

TEST_CASE("laws of linear attention and state spaces", "[laws]") {
  check_laws(rwkv<small_rwkv<rwkv_version::v4>>);
  check_laws(rwkv<small_rwkv<rwkv_version::v5>>);
  check_laws(rwkv<small_rwkv<rwkv_version::v7>>);
  check_laws(mamba<small_mamba>);
}

TEST_CASE("laws of encoder-decoders that recur", "[laws]") {
  check_laws(seq2seq<cho(30, 31, 12, 20)>);
  check_laws(seq2seq<sutskever(30, 31, 12, 20, 2)>);
  check_laws(bahdanau<small_bahdanau>);
  check_laws(luong<small_luong>);
  check_laws(luong<local_luong>);
}

TEST_CASE("laws of convolutional networks", "[laws]") {
  check_laws(kim_cnn<small_kim_cnn>);
  check_laws(tcn<small_tcn>);
  check_laws(wavenet<small_wavenet>);
  check_laws(sagan<36, small_sagan>);
  check_laws(vit<small_vit>);
  check_laws(silero_vad);
}

TEST_CASE("laws of the forms of self-attention", "[laws]") {
  check_laws(model("self_attention_forms", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 24}), memory = g.input<f32>("memory", {"B", "S", 20}),
               lengths = g.input<i32>("lengths", {"B"});
    constexpr projection_config c{.heads = 4, .kv_heads = 2, .head_width = 6};
    const auto form = [&](const char* name, auto f) {
      const scope names(x, name);
      g.output(name, f());
    };
    form("free", [&] { return parameter_free_attention(x); });
    form("causal", [&] { return causal_attention(x, c); });
    form("window", [&] { return sliding_window_attention(x, 4, c); });
    form("alibi", [&] { return alibi_attention(x, c); });
    form("soft_cap", [&] { return soft_capped_attention(x, 2, c); });
    form("prefix", [&] { return prefix_attention(x, lengths, c); });
    form("cross", [&] { return cross_attention(x, memory, c, options_of(c, padding(lengths))); });
  }));
}

TEST_CASE("a repeat equals its layers written out", "[laws]") {
  constexpr auto unrolled = model("gpt2", [](graph& g) {
    const expr tokens = g.input<i32>("tokens", {"B", "T"});
    const expr words = parameter(tokens, "wte", {small_gpt2.vocab, small_gpt2.width});
    expr x = gather(words, tokens) +
             learned_positions(tokens, "wpe", {.context = small_gpt2.context, .width = small_gpt2.width});
    for (int i = 0; i < small_gpt2.layers; ++i) {
      const scope layer(x, "h", i);
      x = gpt2_block(x, small_gpt2);
    }
    g.output("logits", matmul(layer_norm(x, "ln_f"), transpose(words)));
  });
  const model_weights from = formula_weights(unrolled);
  for (const sizes& of : {many, few}) {
    const named_values inputs = inputs_for(unrolled, of);
    check_same_bits(run_model<f32>(gpt2<small_gpt2>, from, inputs), run_model<f32>(unrolled, from, inputs));
  }
}
