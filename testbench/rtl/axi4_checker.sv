// SPDX-License-Identifier: Apache-2.0
// AXI4 protocol rules (IHI 0022, chapters A2, A3 and A5) at one set of pins: a passive checker. Violations are counted and named.
// Valid stays and what it offers is stable until it is taken (A3.2.1); bursts are legal (A3.4.1); beats are as many as said, the last one is marked; answers have
// an outstanding burst of their id (A5.3); a write is answered after its last beat (A3.3.1); strobes stand in the beat's bytes (A3.4.3); nothing is valid in reset (A3.1.2).
`timescale 1ns/1ps
module axi4_checker #(
    parameter int DATA_BITS = 512,
    parameter int ID_BITS = 4
) (
    input logic                   clk,
    input logic                   reset_n,
    input logic                   awvalid, awready,
    input logic [ID_BITS-1:0]     awid,
    input logic [63:0]            awaddr,
    input logic [7:0]             awlen,
    input logic [2:0]             awsize,
    input logic [1:0]             awburst,
    input logic                   wvalid, wready, wlast,
    input logic [DATA_BITS-1:0]   wdata,
    input logic [DATA_BITS/8-1:0] wstrb,
    input logic                   bvalid, bready,
    input logic [ID_BITS-1:0]     bid,
    input logic [1:0]             bresp,
    input logic                   arvalid, arready,
    input logic [ID_BITS-1:0]     arid,
    input logic [63:0]            araddr,
    input logic [7:0]             arlen,
    input logic [2:0]             arsize,
    input logic [1:0]             arburst,
    input logic                   rvalid, rready, rlast,
    input logic [ID_BITS-1:0]     rid,
    input logic [DATA_BITS-1:0]   rdata,
    input logic [1:0]             rresp,
    output logic [31:0]           violations,
    output logic [31:0]           beats
);
  localparam int BYTES = DATA_BITS / 8;
  localparam int DEPTH = 64; // outstanding bursts of a direction
  localparam int IDS = 1 << ID_BITS;

  initial violations = 0;
  initial beats = 0;

  task automatic check(input logic holds, input string what);
    if (reset_n && !holds) begin
      violations <= violations + 1;
      if (violations < 20) $display("axi4_checker %m at %0t: %s", $time, what);
    end
  endtask

  function automatic logic legal(input logic [63:0] addr, input logic [7:0] len, input logic [2:0] size, input logic [1:0] burst);
    logic [63:0] bytes;
    logic [51:0] last_page;
    bytes = 64'd1 << size;
    last_page = 52'(((addr & ~(bytes - 1)) + bytes * (64'(len) + 1) - 1) >> 12);
    case (burst)
      2'd0: legal = bytes <= 64'(BYTES) && len < 16;
      2'd1: legal = bytes <= 64'(BYTES) && addr[63:12] == last_page;
      2'd2: legal = bytes <= 64'(BYTES) && (addr & (bytes - 1)) == 0 && (len == 1 || len == 3 || len == 7 || len == 15);
      default: legal = 0;
    endcase
  endfunction

  // the pins at the last edge
  logic                   was, aw_held, w_held, b_held, ar_held, r_held;
  logic [ID_BITS+76:0]    aw_was, ar_was;
  logic [DATA_BITS+BYTES:0] w_was;
  logic [ID_BITS+1:0]     b_was;
  logic [DATA_BITS+ID_BITS+2:0] r_was;
  wire [ID_BITS+76:0]     aw_now = {awid, awaddr, awlen, awsize, awburst};
  wire [ID_BITS+76:0]     ar_now = {arid, araddr, arlen, arsize, arburst};
  wire [DATA_BITS+BYTES:0] w_now = {wdata, wstrb, wlast};
  wire [ID_BITS+1:0]      b_now = {bid, bresp};
  wire [DATA_BITS+ID_BITS+2:0] r_now = {rid, rdata, rresp, rlast};
  logic [1:0]             low_edges; // edges in reset
  initial was = 0;
  initial low_edges = 0;
  always_ff @(posedge clk) begin
    was <= reset_n;
    aw_held <= reset_n && awvalid && !awready; aw_was <= aw_now;
    w_held <= reset_n && wvalid && !wready;    w_was <= w_now;
    b_held <= reset_n && bvalid && !bready;    b_was <= b_now;
    ar_held <= reset_n && arvalid && !arready; ar_was <= ar_now;
    r_held <= reset_n && rvalid && !rready;    r_was <= r_now;
    if (reset_n && was) begin
      if (aw_held) check(awvalid && aw_now == aw_was, "AW changed before it was taken");
      if (w_held) check(wvalid && w_now == w_was, "W changed before it was taken");
      if (b_held) check(bvalid && b_now == b_was, "B changed before it was taken");
      if (ar_held) check(arvalid && ar_now == ar_was, "AR changed before it was taken");
      if (r_held) check(rvalid && r_now == r_was, "R changed before it was taken");
      if (awvalid) check(legal(awaddr, awlen, awsize, awburst), "illegal write burst");
      if (arvalid) check(legal(araddr, arlen, arsize, arburst), "illegal read burst");
    end
    low_edges <= reset_n ? 2'd0 : low_edges == 2'd3 ? low_edges : low_edges + 2'd1;
    if (!reset_n && low_edges == 2'd3 && (awvalid || wvalid || arvalid || bvalid || rvalid)) begin // registers have had three edges to settle
      violations <= violations + 1;
      $display("axi4_checker %m at %0t: valid in reset", $time);
    end
  end

  // writes: bursts in the order of AW, beats in the same order; a burst is complete when both are there
  logic [63:0] aw_addr [DEPTH];
  logic [7:0]  aw_len [DEPTH];
  logic [2:0]  aw_size [DEPTH];
  logic [1:0]  aw_burst [DEPTH];
  logic [ID_BITS-1:0] aw_id [DEPTH];
  logic [7:0]  w_count [DEPTH];    // beats of complete W bursts
  logic [5:0]  aw_head, aw_tail, w_head, w_tail;
  logic [7:0]  w_beat;
  logic [15:0] write_due [IDS];    // complete writes of an id, not answered
  logic [15:0] read_due [IDS];
  logic [7:0]  r_len [IDS][16];
  logic [3:0]  r_head [IDS];
  logic [3:0]  r_tail [IDS];
  logic [7:0]  r_beat [IDS];

  function automatic logic [BYTES-1:0] lanes(input logic [63:0] addr, input logic [2:0] size, input logic [1:0] burst, input logic [7:0] len, input logic [7:0] n);
    logic [63:0] bytes, at, total, low, stop;
    bytes = 64'd1 << size;
    at = addr;
    if (n != 0 && burst != 0) at = (addr & ~(bytes - 1)) + 64'(n) * bytes;
    if (burst == 2) begin
      total = bytes * (64'(len) + 1);
      low = addr & ~(total - 1);
      at = low + ((addr - low + 64'(n) * bytes) & (total - 1));
    end
    stop = (at & ~(bytes - 1)) + bytes;
    lanes = '0;
    for (int i = 0; i < BYTES; i++) lanes[i] = ((at & ~(64'(BYTES) - 1)) + 64'(i)) >= at && ((at & ~(64'(BYTES) - 1)) + 64'(i)) < stop;
  endfunction

  // a burst's AW may come after its data: what can be checked then is checked when both are known
  wire aw_take = awvalid && awready;
  wire w_take = wvalid && wready;
  wire ahead = aw_head != aw_tail; // an AW waits for its data
  always_ff @(posedge clk) begin : tracking
    logic pair;
    pair = 0;
    if (w_take) beats <= beats + 1 + 32'(rvalid && rready);
    else if (rvalid && rready) beats <= beats + 1;
    if (aw_take) begin
      aw_addr[aw_tail] <= awaddr; aw_len[aw_tail] <= awlen; aw_size[aw_tail] <= awsize; aw_burst[aw_tail] <= awburst; aw_id[aw_tail] <= awid;
      aw_tail <= aw_tail + 1;
      check(aw_tail + 6'd1 != aw_head, "more outstanding writes than the checker holds");
    end
    if (w_take) begin
      if (ahead && w_head == w_tail) begin // the beat's burst is known
        check((wstrb & ~lanes(aw_addr[aw_head], aw_size[aw_head], aw_burst[aw_head], aw_len[aw_head], w_beat)) == 0, "strobe outside of the beat");
        check(wlast == (w_beat == aw_len[aw_head]), "WLAST at the wrong beat");
      end
      if (wlast) begin
        w_count[w_tail] <= w_beat;
        w_tail <= w_tail + 1;
        w_beat <= 0;
      end else w_beat <= w_beat + 1;
    end
    if (aw_head != aw_tail && w_head != w_tail) begin // one pair a cycle
      pair = 1;
      check(w_count[w_head] == aw_len[aw_head], "beats of a write are not as many as AWLEN says");
      aw_head <= aw_head + 1;
      w_head <= w_head + 1;
    end
    for (int i = 0; i < IDS; i++)
      write_due[i] <= write_due[i] + 16'(pair && aw_id[aw_head] == ID_BITS'(i)) - 16'(bvalid && bready && bid == ID_BITS'(i));
    if (bvalid) check(write_due[bid] != 0 || (pair && aw_id[aw_head] == bid), "B without a complete write of its id");
    if (arvalid && arready) begin
      r_len[arid][r_tail[arid]] <= arlen;
      r_tail[arid] <= r_tail[arid] + 1;
      check(read_due[arid] < 15, "more outstanding reads of an id than the checker holds");
    end
    if (rvalid) begin
      check(read_due[rid] != 0, "R without a read of its id");
      check(rlast == (r_beat[rid] == r_len[rid][r_head[rid]]), "RLAST at the wrong beat");
      if (rready) begin
        r_beat[rid] <= rlast ? 0 : r_beat[rid] + 1;
        if (rlast) r_head[rid] <= r_head[rid] + 1;
      end
    end
    for (int i = 0; i < IDS; i++)
      read_due[i] <= read_due[i] + 16'(arvalid && arready && arid == ID_BITS'(i)) - 16'(rvalid && rready && rlast && rid == ID_BITS'(i));
    if (!reset_n) begin
      aw_head <= 0; aw_tail <= 0; w_head <= 0; w_tail <= 0; w_beat <= 0;
      for (int i = 0; i < IDS; i++) begin
        write_due[i] <= 0; read_due[i] <= 0; r_head[i] <= 0; r_tail[i] <= 0; r_beat[i] <= 0;
      end
    end
  end
endmodule
