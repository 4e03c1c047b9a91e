// SPDX-License-Identifier: Apache-2.0
// An AXI4 memory controller: INCR, WRAP and FIXED bursts of every size, one write and one read burst in work, error answers; the array is outside, at a
// synchronous port (read data and `mem_error` one cycle after `mem_enable`). Reads and writes take turns at the port, a beat every other cycle.
// LATENCY cycles pass between a read's address and its first access.
`timescale 1ns/1ps
module axi4_memory #(
    parameter int DATA_BITS = 512,
    parameter int ID_BITS = 4,
    parameter int LATENCY = 8
) (
    input  logic                   clk,
    input  logic                   reset_n,
    input  logic                   awvalid,
    output logic                   awready,
    input  logic [ID_BITS-1:0]     awid,
    input  logic [63:0]            awaddr,
    input  logic [7:0]             awlen,
    input  logic [2:0]             awsize,
    input  logic [1:0]             awburst,
    input  logic                   wvalid,
    output logic                   wready,
    input  logic                   wlast,
    input  logic [DATA_BITS-1:0]   wdata,
    input  logic [DATA_BITS/8-1:0] wstrb,
    output logic                   bvalid,
    input  logic                   bready,
    output logic [ID_BITS-1:0]     bid,
    output logic [1:0]             bresp,
    input  logic                   arvalid,
    output logic                   arready,
    input  logic [ID_BITS-1:0]     arid,
    input  logic [63:0]            araddr,
    input  logic [7:0]             arlen,
    input  logic [2:0]             arsize,
    input  logic [1:0]             arburst,
    output logic                   rvalid,
    input  logic                   rready,
    output logic                   rlast,
    output logic [ID_BITS-1:0]     rid,
    output logic [DATA_BITS-1:0]   rdata,
    output logic [1:0]             rresp,
    output logic                   mem_enable,
    output logic [63:0]            mem_address,
    output logic [DATA_BITS/8-1:0] mem_strobe,
    output logic [DATA_BITS-1:0]   mem_write_data,
    input  logic [DATA_BITS-1:0]   mem_read_data,
    input  logic                   mem_error
);
  localparam int BYTES = DATA_BITS / 8;

  function automatic logic [63:0] beat_address(input logic [63:0] first, input logic [7:0] len, input logic [2:0] size, input logic [1:0] burst, input logic [7:0] n);
    logic [63:0] bytes, total, low;
    bytes = 64'd1 << size;
    total = bytes * (64'(len) + 1);
    low = first & ~(total - 1);
    case (burst)
      2'd0:    beat_address = first;
      2'd2:    beat_address = low + ((first - low + 64'(n) * bytes) & (total - 1));
      default: beat_address = n == 0 ? first : (first & ~(bytes - 1)) + 64'(n) * bytes;
    endcase
  endfunction

  // write side
  logic               w_busy, w_error, w_access; // w_access: a write went to the array in the last cycle
  logic [ID_BITS-1:0] w_id;
  logic [63:0]        w_addr;
  logic [7:0]         w_len, w_beat;
  logic [2:0]         w_size;
  logic [1:0]         w_burst;
  logic               w_ending; // all beats are written, the last one's error is still to come
  // read side
  logic               r_busy, r_access, r_error;
  logic [ID_BITS-1:0] r_id;
  logic [63:0]        r_addr;
  logic [7:0]         r_len, r_beat;
  logic [2:0]         r_size;
  logic [1:0]         r_burst;
  logic [7:0]         r_wait;
  logic               write_turn;

  wire w_can = w_busy && !w_ending && wvalid;
  wire r_can = r_busy && r_wait == 0 && !r_access && (!rvalid || rready) && !(rvalid && rlast);
  wire w_go = w_can && (!r_can || write_turn);
  wire r_go = r_can && !w_go;
  assign awready = reset_n && !w_busy;
  assign arready = reset_n && !r_busy;
  assign wready = w_go;
  assign mem_enable = w_go || r_go;
  assign mem_strobe = w_go ? wstrb : '0;
  assign mem_write_data = wdata;
  assign mem_address = (w_go ? beat_address(w_addr, w_len, w_size, w_burst, w_beat) : beat_address(r_addr, r_len, r_size, r_burst, r_beat)) & ~(64'(BYTES) - 1);

  always_ff @(posedge clk) begin
    write_turn <= r_go;
    w_access <= w_go && wstrb != 0;
    r_access <= r_go;
    if (awvalid && awready) begin
      w_busy <= 1; w_error <= 0; w_ending <= 0; w_beat <= 0;
      w_id <= awid; w_addr <= awaddr; w_len <= awlen; w_size <= awsize; w_burst <= awburst;
    end
    if (w_access && mem_error) w_error <= 1;
    if (w_go) begin
      w_beat <= w_beat + 1;
      if (wlast) w_ending <= 1;
    end
    if (w_busy && w_ending && !w_access && !bvalid) begin
      bvalid <= 1; bid <= w_id; bresp <= w_error ? 2'd3 : 2'd0;
    end
    if (bvalid && bready) begin
      bvalid <= 0; w_busy <= 0;
    end
    if (arvalid && arready) begin
      r_busy <= 1; r_error <= 0; r_beat <= 0; r_wait <= 8'(LATENCY);
      r_id <= arid; r_addr <= araddr; r_len <= arlen; r_size <= arsize; r_burst <= arburst;
    end else if (r_wait != 0) r_wait <= r_wait - 1;
    if (rvalid && rready) begin
      rvalid <= 0;
      if (rlast) r_busy <= 0;
    end
    if (r_access) begin
      rvalid <= 1; rid <= r_id; rdata <= mem_read_data; rlast <= r_beat == r_len;
      rresp <= mem_error || r_error ? 2'd3 : 2'd0;
      r_error <= r_error || mem_error;
      r_beat <= r_beat + 1;
    end
    if (!reset_n) begin
      w_busy <= 0; w_ending <= 0; w_access <= 0; bvalid <= 0; r_busy <= 0; r_access <= 0; rvalid <= 0; r_wait <= 0; write_turn <= 0;
    end
  end
endmodule
