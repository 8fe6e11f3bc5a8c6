# Programs for WebAssembly's system interface.
include(Platform/UnixPaths)
set(WASI TRUE)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
set_property(GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS FALSE)
