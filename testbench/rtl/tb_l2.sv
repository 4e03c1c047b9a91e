// SPDX-License-Identifier: Apache-2.0
// Pin-level AXI4 traffic into Lyra's L2: random bursts (FIXED, INCR, WRAP; narrow, unaligned, strobes), several outstanding with different ids, answers in any order,
// back-pressure; every read is compared with an array here. A reset in the middle. +bursts=N. +x=1: awvalid is left X out of reset (4-state simulators): must be noticed.
`timescale 1ns/1ps
`include "lyra.svh"
module tb_l2;
  localparam int BITS = 128, BYTES = BITS / 8;
  localparam longint BASE = 64'h0000_2000_0000;
  logic clk = 0;
  always #0.5 clk = ~clk;

  // Lyra's side
  logic reset_n = 0;
  logic [553:0] s = 0;
  wire awready = s[553], wready = s[552], arready = s[551], bvalid = s[550], rvalid = s[531], rlast = s[530];
  wire [15:0] bid = s[549:534], rid = s[529:514];
  wire [1:0] bresp = s[533:532], rresp = s[513:512];
  wire [BITS-1:0] rdata = s[BITS-1:0];

  // this side
  logic awvalid = 0, wvalid = 0, wlast = 0, bready = 0, arvalid = 0, rready = 0;
  logic [15:0] awid = 0, arid = 0;
  logic [63:0] awaddr = 0, araddr = 0;
  logic [7:0] awlen = 0, arlen = 0;
  logic [2:0] awsize = 0, arsize = 0;
  logic [1:0] awburst = 1, arburst = 1;
  logic [BYTES-1:0] wstrb = 0;
  logic [BITS-1:0] wdata = 0;
  wire [511:0] wide_data = 512'(wdata);
  wire [63:0] wide_strobe = 64'(wstrb);
  wire [768:0] m = {awvalid, awid, awaddr, awlen, awsize, awburst, wvalid, wlast, wide_strobe, wide_data, bready, arvalid, arid, araddr, arlen, arsize, arburst, rready, reset_n};
  wire [31:0] violations, beats;
  axi4_checker #(.DATA_BITS(BITS), .ID_BITS(4)) check(
      .clk, .reset_n, .awvalid, .awready, .awid(awid[3:0]), .awaddr, .awlen, .awsize, .awburst, .wvalid, .wready, .wlast, .wdata, .wstrb, .bvalid, .bready, .bid(bid[3:0]), .bresp,
      .arvalid, .arready, .arid(arid[3:0]), .araddr, .arlen, .arsize, .arburst, .rvalid, .rready, .rlast, .rid(rid[3:0]), .rdata, .rresp, .violations, .beats);

  // id i works on its own 4 KB: what it writes it reads back
  localparam int IDS = 8;
  logic [7:0] memory [IDS*4096];
  logic [1:0] state [IDS]; // 0 idle, 1 write outstanding, 2 read outstanding
  logic [63:0] r_addr [IDS];
  logic [7:0] r_len [IDS], r_beat [IDS];
  logic [2:0] r_size [IDS];
  logic [1:0] r_burst [IDS];
  int bursts = 400, started = 0, ended = 0, wrong = 0, cycles = 0, x = 0, resets = 0;
  int w_id = 0, w_beat = 0, last_ended = 0;
  logic opened = 0, w_open = 0;
  logic [63:0] w_addr = 0;
  logic [7:0] w_len = 0;
  logic [2:0] w_size = 0;
  logic [1:0] w_burst = 0;

  task automatic stop(input string why);
    $display("tb_l2: %s", why);
    `LYRA_ERROR;
    $finish;
    $fatal(1);
  endtask

  function automatic logic [63:0] beat_address(input logic [63:0] first, input logic [7:0] len, input logic [2:0] size, input logic [1:0] burst, input int n);
    logic [63:0] b, total, low;
    b = 64'd1 << size;
    total = b * (64'(len) + 1);
    low = first & ~(total - 1);
    if (burst == 0 || n == 0) beat_address = first;
    else if (burst == 2) beat_address = low + ((first - low + 64'(n) * b) & (total - 1));
    else beat_address = (first & ~(b - 1)) + 64'(n) * b;
  endfunction

  logic [63:0] a;
  logic [7:0] l;
  logic [2:0] z;
  logic [1:0] k;
  task automatic draw(input int id); // a legal burst in the id's page: a, l, z, k
    z = 3'($urandom % 5);
    k = 2'($urandom % 3);
    l = k == 1 ? 8'($urandom % 24) : k == 0 ? 8'($urandom % 4) : 8'((2 << ($urandom % 4)) - 1);
    a = BASE + 64'(id) * 4096 + 64'($urandom % 3000);
    if (k == 2) a = a & ~((64'd1 << z) - 1);
  endtask

  logic [63:0] at, stop_at;
  task automatic next_write_beat;
    at = beat_address(w_addr, w_len, w_size, w_burst, w_beat);
    stop_at = (at & ~((64'd1 << w_size) - 1)) + (64'd1 << w_size);
    wdata = 0;
    wstrb = 0;
    for (int i = 0; i < BYTES; i++)
      if (((at & ~64'(BYTES - 1)) + 64'(i)) >= at && ((at & ~64'(BYTES - 1)) + 64'(i)) < stop_at && $urandom % 4 != 0) begin
        wdata[8*i +: 8] = 8'($urandom);
        wstrb[i] = 1;
        memory[((at & ~64'(BYTES - 1)) + 64'(i)) - BASE] = wdata[8*i +: 8];
      end
    wlast = w_beat == int'(w_len);
    wvalid = 1;
  endtask

  task automatic check_read_beat(input int id);
    at = beat_address(r_addr[id], r_len[id], r_size[id], r_burst[id], int'(r_beat[id]));
    stop_at = (at & ~((64'd1 << r_size[id]) - 1)) + (64'd1 << r_size[id]);
    for (int i = 0; i < BYTES; i++)
      if (((at & ~64'(BYTES - 1)) + 64'(i)) >= at && ((at & ~64'(BYTES - 1)) + 64'(i)) < stop_at)
        if (rdata[8*i +: 8] !== memory[((at & ~64'(BYTES - 1)) + 64'(i)) - BASE]) begin
          if (wrong == 0) $display("tb_l2: id %0d, beat %0d at %h, byte %0d: Lyra %h, expected %h", id, r_beat[id], at, i, rdata[8*i +: 8], memory[((at & ~64'(BYTES - 1)) + 64'(i)) - BASE]);
          wrong = wrong + 1;
        end
    r_beat[id] = r_beat[id] + 1;
  endtask

  initial begin
    if ($value$plusargs("bursts=%d", bursts)) ;
    if ($value$plusargs("x=%d", x)) ;
    for (int i = 0; i < IDS * 4096; i++) memory[i] = 0;
    for (int i = 0; i < IDS; i++) state[i] = 0;
    if (`LYRA_OPEN_BLOCK("l2", "cu", "", BITS) < 0) stop("cannot open the L2");
    if (`LYRA_MAP(BASE, IDS * 4096) < 0) stop("cannot map memory");
    opened = 1;
  end

  // One process does everything at the falling edge: handshakes of the rising edge before (both sides' pins have not moved since), Lyra's edge, then new pins.
  logic [553:0] next;
  int id;
  always @(negedge clk) if (opened) begin
    cycles = cycles + 1;
    if (reset_n) begin
      if (awvalid && awready) awvalid = 0;
      if (arvalid && arready) arvalid = 0;
      if (bvalid && bready) begin
        if (bresp != 0) wrong = wrong + 1;
        state[bid[2:0]] = 0;
        ended = ended + 1;
      end
      if (rvalid && rready) begin
        if (rresp != 0) wrong = wrong + 1;
        check_read_beat(int'(rid[2:0]));
        if (rlast) begin state[rid[2:0]] = 0; ended = ended + 1; end
      end
      if (wvalid && wready) begin
        wvalid = 0;
        if (wlast) w_open = 0;
        w_beat = w_beat + 1;
      end
    end
    s = next;
    // a reset when half is done and nothing is outstanding: what is written stays, the protocol starts again
    if (cycles < 5) reset_n = 0;
    else if (resets == 0 && ended >= bursts / 2 && ended == started && !w_open) begin reset_n = 0; resets = cycles; end
    else if (resets == 0 || cycles > resets + 5) reset_n = 1;
    if (reset_n && cycles > 6 && (resets == 0 || cycles > resets + 8)) begin
      if (x != 0 && cycles > 20) awvalid = 1'bx;
      id = int'($urandom % IDS);
      if (started < (resets == 0 ? bursts / 2 : bursts) && state[id] == 0) begin
        draw(id);
        if ($urandom % 2 == 0 && !awvalid && !w_open) begin
          awvalid = 1; awid = 16'(id); awaddr = a; awlen = l; awsize = z; awburst = k;
          w_addr = a; w_len = l; w_size = z; w_burst = k; w_id = id; w_beat = 0; w_open = 1;
          state[id] = 1;
          started = started + 1;
        end else if (!arvalid) begin
          arvalid = 1; arid = 16'(id); araddr = a; arlen = l; arsize = z; arburst = k;
          r_addr[id] = a; r_len[id] = l; r_size[id] = z; r_burst[id] = k; r_beat[id] = 0;
          state[id] = 2;
          started = started + 1;
        end
      end
      if (w_open && !wvalid && $urandom % 3 != 0) next_write_beat;
      bready = $urandom % 3 != 0;
      rready = $urandom % 3 != 0;
    end
    if (ended == bursts && resets != 0) begin
      if (wrong == 0 && violations == 0) $display("tb_l2: %0d bursts right in %0d cycles, %0d data beats, a reset between, L2 hits %0d", ended, cycles, beats, `LYRA_STATISTIC("lyra_l2_0.cache.read_hits"));
      else $display("tb_l2: DIFFERENCE: %0d bytes or answers wrong, %0d violations", wrong, violations);
      $finish;
    end
    if (ended != last_ended) begin last_ended = ended; end
    if (cycles > 400 * bursts + 2000) stop("an answer is missing");
  end

  // Lyra's rising edge is the clock's: it sees the pins of this side, and its new pins are taken at the falling edge
  always @(posedge clk) if (opened) begin
    if (`LYRA_AXI_SLAVE_CLOCK(0, m, next) < 0) stop("Lyra refuses the pins");
    if (`LYRA_ADVANCE(667) < 0) stop("Lyra stopped");
  end
endmodule
