// SPDX-License-Identifier: Apache-2.0
// An RTL LDS under test, Lyra's LDS as the reference: random beats go to both; a scoreboard compares every answer by its number. +beats=N, +seed=N.
// Half of the cycles the RTL's answers are not taken: back-pressure.
`timescale 1ns/1ps
`include "lyra.svh"
module tb_lds;
  parameter bit BUG = 0;
  logic clk = 0, reset_n = 0;
  always #0.5 clk = ~clk;

  logic offered = 0; // the reference has the beat
  logic req_valid = 0, req_ready, rsp_valid, rsp_ready = 0;
  logic [4:0] op = 0;
  logic [7:0] tag = 0, rsp_tag;
  logic [31:0] lanes = 0;
  logic [511:0] address = 0;
  logic [1023:0] data0 = 0, data1 = 0, rsp_data;
  logic [127:0] enables = 0;
  wire valid = req_valid && offered; // a beat goes to the RTL when the reference has it
  lds #(.BUG(BUG)) dut(.clk, .reset_n, .req_valid(valid), .req_ready, .req_op(op), .req_tag(tag), .req_lanes(lanes), .req_address(address), .req_data0(data0), .req_data1(data1),
                       .req_enables(enables), .rsp_valid, .rsp_ready, .rsp_tag, .rsp_data);

  // the scoreboard: answers of both sides by number, the lanes and kind of each beat
  logic [1023:0] expected [256];
  logic [31:0] beat_lanes [256];
  logic [255:0] known = 0, store = 0;
  logic [1023:0] got [256];
  logic [255:0] answered = 0;
  int sent = 0, checked = 0, beats = 2000, seed = 1, wrong = 0, cycles = 0;
  int kindle = 0;
  logic [1031:0] answer;
  logic [1023:0] mask;

  task automatic stop(input string why);
    $display("tb_lds: %s", why);
    `LYRA_ERROR;
    $finish;
    $fatal(1);
  endtask

  task automatic new_beat;
    int kind;
    op = 5'($urandom % 18);
    if (op == 16) op = 18; // cmpswap is not a DS operation
    if ($urandom % 3 == 0) op = 5'($urandom % 2);
    lanes = $urandom % 3 == 0 ? 32'hffffffff : $urandom;
    kind = int'($urandom % 3);
    for (int l = 0; l < 32; l++) begin
      address[16*l +: 16] = kind == 0 ? 16'(4 * l) : kind == 1 ? 16'(4 * ($urandom % 24)) : 16'(4 * ($urandom % 16384));
      data0[32*l +: 32] = $urandom % 4 == 0 ? $urandom % 4 : $urandom;
      data1[32*l +: 32] = $urandom;
      enables[4*l +: 4] = $urandom % 4 == 0 ? 4'($urandom) : 4'hf;
    end
    tag = sent[7:0];
    req_valid = 1;
    offered = 0;
  endtask

  initial begin
    if ($value$plusargs("beats=%d", beats)) ;
    if ($value$plusargs("seed=%d", seed)) ;
    for (int i = 0; i < seed; i++) kindle = $urandom;
    if (`LYRA_OPEN_BLOCK("lds", "cu", "", 0) < 0) stop("cannot open Lyra's LDS");
    repeat (4) @(posedge clk);
    #0.1 reset_n = 1;
  end

  // everything at the falling edge: the pins of both sides are settled
  always @(negedge clk) if (reset_n) begin : main
    cycles = cycles + 1;
    if (took) begin
      beat_lanes[tag] = lanes;
      store[tag] = op == 1;
      sent = sent + 1;
      req_valid = 0;
    end
    if (answers) begin
      got[answer_tag] = answer_data;
      answered[answer_tag] = 1;
    end
    if (req_valid && !offered && !known[tag] && !answered[tag]) offered = `LYRA_LDS_REQUEST({op, tag, lanes, address, data0, data1, enables}) == 1;
    if (`LYRA_ADVANCE(667) < 0) stop("Lyra stopped");
    while (`LYRA_LDS_RESPONSE(answer) == 1) begin
      expected[answer[1031:1024]] = answer[1023:0];
      known[answer[1031:1024]] = 1;
    end
    if (!req_valid && sent < beats && !known[sent[7:0]] && !answered[sent[7:0]]) new_beat;
    rsp_ready = $urandom % 2 == 0;
    for (int t = 0; t < 256; t++)
      if (known[t] && answered[t]) begin
        for (int l = 0; l < 32; l++) mask[32*l +: 32] = {32{beat_lanes[t][l] && !store[t]}};
        if ((expected[t] & mask) !== (got[t] & mask)) begin
          wrong = wrong + 1;
          if (wrong == 1) begin
            for (int l = 31; l >= 0; l--)
              if ((expected[t][32*l +: 32] & mask[32*l +: 32]) !== (got[t][32*l +: 32] & mask[32*l +: 32]))
                $display("tb_lds: beat %0d (after %0d checked), lane %0d: Lyra %h, RTL %h", t, checked, l, expected[t][32*l +: 32], got[t][32*l +: 32]);
          end
        end
        checked = checked + 1;
        known[t] = 0;
        answered[t] = 0;
      end
    if (checked == beats || wrong != 0) begin
      if (wrong == 0) $display("tb_lds: %0d beats equal in %0d cycles", checked, cycles);
      else $display("tb_lds: DIFFERENCE");
      $finish;
    end
    if (cycles > 200 * beats + 1000) stop("an answer is missing");
  end

  // the RTL's handshakes, as they were just before the rising edge
  logic took = 0, answers = 0;
  logic [7:0] answer_tag = 0;
  logic [1023:0] answer_data = 0;
  always @(posedge clk) begin
    took <= reset_n && valid && req_ready;
    answers <= reset_n && rsp_valid && rsp_ready;
    answer_tag <= rsp_tag;
    answer_data <= rsp_data;
  end
endmodule
