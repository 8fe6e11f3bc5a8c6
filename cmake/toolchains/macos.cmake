# macOS on Apple's processors, or on x86-64 with -D FOVEA_MACOS_PROCESSOR=x86_64: zig's compiler, which cross_packages.sh has put into
# FOVEA_CROSS_PACKAGES with the headers and stubs of macOS, and LLVM's tools for objects.
set(CMAKE_SYSTEM_NAME Darwin)
set(FOVEA_MACOS_PROCESSOR aarch64 CACHE STRING "Processor of the Mac: aarch64 or x86_64")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FOVEA_MACOS_PROCESSOR)
set(CMAKE_SYSTEM_PROCESSOR ${FOVEA_MACOS_PROCESSOR})
set(packages_of macos)
include("${CMAKE_CURRENT_LIST_DIR}/cross_packages.cmake")
set(CMAKE_C_COMPILER "${FOVEA_CROSS_PACKAGES}/bin/zig-cc")
set(CMAKE_CXX_COMPILER "${FOVEA_CROSS_PACKAGES}/bin/zig-c++")
foreach(language IN ITEMS C CXX)
  set(CMAKE_${language}_COMPILER_TARGET ${FOVEA_MACOS_PROCESSOR}-macos.13.0)
endforeach()
foreach(tool IN ITEMS AR RANLIB NM OBJDUMP OBJCOPY STRIP INSTALL_NAME_TOOL)
  string(TOLOWER llvm-${tool} name)
  string(REPLACE _ - name ${name})
  set(CMAKE_${tool} /usr/bin/${name}-19)
endforeach()
set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON) # which it has its own place for
