// SPDX-License-Identifier: Apache-2.0
// axi4_ram under the names and with the reset that Lyra's adaptors know: what to write for a memory of your own (docs/rtl.md).
`timescale 1ns/1ps
module axi4_ram_wrapper #(
    parameter int DATA_BITS = 64,
    parameter int ID_BITS = 4,
    parameter int ADDRESS_BITS = 24 // of its array: 16 MB
) (
    input  logic                   clk,
    input  logic                   reset_n,
    input  logic                   awvalid,
    output logic                   awready,
    input  logic [ID_BITS-1:0]     awid,
    /* verilator lint_off UNUSED */
    input  logic [63:0]            awaddr, // the array sees the low bits: an address modulo its size
    input  logic [7:0]             awlen,
    input  logic [1:0]             awburst,
    input  logic [63:0]            araddr,
    input  logic [1:0]             arburst,
    /* verilator lint_on UNUSED */
    input  logic [2:0]             awsize,
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
    input  logic [7:0]             arlen,
    input  logic [2:0]             arsize,
    output logic                   rvalid,
    input  logic                   rready,
    output logic                   rlast,
    output logic [ID_BITS-1:0]     rid,
    output logic [DATA_BITS-1:0]   rdata,
    output logic [1:0]             rresp
);
  axi4_ram #(.DATA_WIDTH(DATA_BITS), .ADDR_WIDTH(ADDRESS_BITS), .ID_WIDTH(ID_BITS)) ram(
      .clk, .rst(!reset_n), .s_axi_awid(awid), .s_axi_awaddr(awaddr[ADDRESS_BITS-1:0]), .s_axi_awsize(awsize), .s_axi_awvalid(awvalid), .s_axi_awready(awready),
      .s_axi_wdata(wdata), .s_axi_wstrb(wstrb), .s_axi_wlast(wlast), .s_axi_wvalid(wvalid), .s_axi_wready(wready), .s_axi_bid(bid), .s_axi_bresp(bresp), .s_axi_bvalid(bvalid), .s_axi_bready(bready),
      .s_axi_arid(arid), .s_axi_araddr(araddr[ADDRESS_BITS-1:0]), .s_axi_arlen(arlen), .s_axi_arsize(arsize), .s_axi_arvalid(arvalid), .s_axi_arready(arready),
      .s_axi_rid(rid), .s_axi_rdata(rdata), .s_axi_rresp(rresp), .s_axi_rlast(rlast), .s_axi_rvalid(rvalid), .s_axi_rready(rready));
endmodule
