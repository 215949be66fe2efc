// Knows the schema:
// https://github.com/openxla/xla/blob/main/third_party/tsl/tsl/profiler/protobuf/xplane.proto
#include "redact/profile.h"

#include <algorithm>
#include <unordered_map>

#include "redact/characters.h"
#include "redact/proto_fields.h"

namespace stepscope::redact {
namespace {

constexpr int kMostDepth = 64;

bool IsText(std::string_view bytes) {
  return std::ranges::all_of(bytes,
                             [](char c) {
                               const auto u = static_cast<unsigned char>(c);
                               return u >= 0x20 || IsBlank(c);
                             }) &&
         !std::ranges::any_of(bytes, [](char c) {
           const auto u = static_cast<unsigned char>(c);
           return u == 0x7f || u == 0xc0 || u >= 0xf8;  // in no UTF-8
         });
}

bool IsMessage(std::string_view bytes) {
  RawField field;
  while (TakeField(bytes, field)) {
  }
  return bytes.empty();
}

}  // namespace

std::string Profile::Text(std::string_view text, Hint hint) {
  if (learned_ == nullptr) return redactor_.Text(text, hint);
  redactor_.Learn(text, hint, *learned_);
  return std::string(text);
}

// Secrets in runs of printable characters, with as many characters as they have.
std::string Profile::Overwritten(std::string_view bytes) {
  constexpr size_t kShortest = 4;
  std::string out;
  const auto printable = [](char c) { return (c >= 0x20 && c < 0x7f) || IsBlank(c); };
  for (size_t at = 0; at < bytes.size();) {
    const size_t end = RunEnd(bytes, at, printable);
    std::string run(bytes.substr(at, end - at));
    if (run.size() >= kShortest) {
      std::string redacted = Text(run);
      if (redacted != run) redacted.resize(run.size(), '.');
      run = std::move(redacted);
    }
    out += run;
    if (end < bytes.size()) out += bytes[end];
    at = end + 1;
  }
  return out;
}

std::string Profile::Message(std::string_view message, int depth) {
  std::string out;
  RawField field;
  while (TakeField(message, field)) {
    if (field.has_content)
      AppendField(out, field.number, Bytes(field.content, depth + 1));
    else
      out += field.all;
  }
  return out;
}

std::string Profile::Bytes(std::string_view bytes, int depth) {
  if (bytes.empty()) return {};
  const bool text = IsText(bytes);
  const bool message = depth < kMostDepth && IsMessage(bytes);
  if (message) {
    std::string out = Message(bytes, depth);
    // Some short texts look like messages: what is left as a text is replaced in any case.
    return text ? Text(out) : out;
  }
  return text ? Text(bytes) : Overwritten(bytes);
}

// The names of one plane, and its parts.
class Plane {
 public:
  explicit Plane(Profile& profile) : profile_(profile) {}

  std::string Rewrite(std::string_view plane) {
    Gather(plane);
    std::string out;
    Each(plane, out, [&](const RawField& f) {
      if (f.number == 3) return Put(out, f, Line(f.content));
      if (f.number == 4) return Put(out, f, Entry(f.content, &Plane::EventMetadata));
      if (f.number == 5) return Put(out, f, Entry(f.content, &Plane::StatMetadata));
      if (f.number == 6) return Put(out, f, Stat(f.content));
      Put(out, f, f.number == 2 ? profile_.Text(f.content) : profile_.Bytes(f.content));
    });
    return out;
  }

 private:
  static void Put(std::string& out, const RawField& field, std::string_view content) {
    AppendField(out, field.number, content);
  }

  // Copies what has no content, and calls take(field) for the rest.
  template <class Take>
  void Each(std::string_view message, std::string& out, const Take& take) {
    RawField field;
    while (TakeField(message, field)) {
      if (field.has_content)
        take(field);
      else
        out += field.all;
    }
    if (!message.empty()) out += profile_.Overwritten(message);
  }

