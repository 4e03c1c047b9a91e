// SPDX-License-Identifier: Apache-2.0
// Job files: every field, and every mistake with its place and the right name.
#include "dispatch/job.h"
#include "dispatch/support.h"
#include "support/systemc_test.h"

using namespace lyra::dispatch;
using support::contains;

namespace {

/// A directory with the files that the jobs below name.
struct fixture {
  support::scratch_directory d;
  fixture() {
    d.write("k.co", "code");
    d.write("s.bin", "1234");
    d.write("x.bin", std::string(64, 'x'));
    d.write("gold.bin", std::string(64, 'g'));
    d.write("empty.bin", "");
  }
  job read(const std::string& text) const { return parse_job(text, "job.toml", d.path); }
  std::string error(const std::string& text) const {
    return support::error_of([&] { read(text); });
  }
};

const std::string object_head = "[code]\nobject = \"k.co\"\n[buffer.x]\nfile = \"x.bin\"\n[buffer.yy]\nsize = 32\n";                       // 6 lines
const std::string raw_head = "[code]\nraw = \"s.bin\"\n[buffer.x]\nfile = \"x.bin\"\n[buffer.yy]\nsize = 32\n";                            // 6 lines
const std::string launch = "[[dispatch]]\nkernel = \"k\"\ngrid = [64, 1, 1]\nworkgroup = [64, 1, 1]\n"; // 4 lines
const std::string raw_launch = "[[dispatch]]\ngrid = [64, 1, 1]\nworkgroup = [64, 1, 1]\n";             // 3 lines

} // namespace

BOOST_AUTO_TEST_CASE(every_field_of_an_object_job_is_read) {
  fixture f;
  const job j = f.read(R"([code]
object = "k.co"
address = 0x10000000
[buffer.x]
file = "x.bin"
size = 0x80
address = "0xffff800000010000"
[buffer.y]
size = 1024
fill = { f16 = 1.5 }
[[dispatch]]
kernel = "saxpy"
grid = [4096, 2]
workgroup = [256, 1, 1]
barrier = false
args = [ {buffer="y"}, {buffer="x", offset=0x10}, {f32=2.0}, {i32=-7}, {local=1024}, {bytes="00 ff_10"}, {u64="0xffffffffffffffff"}, {u8=255}, {i8=-128}, {f64=1}, {f16=2} ]
[[expect]]
buffer = "x"
file = "gold.bin"
type = "f32"
abs = 1e-6
rel = 2e-3
ulp = 4
offset = 64
count = 16
[[expect]]
buffer = "y"
value = { f32 = 3.0 }
[[output]]
buffer = "y"
file = "out/y.bin"
)");
  BOOST_TEST(!j.code.raw);
  BOOST_TEST(j.code.file.filename().string() == "k.co");
  BOOST_TEST(*j.code.address == 0x10000000u);
  BOOST_REQUIRE(j.buffers.size() == 2u);
  BOOST_TEST(j.buffers[0].name == "x");
  BOOST_TEST(j.buffers[0].bytes == 128u);
  BOOST_TEST(*j.buffers[0].address == 0xffff800000010000u);
  BOOST_TEST(j.buffers[1].fill->bits == 0x3e00u);
  const auto& d = j.dispatches.at(0);
  BOOST_TEST(d.kernel == "saxpy");
  BOOST_TEST(d.dimensions == 2u);
  BOOST_TEST(d.grid[0] == 4096u);
  BOOST_TEST(d.grid[1] == 2u);
  BOOST_TEST(d.grid[2] == 1u);
  BOOST_TEST(!d.barrier);
  BOOST_REQUIRE(d.args.size() == 11u);
  BOOST_TEST(d.args[1].offset == 16u);
  BOOST_TEST(d.args[2].value.bits == 0x40000000u);
  BOOST_TEST(d.args[3].value.bits == 0xfffffff9u);
  BOOST_TEST(d.args[4].local_bytes == 1024u);
  BOOST_TEST((d.args[5].bytes == std::vector<uint8_t>{0, 0xff, 0x10}));
  BOOST_TEST(d.args[6].value.bits == ~uint64_t(0));
  BOOST_TEST(d.args[8].value.bits == 0x80u);
  BOOST_TEST(d.args[9].value.bits == 0x3ff0000000000000u);
  BOOST_TEST(d.args[10].value.bits == 0x4000u);
  BOOST_REQUIRE(j.expects.size() == 2u);
  BOOST_TEST((j.expects[0].type == data_type::f32));
  BOOST_TEST(j.expects[0].abs == 1e-6);
  BOOST_TEST(j.expects[0].rel == 2e-3);
  BOOST_TEST(j.expects[0].ulp == 4u);
  BOOST_TEST(j.expects[0].offset == 64u);
  BOOST_TEST(j.expects[0].count == 16u);
  BOOST_TEST((j.expects[1].type == data_type::f32));
  BOOST_TEST(j.expects[1].count == 256u);
  BOOST_TEST(j.outputs.at(0).file.string() == (f.d.path / "out/y.bin").string());
}

