# Code for one instruction set, without leaks: fovea_isa_object() compiles a source with the flags of a set and makes
# every symbol but the named one local, so that no inline function of it can stand in for ordinary code
# (backends/simd/isa/README.md). The target fovea_kernels holds the library's own kernels.

set(fovea_isa_flags_baseline "")
set(fovea_isa_flags_avx2 -mavx2 -mfma)
set(fovea_isa_flags_avx512 -mavx512f -mavx512cd -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # Its own AVX-512 header warns (GCC bug 105593).
  list(APPEND fovea_isa_flags_avx512 -Wno-maybe-uninitialized -Wno-uninitialized)
endif()
set(fovea_isas baseline avx2 avx512)
# GNU binutils also where clang is the compiler: lld has no --force-group-allocation.
find_program(FOVEA_LD NAMES ld.bfd ld REQUIRED)
find_program(FOVEA_OBJCOPY NAMES objcopy REQUIRED)
get_filename_component(fovea_root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)

# fovea_isa_object(NAME SET SOURCE SYMBOL): compiles SOURCE for SET as the object library NAME_objects and sets NAME in
# the caller's scope to an object file whose only global definition is SYMBOL (a C name). Give that file to a target as
# a source.
function(fovea_isa_object name set source symbol)
  if(NOT DEFINED fovea_isa_flags_${set})
    message(FATAL_ERROR "fovea_isa_object: expected a set of ${fovea_isas}, found '${set}'")
  endif()
  add_library(${name}_objects OBJECT "${source}")
  target_include_directories(${name}_objects PRIVATE "${fovea_root}/include")
  target_compile_features(${name}_objects PRIVATE cxx_std_20)
  target_compile_options(${name}_objects PRIVATE -O3 ${fovea_isa_flags_${set}} -fno-exceptions -fno-rtti -fno-lto
                                                 $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  set_target_properties(${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${name}.o")
  add_custom_command(
    OUTPUT "${object}"
    COMMAND "${FOVEA_LD}" -r --force-group-allocation -o "${object}.whole" "$<TARGET_OBJECTS:${name}_objects>"
    COMMAND "${FOVEA_OBJCOPY}" "--keep-global-symbol=${symbol}" "${object}.whole" "${object}"
    DEPENDS ${name}_objects "$<TARGET_OBJECTS:${name}_objects>"
    COMMENT "Making the symbols of ${name} local"
    VERBATIM COMMAND_EXPAND_LISTS)
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set_property(GLOBAL APPEND PROPERTY fovea_isa_objects "${object}|${symbol}") # for tests/leak
  set(${name} "${object}" PARENT_SCOPE)
endfunction()

set(fovea_kernel_objects "")
foreach(set IN LISTS fovea_isas)
  fovea_isa_object(fovea_kernels_${set} ${set} "${fovea_root}/backends/simd/isa/${set}.cpp" fovea_kernels_${set})
  list(APPEND fovea_kernel_objects "${fovea_kernels_${set}}")
endforeach()

add_library(fovea_kernels STATIC "${fovea_root}/backends/simd/isa/dispatch.cpp" "${fovea_root}/runtime/threads.cpp"
                                 ${fovea_kernel_objects})
add_library(fovea::kernels ALIAS fovea_kernels)
find_package(Threads REQUIRED)
target_link_libraries(fovea_kernels PUBLIC Threads::Threads)
target_include_directories(fovea_kernels PUBLIC $<BUILD_INTERFACE:${fovea_root}/include>)
target_compile_features(fovea_kernels PUBLIC cxx_std_20)
set_target_properties(fovea_kernels PROPERTIES POSITION_INDEPENDENT_CODE ON)
