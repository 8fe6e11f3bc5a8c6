/* wasi-libc declares errno as thread_local, but has it as one for all, being compiled for one thread. */
#pragma push_macro("thread_local")
#pragma push_macro("_Thread_local")
#define thread_local
#define _Thread_local
#include_next <__errno.h>
#pragma pop_macro("_Thread_local")
#pragma pop_macro("thread_local")