BOOST_AUTO_TEST_CASE(every_field_of_a_raw_job_is_read) {
  fixture f;
  const job j = f.read(R"([code]
raw = "s.bin"
target = "gfx906"
[buffer.x]
file = "x.bin"
[[dispatch]]
grid = [100, 1, 1]
workgroup = [64, 1, 1]
sgprs = 32
vgprs = 16
lds = 1024
scratch = 8
user_sgprs = [0x1000, -1, {buffer_lo="x"}, {buffer_hi="x", offset=0x20}]
workgroup_id = "zx"
workitem_id = 2
float_mode = 0xf0
[[dispatch]]
grid = [1, 1, 1]
workgroup = [1, 1, 1]
workgroup_id = ""
)");
  BOOST_TEST(j.code.raw);
  BOOST_TEST((*j.code.target == lyra::isa::target::gfx906));
  const auto& d = j.dispatches.at(0);
  BOOST_TEST(d.sgprs == 32u);
  BOOST_TEST(d.vgprs == 16u);
  BOOST_TEST(d.lds == 1024u);
  BOOST_TEST(d.scratch == 8u);
  BOOST_REQUIRE(d.user_sgprs.size() == 4u);
  BOOST_TEST(d.user_sgprs[0].value == 0x1000u);
  BOOST_TEST(d.user_sgprs[1].value == 0xffffffffu);
  BOOST_TEST((d.user_sgprs[2].what == user_sgpr_spec::kind::address_lo));
  BOOST_TEST(d.user_sgprs[3].offset == 32u);
  BOOST_TEST(d.workgroup_id == "zx");
  BOOST_TEST(d.workitem_id == 2u);
  BOOST_TEST(d.float_mode == 0xf0u);
  BOOST_TEST(j.dispatches[1].workgroup_id == "");
  BOOST_TEST(j.dispatches[1].float_mode == 0xc0u);
}

BOOST_AUTO_TEST_CASE(unknown_keys_are_errors_with_line_and_nearest_name) {
  fixture f;
  BOOST_TEST(f.error(object_head + "[[dispatch]]\nkernal = \"k\"\ngrid = [1]\nworkgroup = [1]\n") == "job.toml:8: unknown key \"kernal\" in [[dispatch]] 0; did you mean \"kernel\"?");
  BOOST_TEST(contains(f.error("[code]\nobjekt = \"k.co\"\n"), "job.toml:2: unknown key \"objekt\" in [code]; did you mean \"object\"?"));
  BOOST_TEST(contains(f.error(object_head + "[buffer.z]\nsiz = 4\n" + launch), "job.toml:8: unknown key \"siz\" in [buffer.z]; did you mean \"size\"?"));
  BOOST_TEST(contains(f.error(object_head + launch + "[[expect]]\nbuffer = \"x\"\nfile = \"gold.bin\"\ntolerance = 3\n"), "job.toml:14: unknown key \"tolerance\" in [[expect]] 0; it takes: buffer, image"));
  BOOST_TEST(contains(f.error(object_head + launch + "[[expected]]\nbuffer = \"x\"\n"), "did you mean \"expect\"?"));
  BOOST_TEST(contains(f.error(object_head + launch + "args = [ {f23=1.0} ]\n"), "job.toml:11: unknown key \"f23\""));
}

