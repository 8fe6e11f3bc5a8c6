# Says, once, where a project that uses Fovea would be built without optimisation: it has no build type and no -O of its own.
# -D FOVEA_UNOPTIMISED=ON silences it.
function(fovea_check_build_type)
  get_property(several_types GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  get_property(said GLOBAL PROPERTY fovea_build_type_said)
  get_directory_property(options COMPILE_OPTIONS)
  if(said OR several_types OR CMAKE_BUILD_TYPE OR FOVEA_UNOPTIMISED OR "${CMAKE_CXX_FLAGS};${options}" MATCHES "(^|[ ;])-O")
    return()
  endif()
  set_property(GLOBAL PROPERTY fovea_build_type_said ON)
  message(
    WARNING "fovea: the project has no build type, so that its files are compiled without optimisation, where a model's own loops "
            "take many times as long. Configure it with -D CMAKE_BUILD_TYPE=Release, or with -D FOVEA_UNOPTIMISED=ON."
  )
endfunction()
fovea_check_build_type()
