// What a program may call its own, though it says `using namespace fovea` and takes every header: all but the
// words of the vocabulary, the types of a declaration and the entry points. Compiled only; a name of the
// library's that comes to lie in fovea beside one of these makes its use here ambiguous.

#include <fovea/decoding.hpp>
#include <fovea/fovea.hpp>
#include <fovea/tokenizers.hpp>

#define EACH_NAME(use)                                                                                       \
  use(allocation) use(arena) use(argument) use(arguments) use(batch) use(beam) use(binding) use(block) use(  \
      body) use(buffer) use(byte) use(cache) use(call) use(cell) use(chain) use(channel) use(checkpoint)     \
      use(code) use(column) use(columns) use(config) use(converted) use(count) use(data) use(dataset)        \
          use(decoder) use(depth) use(edge) use(element) use(encoder) use(encoding) use(entry) use(epoch)    \
              use(extent) use(factor) use(feature) use(file) use(filter) use(filtered) use(format) use(      \
                  formatted) use(frame) use(fusion) use(gate) use(head) use(heads) use(height) use(hidden)   \
                  use(ignored) use(image) use(item) use(joined) use(kernel) use(key) use(lag) use(label)     \
                      use(large) use(layer) use(learner) use(length) use(line) use(location) use(loss)       \
                          use(lowering) use(mask) use(matrix) use(memory) use(metric) use(name) use(names)   \
                              use(network) use(node) use(number) use(op) use(optimizer) use(options)         \
                                  use(packed) use(padded) use(part) use(parts) use(path)                     \
                                      use(permuted) use(phrase) use(picture) use(pieces) use(place)          \
                                          use(plan) use(point) use(pool) use(position) use(program) use(     \
                                              query) use(rate) use(rounded) use(row) use(rows) use(sampler)  \
                                              use(sampling) use(scaled) use(schedule) use(                   \
                                                  score) use(seed) use(sentence) use(sequence) use(settings) \
                                                  use(shape) use(signal) use(small) use(smoothing)           \
                                                      use(speaker) use(squeezed) use(state) use(step)        \
                                                          use(stopping) use(symbol) use(table) use(tensor)   \
                                                              use(text) use(tied)                            \
                                                                  use(token) use(tokens) use(trained)        \
                                                                      use(trainer) use(transform)            \
                                                                          use(transposed) use(turn) use(     \
                                                                              value) use(values) use(vector) \
                                                                              use(view) use(vocabulary)      \
                                                                                  use(weight) use(weights)   \
                                                                                      use(width) use(word)   \
                                                                                          use(words)

#define DECLARE(name)                                                                                        \
  struct name {                                                                                              \
    int mine = 1;                                                                                            \
  };
EACH_NAME(DECLARE)

using namespace fovea;

#define USE(name) static_assert(name{}.mine == 1);
EACH_NAME(USE)
