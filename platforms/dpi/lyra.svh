// SPDX-License-Identifier: Apache-2.0
// The same testbench under a simulator with DPI-C and under one with VPI (define LYRA_VPI; vvp -m lyra_vpi).
`ifdef LYRA_VPI
`define LYRA_ERROR $lyra_error
`define LYRA_OPEN $lyra_open
`define LYRA_OPEN_BLOCK $lyra_open_block
`define LYRA_LOAD_JOB $lyra_load_job
`define LYRA_START $lyra_start
`define LYRA_DONE $lyra_done
`define LYRA_CHECK $lyra_check
`define LYRA_ADVANCE $lyra_advance
`define LYRA_RESET $lyra_reset
`define LYRA_MAP $lyra_map
`define LYRA_READ64 $lyra_read64
`define LYRA_WRITE64 $lyra_write64
`define LYRA_STORE_READ $lyra_store_read
`define LYRA_STORE_WRITE $lyra_store_write
`define LYRA_STATISTIC $lyra_statistic
`define LYRA_AXI_SLAVE_CLOCK $lyra_axi_slave_clock
`define LYRA_AXI_MASTER_CLOCK $lyra_axi_master_clock
`define LYRA_AXI_MASTER_PINS $lyra_axi_master_pins
`define LYRA_LDS_REQUEST $lyra_lds_request
`define LYRA_LDS_RESPONSE $lyra_lds_response
`else
`define LYRA_ERROR $display("%s", lyra_pkg::lyra_error())
`define LYRA_OPEN lyra_pkg::lyra_open
`define LYRA_OPEN_BLOCK lyra_pkg::lyra_open_block
`define LYRA_LOAD_JOB lyra_pkg::lyra_load_job
`define LYRA_START lyra_pkg::lyra_start
`define LYRA_DONE lyra_pkg::lyra_done
`define LYRA_CHECK lyra_pkg::lyra_check
`define LYRA_ADVANCE lyra_pkg::lyra_advance
`define LYRA_RESET lyra_pkg::lyra_reset
`define LYRA_MAP lyra_pkg::lyra_map
`define LYRA_READ64 lyra_pkg::lyra_read64
`define LYRA_WRITE64 lyra_pkg::lyra_write64
`define LYRA_STORE_READ lyra_pkg::lyra_store_read
`define LYRA_STORE_WRITE lyra_pkg::lyra_store_write
`define LYRA_STATISTIC lyra_pkg::lyra_statistic
`define LYRA_AXI_SLAVE_CLOCK lyra_pkg::lyra_axi_slave_clock
`define LYRA_AXI_MASTER_CLOCK lyra_pkg::lyra_axi_master_clock
`define LYRA_AXI_MASTER_PINS lyra_pkg::lyra_axi_master_pins
`define LYRA_LDS_REQUEST lyra_pkg::lyra_lds_request
`define LYRA_LDS_RESPONSE lyra_pkg::lyra_lds_response
`endif
