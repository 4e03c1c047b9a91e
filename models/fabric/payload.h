// SPDX-License-Identifier: Apache-2.0
// What sockets carry: pooled generic payloads with sticky extensions.
#pragma once
#include "fabric/reset.h"
#include "isa/opcode.h"
#include <memory>
#include <tlm>
#include <vector>

namespace lyra::fabric {

constexpr unsigned bus_width_bits = 512; ///< BUSWIDTH of every socket
constexpr unsigned line_bytes = 64;
using payload = tlm::tlm_generic_payload;

/// Gives every reference to a payload back, whoever held it: a part of a reset. Its memory manager has it then.
inline void take_back(payload& p) {
  while (p.get_ref_count() > 0) p.release();
}

/// Cache maintenance: a transaction with command IGNORE and this in its policy extension. It takes its place in the order of the port's requests.
enum class cache_control : uint8_t {
  none, invalidate, writeback, writeback_invalidate, invalidate_volatile, writeback_volatile,
  discard, ///< S_DCACHE_DISCARD of the line at the address: dirty bytes are dropped
  probe    ///< S_ATC_PROBE: translation prefetch, no data
};

/// Cache policy of a line transaction. Ignorable; absent means all 0.
struct policy_extension : tlm::tlm_extension<policy_extension> {
  uint64_t tag = 0;       ///< the requester's own note (TA: which instruction and line; comes back unchanged)
  uint16_t source = 0;    ///< which requester of the machine (statistics, fairness, trace)
  uint16_t route = 0;     ///< for the interconnect: the port the request came in by
  uint16_t passing = 0;   ///< a cache's own note about a transaction that it passes on below
  cache_control control = cache_control::none;
  uint8_t wanted_bytes = 0; ///< hint for the width of data paths: bytes of the line that the requester will use; 0: all
  bool glc = false, slc = false, nv = false;
  bool streaming = false; ///< the line need not stay in L2 (SLC)
  bool hit = false;       ///< written by a cache: it answered without going below (observers)
  void clear() { glc = slc = nv = streaming = hit = false; control = cache_control::none; tag = 0; wanted_bytes = 0; }
  tlm_extension_base* clone() const override { return new policy_extension(*this); }
  void copy_from(const tlm_extension_base& e) override { *this = static_cast<const policy_extension&>(e); }
};
static_assert(sizeof(policy_extension) <= 32, "a pool's payload behind it shows its address, command and data pointer in the same line of the host's cache");

/// One global atomic packet: all lanes of one instruction that touch one line. Command IGNORE; a target that does not know
/// the extension answers COMMAND_ERROR. Lanes act in ascending order.
struct atomic_extension : tlm::tlm_extension<atomic_extension> {
  isa::atomic_operation operation = isa::atomic_operation::atomic_none;
  uint8_t bytes = 4;         ///< 4 or 8
  bool returns = false;      ///< GLC: old values go back
  uint8_t count = 0;         ///< entries in use
  uint16_t source = 0;       ///< requester: the compute unit
  uint32_t wave = 0;         ///< of the requester, for observers
  struct entry { uint8_t lane; uint8_t offset; /* in the line */ uint64_t operand; uint64_t compare; uint64_t result; };
  entry entries[64];
  tlm_extension_base* clone() const override { return new atomic_extension(*this); }
  void copy_from(const tlm_extension_base& e) override { *this = static_cast<const atomic_extension&>(e); }
};

/// Allocates payloads for line and atomic transactions and takes them back; nothing is freed before the pool is.
/// A payload comes with a 64-byte data array and its sticky policy (and atomic) extension; a masked write with a 64-byte byte-enable array.
class payload_pool : public tlm::tlm_mm_interface, private resettable {
public:
  payload_pool();
  ~payload_pool() override;
  payload_pool(const payload_pool&) = delete;
  payload_pool& operator=(const payload_pool&) = delete;