BOOST_AUTO_TEST_CASE(keys_of_the_other_launch_form_are_explained) {
  fixture f;
  BOOST_TEST(contains(f.error(object_head + launch + "sgprs = 16\n"), "job.toml:11: [[dispatch]] 0: sgprs is for raw launches, this job has object code"));
  BOOST_TEST(contains(f.error(raw_head + raw_launch + "args = []\n"), "args is for object launches, this job has raw code"));
  BOOST_TEST(contains(f.error("[code]\nobject = \"k.co\"\ntarget = \"gfx906\"\n"), "job.toml:3: [code]: target is for raw code only"));
}

BOOST_AUTO_TEST_CASE(code_section_mistakes) {
  fixture f;
  BOOST_TEST(contains(f.error("[buffer.x]\nsize = 4\n"), "no [code]"));
  BOOST_TEST(contains(f.error("[code]\n"), "exactly one of object and raw"));
  BOOST_TEST(contains(f.error("[code]\nobject = \"k.co\"\nraw = \"s.bin\"\n"), "exactly one of object and raw"));
  BOOST_TEST(contains(f.error("[code]\nobject = \"nope.co\"\n"), "job.toml:2: [code]: no such file \"nope.co\""));
  BOOST_TEST(contains(f.error("[code]\nraw = \"empty.bin\"\n"), "is empty"));
  BOOST_TEST(contains(f.error("[code]\nraw = \"s.bin\"\ntarget = \"gfx803\"\n"), "wrong target \"gfx803\""));
  BOOST_TEST(contains(f.error("[code]\nraw = \"s.bin\"\naddress = 0x1010\n"), "job.toml:3: [code]: address 0x1010 is not 256-byte aligned"));
  BOOST_TEST(contains(f.error("[code]\nobject = 5\n"), "object must be a string"));
  BOOST_TEST(contains(f.error("[code]\nobject = \"k.co\"\n"), "needs at least one [[dispatch]]"));
  BOOST_TEST(contains(f.error("[code\n"), "job.toml:1: "));
}

BOOST_AUTO_TEST_CASE(buffer_mistakes) {
  fixture f;
  const auto buffer = [&](const std::string& fields) { return f.error("[code]\nobject = \"k.co\"\n[buffer.b]\n" + fields + launch); };
  BOOST_TEST(contains(buffer(""), "[buffer.b] needs file or size"));
  BOOST_TEST(contains(buffer("file = \"no.bin\"\n"), "job.toml:4: [buffer.b]: no such file"));
  BOOST_TEST(contains(buffer("file = \"x.bin\"\nsize = 63\n"), "size 63 is less than its file's 64 bytes"));
  BOOST_TEST(contains(buffer("file = \"x.bin\"\nfill = {u8=1}\n"), "has file and fill"));
  BOOST_TEST(contains(buffer("file = \"empty.bin\"\n"), "its file is empty"));
  BOOST_TEST(contains(buffer("size = 0\n"), "size = 0 must be in 1.."));
  BOOST_TEST(contains(buffer("size = -4\n"), "must not be negative"));
  BOOST_TEST(contains(buffer("size = 1.5\n"), "size must be an integer"));
  BOOST_TEST(contains(buffer("size = 8\nfill = 7\n"), "fill must be one typed value"));
  BOOST_TEST(contains(buffer("size = 8\nfill = {u32=1, u8=2}\n"), "fill must be one typed value"));
  BOOST_TEST(contains(buffer("size = 8\nfill = {u24=1}\n"), "unknown type \"u24\""));
  BOOST_TEST(contains(buffer("size = 8\nfill = {u8=256}\n"), "job.toml:5: [buffer.b]: fill: 256 does not fit u8"));
  BOOST_TEST(contains(buffer("size = 8\nfill = {u8=-1}\n"), "-1 does not fit u8"));
  BOOST_TEST(contains(buffer("size = 8\nfill = {u8=1.5}\n"), "1.5 is no integer"));
  BOOST_TEST(contains(buffer("size = 8\nfill = {f16=70000}\n"), "does not fit f16"));
  BOOST_TEST(contains(buffer("size = 8\nfill = {f32=1e39}\n"), "does not fit f32"));
  BOOST_TEST(contains(buffer("size = 8\naddress = 0x80\n"), "is not 256-byte aligned"));
  BOOST_TEST(contains(buffer("size = 8\naddress = \"0x1234800000010000\"\n"), "is not a 48-bit address"));
  BOOST_TEST(contains(buffer("size = 8\naddress = \"here\"\n"), "address must be an integer"));
  BOOST_TEST(f.error("[code]\nobject = \"k.co\"\n[buffer.b]\nsize = 8\nfill = {f32=inf}\n" + launch) == ""); // an infinity is a value
}

