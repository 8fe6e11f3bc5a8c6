# Code for one instruction set, without leaks: fovea_isa_object() compiles a source with the flags of a set and makes
# every symbol but the named one local, so that no inline function of it can stand in for ordinary code
# (backends/simd/isa/README.md).

# GNU binutils also where clang is the compiler: lld has no --force-group-allocation.
find_program(FOVEA_LD NAMES ld.bfd ld REQUIRED)
find_program(FOVEA_OBJCOPY NAMES objcopy REQUIRED)

# -O3 whatever the build type, since a kernel is of use only when it is fast; the sanitisers' build takes less.
set(FOVEA_KERNEL_OPTIMISATION "-O3" CACHE STRING "Optimisation of what is compiled for one instruction set")
mark_as_advanced(FOVEA_KERNEL_OPTIMISATION)

# The sets that the kernels are built for, from best to least.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i[3-6]86)$")
  set(FOVEA_INSTRUCTION_SETS avx512 avx2 baseline portable CACHE INTERNAL "")
else()
  set(FOVEA_INSTRUCTION_SETS portable CACHE INTERNAL "")
endif()

# fovea_isa_flags(SET RESULT): the compiler's flags for an instruction set.
function(fovea_isa_flags set result)
  set(portable -DFOVEA_PORTABLE)
  set(baseline "")
  set(avx2 -mavx2 -mfma -mf16c)
  set(avx512 -mavx512f -mavx512cd -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c)
  set(avx512_vnni ${avx512} -mavx512vnni)
  set(avx512_bf16 ${avx512} -mavx512bf16)
  set(avx512_amx ${avx512_bf16} -mamx-tile -mamx-int8 -mamx-bf16)
  set(avx512_12_ways ${avx512})
  set(sets portable baseline avx2 avx512 avx512_12_ways avx512_vnni avx512_bf16 avx512_amx)
  if(NOT set IN_LIST sets)
    message(FATAL_ERROR "fovea_isa_flags: expected portable, baseline, avx2, avx512, avx512_12_ways, avx512_vnni, avx512_bf16 or avx512_amx, found '${set}'")
  endif()
  set(${result} ${${set}} PARENT_SCOPE)
endfunction()

# fovea_isa_object(NAME SET SOURCE SYMBOL): compiles SOURCE for SET as the object library NAME_objects and sets NAME in
# the caller's scope to an object file whose only global definition is SYMBOL (a C name). Give that file to a target as
# a source.
function(fovea_isa_object name set source symbol)
  fovea_isa_flags(${set} flags)
  add_library(${name}_objects OBJECT "${source}")
  target_link_libraries(${name}_objects PRIVATE fovea::dsl)
  target_compile_definitions(${name}_objects PRIVATE FOVEA_OF_ONE_INSTRUCTION_SET)
  target_compile_options(${name}_objects PRIVATE ${FOVEA_KERNEL_OPTIMISATION} ${flags} -fno-exceptions
                                                 -fno-rtti -fno-lto $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
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
