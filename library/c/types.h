#ifndef FOVEA_C_TYPES
#define FOVEA_C_TYPES

#include <stddef.h>
#include <stdint.h>

/* What the libraries of all models that Fovea makes share. */

/* What a function returns that can fail: 0 where it did not. NAME_error() has the sentence. */
enum { FOVEA_OK = 0, FOVEA_REFUSED = 1, FOVEA_NO_MEMORY = 2 };

/* The types of numbers. */
enum { FOVEA_FLOAT32 = 1, FOVEA_FLOAT64 = 2, FOVEA_INT32 = 3, FOVEA_INT64 = 4 };

enum { FOVEA_MOST_AXES = 6 };

/* Numbers side by side, the last axis fastest, in the memory of whoever made them. */
typedef struct fovea_tensor {
  const char *name;
  int32_t type; /* FOVEA_FLOAT32, ... */
  int32_t rank;
  int64_t shape[FOVEA_MOST_AXES];
  const void *data;
} fovea_tensor;

/* An input or output as the model declares it. Where sizes[i] is 0, the shapes of a call say it; dims[i] is its symbol, or
   what it is computed from, and of a number NULL. */
typedef struct fovea_port {
  const char *name;
  int32_t type; /* FOVEA_FLOAT32, ... */
  int32_t rank;
  const char *dims[FOVEA_MOST_AXES];
  int64_t sizes[FOVEA_MOST_AXES];
} fovea_port;

/* The largest size of a dim that a handle is made for: its memory is sized once. */
typedef struct fovea_capacity {
  const char *dim;
  int64_t size;
} fovea_capacity;

/* How a handle is made. All zeros, as {0}, is what the library is built with. */
typedef struct fovea_options {
  const fovea_capacity *capacity; /* of dims for which it is another than the library is built with */
  size_t capacities;
  int32_t threads; /* 0: one for each processor, or one alone for a small model */

  /* Lent threads, in place of the handle's own: calls task(job, i) for each i < count, at the same time where it can, and
     returns when all have returned. `threads` says into how many parts work is split. */
  void (*execute)(void *executor, size_t count, void (*task)(void *job, size_t i), void *job);
  void *executor;

  /* Lent memory: `bytes` at a multiple of `alignment`, 64 or 2 MiB, or NULL where there is no more. `release` takes it back.
     Handles take all at once when they are made, but for tables of a few KiB, and give it back when they are closed. */
  void *(*allocate)(void *memory, size_t bytes, size_t alignment);
  void (*release)(void *memory, void *piece);
  void *memory;
} fovea_options;

#endif
