// SPDX-License-Identifier: Apache-2.0
#include "dispatch/job.h"
#include "dispatch/code_object.h"
#include "dispatch/job_fields.h"
#include <algorithm>
#include <fstream>
#include <iterator>

namespace lyra::dispatch {

namespace fs = std::filesystem;

std::string argument_spec::describe() const {
  switch (what) {
    case kind::value: return dispatch::name(value.type);
    case kind::bytes: return fmt::format("{} bytes", bytes.size());
    case kind::buffer: return "buffer";
    case kind::image: return "an image";
    case kind::sampler: return "a sampler";
    default: return "local";
  }
}

const buffer_spec* job::find_buffer(const std::string& name) const {
  for (const auto& b : buffers)
    if (b.name == name) return &b;
  return nullptr;
}

const image_spec* job::find_image(const std::string& name) const {
  for (const auto& i : images)
    if (i.name == name) return &i;
  return nullptr;
}

const sampler_spec* job::find_sampler(const std::string& name) const {
  for (const auto& x : samplers)
    if (x.name == name) return &x;
  return nullptr;
}

namespace {

/// Reads one job; a class so that every part can see the file's name, its directory and the buffers.
class reader {
public:
  reader(const toml::table& root, const std::string& file, fs::path directory) : root_(root), file_(file), directory_(std::move(directory)) {}

  job read() {
    const toml_fields top(root_, "the job file", file_, {"code", "buffer", "image", "sampler", "dispatch", "expect", "output"});
    read_code(top);
    read_images(top);
    read_buffers(top);
    read_descriptors(top);
    for_each_table(top, "dispatch", [&](const toml::table& t, const std::string& what) { read_dispatch(t, what); });
    if (job_.dispatches.empty()) source_place{file_, 0}.fail("nothing to run: a job needs at least one [[dispatch]]");
    for_each_table(top, "expect", [&](const toml::table& t, const std::string& what) { read_expect(t, what); });
    for_each_table(top, "output", [&](const toml::table& t, const std::string& what) { read_output(t, what); });
    return std::move(job_);
  }

private:
  fs::path existing(const toml_fields& f, const char* key) const { return existing_file(f, key, directory_); }

  template <class F> void for_each_table(const toml_fields& top, const char* key, F&& each) {
    const toml::node* n = top.node(key);
    if (!n) return;
    if (n->is_table()) top.fail(key, fmt::format("[{0}] must be written [[{0}]]: there can be several", key));
    const toml::array* list = top.array(key);
    unsigned i = 0;
    for (const auto& e : *list) {
      if (!e.is_table()) top.place_of(e).fail(fmt::format("every {} must be a table", key));
      each(*e.as_table(), fmt::format("[[{}]] {}", key, i++));
    }
  }

  const buffer_spec& known_buffer(const std::string& name, const std::string& what, const source_place& place) const {
    if (const auto* b = job_.find_buffer(name)) return *b;
    std::vector<std::string> names;
    for (const auto& b : job_.buffers) names.push_back(b.name);
    place.fail(fmt::format("{}: no buffer \"{}\"", what, name) + observe::did_you_mean(name, names));
  }

  const image_spec& known_image(const std::string& name, const std::string& what, const source_place& place) const {
    if (const auto* i = job_.find_image(name)) return *i;
    std::vector<std::string> names;
    for (const auto& i : job_.images) names.push_back(i.name);
    place.fail(fmt::format("{}: no image \"{}\"", what, name) + observe::did_you_mean(name, names));
  }

  void known_sampler(const std::string& name, const std::string& what, const source_place& place) const {
    if (job_.find_sampler(name)) return;
    std::vector<std::string> names;
    for (const auto& x : job_.samplers) names.push_back(x.name);
    place.fail(fmt::format("{}: no sampler \"{}\"", what, name) + observe::did_you_mean(name, names));
  }

  /// Buffers, images and samplers share one space of names.
  void new_name(const std::string& name, const std::string& what, const source_place& place) const {
    if (job_.find_buffer(name) || job_.find_image(name) || job_.find_sampler(name)) place.fail(fmt::format("{}: another buffer, image or sampler has the name \"{}\"", what, name));
  }

