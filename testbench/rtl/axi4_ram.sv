// SPDX-License-Identifier: Apache-2.0
// An AXI4 RAM as they come from elsewhere: names with s_axi_, an active-high reset, an address as wide as its array, and the array inside. INCR bursts, one write and
// one read at a time, no error answers. axi4_ram_wrapper.sv gives it the names that Lyra's adaptors know.
`timescale 1ns/1ps
module axi4_ram #(
    parameter int DATA_WIDTH = 64,
    parameter int ADDR_WIDTH = 20,
    parameter int ID_WIDTH = 4
) (
    input  logic                    clk,
    input  logic                    rst,
    input  logic [ID_WIDTH-1:0]     s_axi_awid,
    input  logic [ADDR_WIDTH-1:0]   s_axi_awaddr,
    input  logic [2:0]              s_axi_awsize,
    input  logic                    s_axi_awvalid,
    output logic                    s_axi_awready,
    input  logic [DATA_WIDTH-1:0]   s_axi_wdata,
    input  logic [DATA_WIDTH/8-1:0] s_axi_wstrb,
    input  logic                    s_axi_wlast,
    input  logic                    s_axi_wvalid,
    output logic                    s_axi_wready,
    output logic [ID_WIDTH-1:0]     s_axi_bid,
    output logic [1:0]              s_axi_bresp,
    output logic                    s_axi_bvalid,
    input  logic                    s_axi_bready,
    input  logic [ID_WIDTH-1:0]     s_axi_arid,
    input  logic [ADDR_WIDTH-1:0]   s_axi_araddr,
    input  logic [7:0]              s_axi_arlen,
    input  logic [2:0]              s_axi_arsize,
    input  logic                    s_axi_arvalid,
    output logic                    s_axi_arready,
    output logic [ID_WIDTH-1:0]     s_axi_rid,
    output logic [DATA_WIDTH-1:0]   s_axi_rdata,
    output logic [1:0]              s_axi_rresp,
    output logic                    s_axi_rlast,
    output logic                    s_axi_rvalid,
    input  logic                    s_axi_rready
);
  localparam int BYTES = DATA_WIDTH / 8, WORD = $clog2(BYTES);
  logic [DATA_WIDTH-1:0] mem [2**(ADDR_WIDTH-WORD)];
  logic [ADDR_WIDTH-1:0] w_addr, r_addr;
  logic [2:0] w_size, r_size;
  logic [7:0] r_left;
  logic writing, reading;
  assign s_axi_bresp = 2'd0;
  assign s_axi_rresp = 2'd0;
  assign s_axi_awready = !rst && !writing && !s_axi_bvalid;
  assign s_axi_wready = writing;
  assign s_axi_arready = !rst && !reading;

  function automatic logic [ADDR_WIDTH-1:0] next_beat(input logic [ADDR_WIDTH-1:0] at, input logic [2:0] size);
    next_beat = ((at >> size) + 1'b1) << size;
  endfunction

  always_ff @(posedge clk) begin
    if (s_axi_awvalid && s_axi_awready) begin
      writing <= 1;
      w_addr <= s_axi_awaddr;
      w_size <= s_axi_awsize;
      s_axi_bid <= s_axi_awid;
    end
    if (s_axi_wvalid && s_axi_wready) begin
      for (int i = 0; i < BYTES; i++) if (s_axi_wstrb[i]) mem[w_addr[ADDR_WIDTH-1:WORD]][8*i +: 8] <= s_axi_wdata[8*i +: 8];
      w_addr <= next_beat(w_addr, w_size);
      if (s_axi_wlast) begin
        writing <= 0;
        s_axi_bvalid <= 1;
      end
    end
    if (s_axi_bvalid && s_axi_bready) s_axi_bvalid <= 0;
    if (s_axi_arvalid && s_axi_arready) begin
      reading <= 1;
      r_addr <= s_axi_araddr;
      r_size <= s_axi_arsize;
      r_left <= s_axi_arlen;
      s_axi_rid <= s_axi_arid;
    end
    if (s_axi_rvalid && s_axi_rready) begin
      s_axi_rvalid <= 0;
      if (s_axi_rlast) reading <= 0;
    end
    if (reading && (!s_axi_rvalid || s_axi_rready && !s_axi_rlast)) begin
      s_axi_rvalid <= 1;
      s_axi_rdata <= mem[r_addr[ADDR_WIDTH-1:WORD]];
      s_axi_rlast <= r_left == 0;
      r_left <= r_left - 1'b1;
      r_addr <= next_beat(r_addr, r_size);
    end
    if (rst) begin
      writing <= 0;
      reading <= 0;
      s_axi_bvalid <= 0;
      s_axi_rvalid <= 0;
    end
  end
endmodule
