// SPDX-License-Identifier: Apache-2.0
#include "fabric/edge_record.h"
#include "isa/decoder.h"
#include "observe/input_error.h"
#include <cstring>
#include <sstream>

namespace lyra::fabric {

namespace {

void put_bytes(std::ostream& o, const uint8_t* d, unsigned n) {
  static const char digits[] = "0123456789abcdef";
  o << ' ';
  for (unsigned i = 0; i < n; ++i) o << digits[d[i] >> 4] << digits[d[i] & 15];
}

bool get_bytes(std::istream& in, uint8_t* d, unsigned n) {
  std::string text;
  if (!(in >> text) || text.size() != 2 * n) return false;
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  for (unsigned i = 0; i < n; ++i) {
    const int h = digit(text[2 * i]), l = digit(text[2 * i + 1]);
    if (h < 0 || l < 0) return false;
    d[i] = uint8_t(h * 16 + l);
  }
  return true;
}

/// The plain inputs of a wave request, in the order of the line.
template <class W, class F> void wave_scalars(W& w, F&& f) {
  f(w.exec); f(w.pc); f(w.wave_id); f(w.cu); f(w.sequence); f(w.dispatch_order); f(w.dispatch_first_order); f(w.dispatch); f(w.workgroup);
  for (auto& x : w.resource) f(x);
  for (auto& x : w.sampler) f(x);
  f(w.soffset); f(w.saddr); f(w.flat_scratch); f(w.m0); f(w.mode); f(w.lds_base); f(w.lds_size); f(w.gds_base); f(w.gds_size); f(w.result_mask);
}

void put_wave(std::ostream& o, wave_request& w) {
  o << std::hex << w.inst->words[0] << ' ' << w.inst->words[1];
  wave_scalars(w, [&](auto v) { o << ' ' << uint64_t(v); });
  o << ' ' << unsigned(w.simd) << ' ' << unsigned(w.slot) << ' ' << unsigned(w.unaligned) << ' ' << unsigned(w.vaddr_dwords) << ' ' << unsigned(w.vdata_dwords) << ' ' << unsigned(w.vdata2_row) << ' '
    << unsigned(w.result_to_lds);
  for (unsigned r = 0; r < w.vaddr_dwords; ++r) put_bytes(o, reinterpret_cast<const uint8_t*>(w.vaddr[r]), 256);
  for (unsigned r = 0; r < w.vdata_dwords; ++r) put_bytes(o, reinterpret_cast<const uint8_t*>(w.vdata[r]), 256);
  if (w.result_to_lds) put_bytes(o, reinterpret_cast<const uint8_t*>(w.result[0]), 256);
  static const uint8_t none[256] = {}; // a request without
  put_bytes(o, w.lds_address ? reinterpret_cast<const uint8_t*>(w.lds_address) : none, 256);
}

/// A launch packet's numbers, in the order of the line. User SGPRs stand before them, the kernel's name behind everything.
template <class P, class F> void packet_scalars(P& p, F&& f) {
  f(p.id); f(p.first_wave_order); f(p.entry_pc); f(p.target);
  for (auto& x : p.grid) f(x);
  for (auto& x : p.workgroup) f(x);
  for (auto& x : p.workgroup_id) f(x);
  for (auto& x : p.workgroup_id_order) f(x);
  f(p.workgroup_id_count); f(p.workgroup_info); f(p.scratch_wave_offset); f(p.workitem_id); f(p.mode); f(p.vgprs); f(p.sgprs); f(p.lds_bytes); f(p.scratch_bytes); f(p.scratch_base);
  f(p.scratch_wave_bytes); f(p.barrier); f(p.unaligned); f(p.reads_trapsts); f(p.trap_handler); f(p.trap_memory);
}
/// The group's, without its places.
template <class L, class F> void group_scalars(L& l, F&& f) {
  for (auto& x : l.group) f(x);
  for (auto& x : l.size) f(x);
  f(l.group_number); f(l.first_wave_order); f(l.lds_base); f(l.waves);
}

void put_launch(std::ostream& o, const launch_extension& l) {
  const dispatch_packet& p = *l.packet;
  const auto put = [&](auto v) { o << ' ' << uint64_t(v); };
  o << std::hex << p.user_sgprs.size();
  for (const uint32_t v : p.user_sgprs) put(v);
  packet_scalars(p, put);
  group_scalars(l, put);
  for (unsigned i = 0; i < l.waves && i < 16; ++i) { put(l.places[i].simd); put(l.places[i].slot); put(l.places[i].vgpr_base); put(l.places[i].scratch_offset); }
  o << ' ' << p.kernel;
}

} // namespace

std::string record_line(payload& p, picoseconds at) {
  std::ostringstream o;
  const policy_extension* e = payload_pool::find_policy(p);
  const unsigned policy = e ? e->glc + 2 * e->slc + 4 * e->nv : 0;
  const auto head = [&](char kind) { o << kind << ' ' << at << ' ' << std::hex << p.get_address() << std::dec << ' '; };
  if (p.get_command() == tlm::TLM_READ_COMMAND) {
    head('R');
    o << p.get_data_length() << ' ' << policy;
  } else if (p.get_command() == tlm::TLM_WRITE_COMMAND) {
    if (p.get_data_length() > line_bytes) return "";
    head('W');
    o << p.get_data_length() << ' ' << policy << ' ' << std::hex << payload_pool::byte_mask(p);
    put_bytes(o, p.get_data_ptr(), p.get_data_length());
  } else if (const atomic_extension* a = payload_pool::find_atomic(p)) {
    head('A');
    o << unsigned(a->operation) << ' ' << unsigned(a->bytes) << ' ' << a->returns << ' ' << unsigned(a->count) << std::hex;
    for (unsigned i = 0; i < a->count; ++i) o << ' ' << unsigned(a->entries[i].lane) << ' ' << unsigned(a->entries[i].offset) << ' ' << a->entries[i].operand << ' ' << a->entries[i].compare;
    put_bytes(o, p.get_data_ptr(), line_bytes);
  } else if (const auto* l = p.get_extension<launch_extension>()) {
    o << "L " << at << ' ' << (at > now_ps() ? at - now_ps() : 0) << ' ';
    put_launch(o, *l);
  } else if (p.get_data_ptr() == reinterpret_cast<unsigned char*>(&p) || p.get_extension<wave_request>()) {
    o << "V " << at << ' ';
    put_wave(o, wave_pool::of(p));
  } else if (e && e->control != cache_control::none) {
    head('C');
    o << unsigned(e->control) << ' ' << policy;
  } else return "";
  return o.str();
}

record_reader::record_reader(const std::string& file, const context& context, isa::target chip) : file_(file), in_(file), context_(context), chip_(chip) {
  if (!in_) throw observe::input_error(file, "cannot read the record of an edge: no such file, or no permission");
}

payload* record_reader::wave(std::istream& in) {
  uint32_t words[2];
  in >> std::hex >> words[0] >> words[1];
  const isa::decode_result d = isa::decode(words, 2, chip_);
  if (!d) return nullptr;
  instructions_.push_back(d.inst);
  payload& p = context_.waves->take();
  wave_request& w = wave_pool::of(p);
  w.begin(&instructions_.back(), 0);
  wave_scalars(w, [&](auto& v) {
    uint64_t x = 0;
    in >> x;
    v = std::decay_t<decltype(v)>(x);
  });
  unsigned simd = 0, slot = 0, unaligned = 0, vaddr = 0, vdata = 0, vdata2 = 0, to_lds = 0;
  in >> simd >> slot >> unaligned >> vaddr >> vdata >> vdata2 >> to_lds;
  bool right = bool(in) && vaddr <= 13 && vdata <= 5;
  w.simd = uint8_t(simd); w.slot = uint8_t(slot); w.unaligned = unaligned; w.vaddr_dwords = uint8_t(vaddr); w.vdata_dwords = uint8_t(vdata); w.vdata2_row = uint8_t(vdata2); w.result_to_lds = to_lds;
  for (unsigned r = 0; right && r < vaddr; ++r) right = get_bytes(in, reinterpret_cast<uint8_t*>(w.vaddr[r]), 256);
  for (unsigned r = 0; right && r < vdata; ++r) right = get_bytes(in, reinterpret_cast<uint8_t*>(w.vdata[r]), 256);
  if (right && to_lds) right = get_bytes(in, reinterpret_cast<uint8_t*>(w.result[0]), 256);
  if (right) right = get_bytes(in, reinterpret_cast<uint8_t*>(w.lds_address), 256);
  if (right) return &p;
  p.release();
  return nullptr;
}

/// Packets and payloads of launches; both live as long as the reader.
struct record_reader::launches : tlm::tlm_mm_interface, private resettable {
  std::deque<dispatch_packet> packets;
  std::deque<payload> all;
  std::vector<payload*> idle;
  payload& take() {
    if (idle.empty()) {
      payload& p = all.emplace_back();
      p.set_mm(this);
      p.set_extension(new launch_extension); // the payload's
      p.set_command(tlm::TLM_IGNORE_COMMAND);
      p.set_address(0);
      p.set_data_ptr(nullptr);
      p.set_data_length(0);
      p.set_streaming_width(1);
      idle.push_back(&p);
    }
    payload& p = *idle.back();
    idle.pop_back();
    p.acquire();
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return p;
  }
  void free(payload* p) override { idle.push_back(p); }
  void on_reset() override {}
  void on_reclaim() override { for (payload& p : all) take_back(p); }
};
record_reader::~record_reader() = default;

payload* record_reader::launch(std::istream& in) {
  if (!launches_) launches_ = std::make_unique<launches>();
  dispatch_packet packet;
  const auto get = [&](auto& v) {
    uint64_t x = 0;
    in >> x;
    v = std::decay_t<decltype(v)>(x);
  };
  uint64_t count = 0;
  in >> std::hex >> count;
  if (!in || count > 104) return nullptr;
  packet.user_sgprs.resize(count);
  for (uint32_t& v : packet.user_sgprs) get(v);
  packet_scalars(packet, get);
  launch_extension l;
  group_scalars(l, get);
  if (!in || l.waves < 1 || l.waves > 16) return nullptr;
  for (unsigned i = 0; i < l.waves; ++i) { get(l.places[i].simd); get(l.places[i].slot); get(l.places[i].vgpr_base); get(l.places[i].scratch_offset); }
  if (!in) return nullptr;
  std::getline(in >> std::ws, packet.kernel);
  // the groups of a dispatch share their packet
  auto& packets = launches_->packets;
  if (packets.empty() || packets.back().id != packet.id || packets.back().entry_pc != packet.entry_pc) packets.push_back(packet);
  l.packet = &packets.back();
  payload& p = launches_->take();
  p.get_extension<launch_extension>()->copy_from(l);
  return &p;
}

bool record_reader::next(recorded_request& r) {
  std::string text;
  while (std::getline(in_, text)) {
    ++line_;
    if (text.empty() || text[0] == '#') continue;
    std::istringstream in(text);
    char kind = 0;
    uint64_t address = 0;
    unsigned length = 0, policy = 0;
    in >> kind >> r.at;
    r.p = nullptr;
    r.lead = 0;
    if (kind == 'L') in >> r.lead;
    if (kind != 'V' && kind != 'L') in >> std::hex >> address >> std::dec;
    if (kind == 'R' && in >> length >> policy && length && length <= line_bytes) r.p = &context_.lines->line(tlm::TLM_READ_COMMAND, address, length);
    else if (kind == 'W') {
      uint64_t mask = 0;
      uint8_t data[2 * line_bytes] = {};
      in >> length >> policy >> std::hex >> mask;
      const unsigned offset = unsigned(address % line_bytes);
      if (in && length && offset + length <= line_bytes && get_bytes(in, data + offset, length)) r.p = &context_.lines->masked_write(address - offset, data, mask << offset);
    } else if (kind == 'C') {
      unsigned control = 0;
      if (in >> control >> policy && control <= unsigned(cache_control::probe)) {
        r.p = &context_.lines->line(tlm::TLM_IGNORE_COMMAND, address);
        payload_pool::policy(*r.p).control = cache_control(control);
      }
    } else if (kind == 'A') {
      unsigned operation = 0, bytes = 0, returns = 0, count = 0;
      in >> operation >> bytes >> returns >> count >> std::hex;
      if (in && count <= 64) {
        payload& p = context_.lines->atomic(address);
        atomic_extension& a = payload_pool::atomic_of(p);
        a.operation = isa::atomic_operation(operation);
        a.bytes = uint8_t(bytes);
        a.returns = returns;
        a.count = uint8_t(count);
        for (unsigned i = 0; i < count; ++i) {
          unsigned lane = 0, offset = 0;
          in >> lane >> offset >> a.entries[i].operand >> a.entries[i].compare;
          a.entries[i].lane = uint8_t(lane);
          a.entries[i].offset = uint8_t(offset);
        }
        if (get_bytes(in, p.get_data_ptr(), line_bytes)) r.p = &p;
        else p.release();
      }
    } else if (kind == 'V') r.p = wave(in);
    else if (kind == 'L') r.p = launch(in);
    if (!r.p) throw observe::input_error(file_ + ":" + std::to_string(line_), "not a request: R, W, C, A, V or L with its fields (fabric/edge_record.h)");
    if (kind != 'V' && kind != 'L') {
      policy_extension& e = payload_pool::policy(*r.p);
      e.glc = policy & 1;
      e.slc = policy & 2;
      e.nv = policy & 4;
    }
    return true;
  }
  return false;
}

edge_recorder::edge_recorder(sc_core::sc_module_name name, const std::string& file) : sc_module(name), in("in"), out("out"), file_(file), name_(file) {
  if (!file_) throw observe::input_error(file, "cannot write the record of an edge");
  in.bind(*static_cast<tlm::tlm_fw_transport_if<>*>(this));
  out.bind(*static_cast<tlm::tlm_bw_transport_if<>*>(this));
  file_ << "# requests of an edge: time in ps, command, address, ... (fabric/edge_record.h)\n";
}
edge_recorder::~edge_recorder() = default;

void edge_recorder::on_reset() {
  file_.close();
  file_.open(name_);
  recorded_ = left_out_ = 0;
}

void edge_recorder::record(payload& p, picoseconds at) {
  const std::string line = record_line(p, at);
  if (line.empty()) { ++left_out_; return; }
  ++recorded_;
  file_ << line << '\n';
  file_.flush(); // a run may end without taking its objects apart
}

tlm::tlm_sync_enum edge_recorder::nb_transport_fw(payload& p, tlm::tlm_phase& phase, sc_core::sc_time& t) {
  if (phase == tlm::BEGIN_REQ) record(p, event_ps() + t.value());
  return out->nb_transport_fw(p, phase, t);
}

void edge_recorder::b_transport(payload& p, sc_core::sc_time& t) {
  record(p, event_ps() + t.value());
  out->b_transport(p, t);
}

} // namespace lyra::fabric
