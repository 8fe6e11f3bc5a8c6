# Debian's MinGW-w64 for 64-bit Windows, with threads of POSIX, which C++'s need. Wine runs what it makes. What it links beside
# itself is what windows_packages.sh has put into FOVEA_WINDOWS_PACKAGES.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_CROSSCOMPILING_EMULATOR wine)
set(FOVEA_WINDOWS_PACKAGES "" CACHE PATH "Folder of what is linked beside, made by cmake/windows_packages.sh")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FOVEA_WINDOWS_PACKAGES)
set(CMAKE_FIND_ROOT_PATH ${FOVEA_WINDOWS_PACKAGES} /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE windows)
set(Boost_NO_BOOST_CMAKE ON)
# Windows 8 has all functions that are called. A vector may lie where the stack is aligned to 16 bytes, which this compiler takes
# for 32 and 64 (its bug 54412). A model's templates make more sections than small objects hold.
set(CMAKE_CXX_FLAGS_INIT "-D_WIN32_WINNT=0x0602 -Wa,-muse-unaligned-vector-move,-mbig-obj")
# A program needs no library of the compiler beside it.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
