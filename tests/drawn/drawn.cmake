# Models drawn by chance, a few in each file; declaration.py says what is drawn.
set(FOVEA_DRAWN_FIRST 1 CACHE STRING "Seed of the first model that is drawn by chance")
set(FOVEA_DRAWN_COUNT 10 CACHE STRING "How many models are drawn by chance")

set(drawn_folder ${CMAKE_CURRENT_BINARY_DIR}/drawn)
set(draw ${CMAKE_CURRENT_LIST_DIR}/draw.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${draw} ${CMAKE_CURRENT_LIST_DIR}/declaration.py)
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 ${Python3_EXECUTABLE} ${draw}
    --first ${FOVEA_DRAWN_FIRST} --count ${FOVEA_DRAWN_COUNT} ${drawn_folder}
  COMMAND_ERROR_IS_FATAL ANY
)
set(drawn)
math(EXPR last "(${FOVEA_DRAWN_COUNT} - 1) / 5") # PER_FILE of draw.py
foreach(i RANGE ${last})
  list(APPEND drawn ${drawn_folder}/drawn_${i}.cpp)
endforeach()
add_test_program(drawn ${drawn})
target_include_directories(test_drawn PRIVATE ${CMAKE_CURRENT_LIST_DIR})
