# The instruction sets that kernels are built for, from best to least, and what a processor must have for each: names that
# both the compiler's options (-mavx2) and __builtin_cpu_supports take. `portable` runs everywhere. A program links those of
# FOVEA_SETS_ON_REQUEST only if it asks for them (fovea_link_set).
function(fovea_set name)
  set(fovea_needs_${name} ${ARGN} CACHE INTERNAL "")
endfunction()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i[3-6]86)$")
  set(FOVEA_INSTRUCTION_SETS avx512 avx2 sse41 baseline portable CACHE INTERNAL "")
  set(FOVEA_SETS_ON_REQUEST sse41 portable CACHE INTERNAL "")
else()
  set(FOVEA_INSTRUCTION_SETS portable CACHE INTERNAL "")
  set(FOVEA_SETS_ON_REQUEST "" CACHE INTERNAL "")
endif()
fovea_set(avx512 avx512f avx512cd avx512bw avx512dq avx512vl avx2 fma f16c)
fovea_set(avx2 avx2 fma f16c)
fovea_set(sse41 sse4.1)
fovea_set(baseline)
fovea_set(portable)

# A set with what some of its processors have beside it. Single kernels are built for it, which backends/simd/isa/dispatch.cpp
# takes where they run.
if("avx512" IN_LIST FOVEA_INSTRUCTION_SETS)
  set(fovea_variants avx512_12_ways avx512_vnni avx512_bf16 avx512_amx CACHE INTERNAL "")
endif()
fovea_set(avx512_12_ways ${fovea_needs_avx512})
fovea_set(avx512_vnni ${fovea_needs_avx512} avx512vnni)
fovea_set(avx512_bf16 ${fovea_needs_avx512} avx512bf16)
fovea_set(avx512_amx ${fovea_needs_avx512_bf16} amx-tile amx-int8 amx-bf16)

# fovea_isa_flags(SET RESULT): the compiler's flags for an instruction set.
function(fovea_isa_flags set result)
  set(known ${FOVEA_INSTRUCTION_SETS} ${fovea_variants})
  if(NOT set IN_LIST known)
    list(JOIN known ", " known)
    message(FATAL_ERROR "fovea_isa_flags: expected one of ${known}, found '${set}'")
  endif()
  list(TRANSFORM fovea_needs_${set} PREPEND -m OUTPUT_VARIABLE flags)
  if(set STREQUAL "portable")
    set(flags -DFOVEA_PORTABLE)
  endif()
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

# fovea_isa_support(SET RESULT): the same as a condition in C++, which asks the processor and the operating system.
function(fovea_isa_support set result)
  list(TRANSFORM fovea_needs_${set} REPLACE "(.+)" "__builtin_cpu_supports(\"\\1\")" OUTPUT_VARIABLE conditions)
  list(JOIN conditions " && " conditions)
  if(NOT conditions)
    set(conditions true)
  endif()
  set(${result} "${conditions}" PARENT_SCOPE)
endfunction()

# fovea_link_set(TARGET SET...): has programs link sets that they do not link by themselves.
function(fovea_link_set target)
  foreach(set IN LISTS ARGN)
    target_link_options(${target} PUBLIC LINKER:-u,fovea_sizes_${set})
  endforeach()
endfunction()
