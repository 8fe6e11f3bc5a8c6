# Gives all that an object of Windows or macOS defines names of its instruction set, but SYMBOLS (a name, in which * stands for any text): a
# linker takes one of several sections of a name, and so these have such names, too.
# Variables: objdump, nm, objcopy, set, symbols, from, to.
execute_process(COMMAND "${nm}" --defined-only --extern-only --format=posix "${from}" OUTPUT_VARIABLE defined COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "*" ".*" kept "${symbols}")
string(REGEX MATCHALL "[^\n]+" lines "${defined}")
set(renamed "")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^[^ ]+" symbol "${line}")
  if(NOT symbol MATCHES "^_?${kept}$") # macOS puts a line before what C calls it
    string(APPEND renamed "${symbol} ${symbol}.${set}\n")
  endif()
endforeach()

execute_process(COMMAND "${objdump}" --section-headers --wide "${from}" OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\\.[a-z]+\\$[^ \n]+" sections "${headers}")
list(REMOVE_DUPLICATES sections)
set(options "")
foreach(section IN LISTS sections) # and the symbol that each has
  string(APPEND options "--rename-section ${section}=${section}.${set}\n")
  string(APPEND renamed "${section} ${section}.${set}\n")
endforeach()
file(WRITE "${to}.symbols" "${renamed}")
file(WRITE "${to}.sections" "${options}")
execute_process(COMMAND "${objcopy}" "--redefine-syms=${to}.symbols" "@${to}.sections" "${from}" "${to}" COMMAND_ERROR_IS_FATAL ANY)
