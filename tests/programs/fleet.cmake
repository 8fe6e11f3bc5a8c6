# Workers that are killed and resumed, and what the page shows of schedulers; by GNU parallel in `make test-all`.
set(fleet_folder ${CMAKE_CURRENT_LIST_DIR})
add_test(NAME programs/fleet COMMAND ${Python3_EXECUTABLE} -B ${fleet_folder}/fleet_test.py $<TARGET_FILE:tiny_embed> ${CMAKE_CROSSCOMPILING_EMULATOR})
if(WIN32) # which none of these schedulers runs on
  return()
endif()
foreach(part IN ITEMS schedulers parallel)
  add_test(NAME programs/fleet.${part} COMMAND ${Python3_EXECUTABLE} -B ${fleet_folder}/fleet_page_test.py $<TARGET_FILE:tiny_embed> ${part})
endforeach()
set_tests_properties(programs/fleet.parallel PROPERTIES LABELS full)