  void read_images(const toml_fields& top) {
    for (bool views : {false, true}) // an image may stand behind its views
      for_each_named(top, "image", [&](const toml::table& t, const std::string& name) {
        if (t.contains("view_of") != views) return;
        const toml_fields f(t, fmt::format("[image.{}]", name), file_, image_keys());
        new_name(name, f.what(), f.place());
        job_.images.push_back(read_image(f, name, directory_, job_.images));
      });
    for_each_named(top, "sampler", [&](const toml::table& t, const std::string& name) {
      const toml_fields f(t, fmt::format("[sampler.{}]", name), file_, sampler_keys());
      new_name(name, f.what(), f.place());
      job_.samplers.push_back(read_sampler(f, name));
    });
  }

  void read_code(const toml_fields& top) {
    const toml::node* n = top.node("code");
    if (!n) source_place{file_, 0}.fail("no [code]: a job needs object = \"file.co\" or raw = \"file.bin\" in it");
    if (!n->is_table()) top.fail("code", "[code] must be a table");
    const toml_fields f(*n->as_table(), "[code]", file_, {"object", "raw", "target", "address"});
    code_spec& c = job_.code;
    c.place = f.place();
    if (f.has("object") == f.has("raw")) f.place().fail("[code] needs exactly one of object and raw");
    c.raw = f.has("raw");
    c.file = existing(f, c.raw ? "raw" : "object");
    c.place = f.place(c.raw ? "raw" : "object");
    if (f.has("target")) {
      if (!c.raw) f.fail("target", "[code]: target is for raw code only, an object knows its own");
      const std::string t = f.needed_string("target");
      c.target = find_chip(t);
      if (!c.target) f.fail("target", fmt::format("[code]: wrong target \"{}\": Lyra runs gfx900 and gfx906", t));
    }
    c.address = address_field(f);
    std::error_code e;
    if (c.raw && fs::file_size(c.file, e) == 0) c.place.fail(fmt::format("[code]: \"{}\" is empty", c.file.string()));
  }

  void read_buffers(const toml_fields& top) {
    for_each_named(top, "buffer", [&](const toml::table& t, const std::string& name) {
      const toml_fields f(t, fmt::format("[buffer.{}]", name), file_, {"file", "size", "fill", "address", "descriptors", "non_resident"});
      new_name(name, f.what(), f.place());
      buffer_spec b;
      b.name = name;
      b.place = f.place();
      if (f.has("file")) {
        if (f.has("fill")) f.fail("fill", fmt::format("{} has file and fill: give one of them", f.what()));
        b.file = existing(f, "file");
        b.bytes = fs::file_size(*b.file);
      }
      constexpr uint64_t limit = uint64_t(1) << 46;
      if (const auto size = f.unsigned_value("size", 1, limit)) {
        if (b.file && *size < b.bytes) f.fail("size", fmt::format("{}: size {} is less than its file's {} bytes", f.what(), *size, b.bytes));
        b.bytes = *size;
      } else if (!b.file && !f.has("descriptors")) {
        f.place().fail(fmt::format("{} needs file or size", f.what()));
      }
      if (b.bytes == 0 && b.file) f.fail("file", fmt::format("{}: its file is empty; give a size", f.what()));
      if (f.has("fill")) b.fill = one_scalar(f, "fill");
      b.address = address_field(f);
      b.non_resident = read_non_resident(f, b.bytes);
      job_.buffers.push_back(std::move(b));
    });
  }

  /// `descriptors` of the buffers: names of all buffers are known by now.
  void read_descriptors(const toml_fields& top) {
    for_each_named(top, "buffer", [&](const toml::table& t, const std::string& name) {
      const toml::node* n = t.get("descriptors");
      if (!n) return;
      const toml_fields f(t, fmt::format("[buffer.{}]", name), file_, {"file", "size", "fill", "address", "descriptors", "non_resident"});
      buffer_spec& b = *std::find_if(job_.buffers.begin(), job_.buffers.end(), [&](const buffer_spec& x) { return x.name == name; });
      uint64_t next = 0, end = 0;
      unsigned i = 0;
      for (const auto& e : *f.array("descriptors")) {
        const std::string what = fmt::format("{}: descriptor {}", f.what(), i++);
        const source_place place = f.place_of(e);
        if (!e.is_table()) place.fail(fmt::format("{} must be a table like {{image=\"x\"}}", what));
        b.descriptors.push_back(read_descriptor(*e.as_table(), what, place, next));
        end = std::max(end, next);
      }
      if (f.has("size") || f.has("file")) {
        if (end > b.bytes) f.fail("descriptors", fmt::format("{}: its descriptors need {} bytes, it has {}", f.what(), end, b.bytes));
      } else {
        b.bytes = std::max<uint64_t>(end, 4);
      }
    });
  }

