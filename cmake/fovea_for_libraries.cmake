# Code that also becomes part of shared libraries, of which it exports nothing: a function may call another of its library
# directly, as in a program, and no name is one for the whole process (which no tool makes local). Each function has a
# section of its own, so that a linker can leave it out.
function(fovea_for_libraries target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections $<$<NOT:$<OR:$<BOOL:${WASI}>,$<BOOL:${APPLE}>>>:-fno-semantic-interposition>
                                           $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
endfunction()
