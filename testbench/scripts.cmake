# Tests of scripts/. Debian's Python: matplotlib and pandas are its packages.
find_program(LYRA_DEBIAN_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
lyra_python_tests(scripts ${LYRA_DEBIAN_PYTHON} 600)
add_test(NAME scripts/reference COMMAND ${LYRA_DEBIAN_PYTHON} ${CMAKE_SOURCE_DIR}/scripts/reference --check --lyra $<TARGET_FILE:lyra>)

# Host instructions by callgrind: what observing costs, and nothing got slower. The figures are those of a Release build.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  foreach(what guard overhead)
    add_test(NAME host_instructions/${what} COMMAND ${LYRA_DEBIAN_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/benchmark/host_instructions.py $<TARGET_FILE:lyra> ${what})
    set_tests_properties(host_instructions/${what} PROPERTIES TIMEOUT 600)
  endforeach()
endif()