  /// Each follows the one before (`next`) unless it has an offset.
  descriptor_spec read_descriptor(const toml::table& t, const std::string& what, const source_place& place, uint64_t& next) const {
    const toml_fields f(t, what, file_, {"image", "sampler", "buffer", "pointer", "offset"});
    if (t.size() - f.has("offset") != 1) place.fail(fmt::format("{} must have exactly one of image, sampler, buffer and pointer", what));
    descriptor_spec d;
    d.place = place;
    bool texel_buffer = false;
    if (f.has("image")) {
      d.name = f.needed_string("image");
      texel_buffer = known_image(d.name, what, place).texel_buffer;
    } else if (f.has("sampler")) {
      d.what = descriptor_spec::kind::sampler;
      d.name = f.needed_string("sampler");
      known_sampler(d.name, what, place);
    } else {
      const char* key = f.has("buffer") ? "buffer" : "pointer";
      d.what = f.has("buffer") ? descriptor_spec::kind::buffer : descriptor_spec::kind::pointer;
      d.name = f.needed_string(key);
      known_buffer(d.name, what, place);
    }
    d.offset = f.unsigned_value("offset").value_or(next);
    if (d.offset % 4) f.fail("offset", fmt::format("{}: offset {} must be a multiple of 4", what, d.offset));
    next = d.offset + descriptor_spec::bytes(d.what, texel_buffer);
    return d;
  }

  void read_size3(const toml_fields& f, const char* key, uint32_t (&out)[3], unsigned& entries, uint64_t maximum) const {
    const toml::array* a = f.array(key);
    if (!a) f.place().fail(fmt::format("{} needs {}", f.what(), key));
    if (a->size() < 1 || a->size() > 3) f.fail(key, fmt::format("{}: {} must have one to three entries", f.what(), key));
    entries = unsigned(a->size());
    for (unsigned i = 0; i < 3; ++i) out[i] = i < entries ? uint32_t(f.unsigned_of(*a->get(i), key, 1, maximum)) : 1;
  }

  void read_dispatch(const toml::table& t, const std::string& what) {
    const bool raw = job_.code.raw;
    std::vector<std::string> known{"grid", "workgroup", "barrier", "trap_handler", "trap_memory"};
    const std::vector<std::string> object_keys{"kernel", "args"}, raw_keys{"sgprs", "vgprs", "lds", "scratch", "user_sgprs", "workgroup_id", "workitem_id", "float_mode"};
    const auto& mine = raw ? raw_keys : object_keys;
    const auto& other = raw ? object_keys : raw_keys;
    for (const auto& k : other)
      if (const toml::node* n = t.get(k))
        source_place{file_, toml_fields::line_of(n->source())}.fail(fmt::format("{}: {} is for {} launches, this job has {} code", what, k, raw ? "object" : "raw", raw ? "raw" : "object"));
    known.insert(known.end(), mine.begin(), mine.end());
    const toml_fields f(t, what, file_, known);
    dispatch_spec d;
    d.place = f.place();
    unsigned group_entries = 0;
    read_size3(f, "grid", d.grid, d.dimensions, UINT32_MAX);
    read_size3(f, "workgroup", d.workgroup, group_entries, 1024);
    const uint64_t items = uint64_t(d.workgroup[0]) * d.workgroup[1] * d.workgroup[2];
    if (items > 1024) f.fail("workgroup", fmt::format("{}: a workgroup of {} work-items; at most 1024 (16 waves) can share a compute unit", what, items));
    d.barrier = f.flag("barrier").value_or(true);
    d.trap_handler = read_buffer_place(f, t, "trap_handler");
    d.trap_memory = read_buffer_place(f, t, "trap_memory");
    if (raw) read_raw_launch(f, d);
    else read_object_launch(f, d);
    job_.dispatches.push_back(std::move(d));
  }

