#pragma once

#include <fovea/programs/attention_network.hpp>
#include <fovea/programs/model_terms.hpp>
#include <fovea/programs/parts.hpp>
#include <fovea/programs/row_network.hpp>
#include <fovea/programs/text_network.hpp>

namespace fovea::programs {

/// What answers: a network that writes texts, or one that gives vectors of them.
struct served_network {
  row_network_maker writer = nullptr;
  text_network_maker embedder = nullptr;
  attention_network_maker attention = {};
};

int serve(const served_network& network, const program_parts& parts, int count, char** words);

/// The main of a program that answers over HTTP, by the routes of OpenAI's interface. `made` makes a network of
/// M with the output sentence [B, width], as APP embed takes it, or a stream of M, as APP generate does.
template <class M, auto made>
int serve(const program_parts& parts, int count, char** words) {
  if constexpr (gives_last<M>) {
    if constexpr (fits<M, terms::completions>)
      return serve(
          {.writer = row_network_of<M, made>::make, .attention = attention_maker_of<whole_model<M>>()}, parts,
          count, words);
    else
      return refuse<M, terms::completions>();
  } else if constexpr (fits<M, terms::embeddings>) {
    return serve(
        {.embedder = text_network_of<M, made, "sentence">::make, .attention = attention_maker_of<M>()}, parts,
        count, words);
  } else {
    return refuse<M, terms::embeddings>();
  }
}

} // namespace fovea::programs
