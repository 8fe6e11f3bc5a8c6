/* A program in C, with two libraries: embeds EMBEDDER FILTER id... prints the vector of a text of these tokens, and then what
   the filter makes of four positions. */

#include <tiny_embedding.h>
#include <tiny_filtering.h>

#include <stdio.h>
#include <stdlib.h>

static int fail(const char *why) {
  fprintf(stderr, "%s\n", why);
  return 1;
}

static void print(const fovea_tensor *t) {
  const float *values = t->data;
  int64_t count = 1;
  for (int32_t axis = 0; axis < t->rank; ++axis) count *= t->shape[axis];
  for (int64_t i = 0; i < count; ++i) printf("%.9g ", values[i]);
  printf("\n");
}

int main(int count, char **words) {
  int32_t ids[8];
  const int32_t tokens = count - 3;
  if (tokens < 1 || tokens > 8) return fail("expected two files of weights and 1 to 8 tokens");
  for (int32_t i = 0; i < tokens; ++i) ids[i] = atoi(words[3 + i]);

  const fovea_capacity capacity[] = {{"B", 1}};
  const fovea_options options = {.capacity = capacity, .capacities = 1, .threads = 1};
  tiny_embedding_model *model = tiny_embedding_open(words[1], &options);
  if (model == NULL) return fail(tiny_embedding_error());
  const fovea_tensor inputs[] = {{"tokens", FOVEA_INT32, 2, {1, tokens}, ids}, {"lengths", FOVEA_INT32, 1, {1}, &tokens}};
  if (tiny_embedding_run(model, inputs, 2) != FOVEA_OK) return fail(tiny_embedding_error());
  print(tiny_embedding_output(model, "sentence"));
  tiny_embedding_close(model);

  tiny_filtering_stream *stream = tiny_filtering_stream_open(words[2], NULL);
  if (stream == NULL) return fail(tiny_filtering_error());
  for (int at = 0; at < 4; ++at) {
    const float x[] = {0.5f * (float)at, 1};
    const fovea_tensor input = {"x", FOVEA_FLOAT32, 3, {1, 1, 2}, x};
    if (tiny_filtering_stream_step(stream, &input, 1) != FOVEA_OK) return fail(tiny_filtering_error());
    print(tiny_filtering_stream_output(stream, "y"));
  }
  tiny_filtering_stream_close(stream);
  return 0;
}