  /// `key = {buffer="x", offset=N}`, where it is given.
  std::optional<buffer_place> read_buffer_place(const toml_fields& f, const toml::table& t, const char* key) const {
    const toml::node* n = t.get(key);
    if (!n) return std::nullopt;
    if (!n->is_table()) f.fail(key, fmt::format("{}: {} must be a table like {{buffer=\"x\"}}", f.what(), key));
    const std::string what = fmt::format("{}: {}", f.what(), key);
    const toml_fields g(*n->as_table(), what, file_, {"buffer", "offset"});
    buffer_place b;
    b.buffer = g.needed_string("buffer");
    known_buffer(b.buffer, what, f.place(key));
    b.offset = g.unsigned_value("offset").value_or(0);
    return b;
  }

  void read_object_launch(const toml_fields& f, dispatch_spec& d) const {
    d.kernel = f.needed_string("kernel");
    d.args_place = f.place("args");
    const toml::array* list = f.array("args");
    if (!list) return;
    unsigned i = 0;
    for (const auto& e : *list) {
      const std::string what = fmt::format("{}: argument {}", f.what(), i++);
      const source_place place = f.place_of(e);
      if (!e.is_table()) place.fail(fmt::format("{} must be a table like {{f32=2.0}} or {{buffer=\"x\"}}", what));
      d.args.push_back(read_argument(*e.as_table(), what, place));
    }
  }

  argument_spec read_argument(const toml::table& t, const std::string& what, const source_place& place) const {
    std::vector<std::string> known = data_type_names();
    for (const char* k : {"bytes", "buffer", "offset", "local", "image", "sampler"}) known.push_back(k);
    const toml_fields f(t, what, file_, known);
    argument_spec a;
    a.place = place;
    const size_t entries = t.size() - (f.has("offset") ? 1 : 0);
    if (entries != 1) place.fail(fmt::format("{} must have exactly one of {}", what, observe::join(known)));
    if (f.has("offset") && !f.has("buffer")) place.fail(fmt::format("{}: offset goes with buffer only", what));
    if (f.has("buffer")) {
      a.what = argument_spec::kind::buffer;
      a.name = f.needed_string("buffer");
      known_buffer(a.name, what, place);
      a.offset = f.unsigned_value("offset").value_or(0);
    } else if (f.has("image")) {
      a.what = argument_spec::kind::image;
      a.name = f.needed_string("image");
      known_image(a.name, what, place);
    } else if (f.has("sampler")) {
      a.what = argument_spec::kind::sampler;
      a.name = f.needed_string("sampler");
      known_sampler(a.name, what, place);
    } else if (f.has("local")) {
      a.what = argument_spec::kind::local;
      a.local_bytes = uint32_t(*f.unsigned_value("local", 0, 65536));
    } else if (f.has("bytes")) {
      a.what = argument_spec::kind::bytes;
      if (!parse_hex_bytes(f.needed_string("bytes"), a.bytes)) place.fail(fmt::format("{}: bytes must be hex digits, two a byte", what));
    } else {
      const auto entry = t.begin();
      find_data_type(std::string(entry->first.str()), a.value.type);
      a.value = read_scalar(entry->second, a.value.type, what, place);
    }
    return a;
  }

