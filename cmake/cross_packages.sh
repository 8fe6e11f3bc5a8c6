#!/bin/sh
# Makes FOLDER what a cross compiler needs beside itself where Debian has no packages for its target: the headers that Debian packs for
# this machine, utf8proc compiled from Debian's source, for WebAssembly LLVM's library for C++, for Debian's has no exceptions, and for
# macOS a compiler, zig's from PyPI.
# Usage: cmake/cross_packages.sh windows|wasm|macos FOLDER
set -eu

[ $# = 2 ] || { echo "usage: $0 windows|wasm|macos FOLDER" >&2; exit 2; }
own=$(cd "$(dirname "$0")" && pwd)
case $1 in
windows) compiler=x86_64-w64-mingw32-gcc-posix archiver=x86_64-w64-mingw32-ar ;;
wasm) compiler="clang-19 --target=wasm32-wasi" archiver=llvm-ar-19 ;;
macos) ;; # whose compiler comes with it
*) echo "$0: expected windows, wasm or macos, found '$1'" >&2; exit 2 ;;
esac
if [ -e "$2/complete" ]; then
  [ "$(cat "$2/complete")" = "$1" ] && exit 0
  echo "$0: expected a folder for $1, found '$2', which is for '$(cat "$2/complete")'" >&2
  exit 2
fi
# Each configuration as deep as where it comes from, for it finds its headers so.
mkdir -p "$2/include" "$2/lib/cmake" "$2/lib/cross/cmake" "$2/share/cmake"
folder=$(cd "$2" && pwd)
for headers in boost xtensor xtl xsimd nlohmann CLI fmt; do ln -sfn "/usr/include/$headers" "$folder/include/$headers"; done
for package in xtensor xsimd; do
  if [ -e /usr/share/cmake/$package ]; then # since Debian 13
    cp -r /usr/share/cmake/$package "$folder/share/cmake/"
  else
    cp -r /usr/lib/*/cmake/$package "$folder/lib/cross/cmake/"
  fi
done
cp -r /usr/share/cmake/xtl /usr/share/cmake/nlohmann_json /usr/share/cmake/CLI11 "$folder/share/cmake/"
if [ -e /usr/lib/cmake/Catch2 ]; then # for tests
  ln -sfn /usr/include/catch2 "$folder/include/catch2"
  cp -r /usr/lib/cmake/Catch2 "$folder/lib/cmake/"
  ln -sfn /usr/lib/libCatch2WithMain.a "$folder/lib/" # that it names, and which tests for another processor do not link
fi
# As headers alone.
mkdir -p "$folder/share/cmake/fmt"
cat >"$folder/share/cmake/fmt/fmt-config.cmake" <<'EOF'
add_library(fmt::fmt-header-only INTERFACE IMPORTED)
set_target_properties(fmt::fmt-header-only PROPERTIES INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY)
EOF
echo 'set(PACKAGE_VERSION_COMPATIBLE TRUE)' >"$folder/share/cmake/fmt/fmt-config-version.cmake"

# Where Debian's packages come from, for their sources.
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
mkdir -p "$sources/parts" "$sources/lists/partial"
cp /etc/apt/sources.list.d/*.sources "$sources/parts/" 2>/dev/null || true
sed -i 's/^Types:.*/Types: deb-src/' "$sources"/parts/*.sources 2>/dev/null || true
[ ! -s /etc/apt/sources.list ] || sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$sources/parts/all.list"
of_sources() {
  apt-get -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$sources/parts" -o Dir::State::Lists="$sources/lists" "$@"
}
cd "$sources"
of_sources update

of_sources source --download-only utf8proc
tar -xf utf8proc_*.orig.tar.gz
(echo "#define UTF8PROC_STATIC" && cat utf8proc-*/utf8proc.h) >"$folder/include/utf8proc.h"
if [ "$1" = macos ]; then
  python3 -m venv "$folder/python"
  "$folder/python/bin/pip" install -q -r "$own/toolchains/macos/requirements.txt"
  mkdir -p "$folder/bin"
  for language in cc c++; do
    sed -e "s|@zig@|$(echo "$folder"/python/lib/*/site-packages/ziglang/zig)|" -e "s|@language@|$language|" \
      "$own/toolchains/macos/compiler.in" >"$folder/bin/zig-$language"
    chmod +x "$folder/bin/zig-$language"
  done
  # Of both processors.
  for processor in aarch64 x86_64; do
    "$folder/bin/zig-cc" --target=$processor-macos.13.0 -O2 -DUTF8PROC_STATIC -c utf8proc-*/utf8proc.c -o $processor.o
    llvm-ar-19 rcs $processor.a $processor.o
  done
  llvm-lipo-19 -create aarch64.a x86_64.a -output "$folder/lib/libutf8proc.a"
