// SPDX-License-Identifier: Apache-2.0
#include "dispatch/code_object.h"
#include "dispatch/metadata.h"
#include "dispatch/offload_bundle.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <gelf.h>
#include <iterator>

namespace lyra::dispatch {

namespace {
constexpr unsigned em_amdgpu = 224, osabi_hsa = 64;
constexpr unsigned nt_amdgpu_metadata = 32;
enum reloc : uint32_t { abs32_lo = 1, abs32_hi, abs64, rel32, rel64, abs32, gotpcrel, gotpcrel32_lo, gotpcrel32_hi, rel32_lo, rel32_hi, relative64 = 13 };

struct machine_name { unsigned flag; const char* name; };
constexpr machine_name machines[] = {{0x20, "gfx600"}, {0x21, "gfx601"}, {0x22, "gfx700"}, {0x23, "gfx701"}, {0x24, "gfx702"}, {0x25, "gfx703"}, {0x26, "gfx704"}, {0x28, "gfx801"},
                                     {0x29, "gfx802"}, {0x2a, "gfx803"}, {0x2b, "gfx810"}, {0x2c, "gfx900"}, {0x2d, "gfx902"}, {0x2e, "gfx904"}, {0x2f, "gfx906"}, {0x30, "gfx908"},
                                     {0x31, "gfx909"}, {0x32, "gfx90c"}, {0x33, "gfx1010"}, {0x34, "gfx1011"}, {0x35, "gfx1012"}, {0x36, "gfx1030"}, {0x37, "gfx1031"}, {0x38, "gfx1032"},
                                     {0x39, "gfx1033"}, {0x3d, "gfx1035"}, {0x3e, "gfx1034"}, {0x3f, "gfx90a"}, {0x40, "gfx940"}, {0x41, "gfx1100"}, {0x42, "gfx1013"}};

template <class T> T get(const std::vector<uint8_t>& bytes, uint64_t at) {
  T v;
  std::memcpy(&v, &bytes[at], sizeof v);
  return v;
}
} // namespace

std::optional<isa::target> find_chip(const std::string& name) {
  if (name == "gfx900") return isa::target::gfx900;
  if (name == "gfx906") return isa::target::gfx906;
  return {};
}
const char* chip_name(isa::target chip) { return chip == isa::target::gfx900 ? "gfx900" : "gfx906"; }

std::vector<const kernel_argument*> kernel::explicit_arguments() const {
  std::vector<const kernel_argument*> a;
  for (const auto& x : arguments)
    if (!x.hidden()) a.push_back(&x);
  return a;
}

std::string kernel::signature() const {
  std::string s;
  for (const auto* a : explicit_arguments()) {
    if (!s.empty()) s += ", ";
    if (!a->name.empty()) s += a->name + ": ";
    if (!a->type_name.empty()) s += a->type_name;
    else if (a->kind == argument_kind::by_value) s += fmt::format("{} bytes", a->size);
    else s += a->value_kind;
  }
  return name + "(" + s + ")";
}

/// libelf over a file image in memory.
struct elf_reader {
  std::vector<uint8_t>& bytes;
  Elf* elf;
  explicit elf_reader(std::vector<uint8_t>& b) : bytes(b), elf(nullptr) {
    elf_version(EV_CURRENT);
    elf = elf_memory(reinterpret_cast<char*>(b.data()), b.size());
  }
  ~elf_reader() { if (elf) elf_end(elf); }
  elf_reader(const elf_reader&) = delete;
  elf_reader& operator=(const elf_reader&) = delete;
};

code_object code_object::load(const std::filesystem::path& file, std::optional<isa::target> wanted) {
  std::error_code ec;
  if (std::filesystem::is_directory(file, ec)) throw observe::input_error(file.string(), "is a directory: give a code object file");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw observe::input_error(file.string(), "cannot read the code object: no such file, or no permission");
  std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(in)), {});
  return parse(std::move(bytes), file.string(), wanted);
}

code_object code_object::parse(std::vector<uint8_t> bytes, const std::string& name, std::optional<isa::target> wanted) {
  code_object o;
  o.file_ = name;
  if (is_offload_bundle(bytes)) bytes = unbundle(bytes, name, wanted);
  o.read_header(bytes);
  o.elf_ = std::move(bytes);
  elf_reader elf(o.elf_);
  if (!elf.elf) o.fail(fmt::format("damaged ELF file: {}", elf_errmsg(-1)));
  o.read_segments(elf);
  o.read_symbols(elf);
  o.find_kernels();
  return o;
}

