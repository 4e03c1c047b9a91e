// SPDX-License-Identifier: Apache-2.0
// The atomic unit of an L2 channel: read-modify-write on a line copy, 16 entries a beat. Ports and operations: models/rtl/pins.h.
// Eight 64-bit ALUs, one for each 8 bytes of the line: entries on different ones go in one cycle, those that meet follow each other, the lowest first.
`timescale 1ns/1ps
module atomic_unit #(
    parameter bit BUG = 0 // test variant: the carry of an addition stops at bit 7
) (
    input  logic               clk,
    input  logic               reset_n,
    input  logic               req_valid,
    output logic               req_ready,
    input  logic               req_first,
    input  logic               req_last,
    input  logic [4:0]         req_op,
    input  logic               req_wide,
    input  logic [15:0]        req_entries,
    input  logic [63:0]         req_word,
    input  logic [1023:0]       req_operand,
    input  logic [1023:0]       req_compare,
    input  logic [511:0]        req_line,
    output logic               rsp_valid,
    input  logic               rsp_ready,
    output logic               rsp_last,
    output logic [1023:0]       rsp_result,
    output logic [511:0]        rsp_line
);
  localparam logic [4:0] SWAP = 0, CMPSWAP = 1, ADD = 2, SUB = 3, SMIN = 4, UMIN = 5, SMAX = 6, UMAX = 7, AND = 8, OR = 9, XOR = 10, INC = 11, DEC = 12;

  logic [15:0]       pending;
  logic [4:0]        op;
  logic              wide, last, working;
  logic [63:0]       word; // entry i of a vector: [width * i +: width]
  logic [1023:0]     operand, compare, results;
  logic [511:0]      line;

  // 32-bit values stand in the low half, as the value itself; signed ones are compared after extension
  function automatic logic [63:0] result(input logic [4:0] o, input logic w, input logic [63:0] m, input logic [63:0] v, input logic [63:0] c);
    logic signed [63:0] sm, sv;
    sm = w ? $signed(m) : 64'($signed(m[31:0]));
    sv = w ? $signed(v) : 64'($signed(v[31:0]));
    case (o)
      SWAP:    result = v;
      CMPSWAP: result = m == c ? v : m;
      ADD:     result = BUG ? {m[63:8], m[7:0] + v[7:0]} : m + v;
      SUB:     result = m - v;
      SMIN:    result = sv < sm ? v : m;
      UMIN:    result = v < m ? v : m;
      SMAX:    result = sv > sm ? v : m;
      UMAX:    result = v > m ? v : m;
      AND:     result = m & v;
      OR:      result = m | v;
      XOR:     result = m ^ v;
      INC:     result = m >= v ? 64'd0 : m + 64'd1;
      DEC:     result = m == 0 || m > v ? v : m - 64'd1;
      default: result = m;
    endcase
  endfunction

  logic [7:0]   used;
  logic [31:0]  chosen; // 4 bits an ALU: its entry
  logic [511:0] next_line, old;
  logic [15:0]  served;
  logic [3:0]   entry;
  logic [2:0]   unit;
  logic [63:0]  whole, value, mask;
  logic         high;
  always_comb begin
    used = '0;
    chosen = '0;
    entry = '0;
    unit = '0;
    whole = '0;
    value = '0;
    high = '0;
    mask = wide ? '1 : 64'h0000_0000_ffff_ffff;
    for (int i = 15; i >= 0; i--)
      if (pending[i]) begin
        unit = word[4*i + 1 +: 3];
        used[unit] = 1'b1;
        chosen[4*unit +: 4] = 4'(i);
      end
    for (int u = 0; u < 8; u++) begin
      entry = chosen[4*u +: 4];
      high = word[4*entry];
      whole = line[64*u +: 64];
      value = wide ? whole : high ? {32'd0, whole[63:32]} : {32'd0, whole[31:0]};
      old[64*u +: 64] = value;
      value = result(op, wide, value, operand[64*entry +: 64] & mask, compare[64*entry +: 64] & mask);
      next_line[64*u +: 64] = !used[u] ? whole : wide ? value : high ? {value[31:0], whole[31:0]} : {whole[63:32], value[31:0]};
    end
    for (int i = 0; i < 16; i++) begin
      unit = word[4*i + 1 +: 3];
      served[i] = pending[i] && chosen[4*unit +: 4] == 4'(i);
    end
  end

  wire last_cycle = working && (pending & ~served) == 0;
  wire answer_free = !rsp_valid || rsp_ready;
  wire done = last_cycle && answer_free;
  assign req_ready = reset_n && !working; // the next beat comes when the line is settled

  always_ff @(posedge clk) begin
    if (working && !(last_cycle && !answer_free)) begin
      line <= next_line;
      pending <= pending & ~served;
      for (int i = 0; i < 16; i++) if (served[i]) results[64*i +: 64] <= old[64*word[4*i + 1 +: 3] +: 64];
    end
    if (done) begin
      rsp_valid <= 1'b1;
      rsp_last <= last;
      rsp_line <= next_line;
      for (int i = 0; i < 16; i++) rsp_result[64*i +: 64] <= served[i] ? old[64*word[4*i + 1 +: 3] +: 64] : results[64*i +: 64];
      working <= 1'b0;
    end else if (rsp_ready) rsp_valid <= 1'b0;
    if (req_valid && req_ready) begin
      working <= 1'b1;
      pending <= req_entries;
      op <= req_op;
      wide <= req_wide;
      last <= req_last;
      word <= req_word;
      operand <= req_operand;
      compare <= req_compare;
      if (req_first) line <= req_line;
    end
    if (!reset_n) begin
      working <= 1'b0;
      pending <= '0;
      rsp_valid <= 1'b0;
    end
  end
endmodule
