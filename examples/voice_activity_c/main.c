/* Says when somebody speaks in a recording: voice_activity_c WEIGHTS SOUND. A program in C over a model as a library,
   which CMakeLists.txt beside this makes of <fovea/models/silero_vad.hpp>. */

#include <silero.h>

#include <sndfile.h>
#include <stdio.h>
#include <string.h>

enum { RATE = 16000, CHUNK = 512 };

static int fail(const char *what, const char *why) {
  fprintf(stderr, "voice_activity_c: %s%s%s\n", what, *what ? ": " : "", why);
  return 1;
}

/* The probability that somebody speaks in the next CHUNK samples, below zero where the model refuses them. */
static float step(silero_stream *stream, const float *samples) {
  const fovea_tensor input = {"samples", FOVEA_FLOAT32, 3, {1, 1, CHUNK}, samples};
  if (silero_stream_step(stream, &input, 1) != FOVEA_OK) return -1;
  return *(const float *)silero_stream_output(stream, "probability")->data;
}

static void print(long begun, long last) {
  const double seconds = (double)CHUNK / RATE;
  if (last + 1 - begun >= 8) printf("%.2f to %.2f s\n", (double)begun * seconds, (double)(last + 1) * seconds);
}

/* Prints each interval of at least eight chunks in which somebody speaks; a pause of up to four does not end one. */
static int listen(silero_stream *stream, SNDFILE *sound) {
  float samples[CHUNK];
  long begun = -1, last = -1;
  for (long at = 0;; ++at) {
    memset(samples, 0, sizeof samples); /* behind the end is silence */
    if (sf_readf_float(sound, samples, CHUNK) == 0) break;
    const float probability = step(stream, samples);
    if (probability < 0) return fail("", silero_error());
    if (probability >= 0.5f && begun < 0) begun = at;
    if (probability >= 0.35f) last = at;
    if (begun < 0 || at - last <= 4) continue;
    print(begun, last);
    begun = -1;
  }
  if (begun >= 0) print(begun, last);
  return 0;
}

int main(int count, char **words) {
  if (count != 3) return fail("", "expected two words: WEIGHTS, silero_vad_16k.safetensors, and SOUND, a recording of 16000 Hz");
  SF_INFO of = {0};
  SNDFILE *sound = sf_open(words[2], SFM_READ, &of);
  if (sound == NULL) return fail(words[2], sf_strerror(NULL));
  int status = 1;
  silero_stream *stream = NULL;
  if (of.samplerate != RATE || of.channels != 1)
    fail(words[2], "expected one channel of 16000 Hz");
  else if ((stream = silero_stream_open(words[1], NULL)) == NULL || silero_stream_begin(stream, NULL, 0) != FOVEA_OK)
    fail("", silero_error());
  else
    status = listen(stream, sound);
  silero_stream_close(stream);
  sf_close(sound);
  return status;
}