BOOST_AUTO_TEST_CASE(dispatch_mistakes) {
  fixture f;
  const auto dispatch = [&](const std::string& fields) { return f.error(object_head + "[[dispatch]]\n" + fields); };
  BOOST_TEST(contains(dispatch("grid=[1]\nworkgroup=[1]\n"), "[[dispatch]] 0 needs kernel"));
  BOOST_TEST(contains(dispatch("kernel=\"k\"\nworkgroup=[1]\n"), "needs grid"));
  BOOST_TEST(contains(dispatch("kernel=\"k\"\ngrid=[1]\n"), "needs workgroup"));
  BOOST_TEST(contains(dispatch("kernel=\"k\"\ngrid=[1,1,1,1]\nworkgroup=[1]\n"), "one to three entries"));
  BOOST_TEST(contains(dispatch("kernel=\"k\"\ngrid=[0]\nworkgroup=[1]\n"), "grid = 0 must be in 1..4294967295"));
  BOOST_TEST(contains(dispatch("kernel=\"k\"\ngrid=[4]\nworkgroup=[32,33]\n"), "a workgroup of 1056 work-items; at most 1024"));
  BOOST_TEST(contains(dispatch("kernel=\"k\"\ngrid=64\nworkgroup=[1]\n"), "grid must be a list"));
  BOOST_TEST(contains(dispatch("kernel=\"k\"\ngrid=[4]\nworkgroup=[4]\nbarrier=1\n"), "barrier must be true or false"));
  BOOST_TEST(contains(f.error(object_head + "[dispatch]\nkernel=\"k\"\n"), "must be written [[dispatch]]"));
  const auto args = [&](const std::string& a) { return f.error(object_head + launch + "args = [" + a + "]\n"); };
  BOOST_TEST(contains(args("{buffer=\"xx\"}"), "job.toml:11: [[dispatch]] 0: argument 0: no buffer \"xx\"; did you mean \"x\"?"));
  BOOST_TEST(contains(args("3"), "argument 0 must be a table"));
  BOOST_TEST(contains(args("{f32=1.0, i32=1}"), "must have exactly one of"));
  BOOST_TEST(contains(args("{i32=1, offset=4}"), "offset goes with buffer only"));
  BOOST_TEST(contains(args("{bytes=\"abc\"}"), "hex digits, two a byte"));
  BOOST_TEST(contains(args("{i8=128}"), "128 does not fit i8"));
  BOOST_TEST(contains(args("{f32=\"one\"}"), "f32 must be a number"));
  BOOST_TEST(contains(args("{local=65537}"), "local = 65537 must be in 0..65536"));
}

BOOST_AUTO_TEST_CASE(a_trap_handler_is_a_place_in_a_buffer) {
  fixture f;
  for (const std::string& head : {object_head + launch, raw_head + raw_launch}) {
    const job j = f.read(head + "trap_handler = {buffer=\"x\", offset=256}\ntrap_memory = {buffer=\"yy\"}\n");
    const auto& d = j.dispatches.at(0);
    BOOST_TEST_REQUIRE((d.trap_handler && d.trap_memory));
    BOOST_TEST((d.trap_handler->buffer == "x" && d.trap_handler->offset == 256u && d.trap_memory->buffer == "yy" && d.trap_memory->offset == 0u));
    BOOST_TEST(contains(f.error(head + "trap_handler = 5\n"), "trap_handler must be a table like {buffer=\"x\"}"));
    BOOST_TEST(contains(f.error(head + "trap_handler = {buffer=\"zz\"}\n"), "\"zz\""));
    BOOST_TEST(contains(f.error(head + "trap_handler = {buffer=\"x\", offest=4}\n"), "did you mean \"offset\"?"));
    BOOST_TEST(!f.read(head).dispatches.at(0).trap_handler);
  }
}

