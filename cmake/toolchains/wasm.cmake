# WebAssembly with its system interface (WASI): Debian's clang 19 and wasi-libc, and what cross_packages.sh has put into
# FOVEA_CROSS_PACKAGES, LLVM's library for C++ with exceptions among it. Node runs what it makes.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
# Its collector of garbage fails where it is at work while a module takes memory (V8 of Node 20).
set(CMAKE_CROSSCOMPILING_EMULATOR node --no-incremental-marking "${CMAKE_CURRENT_LIST_DIR}/wasm/run.mjs")
set(packages_of wasm)
include("${CMAKE_CURRENT_LIST_DIR}/cross_packages.cmake")
option(FOVEA_SIMD128 "Vectors of 128 bits for WebAssembly, which engines before 2021 refuse" ON)
option(FOVEA_WASM_THREADS "Threads for WebAssembly, which share one memory" OFF)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FOVEA_SIMD128 FOVEA_WASM_THREADS)
# One module is one instruction set: an engine that lacks an instruction refuses all of it.
set(CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions -nostdinc++ -isystem ${FOVEA_CROSS_PACKAGES}/include/c++/v1 -D_WASI_EMULATED_GETPID")
if(FOVEA_SIMD128)
  string(APPEND CMAKE_CXX_FLAGS_INIT " -msimd128")
endif()
# As much stack as a program has elsewhere, below all else, where too deep a call ends at address 0.
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-L${FOVEA_CROSS_PACKAGES}/lib -lwasi-emulated-getpid -Wl,-z,stack-size=8388608,--stack-first"
)
# What threads of a pool do touches no file, and memory is taken in turns: wasi-libc and LLVM's library stay as they are for one thread.
# Each thread has its own thread_local values, but for errno.
if(FOVEA_WASM_THREADS)
  if(NOT EXISTS "${FOVEA_CROSS_PACKAGES}/lib/threads")
    message(FATAL_ERROR "FOVEA_WASM_THREADS: ${FOVEA_CROSS_PACKAGES} has nothing for threads: remove it, and run cmake/cross_packages.sh wasm ${FOVEA_CROSS_PACKAGES} again")
  endif()
  string(APPEND CMAKE_CXX_FLAGS_INIT " -matomics -mbulk-memory -isystem ${CMAKE_CURRENT_LIST_DIR}/wasm/threads")
  string(
    APPEND CMAKE_EXE_LINKER_FLAGS_INIT
    " ${FOVEA_CROSS_PACKAGES}/lib/threads/Unwind-wasm.o -Wl,--shared-memory,--import-memory,--export-memory,--max-memory=4294967296"
    ",--no-check-features"
  )
endif()
# wasi-libc has the header of threads and nothing behind it.
set(CMAKE_HAVE_LIBC_PTHREAD ON)
