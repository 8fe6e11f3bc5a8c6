# Debian's MinGW-w64 for 64-bit Windows, with threads of POSIX, which C++'s need. Wine runs what it makes.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_CROSSCOMPILING_EMULATOR wine)
set(packages_of windows)
include("${CMAKE_CURRENT_LIST_DIR}/cross_packages.cmake")
list(APPEND CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
# Windows 8 has all functions that are called. A vector may lie where the stack is aligned to 16 bytes, which this compiler takes
# for 32 and 64 (its bug 54412). A model's templates make more sections than small objects hold.
set(CMAKE_CXX_FLAGS_INIT "-D_WIN32_WINNT=0x0602 -Wa,-muse-unaligned-vector-move,-mbig-obj")
# A program or library needs none of the compiler beside it.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static")
