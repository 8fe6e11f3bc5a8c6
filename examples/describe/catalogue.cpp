#include "catalogue.hpp"

#include <fovea/models/bahdanau.hpp>
#include <fovea/models/bert.hpp>
#include <fovea/models/char_lm.hpp>
#include <fovea/models/gpt2.hpp>
#include <fovea/models/kim_cnn.hpp>
#include <fovea/models/llama.hpp>
#include <fovea/models/luong.hpp>
#include <fovea/models/mamba.hpp>
#include <fovea/models/rnn.hpp>
#include <fovea/models/rwkv.hpp>
#include <fovea/models/sagan.hpp>
#include <fovea/models/seq2seq.hpp>
#include <fovea/models/silero_vad.hpp>
#include <fovea/models/t5.hpp>
#include <fovea/models/tcn.hpp>
#include <fovea/models/transformer.hpp>
#include <fovea/models/vit.hpp>
#include <fovea/models/window_lm.hpp>

namespace describe_program {

using namespace fovea;
using namespace fovea::models;

namespace {

constexpr bahdanau_config bahdanau_paper{.source_vocab = 30000,
                                         .target_vocab = 30000,
                                         .width = 620,
                                         .hidden = 1000,
                                         .alignment = 1000,
                                         .maxout = 500};
constexpr luong_config luong_paper{
    .source_vocab = 50000, .target_vocab = 50000, .width = 1000, .hidden = 1000, .layers = 4};
constexpr kim_cnn_config kim_paper{.vocab = 18765, .width = 300, .classes = 2};
constexpr char_lm_config char_lm_paper{.characters = 51,
                                       .character_width = 15,
                                       .word_length = 21,
                                       .widths = {1, 2, 3, 4, 5, 6},
                                       .filters = {25, 50, 75, 100, 125, 150},
                                       .vocab = 10000,
                                       .hidden = 300};
constexpr rnn_config zaremba_medium{.vocab = 10000, .width = 650, .hidden = 650, .layers = 2};
constexpr rnn_classifier_config classifier{
    .vocab = 20000, .width = 300, .hidden = 150, .classes = 2, .pool = pooling::largest, .both = true};
constexpr rnn_tagger_config tagger{.vocab = 20000, .width = 100, .hidden = 100, .tags = 45};
constexpr window_lm_config bengio{.vocab = 16383, .width = 30, .hidden = 100, .window = 5, .direct = true};
constexpr tcn_config tcn_paper{.blocks = 8, .in = 1, .channels = 25, .width = 7};
constexpr wavenet_config wavenet_small{.blocks = 10, .classes = 256, .residual = 32, .skip = 256};

template <class M>
catalogue_entry entry(const M& model, const char* about, const char* name = nullptr) {
  return {name == nullptr ? model.name : name, about, M::view};
}

} // namespace

std::span<const catalogue_entry> catalogue() {
  static const catalogue_entry entries[] = {
      entry(bahdanau<bahdanau_paper>, "Bahdanau et al. 2015, RNNsearch-50"),
      entry(sentence_encoder<minilm>, "all-MiniLM-L6-v2", "minilm"),
      entry(bert_masked_language_model<minilm>, "BERT with its head, in MiniLM's size", "bert"),
      entry(char_lm<char_lm_paper>, "Kim et al. 2016, LSTM-Char-Small"),
      entry(gpt2<gpt2_small>, "GPT-2, 124 million parameters"),
      entry(kim_cnn<kim_paper>, "Kim 2014, CNN-rand on film reviews"),
      entry(llama<tiny_llama>, "TinyLlama, 1.1 billion parameters"),
      entry(luong<luong_paper>, "Luong et al. 2015, global attention, input feeding"),
      entry(mamba<mamba_130m>, "Gu and Dao 2023, 129 million parameters"),
      entry(rnn_language_model<zaremba_medium>, "Zaremba et al. 2014, the medium LSTM"),
      entry(rnn_classifier<classifier>, "a GRU read both ways, largest outputs"),
      entry(rnn_tagger<tagger>, "an LSTM read both ways"),
      entry(rwkv<rwkv4_169m>, "RWKV 4, 169 million parameters", "rwkv4"),
      entry(rwkv<rwkv7_191m>, "RWKV 7, 191 million parameters", "rwkv7"),
      entry(sagan<512, sagan_config{}>, "SAGAN's self-attention block, 512 channels"),
      entry(seq2seq<sutskever(160000, 80000, 1000, 1000, 4)>, "Sutskever et al. 2014", "sutskever"),
      entry(seq2seq<cho(15000, 15000, 500, 1000)>, "Cho et al. 2014, without its maxout", "cho"),
      entry(silero_vad, "Silero's voice activity detector"),
      entry(t5<t5_small>, "Raffel et al. 2020, T5-small"),
      entry(tcn<tcn_paper>, "Bai et al. 2018, sequential digits"),
      entry(transformer<transformer_base(37000, 37000)>, "Vaswani et al. 2017, base"),
      entry(vit<vit_base>, "Dosovitskiy et al. 2021, ViT-B/16"),
      entry(wavenet<wavenet_small>, "van den Oord et al. 2016, ten blocks"),
      entry(window_lm<bengio>, "Bengio et al. 2003, MLP10"),
  };
  return entries;
}

} // namespace describe_program
