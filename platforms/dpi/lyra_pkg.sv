// SPDX-License-Identifier: Apache-2.0
// Lyra for SystemVerilog: liblyra_dpi through DPI-C (lyra_dpi.h says what each function does), and the fields of its vectors, most significant first.
`timescale 1ns/1ps
package lyra_pkg;
  import "DPI-C" function string lyra_error();
  import "DPI-C" function int lyra_open(input string machine, input string settings);
  import "DPI-C" function int lyra_open_block(input string block, input string machine, input string settings, input int data_bits);
  import "DPI-C" function int lyra_load_job(input string job);
  import "DPI-C" function int lyra_load_file(input string file, input longint address);
  import "DPI-C" function int lyra_dispatch(input longint entry, input int grid, input int workgroup, input int vgprs, input int sgprs, input int lds_bytes, input bit [511:0] user_sgprs, input int user_sgpr_count);
  import "DPI-C" function int lyra_start();
  import "DPI-C" function int lyra_done();
  import "DPI-C" function int lyra_check();
  import "DPI-C" function int lyra_advance(input longint ps);
  import "DPI-C" function longint lyra_time_ps();
  import "DPI-C" function int lyra_reset(input int cycles);
  import "DPI-C" function int lyra_map(input longint address, input longint bytes);
  import "DPI-C" function longint lyra_read64(input longint address);
  import "DPI-C" function int lyra_write64(input longint address, input longint value);
  import "DPI-C" function int lyra_store_read(input longint address, output bit [511:0] data);
  import "DPI-C" function int lyra_store_write(input longint address, input bit [511:0] data, input longint strobe);
  import "DPI-C" function longint lyra_statistic(input string path);
  import "DPI-C" function int lyra_axi_slave_clock(input int port, input bit [768:0] master, output bit [553:0] slave);
  import "DPI-C" function int lyra_axi_master_clock(input int port, input bit [553:0] slave);
  import "DPI-C" function int lyra_axi_master_pins(input int port, output bit [768:0] master);
  import "DPI-C" function int lyra_lds_request(input bit [2732:0] beat);
  import "DPI-C" function int lyra_lds_response(output bit [1031:0] answer);
endpackage
// The vectors, most significant field first:
//   master: awvalid, awid[15:0], awaddr[63:0], awlen[7:0], awsize[2:0], awburst[1:0], wvalid, wlast, wstrb[63:0], wdata[511:0], bready,
//           arvalid, arid[15:0], araddr[63:0], arlen[7:0], arsize[2:0], arburst[1:0], rready, reset_n
//   slave:  awready, wready, arready, bvalid, bid[15:0], bresp[1:0], rvalid, rlast, rid[15:0], rresp[1:0], rdata[511:0]
//   beat:   op[4:0], tag[7:0], lanes[31:0], address[511:0], data0[1023:0], data1[1023:0], enables[127:0]   (as the ports of an LDS: models/rtl/pins.h)
//   answer: tag[7:0], data[1023:0]
