#pragma once

#include <fovea/programs/parts.hpp>
#include <fovea/programs/row_network.hpp>
#include <fovea/programs/text_network.hpp>

namespace fovea::programs {

/// What answers: a network that writes texts, or one that gives vectors of them.
struct served_network {
  row_network_maker writer = nullptr;
  text_network_maker embedder = nullptr;
};

int serve(const served_network& network, const program_parts& parts, int count, char** words);

/// The main of a program that answers over HTTP, by the routes of OpenAI's interface. `made` makes a network of
/// M with the output sentence [B, width], as APP embed takes it, or a stream of M, as APP generate does.
template <class M, auto made>
int serve(const program_parts& parts, int count, char** words) {
  if constexpr (M::has_output("sentence"))
    return serve({.embedder = text_network_of<M, made, "sentence">::make}, parts, count, words);
  else
    return serve({.writer = row_network_of<M, made>::make}, parts, count, words);
}

} // namespace fovea::programs