  void read_raw_launch(const toml_fields& f, dispatch_spec& d) const {
    d.sgprs = uint32_t(f.unsigned_value("sgprs", 1, 112).value_or(16));
    d.vgprs = uint32_t(f.unsigned_value("vgprs", 1, 256).value_or(4));
    d.lds = uint32_t(f.unsigned_value("lds", 0, 65536).value_or(0));
    d.scratch = uint32_t(f.unsigned_value("scratch", 0, 1u << 24).value_or(0));
    d.workitem_id = unsigned(f.unsigned_value("workitem_id", 0, 2).value_or(0));
    d.float_mode = uint32_t(f.unsigned_value("float_mode", 0, 255).value_or(0xc0));
    d.workgroup_id = f.string("workgroup_id").value_or("x");
    for (size_t i = 0; i < d.workgroup_id.size(); ++i)
      if (std::string("xyz").find(d.workgroup_id[i]) == std::string::npos || d.workgroup_id.find(d.workgroup_id[i], i + 1) != std::string::npos)
        f.fail("workgroup_id", fmt::format("{}: workgroup_id = \"{}\" must name some of x, y and z, each once", f.what(), d.workgroup_id));
    if (const toml::array* list = f.array("user_sgprs")) {
      unsigned i = 0;
      for (const auto& e : *list) d.user_sgprs.push_back(read_user_sgpr(f, e, fmt::format("{}: user_sgprs[{}]", f.what(), i++)));
    }
    size_t user = 0;
    for (const auto& u : d.user_sgprs) user += u.sgprs;
    if (user > 16) f.fail("user_sgprs", fmt::format("{}: {} user SGPRs; a wave can be given 16", f.what(), user));
    if (user + d.workgroup_id.size() > d.sgprs)
      f.place("sgprs").fail(fmt::format("{}: {} SGPRs are too few for {} user SGPRs and {} workgroup ids", f.what(), d.sgprs, user, d.workgroup_id.size()));
    if (d.workitem_id + 1 > d.vgprs) f.fail("vgprs", fmt::format("{}: {} VGPRs are too few for workitem_id = {}", f.what(), d.vgprs, d.workitem_id));
  }

  user_sgpr_spec read_user_sgpr(const toml_fields& f, const toml::node& e, const std::string& what) const {
    user_sgpr_spec u;
    u.place = f.place_of(e);
    if (const auto* t = e.as_table()) {
      const toml_fields g(*t, what, file_, {"buffer_lo", "buffer_hi", "offset", "image", "sampler", "image_lo", "image_hi", "sampler_lo", "sampler_hi"});
      if (t->size() - g.has("offset") != 1) u.place.fail(fmt::format("{} needs exactly one of buffer_lo, buffer_hi, image, sampler, image_lo, image_hi, sampler_lo and sampler_hi", what));
      if (g.has("offset") && !g.has("buffer_lo") && !g.has("buffer_hi")) u.place.fail(fmt::format("{}: offset goes with buffer_lo and buffer_hi only", what));
      for (const auto& [k, value] : *t) {
        const std::string key(k.str());
        if (key == "offset") continue;
        u.name = g.needed_string(key.c_str());
        const bool whole = key == "image" || key == "sampler";
        u.what = whole ? user_sgpr_spec::kind::descriptor : key.compare(key.size() - 3, 3, "_lo") == 0 ? user_sgpr_spec::kind::address_lo : user_sgpr_spec::kind::address_hi;
        if (key[0] == 'b') known_buffer(u.name, what, u.place);
        else if (key[0] == 's') known_sampler(u.name, what, u.place);
        else if (!known_image(u.name, what, u.place).texel_buffer && whole) u.sgprs = 4;
        if (whole) u.sgprs += key[0] == 's' || u.sgprs == 1 ? 3 : 4;
      }
      u.offset = g.unsigned_value("offset").value_or(0);
      return u;
    }
    if (!e.is_integer()) u.place.fail(fmt::format("{} must be a 32-bit integer or a table like {{buffer_lo=\"x\"}} or {{image=\"x\"}}", what));
    const int64_t v = **e.as_integer();
    if (v < INT32_MIN || v > int64_t(UINT32_MAX)) u.place.fail(fmt::format("{} = {} does not fit 32 bits", what, v));
    u.value = uint32_t(v);
    return u;
  }

  /// What an expectation or output looks at: `buffer`, or `image` with a `level` or without.
  struct part { std::string name; uint64_t first = 0, bytes = 0; };
  part read_part(const toml_fields& f, std::string& buffer, std::string& image) const {
    if (f.has("buffer") && f.has("image")) f.place().fail(fmt::format("{} needs one of buffer and image", f.what()));
    if (!f.has("image")) {
      buffer = f.needed_string("buffer");
      if (f.has("level")) f.fail("level", fmt::format("{}: level goes with image", f.what()));
      return {fmt::format("buffer \"{}\"", buffer), 0, known_buffer(buffer, f.what(), f.place("buffer")).bytes};
    }
    image = f.needed_string("image");
    const image_spec& i = known_image(image, f.what(), f.place("image"));
    if (i.is_view()) f.fail("image", fmt::format("{}: \"{}\" is a view; name the image \"{}\" that it looks at", f.what(), image, i.view_of));
    const auto level = f.unsigned_value("level", 0, i.description.levels - 1);
    if (!level) return {fmt::format("image \"{}\"", image), 0, i.host_bytes()};
    return {fmt::format("level {} of image \"{}\"", *level, image), i.level_offset(unsigned(*level)), i.level_bytes(unsigned(*level))};
  }