  // The names of stats, and which texts are stored among them for stats that refer to these.
  void Gather(std::string_view plane) {
    std::string ignored;
    RawField f;
    for (std::string_view rest = plane; TakeField(rest, f);) {
      if (f.number == 5 && f.has_content) GatherName(f.content);
    }
    for (std::string_view rest = plane; TakeField(rest, f);) {
      if (f.has_content && (f.number == 3 || f.number == 4)) GatherRefs(f.content, f.number);
      if (f.has_content && f.number == 6) GatherRef(f.content);
    }
  }
  void GatherName(std::string_view entry) {
    RawField f, g;
    uint64_t id = 0;
    while (TakeField(entry, f)) {
      if (f.number == 1 && !f.has_content) id = f.value;
      std::string_view metadata = f.number == 2 ? f.content : std::string_view();
      while (TakeField(metadata, g)) {
        if (g.number == 2 && g.has_content) hints_[id] = HintOf(g.content);
      }
    }
  }
  // Of the stats of events in a line, or of the metadata in an entry.
  void GatherRefs(std::string_view around, uint64_t kind) {
    RawField f, g;
    while (TakeField(around, f)) {
      if (f.number != (kind == 3 ? 4 : 2) || !f.has_content) continue;
      std::string_view rest = f.content;
      while (TakeField(rest, g)) {
        if (g.number == (kind == 3 ? 4 : 5) && g.has_content) GatherRef(g.content);
      }
    }
  }
  void GatherRef(std::string_view stat) {
    RawField f;
    uint64_t id = 0, ref = 0;
    while (TakeField(stat, f)) {
      if (f.number == 1) id = f.value;
      if (f.number == 7) ref = f.value;
    }
    const Hint hint = HintOfStat(id);
    if (ref != 0 && hint != Hint::kNone) of_refs_[ref] = hint;
  }
  Hint HintOfStat(uint64_t id) const {
    const auto at = hints_.find(id);
    return at == hints_.end() ? Hint::kNone : at->second;
  }

  std::string Line(std::string_view line) {
    std::string out;
    Each(line, out, [&](const RawField& f) {
      if (f.number == 4) return Event(f, out);
      Put(out, f, profile_.Text(f.content));
    });
    return out;
  }
  void Event(const RawField& event, std::string& out) {
    std::string_view rest = event.content;
    RawField f;
    bool texts = false;
    while (TakeField(rest, f)) texts = texts || f.has_content;
    if (!texts && rest.empty()) {
      out += event.all;
      return;
    }
    std::string changed;
    Each(event.content, changed, [&](const RawField& field) {
      Put(changed, field, field.number == 4 ? Stat(field.content) : profile_.Bytes(field.content));
    });
    Put(out, event, changed);
  }
  std::string Stat(std::string_view stat) {
    RawField f;
    uint64_t id = 0;
    for (std::string_view rest = stat; TakeField(rest, f);) {
      if (f.number == 1) id = f.value;
    }
    std::string out;
    Each(stat, out, [&](const RawField& field) {
      Put(out, field,
          field.number == 5 ? profile_.Text(field.content, HintOfStat(id))
                            : profile_.Bytes(field.content));
    });
    return out;
  }
  std::string Entry(std::string_view entry,
                    std::string (Plane::*rewrite)(std::string_view, uint64_t)) {
    RawField f;
    uint64_t id = 0;
    for (std::string_view rest = entry; TakeField(rest, f);) {
      if (f.number == 1 && !f.has_content) id = f.value;
    }
    std::string out;
    Each(entry, out, [&](const RawField& field) {
      Put(out, field,
          field.number == 2 ? (this->*rewrite)(field.content, id) : profile_.Bytes(field.content));
    });
    return out;
  }
  std::string EventMetadata(std::string_view metadata, uint64_t) {
    std::string out;
    Each(metadata, out, [&](const RawField& f) {
      if (f.number == 5) return Put(out, f, Stat(f.content));
      const bool text = f.number == 2 || f.number == 4;
      Put(out, f, text ? profile_.Text(f.content) : profile_.Bytes(f.content));
    });
    return out;
  }
  std::string StatMetadata(std::string_view metadata, uint64_t id) {
    const auto of_ref = of_refs_.find(id);
    const Hint hint = of_ref == of_refs_.end() ? Hint::kNone : of_ref->second;
    std::string out;
    Each(metadata, out, [&](const RawField& f) {
      Put(out, f, profile_.Text(f.content, f.number == 2 ? hint : Hint::kNone));
    });
    return out;
  }

  Profile& profile_;
  std::unordered_map<uint64_t, Hint> hints_;    // of the values of stats, by id of their names
  std::unordered_map<uint64_t, Hint> of_refs_;  // of names that are values of other stats
};

Result<void> Profile::Rewrite(std::string_view space, const Write& write) {
  RawField f;
  while (TakeField(space, f)) {
    std::string out;
    if (!f.has_content)
      out = f.all;
    else if (f.number == 1)
      AppendField(out, f.number, Plane(*this).Rewrite(f.content));
    else if (f.number == 4)
      AppendField(out, f.number, Text(f.content, Hint::kHost));
    else
      AppendField(out, f.number, Bytes(f.content));
    if (learned_ != nullptr) continue;
    if (auto written = write(out); !written) return written;
  }
  if (space.empty()) return {};
  const std::string rest = Overwritten(space);
  return learned_ == nullptr ? write(rest) : Result<void>();
}

}  // namespace stepscope::redact
