// Finds the fields of one event: which JSON token is which field.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/json/json_index.h"
#include "ingest/kineto/kineto_fields.h"
#include "trace/vocabulary.h"

namespace stepscope {

// An event as it stands in the text: JSON tokens, empty where the key is absent.
struct RawEvent {
  std::string_view phase, category, name, pid, tid, ts, dur, id;
  CategoryMeaning meaning;  // of the category, or a flow
  Args args;

  // One by one: from a chain of assignments GCC makes wide loads of what was just stored in halves,
  // which stall for a dozen cycles each.
  void Clear() {
    for (std::string_view* token : {&phase, &category, &name, &pid, &tid, &ts, &dur, &id})
      *token = {};
    meaning = {};
    args.Clear();
  }
};

// Whether a flow's name, a token, says that it leads from a call to what it put on a stream, in
// traces of Ascend's profiler. Those are always wanted: there, nothing else ties the two.
inline bool IsLaunchFlow(std::string_view name) { return name.starts_with("\"HostToDevice"); }

// Reads events, one after the other, as far as somebody wants them.
class EventText {
 public:
  // Events of other kinds than `keep` are passed over once their category or phase says so.
  explicit EventText(KindSet keep) : keep_(keep) {}

  enum class Found : uint8_t {
    kEvent,     // read whole
    kUnwanted,  // passed over; `raw` holds its category
    kDamage,    // cut short, or no JSON
  };
  // Reads the event at hand, brackets and all, into `raw`, whose views point into the text.
  Found Read(JsonWalk& walk);

  RawEvent raw;

 private:
  enum class Learned : uint8_t { kDamage, kValue, kKind };  // kKind: more of what the event is
  Learned ReadField(JsonWalk& walk);
  bool MayCount() const;
  bool Unwanted() const;
  CategoryMeaning Meaning(std::string_view token);

  KindSet keep_;
  std::string scratch_;
  // Categories met, as tokens: a cache that keeps of each bucket the one met last. There are a
  // dozen in a trace.
  struct KnownCategory {
    std::string token;
    CategoryMeaning meaning;
  };
  std::array<KnownCategory, 128> categories_;
};

}  // namespace stepscope