  void read_expect(const toml::table& t, const std::string& what) {
    const toml_fields f(t, what, file_, {"buffer", "image", "level", "file", "value", "type", "abs", "rel", "ulp", "offset", "count"});
    expect_spec x;
    x.place = f.place();
    const part of = read_part(f, x.buffer, x.image);
    if (f.has("file") == f.has("value")) f.place().fail(fmt::format("{} needs exactly one of file and value", what));
    if (f.has("value")) {
      x.value = one_scalar(f, "value");
      x.type = x.value->type;
    }
    if (const auto type = f.string("type")) {
      data_type ty;
      if (!find_data_type(*type, ty)) f.fail("type", fmt::format("{}: unknown type \"{}\"; types: {}", what, *type, observe::join(data_type_names())));
      if (x.value && ty != x.value->type) f.fail("type", fmt::format("{}: type {} contradicts the value's {}", what, *type, name(x.value->type)));
      x.type = ty;
    }
    x.abs = f.number("abs", 0).value_or(0);
    x.rel = f.number("rel", 0).value_or(0);
    x.ulp = f.unsigned_value("ulp", 0, uint64_t(1) << 52).value_or(0);
    x.offset = f.unsigned_value("offset").value_or(0);
    const uint64_t each = size_of(x.type);
    if (x.offset > of.bytes) f.fail("offset", fmt::format("{}: offset {} lies beyond {} of {} bytes", what, x.offset, of.name, of.bytes));
    uint64_t file_bytes = 0;
    if (f.has("file")) {
      x.file = existing(f, "file");
      file_bytes = fs::file_size(*x.file);
    }
    if (const auto c = f.unsigned_value("count", 1)) x.count = *c;
    else {
      const uint64_t rest = of.bytes - x.offset;
      if (rest % each) f.place().fail(fmt::format("{}: {} bytes of {} are no whole number of {} elements; give a count", what, rest, of.name, name(x.type)));
      x.count = rest / each;
    }
    if (x.count > (of.bytes - x.offset) / each)
      f.place(f.has("count") ? "count" : x.image.empty() ? "buffer" : "image").fail(fmt::format("{}: {} elements of {} from offset {} go beyond {} of {} bytes", what, x.count, name(x.type), x.offset, of.name, of.bytes));
    if (x.file && file_bytes != x.count * each)
      f.fail("file", fmt::format("{}: \"{}\" has {} bytes, {} elements of {} need {}", what, x.file->filename().string(), file_bytes, x.count, name(x.type), x.count * each));
    x.offset += of.first;
    job_.expects.push_back(std::move(x));
  }

  void read_output(const toml::table& t, const std::string& what) {
    const toml_fields f(t, what, file_, {"buffer", "image", "level", "file"});
    output_spec o;
    o.place = f.place();
    const part of = read_part(f, o.buffer, o.image);
    o.offset = of.first;
    o.bytes = of.bytes;
    o.file = resolve_path(directory_, f.needed_string("file"));
    job_.outputs.push_back(std::move(o));
  }

  const toml::table& root_;
  const std::string file_;
  fs::path directory_;
  job job_;
};

} // namespace

job parse_job(const std::string& text, const std::string& name, const fs::path& directory) {
  toml::table root;
  try {
    root = toml::parse(text, name);
  } catch (const toml::parse_error& e) {
    source_place{name, toml_fields::line_of(e.source())}.fail(std::string(e.description()));
  }
  job j = reader(root, name, directory).read();
  j.file = name;
  return j;
}

job load_job(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::error_code e;
  if (!in || fs::is_directory(file, e)) throw observe::input_error(file.string(), "cannot read the job file: no such file, or no permission");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  return parse_job(text, file.string(), file.parent_path());
}

} // namespace lyra::dispatch