else
  $compiler -O2 -DUTF8PROC_STATIC -c utf8proc-*/utf8proc.c
  $archiver rcs "$folder/lib/libutf8proc.a" utf8proc.o
fi

if [ "$1" = wasm ]; then
  # Of the version that the compiler has: what an exception does is agreed between the two.
  of_sources source --download-only "llvm-toolchain-19=$(dpkg-query -W -f '${source:Version}' clang-19)"
  tar -xf llvm-toolchain-19_*.orig.tar.xz --wildcards '*/cmake/*' '*/runtimes/*' '*/libcxx/*' '*/libcxxabi/*' '*/libunwind/*' \
    --exclude='*/test/*' --exclude='*/docs/*'
  llvm=$(echo "$sources"/llvm-toolchain-*/)
  exceptions="-fwasm-exceptions -Os -DNDEBUG"
  cmake -G "Unix Makefiles" -S "$llvm/runtimes" -B runtimes -D LLVM_ENABLE_RUNTIMES="libcxxabi;libcxx" \
    -D CMAKE_BUILD_TYPE=None -D CMAKE_INSTALL_PREFIX="$folder" \
    -D CMAKE_SYSTEM_NAME=WASI -D CMAKE_MODULE_PATH="$own/toolchains" -D UNIX=ON \
    -D CMAKE_C_COMPILER=clang-19 -D CMAKE_CXX_COMPILER=clang++-19 -D CMAKE_AR=/usr/bin/llvm-ar-19 -D CMAKE_RANLIB=/usr/bin/llvm-ranlib-19 \
    -D CMAKE_C_COMPILER_TARGET=wasm32-wasi -D CMAKE_CXX_COMPILER_TARGET=wasm32-wasi \
    -D CMAKE_C_COMPILER_WORKS=ON -D CMAKE_CXX_COMPILER_WORKS=ON \
    -D CMAKE_C_FLAGS="$exceptions" -D CMAKE_CXX_FLAGS="$exceptions -I$own/toolchains/wasm -include lacking.h" \
    -D LLVM_INCLUDE_TESTS=OFF -D LLVM_INCLUDE_DOCS=OFF -D LIBCXX_INCLUDE_DOCS=OFF -D LIBCXX_INCLUDE_BENCHMARKS=OFF \
    -D LIBCXXABI_ENABLE_SHARED=OFF -D LIBCXXABI_HAS_EXTERNAL_THREAD_API=ON -D LIBCXXABI_USE_LLVM_UNWINDER=OFF \
    -D LIBCXXABI_NON_DEMANGLING_TERMINATE=ON \
    -D LIBCXX_ENABLE_SHARED=OFF -D LIBCXX_HAS_EXTERNAL_THREAD_API=ON -D LIBCXX_HAS_MUSL_LIBC=ON -D LIBCXX_ABI_VERSION=2 \
    -D LIBCXX_ENABLE_TIME_ZONE_DATABASE=OFF
  cmake --build runtimes -j "$(nproc)" --target install-cxx install-cxxabi
  cp "$own/toolchains/wasm/__external_threading" "$folder/include/c++/v1/"
  # All of the library for unwinding that WebAssembly has a use for; once more for modules with threads, each of which has its own exception.
  unwinding="$compiler $exceptions -D__WASM_EXCEPTIONS__ -fms-extensions -w -I$llvm/libunwind/include -c $llvm/libunwind/src/Unwind-wasm.c"
  # shellcheck disable=SC2086 # one word an option
  $unwinding
  $archiver r "$folder/lib/libc++abi.a" Unwind-wasm.o
  mkdir -p "$folder/lib/threads"
  $unwinding -matomics -mbulk-memory -o "$folder/lib/threads/Unwind-wasm.o"
fi
echo "$1" >"$folder/complete"