void code_object::read_header(const std::vector<uint8_t>& bytes) {
  if (bytes.size() >= 4 && std::memcmp(bytes.data(), "\x7f" "ELF", 4)) {
    if (!std::memcmp(bytes.data(), "CCOB", 4)) fail("compressed offload bundle: decompress it with clang-offload-bundler, or build with -no-offload-compress");
    fail("no code object: the file does not begin as an ELF file does (bare machine code goes into `raw`, not `object`)");
  }
  if (bytes.size() < sizeof(Elf64_Ehdr)) fail(fmt::format("truncated code object: {} bytes, an ELF header alone has {}", bytes.size(), sizeof(Elf64_Ehdr)));
  const auto h = get<Elf64_Ehdr>(bytes, 0);
  if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB) fail("foreign ELF file: not 64-bit little endian, so no AMD GPU code object");
  if (h.e_machine != em_amdgpu) fail(fmt::format("foreign ELF file: its machine is number {}, not AMDGPU (224); give a code object that clang made with --target=amdgcn-amd-amdhsa", h.e_machine));
  if (h.e_ident[EI_OSABI] != osabi_hsa) fail(fmt::format("wrong ELF OS/ABI {}: only HSA code objects (64, target amdgcn-amd-amdhsa) can be dispatched", h.e_ident[EI_OSABI]));
  if (h.e_type == ET_REL) fail("not linked: an object file (.o); link it with ld.lld -shared");
  if (h.e_type != ET_DYN) fail(fmt::format("ELF type {} where a shared object (3) is expected", h.e_type));
  const unsigned abi = h.e_ident[EI_ABIVERSION];
  if (abi < 1 || abi > 3) fail(fmt::format("code object version {}: versions 3, 4 and 5 are known; compile with -mcode-object-version=4", abi + 2));
  version_ = abi + 2;

  const unsigned mach = h.e_flags & 0xff;
  const char* machine = nullptr;
  for (const auto& m : machines)
    if (m.flag == mach) machine = m.name;
  const auto chip = find_chip(machine ? machine : "");
  if (!chip) fail(fmt::format("wrong target: the code is for {}, Lyra runs gfx900 and gfx906; compile with -mcpu=gfx900 or -mcpu=gfx906", machine ? machine : fmt::format("an unknown chip (e_flags {:#x})", h.e_flags)));
  chip_ = *chip;
  target_id_ = machine;
  if (version_ == 3) {
    if (h.e_flags & 0x200) target_id_ += ":sramecc+";
    if (h.e_flags & 0x100) target_id_ += ":xnack+";
  } else {
    const unsigned xnack = h.e_flags >> 8 & 3, sramecc = h.e_flags >> 10 & 3; // 0 not there, 1 any, 2 off, 3 on
    if (sramecc >= 2) target_id_ += sramecc == 3 ? ":sramecc+" : ":sramecc-";
    if (xnack >= 2) target_id_ += xnack == 3 ? ":xnack+" : ":xnack-";
  }
  const auto within = [&](uint64_t offset, uint64_t count, uint64_t each) { return offset <= bytes.size() && count * each <= bytes.size() - offset; };
  if (!within(h.e_phoff, h.e_phnum, sizeof(Elf64_Phdr)) || h.e_phentsize != sizeof(Elf64_Phdr)) fail("truncated code object: its program headers lie beyond the end of the file");
  if (!within(h.e_shoff, h.e_shnum, sizeof(Elf64_Shdr))) fail("truncated code object: its section headers lie beyond the end of the file");
}

