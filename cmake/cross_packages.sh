#!/bin/sh
# Makes FOLDER what the cross compiler for Windows needs beside itself: the headers that Debian packs for this machine, and utf8proc,
# compiled from Debian's source.
# Usage: cmake/windows_packages.sh FOLDER
set -eu

folder=$1
[ -e "$folder/lib/libutf8proc.a" ] && exit 0
# Each configuration as deep as where it comes from, for it finds its headers so.
mkdir -p "$folder/include" "$folder/lib/cmake" "$folder/lib/windows/cmake" "$folder/share/cmake"
for headers in boost xtensor xtl xsimd nlohmann catch2; do ln -sfn "/usr/include/$headers" "$folder/include/$headers"; done
for package in xtensor xsimd; do cp -r /usr/lib/*/cmake/$package "$folder/lib/windows/cmake/"; done
cp -r /usr/share/cmake/xtl /usr/share/cmake/nlohmann_json "$folder/share/cmake/"
cp -r /usr/lib/cmake/Catch2 "$folder/lib/cmake/"
ln -sfn /usr/lib/libCatch2WithMain.a "$folder/lib/" # that it names, and which tests for another processor do not link

# Where Debian's packages come from, for their sources.
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
mkdir -p "$sources/parts" "$sources/lists/partial"
cp /etc/apt/sources.list.d/*.sources "$sources/parts/" 2>/dev/null || true
sed -i 's/^Types:.*/Types: deb-src/' "$sources"/parts/*.sources 2>/dev/null || true
[ ! -s /etc/apt/sources.list ] || sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$sources/parts/all.list"
of_sources="-q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=$sources/parts -o Dir::State::Lists=$sources/lists"
cd "$sources"
# shellcheck disable=SC2086 # one word an option
apt-get $of_sources update
# shellcheck disable=SC2086
apt-get $of_sources source --download-only utf8proc
tar -xf utf8proc_*.orig.tar.gz
cd utf8proc-*/
x86_64-w64-mingw32-gcc-posix -O2 -DUTF8PROC_STATIC -c utf8proc.c
(echo "#define UTF8PROC_STATIC" && cat utf8proc.h) >"$folder/include/utf8proc.h"
x86_64-w64-mingw32-ar rcs "$folder/lib/libutf8proc.a" utf8proc.o
