// SPDX-License-Identifier: Apache-2.0
// An RTL memory controller serves the L2 misses of a real kernel: Lyra's machine runs the job, the pins of its memory (memory.implementation = "rtl:pins") are here.
// +job=FILE: the job. +reset_at=N: run it, run it again and reset the machine at its cycle N, run it a third time: as many cycles as the first time. The controller's array port is served from Lyra's memory.
`timescale 1ns/1ps
`include "lyra.svh"
module tb_memory;
  localparam longint PERIOD = 1058; // of the memory clock: 945 MHz, ps
  logic clk = 0, reset_n;
  always #0.529 clk = ~clk;

  logic [768:0] m = 0; // Lyra's pins; lyra_pkg.sv has the fields
  logic awready, wready, arready, bvalid, rvalid, rlast, mem_enable, mem_error = 0;
  logic [15:0] bid, rid;
  logic [1:0] bresp, rresp;
  logic [511:0] rdata, mem_write_data, mem_read_data = 0;
  logic [63:0] mem_address, mem_strobe;
  assign reset_n = m[0];
  axi4_memory #(.DATA_BITS(512), .ID_BITS(16)) dut(
      .clk, .reset_n, .awvalid(m[768]), .awready, .awid(m[767:752]), .awaddr(m[751:688]), .awlen(m[687:680]), .awsize(m[679:677]), .awburst(m[676:675]),
      .wvalid(m[674]), .wready, .wlast(m[673]), .wstrb(m[672:609]), .wdata(m[608:97]), .bvalid, .bready(m[96]), .bid, .bresp,
      .arvalid(m[95]), .arready, .arid(m[94:79]), .araddr(m[78:15]), .arlen(m[14:7]), .arsize(m[6:4]), .arburst(m[3:2]),
      .rvalid, .rready(m[1]), .rlast, .rid, .rdata, .rresp, .mem_enable, .mem_address, .mem_strobe, .mem_write_data, .mem_read_data, .mem_error);
  wire [31:0] violations, beats;
  axi4_checker #(.DATA_BITS(512), .ID_BITS(4)) check(
      .clk, .reset_n, .awvalid(m[768]), .awready, .awid(m[755:752]), .awaddr(m[751:688]), .awlen(m[687:680]), .awsize(m[679:677]), .awburst(m[676:675]),
      .wvalid(m[674]), .wready, .wlast(m[673]), .wstrb(m[672:609]), .wdata(m[608:97]), .bvalid, .bready(m[96]), .bid(bid[3:0]), .bresp,
      .arvalid(m[95]), .arready, .arid(m[82:79]), .araddr(m[78:15]), .arlen(m[14:7]), .arsize(m[6:4]), .arburst(m[3:2]),
      .rvalid, .rready(m[1]), .rlast, .rid(rid[3:0]), .rdata, .rresp, .violations, .beats);

  logic [2047:0] job = "";
  int done = 0, wrong = 0, cycles = 0;
  longint misses;
  task automatic stop(input string why);
    $display("tb_memory: %s", why);
    `LYRA_ERROR;
    $finish;
    $fatal(1);
  endtask

  // +reset_at: 1058 core cycles of 667 ps are 667 cycles here, so that both clocks stand to each other as at the beginning
  localparam int RESET_CORE_CYCLES = 1058, RESET_CYCLES = 667;
  int reset_at = 0, stage = 2, reset_left = 0, first_cycles = 0;
  logic started = 0;
  string file;
  initial begin
    if ($value$plusargs("job=%s", file) == 0) stop("give +job=FILE");
    if ($value$plusargs("reset_at=%d", reset_at)) stage = 0;
    if (`LYRA_OPEN("cu", "memory.implementation=rtl:pins memory_mhz=945") < 0) stop("cannot open the machine");
    if (`LYRA_LOAD_JOB(file) < 0) stop("cannot load the job");
    if (`LYRA_START() < 0) stop("cannot start");
    started = 1;
  end

  // the pins as they were just before the rising edge
  logic [553:0] slave = 0;
  logic enable = 0;
  logic [63:0] at = 0, strobe = 0;
  logic [511:0] data = 0;
  always @(posedge clk) begin
    slave <= {awready, wready, arready, bvalid, bid, bresp, rvalid, rlast, rid, rresp, rdata};
    enable <= reset_n && mem_enable;
    at <= mem_address;
    strobe <= mem_strobe;
    data <= mem_write_data;
  end

  // at the falling edge Lyra has its rising edge: it sees those pins, and its next pins stand before the RTL's next edge
  logic [768:0] next;
  always @(negedge clk) if (started && done == 0) begin
    cycles = cycles + 1;
    mem_error = 0;
    if (enable && strobe != 0) mem_error = `LYRA_STORE_WRITE(at, data, strobe) != 0;
    else if (enable) mem_error = `LYRA_STORE_READ(at, mem_read_data) != 0;
    if (`LYRA_AXI_MASTER_CLOCK(0, slave) < 0) stop("pins");
    if (`LYRA_ADVANCE(PERIOD) < 0) stop("the machine stopped");
    if (`LYRA_AXI_MASTER_PINS(0, next) < 0) stop("pins");
    m = next;
    if (reset_left != 0) begin
      reset_left = reset_left - 1;
      if (reset_left == RESET_CYCLES - 1 && next[0]) stop("Lyra is in reset and its reset_n is not low");
      if (reset_left == 0) begin
        if (`LYRA_LOAD_JOB(file) < 0) stop("cannot load the job behind a reset");
        if (`LYRA_START() < 0) stop("cannot start behind a reset");
        cycles = 0;
      end
    end
    done = reset_left != 0 ? 0 : `LYRA_DONE();
    if (done > 0 && stage == 0 || stage == 1 && reset_left == 0 && cycles == reset_at) begin
      if (stage == 0) begin
        first_cycles = cycles;
        if (`LYRA_CHECK() != 0) stop("the first run is wrong");
      end else if (done != 0) stop("+reset_at: the job has ended before");
      stage = stage + 1;
      done = 0;
      if (`LYRA_RESET(RESET_CORE_CYCLES) < 0) stop("no reset");
      if (`LYRA_START() >= 0) stop("a start in reset must be refused");
      reset_left = RESET_CYCLES;
    end
    if (done != 0) begin
      if (done < 0) stop("fault");
      wrong = `LYRA_CHECK();
      misses = `LYRA_STATISTIC("l2_0.cache.read_misses");
      if (first_cycles != 0) begin
        if (cycles != first_cycles) stop($sformatf("DIFFERENCE: %0d cycles, before the resets %0d", cycles, first_cycles));
        $display("tb_memory: two resets, one of them in cycle %0d of a run, and the same %0d cycles behind them", reset_at, cycles);
      end
      if (wrong == 0 && violations == 0 && misses > 0)
        $display("tb_memory: the job's expectations hold; %0d cycles of the memory clock, %0d read misses of L2, %0d data beats, no protocol violation", cycles, misses, beats);
      else begin
        $display("tb_memory: DIFFERENCE: %0d expectations do not hold, %0d violations", wrong, violations);
        `LYRA_ERROR;
      end
      $finish;
    end
    if (cycles > 2000000) stop("the job does not end");
  end
endmodule