void code_object::read_segments(elf_reader& elf) {
  size_t count = 0;
  elf_getphdrnum(elf.elf, &count);
  bool metadata = false;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr p;
    if (!gelf_getphdr(elf.elf, int(i), &p)) fail(fmt::format("damaged program header {}: {}", i, elf_errmsg(-1)));
    if (p.p_type != PT_LOAD && p.p_type != PT_NOTE) continue;
    if (p.p_offset > elf.bytes.size() || p.p_filesz > elf.bytes.size() - p.p_offset)
      fail(fmt::format("truncated code object: segment {} needs bytes {:#x}..{:#x}, the file has {:#x}", i, p.p_offset, p.p_offset + p.p_filesz, elf.bytes.size()));
    if (p.p_type == PT_LOAD) {
      constexpr uint64_t limit = uint64_t(1) << 29; // half a gigabyte of code and global data
      if (p.p_memsz < p.p_filesz || p.p_vaddr > limit || p.p_memsz > limit - p.p_vaddr) fail(fmt::format("damaged program header {}: address {:#x}, {:#x} bytes in memory, {:#x} in the file", i, p.p_vaddr, p.p_memsz, p.p_filesz));
      if (image_.size() < p.p_vaddr + p.p_memsz) image_.resize(p.p_vaddr + p.p_memsz);
      std::copy_n(elf.bytes.begin() + long(p.p_offset), p.p_filesz, image_.begin() + long(p.p_vaddr));
      segments_.push_back({p.p_vaddr, p.p_filesz, p.p_memsz, (p.p_flags & PF_W) != 0, (p.p_flags & PF_X) != 0});
      continue;
    }
    for (uint64_t at = p.p_offset, end = p.p_offset + p.p_filesz; at + 12 <= end;) {
      const uint32_t name = get<uint32_t>(elf.bytes, at), size = get<uint32_t>(elf.bytes, at + 4), type = get<uint32_t>(elf.bytes, at + 8);
      const uint64_t name_at = at + 12, data_at = name_at + ((uint64_t(name) + 3) & ~uint64_t(3));
      if (data_at + size > end) fail("damaged note: it goes beyond its segment");
      const std::string owner(reinterpret_cast<const char*>(&elf.bytes[name_at]), name ? strnlen(reinterpret_cast<const char*>(&elf.bytes[name_at]), name) : 0);
      if (owner == "AMDGPU" && type == nt_amdgpu_metadata && !metadata) {
        read_metadata(&elf.bytes[data_at], size);
        metadata = true;
      }
      at = data_at + ((uint64_t(size) + 3) & ~uint64_t(3));
    }
  }
  if (segments_.empty()) fail("no loadable segment: nothing to run");
  if (!metadata) fail("no AMDGPU metadata note: without it nothing is known about the kernels' arguments");
}

void code_object::read_metadata(const uint8_t* data, size_t bytes) {
  const metadata m = parse_metadata(data, bytes, file_);
  if (!m.target.empty()) {
    const size_t dash = m.target.rfind("--");
    const std::string id = dash == std::string::npos ? m.target : m.target.substr(dash + 2);
    if (id.rfind(chip_name(chip_), 0) != 0) fail(fmt::format("contradiction: the ELF header says {}, the metadata {}", chip_name(chip_), m.target));
    target_id_ = id;
  }
  kernels_ = m.kernels;
}

void code_object::read_symbols(elf_reader& elf) {
  Elf_Scn* section = nullptr;
  struct table { std::vector<GElf_Sym> symbols; std::vector<std::string> names; };
  std::unordered_map<size_t, table> tables;
  while ((section = elf_nextscn(elf.elf, section))) {
    GElf_Shdr h;
    if (!gelf_getshdr(section, &h) || (h.sh_type != SHT_DYNSYM && h.sh_type != SHT_SYMTAB)) continue;
    Elf_Data* d = elf_getdata(section, nullptr);
    if (!d) fail(fmt::format("damaged symbol table: {}", elf_errmsg(-1)));
    table& t = tables[elf_ndxscn(section)];
    for (size_t i = 0; i < d->d_size / sizeof(Elf64_Sym); ++i) {
      GElf_Sym s;
      if (!gelf_getsym(d, int(i), &s)) fail(fmt::format("damaged symbol {}: {}", i, elf_errmsg(-1)));
      const char* text = elf_strptr(elf.elf, h.sh_link, s.st_name);
      const std::string name = text ? text : "";
      t.symbols.push_back(s);
      t.names.push_back(name);
      if (s.st_shndx == SHN_UNDEF || name.empty()) continue;
      symbols_.emplace(name, s.st_value);
      if (GELF_ST_TYPE(s.st_info) == STT_FUNC) functions_.push_back({s.st_value, s.st_size, name});
    }
  }
  std::sort(functions_.begin(), functions_.end(), [](const function& a, const function& b) { return a.address < b.address; });
  functions_.erase(std::unique(functions_.begin(), functions_.end(), [](const function& a, const function& b) { return a.address == b.address; }), functions_.end());

  section = nullptr;
  while ((section = elf_nextscn(elf.elf, section))) {
    GElf_Shdr h;
    if (!gelf_getshdr(section, &h) || !(h.sh_flags & SHF_ALLOC) || (h.sh_type != SHT_RELA && h.sh_type != SHT_REL)) continue;
    if (h.sh_type == SHT_REL) fail("relocations without addend (SHT_REL): no AMD GPU linker makes them");
    Elf_Data* d = elf_getdata(section, nullptr);
    if (!d) fail(fmt::format("damaged relocations: {}", elf_errmsg(-1)));
    const table& t = tables[h.sh_link];
    for (size_t i = 0; i < d->d_size / sizeof(Elf64_Rela); ++i) {
      GElf_Rela r;
      gelf_getrela(d, int(i), &r);
      relocation out{r.r_offset, uint32_t(GELF_R_TYPE(r.r_info)), 0, false, "", r.r_addend};
      const size_t n = GELF_R_SYM(r.r_info);
      if (n) {
        if (n >= t.symbols.size()) fail(fmt::format("damaged relocation {}: symbol {} of {}", i, n, t.symbols.size()));
        out.symbol = t.names[n];
        out.symbol_value = t.symbols[n].st_value;
        out.undefined = t.symbols[n].st_shndx == SHN_UNDEF && GELF_ST_BIND(t.symbols[n].st_info) != STB_WEAK;
      }
      relocations_.push_back(std::move(out));
    }
  }
}

