// SPDX-License-Identifier: Apache-2.0
// An LDS: 64 KB in 32 banks of dwords, 32 lanes a beat, conflicts, 32-bit integer atomics. Ports and operations: models/rtl/pins.h.
// A beat is done in as many cycles as its fullest bank needs: a load serves all lanes of a bank that want the same dword together, stores and atomics
// serve one lane a bank and cycle, the lowest first. One beat is in the block while the answer of the one before waits to be taken.
`timescale 1ns/1ps
module lds #(
    parameter bit BUG = 0 // test variant: stores lose the byte 3 of bank 13
) (
    input  logic               clk,
    input  logic               reset_n,
    input  logic               req_valid,
    output logic               req_ready,
    input  logic [4:0]         req_op,
    input  logic [7:0]         req_tag,
    input  logic [31:0]        req_lanes,
    input  logic [511:0]        req_address,
    input  logic [1023:0]       req_data0,
    input  logic [1023:0]       req_data1,
    input  logic [127:0]        req_enables,
    output logic               rsp_valid,
    input  logic               rsp_ready,
    output logic [7:0]         rsp_tag,
    output logic [1023:0]       rsp_data
);
  localparam logic [4:0] READ = 0, WRITE = 1, ADD = 2, SUB = 3, RSUB = 4, INC = 5, DEC = 6, SMIN = 7, SMAX = 8, UMIN = 9, UMAX = 10, AND = 11, OR = 12,
                         XOR = 13, MSKOR = 14, CMPST = 15, CMPSWAP = 16, XCHG = 17, WRAP = 18;

  // dword number: bank in the low 5 bits
  logic [31:0] memory [16384];
  initial for (int i = 0; i < 16384; i++) memory[i] = '0;

  // lane l of a vector: [width * l +: width]
  logic [31:0]   pending;
  logic [4:0]    op;
  logic [7:0]    tag;
  logic [447:0]  dword; // 14 bits a lane
  logic [1023:0] data0, data1, data;
  logic [127:0]  enables;
  logic          working;

  function automatic logic [31:0] result(input logic [4:0] o, input logic [31:0] m, input logic [31:0] a, input logic [31:0] b, input logic [3:0] e);
    case (o)
      WRITE:   result = {e[3] ? a[31:24] : m[31:24], e[2] ? a[23:16] : m[23:16], e[1] ? a[15:8] : m[15:8], e[0] ? a[7:0] : m[7:0]};
      ADD:     result = m + a;
      SUB:     result = m - a;
      RSUB:    result = a - m;
      INC:     result = m >= a ? 32'd0 : m + 32'd1;
      DEC:     result = m == 0 || m > a ? a : m - 32'd1;
      SMIN:    result = $signed(a) < $signed(m) ? a : m;
      SMAX:    result = $signed(a) > $signed(m) ? a : m;
      UMIN:    result = a < m ? a : m;
      UMAX:    result = a > m ? a : m;
      AND:     result = m & a;
      OR:      result = m | a;
      XOR:     result = m ^ a;
      MSKOR:   result = (m & ~a) | b;
      CMPST:   result = m == a ? b : m;
      CMPSWAP: result = m == b ? a : m;
      XCHG:    result = a;
      WRAP:    result = m >= a ? m - a : m + b;
      default: result = m;
    endcase
  endfunction

  // the lowest pending lane of each bank, and who is served with it
  logic [31:0]   bank_used, served;
  logic [159:0]  bank_lane;  // 5 bits a bank
  logic [447:0]  bank_dword; // 14 bits a bank
  logic [1023:0] bank_old, bank_new;
  logic [4:0]    lane, bank;
  logic [13:0]   at;
  always_comb begin
    bank_used = '0;
    bank_lane = '0;
    lane = '0;
    bank = '0;
    at = '0;
    for (int l = 31; l >= 0; l--)
      if (pending[l]) begin
        bank = dword[14*l +: 5];
        bank_used[bank] = 1'b1;
        bank_lane[5*bank +: 5] = 5'(l);
      end
    for (int b = 0; b < 32; b++) begin
      lane = bank_lane[5*b +: 5];
      at = {dword[14*lane + 5 +: 9], 5'(b)};
      bank_dword[14*b +: 14] = at;
      bank_old[32*b +: 32] = memory[at];
      bank_new[32*b +: 32] = result(op, memory[at], data0[32*lane +: 32], data1[32*lane +: 32],
                                       BUG && b == 13 ? enables[4*lane +: 4] & 4'h7 : enables[4*lane +: 4]);
    end
    for (int l = 0; l < 32; l++) begin
      bank = dword[14*l +: 5];
      served[l] = pending[l] && (op == READ ? bank_dword[14*bank +: 14] == dword[14*l +: 14] : bank_lane[5*bank +: 5] == 5'(l));
    end
  end

  wire last_cycle = working && (pending & ~served) == 0;
  wire answer_free = !rsp_valid || rsp_ready;
  wire done = last_cycle && answer_free;
  assign req_ready = reset_n && (!working || done);

  always_ff @(posedge clk) begin
    if (working && !(last_cycle && !answer_free)) begin
      for (int b = 0; b < 32; b++) if (bank_used[b] && op != READ) memory[bank_dword[14*b +: 14]] <= bank_new[32*b +: 32];
      pending <= pending & ~served;
      for (int l = 0; l < 32; l++) if (served[l]) data[32*l +: 32] <= bank_old[32*dword[14*l +: 5] +: 32];
    end
    if (done) begin
      rsp_valid <= 1'b1;
      rsp_tag <= tag;
      for (int l = 0; l < 32; l++) rsp_data[32*l +: 32] <= served[l] ? bank_old[32*dword[14*l +: 5] +: 32] : data[32*l +: 32];
      working <= 1'b0;
    end else if (rsp_ready) rsp_valid <= 1'b0;
    if (req_valid && req_ready) begin
      working <= 1'b1;
      pending <= req_lanes;
      op <= req_op;
      tag <= req_tag;
      for (int l = 0; l < 32; l++) dword[14*l +: 14] <= req_address[16*l + 2 +: 14];
      data0 <= req_data0;
      data1 <= req_data1;
      enables <= req_enables;
    end
    if (!reset_n) begin
      working <= 1'b0;
      pending <= '0;
      rsp_valid <= 1'b0;
    end
  end

  wire unused = &{1'b0, req_address};
endmodule
