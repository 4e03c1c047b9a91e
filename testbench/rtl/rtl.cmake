# Co-simulation: RTL beside the models, Lyra inside testbenches. Each simulator's part is left out, with a message as a skipped test, where it is missing.
set(RTL ${CMAKE_CURRENT_LIST_DIR})
add_executable(rtl_dpi_calls ${RTL}/dpi_calls.cpp) # of Lyra nothing but the C interface
target_include_directories(rtl_dpi_calls PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(rtl_dpi_calls PRIVATE lyra_dpi lyra_warnings)
add_test(NAME rtl/dpi_calls COMMAND rtl_dpi_calls ${CMAKE_CURRENT_BINARY_DIR}/dpi_calls.bin)

set(DPI ${CMAKE_SOURCE_DIR}/platforms/dpi)
set(VERILATED ${CMAKE_BINARY_DIR}/verilated) # what the simulators make of the SystemVerilog sources
file(MAKE_DIRECTORY ${VERILATED})
set(CASES ${CMAKE_SOURCE_DIR}/testbench/cases/ocl)

# cosim_test(NAME EXPECTED command): passes where EXPECTED is printed
function(cosim_test name expected)
  add_test(NAME rtl/${name} COMMAND ${ARGN})
  set_tests_properties(rtl/${name} PROPERTIES PASS_REGULAR_EXPRESSION "${expected}" TIMEOUT 120)
endfunction()
set(LDS_RIGHT "tb_lds: [0-9]+ beats equal")
set(MEMORY_RIGHT "tb_memory: the job's expectations hold.*, no protocol violation")
set(L2_RIGHT "tb_l2: [0-9]+ bursts right")

find_program(VERILATOR verilator)
find_program(IVERILOG iverilog)
find_path(IVERILOG_INCLUDE vpi_user.h PATH_SUFFIXES iverilog)
function(missing_simulator test text)
  add_test(NAME rtl/${test} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${text}")
  set_tests_properties(rtl/${test} PROPERTIES SKIP_REGULAR_EXPRESSION "skipped:")
endfunction()
if(VERILATOR)
  include(${RTL}/verilator.cmake)
else()
  missing_simulator(verilator "Verilator is not installed (scripts/setup does it): no lyra_rtl, no RTL in machines")
endif()
if(IVERILOG AND IVERILOG_INCLUDE)
  include(${RTL}/icarus.cmake)
else()
  missing_simulator(icarus "Icarus Verilog is not installed (scripts/setup does it)")
endif()
