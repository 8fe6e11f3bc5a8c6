# What JavaScript starts threads by.
set(fovea_thread_exports LINKER:--export=__stack_pointer,--export=fovea_thread_make,--export=fovea_thread_stack,--export=fovea_thread_begin
    CACHE INTERNAL "")

# fovea_link_module(): what fovea_add_library makes for WebAssembly, from what stands in its variables: a module, and what
# JavaScript calls it by.
macro(fovea_link_module)
  add_executable(${name} "${folder}/${name}.cpp")
  set_source_files_properties("${folder}/${name}.cpp" PROPERTIES OBJECT_DEPENDS "${files}")
  fovea_pack_weights(${name} "${arg_MODEL}")
  target_include_directories(${name} PRIVATE "${folder}/include")
  target_link_libraries(${name} PRIVATE ${archives})
  fovea_for_libraries(${name})
  # A module that is called, and has no main(); a program's stack would be more memory than most models take.
  list(TRANSFORM functions PREPEND LINKER:--export= OUTPUT_VARIABLE exported)
  target_link_options(${name} PRIVATE -mexec-model=reactor ${exported} LINKER:--export=malloc,--export=free,-z,stack-size=1048576
                      $<$<CONFIG:Release,MinSizeRel>:LINKER:--strip-all>)
  foreach(template IN ITEMS stream.mjs stream.d.mts threads.mjs tokenizer.mjs tokenizer.d.mts)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${fovea_library_folder}/web/${template}")
  endforeach()
  foreach(part IN ITEMS stream tokenizer)
    foreach(piece IN ITEMS class types function member)
      set(${part}_${piece} "")
    endforeach()
  endforeach()
  if(arg_STREAM)
    file(READ "${fovea_library_folder}/web/stream.mjs" stream_class)
    file(READ "${fovea_library_folder}/web/stream.d.mts" stream_types)
    set(stream_function "\n    stream: (weights, options) => new Stream(open(wasm, \"stream_\", outputs, weights, options)),")
    set(stream_member "\n  /** A stream of the model, over weights as open() takes them. */\n  stream(weights?: ArrayBuffer | ArrayBufferView, options?: Options): Stream;")
  endif()
  if(arg_TOKENIZERS)
    file(READ "${fovea_library_folder}/web/tokenizer.mjs" tokenizer_class)
    file(READ "${fovea_library_folder}/web/tokenizer.d.mts" tokenizer_types)
    set(tokenizer_function "\n    tokenizer: (file) => new Tokenizer(wasm, file),")
    set(tokenizer_member "\n  /** The tokenizer in the bytes of a file. */\n  tokenizer(file: ArrayBuffer | ArrayBufferView): Tokenizer;")
  endif()
  set(threads "")
  set(instantiate WebAssembly.instantiate)
  set(workers "[]")
  if(FOVEA_WASM_THREADS)
    file(READ "${fovea_library_folder}/web/threads.mjs" threads)
    target_link_options(${name} PRIVATE ${fovea_thread_exports})
    string(REPLACE "\nexport " "\n" threads "${threads}") # these are the module's own
    set(instantiate instantiate_shared)
    set(workers "await start_threads(module, wasm.exports, threads - 1)")
  endif()
  configure_file("${fovea_library_folder}/web/module.mjs.in" "${CMAKE_CURRENT_BINARY_DIR}/${name}.mjs" @ONLY)
  # The module itself knows the names of its inputs and outputs, for its types.
  set(module_types "${folder}/${name}.d.mts")
  set(write_types "${fovea_library_folder}/web/types.mjs")
  configure_file("${fovea_library_folder}/web/module.d.mts.in" "${module_types}" @ONLY)
  list(GET CMAKE_CROSSCOMPILING_EMULATOR 0 node)
  add_custom_command(
    TARGET ${name} POST_BUILD COMMAND "${node}" "${write_types}" "${CMAKE_CURRENT_BINARY_DIR}/${name}.mjs" "${module_types}" "${CMAKE_CURRENT_BINARY_DIR}/${name}.d.mts"
    VERBATIM
  )
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" LINK_DEPENDS "${module_types};${write_types}")
  install(PROGRAMS "$<TARGET_FILE:${name}>" DESTINATION . COMPONENT ${name} EXCLUDE_FROM_ALL)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}.mjs" "${CMAKE_CURRENT_BINARY_DIR}/${name}.d.mts" DESTINATION . COMPONENT ${name} EXCLUDE_FROM_ALL)
endmacro()