  /// A line transaction, reference count 1: `release()` it when done. Byte enables are off.
  payload& line(tlm::tlm_command command, uint64_t address, unsigned length = line_bytes);
  /// A write of the bytes whose bit is set in `mask` (bit i: byte i of the line).
  payload& masked_write(uint64_t address, const uint8_t* data, uint64_t mask);
  /// Byte enables of a write of this pool that has none yet, from a mask.
  void enable(payload& p, uint64_t mask);
  /// An atomic packet to the line at `address` with an empty atomic extension.
  payload& atomic(uint64_t address);

  static policy_extension& policy(payload& p) { return *find_policy(p); }
  /// A read of one whole line in a payload of a pool: a cache that misses may pass it on below instead of a transaction of its own.
  static bool whole_line_read(payload& p) {
    return p.get_command() == tlm::TLM_READ_COMMAND && p.get_data_length() == line_bytes && p.get_address() % line_bytes == 0 && !p.get_byte_enable_ptr() && slot_of(p) != nullptr;
  }
  /// A payload of a pool is its initiator's until the response has come back, and its memory stays for good: targets on the way need no reference of their own.
  static bool kept_by_initiator(payload& p) { return slot_of(p) != nullptr; }
  /// The policy extension, or null. A payload of a pool keeps its extensions behind itself: no look-up by number through the TLM library.
  static policy_extension* find_policy(payload& p) {
    if (slot* s = slot_of(p)) return &s->policy;
    return p.get_extension<policy_extension>();
  }
  static const policy_extension* find_policy(const payload& p) { return find_policy(const_cast<payload&>(p)); }
  /// The atomic extension, or null.
  static atomic_extension* find_atomic(payload& p) {
    if (slot* s = slot_of(p)) return s->atomic.get();
    return p.get_extension<atomic_extension>();
  }
  static const atomic_extension* find_atomic(const payload& p) { return find_atomic(const_cast<payload&>(p)); }
  /// For targets that foreign initiators may be bound to: all 0 where the payload has no policy extension.
  static policy_extension& policy_or_none(payload& p) {
    if (policy_extension* e = find_policy(p)) return *e;
    static policy_extension absent;
    return absent = policy_extension();
  }
  static atomic_extension& atomic_of(payload& p) { return *find_atomic(p); }
  /// The byte mask of a line transaction (all ones without byte enables).
  static uint64_t byte_mask(const payload& p);

  void free(payload* p) override;
  size_t outstanding() const { return outstanding_; } ///< payloads not yet returned

private:
  template <class E> struct owned : E { void free() override {} }; // lives in its slot: the payload does not delete it
  struct byte_enables { uint8_t of_line[line_bytes]; };
  struct slot { // four lines of the host's cache: the data; what every hop looks at, to the payload's data pointer; the rest of the payload, what only the pool looks at last
    alignas(64) uint8_t data[line_bytes];
    owned<policy_extension> policy;
    payload p;
    std::unique_ptr<owned<atomic_extension>> atomic;
    byte_enables* enables = nullptr; ///< of a masked write
    ~slot() {
      p.clear_extension(&policy);
      if (atomic) p.clear_extension(atomic.get());
    }
  };
  /// The slot of a pool's payload, known by where its data lies; null for others.
  static slot* slot_of(payload& p) {
    auto* data = reinterpret_cast<unsigned char*>(&p) - place_of_payload;
    return p.get_data_ptr() == data ? reinterpret_cast<slot*>(data) : nullptr;
  }
  static constexpr size_t place_of_payload = line_bytes + sizeof(owned<policy_extension>); ///< in a slot; checked where slots are made
  payload& take(std::vector<payload*>& idle, bool atomic);
  void on_reset() override {}
  void on_reclaim() override;
  static constexpr unsigned slots_at_once = 16;
  std::vector<std::unique_ptr<slot[]>> slots_;
  std::vector<std::unique_ptr<byte_enables[]>> enables_;
  std::vector<byte_enables*> idle_enables_;
  std::vector<payload*> idle_lines_, idle_atomics_;
  size_t outstanding_ = 0;
};

} // namespace lyra::fabric