BOOST_AUTO_TEST_CASE(raw_launch_mistakes) {
  fixture f;
  const auto raw = [&](const std::string& fields) { return f.error(raw_head + raw_launch + fields); };
  BOOST_TEST(raw("") == "");
  BOOST_TEST(contains(raw("sgprs = 113\n"), "sgprs = 113 must be in 1..112"));
  BOOST_TEST(contains(raw("vgprs = 257\n"), "must be in 1..256"));
  BOOST_TEST(contains(raw("lds = 65540\n"), "must be in 0..65536"));
  BOOST_TEST(contains(raw("workgroup_id = \"xx\"\n"), "must name some of x, y and z, each once"));
  BOOST_TEST(contains(raw("workgroup_id = \"w\"\n"), "must name some of x, y and z"));
  BOOST_TEST(contains(raw("workitem_id = 3\n"), "must be in 0..2"));
  BOOST_TEST(contains(raw("float_mode = 256\n"), "must be in 0..255"));
  BOOST_TEST(contains(raw("user_sgprs = [0x100000000]\n"), "does not fit 32 bits"));
  BOOST_TEST(contains(raw("user_sgprs = [{buffer_lo=\"q\"}]\n"), "no buffer \"q\""));
  BOOST_TEST(contains(raw("user_sgprs = [{buffer_lo=\"x\", buffer_hi=\"x\"}]\n"), "exactly one of buffer_lo, buffer_hi"));
  BOOST_TEST(contains(raw("user_sgprs = [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]\n"), "17 user SGPRs; a wave can be given 16"));
  BOOST_TEST(contains(raw("sgprs = 2\nuser_sgprs = [1, 2]\n"), "too few for 2 user SGPRs and 1 workgroup ids"));
  BOOST_TEST(contains(raw("vgprs = 2\nworkitem_id = 2\n"), "too few for workitem_id = 2"));
}

BOOST_AUTO_TEST_CASE(expectation_and_output_mistakes) {
  fixture f;
  const auto expect = [&](const std::string& fields) { return f.error(object_head + launch + "[[expect]]\n" + fields); };
  BOOST_TEST(expect("buffer=\"x\"\nfile=\"gold.bin\"\n") == "");
  BOOST_TEST(contains(expect("file=\"gold.bin\"\n"), "needs buffer"));
  BOOST_TEST(contains(expect("buffer=\"y\"\nfile=\"gold.bin\"\n"), "no buffer \"y\"; did you mean"));
  BOOST_TEST(contains(expect("buffer=\"x\"\n"), "exactly one of file and value"));
  BOOST_TEST(contains(expect("buffer=\"x\"\nvalue={f32=1.0}\ntype=\"u32\"\n"), "type u32 contradicts the value's f32"));
  BOOST_TEST(contains(expect("buffer=\"x\"\nfile=\"gold.bin\"\ntype=\"float\"\n"), "unknown type \"float\""));
  BOOST_TEST(contains(expect("buffer=\"yy\"\nfile=\"gold.bin\"\n"), "\"gold.bin\" has 64 bytes, 32 elements of u8 need 32"));
  BOOST_TEST(contains(expect("buffer=\"x\"\nfile=\"gold.bin\"\noffset=65\n"), "offset 65 lies beyond buffer"));
  BOOST_TEST(contains(expect("buffer=\"x\"\nfile=\"gold.bin\"\ncount=65\n"), "go beyond buffer"));
  BOOST_TEST(contains(expect("buffer=\"x\"\nvalue={u32=1}\noffset=2\n"), "no whole number of u32 elements"));
  BOOST_TEST(contains(expect("buffer=\"x\"\nfile=\"gold.bin\"\nabs=-1\n"), "abs = -1 must be at least 0"));
  BOOST_TEST(contains(f.error(object_head + launch + "[[output]]\nbuffer=\"x\"\n"), "[[output]] 0 needs file"));
  BOOST_TEST(contains(f.error(object_head + launch + "[[output]]\nbuffer=\"q\"\nfile=\"o\"\n"), "no buffer \"q\""));
  BOOST_TEST(contains(support::error_of([&] { load_job(f.d.path / "none.toml"); }), "cannot read the job file"));
}