void code_object::find_kernels() {
  for (auto& k : kernels_) {
    const auto s = symbols_.find(k.symbol);
    if (s == symbols_.end()) fail(fmt::format("kernel \"{}\": its descriptor symbol \"{}\" is not in the symbol table", k.name, k.symbol));
    k.descriptor_address = s->second;
    if (s->second > image_.size() || image_.size() - s->second < 64) fail(fmt::format("kernel \"{}\": its descriptor at {:#x} lies outside of the segments", k.name, s->second));
    kernel_descriptor& d = k.descriptor;
    d.group_segment_bytes = get<uint32_t>(image_, s->second);
    d.private_segment_bytes = get<uint32_t>(image_, s->second + 4);
    d.kernarg_bytes = get<uint32_t>(image_, s->second + 8);
    d.entry_offset = get<int64_t>(image_, s->second + 16);
    d.rsrc3 = get<uint32_t>(image_, s->second + 44);
    d.rsrc1 = get<uint32_t>(image_, s->second + 48);
    d.rsrc2 = get<uint32_t>(image_, s->second + 52);
    d.properties = get<uint16_t>(image_, s->second + 56);
    if (d.wavefront_size32()) fail(fmt::format("kernel \"{}\": made for waves of 32 lanes, Vega has 64", k.name));
    k.entry_address = s->second + uint64_t(d.entry_offset);
    const bool code = std::any_of(segments_.begin(), segments_.end(), [&](const segment& g) { return g.executable && k.entry_address >= g.address && k.entry_address < g.address + g.memory_bytes; });
    if (!code) fail(fmt::format("kernel \"{}\": its entry {:#x} lies in no executable segment", k.name, k.entry_address));
    if (k.kernarg_bytes < d.kernarg_bytes) k.kernarg_bytes = d.kernarg_bytes;
    kernel_index_.emplace(k.name, size_t(&k - kernels_.data()));
  }
}

const kernel& code_object::find_kernel(const std::string& name) const {
  if (const auto i = kernel_index_.find(name); i != kernel_index_.end()) return kernels_[i->second];
  if (name.size() > 3 && name.compare(name.size() - 3, 3, ".kd") == 0)
    if (const auto i = kernel_index_.find(name.substr(0, name.size() - 3)); i != kernel_index_.end()) return kernels_[i->second];
  std::vector<std::string> names;
  for (const auto& k : kernels_) names.push_back(k.name);
  std::string text = fmt::format("no kernel \"{}\" in it", name) + observe::did_you_mean(name, names);
  if (kernels_.empty()) text += "; it has none at all";
  else if (kernels_.size() <= 12) text += "; it has: " + observe::join(names);
  else text += fmt::format("; it has {} kernels (lyra info lists them)", kernels_.size());
  fail(text);
}

std::vector<uint8_t> code_object::image_at(uint64_t base) const {
  std::vector<uint8_t> image = image_;
  for (const auto& r : relocations_) {
    if (r.undefined) fail(fmt::format("undefined symbol \"{}\": link the object with what defines it", r.symbol));
    const uint64_t value = r.type == relative64 ? base + uint64_t(r.addend) : base + r.symbol_value + uint64_t(r.addend);
    const uint64_t place = base + r.address;
    unsigned bytes = 4;
    uint64_t v = 0;
    switch (r.type) {
      case 0: continue;
      case abs32_lo: v = value; break;
      case abs32_hi: v = value >> 32; break;
      case abs32:
        if (value >> 32) fail(fmt::format("32-bit relocation of \"{}\" does not reach {:#x}", r.symbol, value));
        v = value;
        break;
      case rel32_lo: v = value - place; break;
      case rel32_hi: v = (value - place) >> 32; break;
      case rel32:
        v = value - place;
        if (int64_t(v) != int32_t(v)) fail(fmt::format("32-bit relocation of \"{}\" does not reach {:#x} from {:#x}", r.symbol, value, place));
        break;
      case abs64: case relative64: v = value; bytes = 8; break;
      case rel64: v = value - place; bytes = 8; break;
      default: fail(fmt::format("relocation type {} at {:#x} (symbol \"{}\") is not one a linked code object has", r.type, r.address, r.symbol));
    }
    if (r.address > image.size() || image.size() - r.address < bytes) fail(fmt::format("relocation at {:#x} lies outside of the segments", r.address));
    std::memcpy(&image[r.address], &v, bytes);
  }
  return image;
}

