#include "catalogue.hpp"
#include "laws_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;
using namespace fovea::core::test;

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
