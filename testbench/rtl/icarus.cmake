# The same testbenches under Icarus Verilog, Lyra by VPI.
add_library(lyra_vpi MODULE ${DPI}/lyra_vpi.cpp) # vvp -m lyra_vpi
set_target_properties(lyra_vpi PROPERTIES PREFIX "" SUFFIX ".vpi")
target_include_directories(lyra_vpi SYSTEM PRIVATE ${IVERILOG_INCLUDE})
target_include_directories(lyra_vpi PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(lyra_vpi PRIVATE lyra_dpi lyra_warnings)
function(icarus_testbench name)
  list(TRANSFORM ARGN PREPEND ${RTL}/)
  add_custom_command(OUTPUT ${VERILATED}/${name}.vvp COMMAND ${IVERILOG} -g2012 -DLYRA_VPI -I${DPI} -s ${name} -o ${VERILATED}/${name}.vvp ${DPI}/lyra_vpi.sft ${ARGN} ${RTL}/${name}.sv
    DEPENDS ${ARGN} ${RTL}/${name}.sv ${DPI}/lyra.svh COMMENT "Icarus Verilog: ${name}" VERBATIM)
  add_custom_target(icarus_${name} ALL DEPENDS ${VERILATED}/${name}.vvp lyra_vpi)
endfunction()
icarus_testbench(tb_lds lds.sv)
add_custom_command(OUTPUT ${VERILATED}/tb_lds_bug.vvp COMMAND ${IVERILOG} -g2012 -DLYRA_VPI -I${DPI} -s tb_lds -Ptb_lds.BUG=1 -o ${VERILATED}/tb_lds_bug.vvp ${DPI}/lyra_vpi.sft ${RTL}/lds.sv ${RTL}/tb_lds.sv
  DEPENDS ${RTL}/lds.sv ${RTL}/tb_lds.sv ${DPI}/lyra.svh VERBATIM)
add_custom_target(icarus_tb_lds_bug ALL DEPENDS ${VERILATED}/tb_lds_bug.vvp)
icarus_testbench(tb_memory axi4_memory.sv axi4_checker.sv)
icarus_testbench(tb_l2 axi4_checker.sv)
set(VVP vvp -M $<TARGET_FILE_DIR:lyra_vpi> -m lyra_vpi)
cosim_test(icarus/lds_against_lyra ${LDS_RIGHT} ${VVP} ${VERILATED}/tb_lds.vvp +beats=400)
cosim_test(icarus/a_planted_bug_is_found "lane [0-9]+: Lyra .*DIFFERENCE" ${VVP} ${VERILATED}/tb_lds_bug.vvp)
cosim_test(icarus/memory_controller_serves_a_kernel ${MEMORY_RIGHT} ${VVP} ${VERILATED}/tb_memory.vvp +job=${CASES}/vadd/job.toml)
cosim_test(icarus/axi4_traffic_into_l2 ${L2_RIGHT} ${VVP} ${VERILATED}/tb_l2.vvp +bursts=300)
cosim_test(icarus/x_on_a_pin_is_named "Lyra refuses the pins.*AXI4 port 0: awvalid is X or Z out of reset" ${VVP} ${VERILATED}/tb_l2.vvp +x=1)
