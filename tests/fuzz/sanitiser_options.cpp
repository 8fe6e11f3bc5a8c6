// What the address sanitiser keeps for reports, made small: an input that it ends by is kept, and can be run
// again with ASAN_OPTIONS that say more.
//   max_uar_stack_size_log  frames whose use after return is seen, 64 KiB of each size at once; whatever is
//                           thrown looks through all of them
//   quarantine_size_mb      memory that was given back and is not given out again
//   malloc_context_size     the callers that a report names of an allocation

extern "C" const char* __asan_default_options() {
  return "max_uar_stack_size_log=16:quarantine_size_mb=4:malloc_context_size=1";
}