std::string code_object::symbolize(uint64_t address) const {
  auto i = std::upper_bound(functions_.begin(), functions_.end(), address, [](uint64_t a, const function& f) { return a < f.address; });
  if (i == functions_.begin()) return "";
  --i;
  const uint64_t offset = address - i->address;
  if (i->size ? offset >= i->size : std::next(i) == functions_.end() && address >= image_.size()) return "";
  return offset ? fmt::format("{}+{:#x}", i->name, offset) : i->name;
}

std::string code_object::describe() const {
  std::string s = fmt::format("{}\n  target        amdgcn-amd-amdhsa--{}\n  code object   version {}\n  image         {} bytes, {} relocation{}\n", file_, target_id_, version_, image_.size(),
                              relocations_.size(), relocations_.size() == 1 ? "" : "s");
  for (const auto& g : segments_)
    s += fmt::format("  segment       {:#010x}  {:>9} bytes  r{}{}\n", g.address, g.memory_bytes, g.writable ? "w" : "-", g.executable ? "x" : "-");
  s += fmt::format("  kernels       {}\n", kernels_.size());
  for (const auto& k : kernels_) {
    const kernel_descriptor& d = k.descriptor;
    const unsigned by_vgprs = std::min(10u, 256 / d.vgprs()), by_sgprs = std::min(10u, 800 / d.sgprs());
    s += fmt::format("\n{}\n", k.name);
    s += fmt::format("  entry         {:#x} (descriptor {:#x})\n", k.entry_address, k.descriptor_address);
    s += fmt::format("  registers     {} VGPRs, {} SGPRs allocated; {} and {} used, {} and {} spilled; {} waves a SIMD\n", d.vgprs(), d.sgprs(), k.vgpr_count, k.sgpr_count, k.vgpr_spills, k.sgpr_spills,
                     std::min(by_vgprs, by_sgprs));
    s += fmt::format("  LDS           {} bytes a workgroup (static)\n", d.group_segment_bytes);
    s += fmt::format("  scratch       {} bytes a work-item{}\n", d.private_segment_bytes, k.uses_dynamic_stack || d.uses_dynamic_stack() ? " and a dynamic stack" : "");
    s += fmt::format("  workgroup     at most {} work-items", k.max_workgroup);
    if (k.required_workgroup[0]) s += fmt::format(", always {} x {} x {}", k.required_workgroup[0], k.required_workgroup[1], k.required_workgroup[2]);
    s += fmt::format("\n  float mode    {:#04x}, DX10_CLAMP {}, IEEE {}\n", d.rsrc1 >> 12 & 255, d.rsrc1 >> 21 & 1, d.rsrc1 >> 23 & 1);
    std::vector<std::string> user;
    if (d.private_segment_buffer()) user.push_back("private_segment_buffer");
    if (d.dispatch_ptr()) user.push_back("dispatch_ptr");
    if (d.queue_ptr()) user.push_back("queue_ptr");
    if (d.kernarg_segment_ptr()) user.push_back("kernarg_segment_ptr");
    if (d.dispatch_id()) user.push_back("dispatch_id");
    if (d.flat_scratch_init()) user.push_back("flat_scratch_init");
    if (d.private_segment_size()) user.push_back("private_segment_size");
    s += fmt::format("  user SGPRs    {}: {}\n", d.user_sgprs(), user.empty() ? "none" : observe::join(user));
    s += fmt::format("  kernarg       {} bytes, {} aligned\n", k.kernarg_bytes, k.kernarg_align);
    for (const auto& a : k.arguments) {
      std::string line = fmt::format("    {:>4} {:>4}  {:<26}", a.offset, a.size, a.value_kind);
      if (!a.type_name.empty()) line += " " + a.type_name;
      if (!a.name.empty()) line += " " + a.name;
      if (!a.address_space.empty() && !a.hidden()) line += " (" + a.address_space + (a.access.empty() ? "" : ", " + a.access) + ")";
      while (line.back() == ' ') line.pop_back();
      s += line + "\n";
    }
  }
  return s;
}

} // namespace lyra::dispatch
