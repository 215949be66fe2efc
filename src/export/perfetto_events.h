// Collects the events of a recording, to be written when all are known: tracks in the order of
// time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "export/event_fields.h"
#include "export/kept_times.h"
#include "export/perfetto_packets.h"
#include "ingest/common/raw_event_observer.h"
#include "redact/redactor.h"

namespace stepscope {

// What stands on one line: of a thread or stream its activities, or what spans them.
struct PerfettoLine {
  std::string pid, tid;
  std::string_view suffix;  // " annotations"
  bool is_stream = false;
  std::string device, stream;  // of a stream, as its first event says
};

struct CollectedEvent {
  enum class Type : uint8_t { kSlice, kMoment, kCount };
  int64_t start = 0, end = 0;
  uint32_t line = 0;   // in PerfettoEvents::lines; of a counter in counters
  uint32_t order = 0;  // place in the recording
  size_t body = 0;     // where its body begins in PerfettoEvents::bodies
  uint32_t size = 0;   // bytes
  Type type = Type::kSlice;
  double value = 0;            // of a counter
  std::vector<uint64_t> from;  // flows
  std::vector<uint64_t> to;
};

struct PerfettoCounter {
  std::string pid, tid, name, series;
  bool later = false;  // not the first series of its name
};

class PerfettoEvents {
 public:
  // With `redactor` what is private is replaced. `packets` intern what the events name. All must
  // outlive this.
  PerfettoEvents(KeptTimes kept, const redact::Redactor* redactor, PerfettoPackets& packets)
      : kept_(std::move(kept)), redactor_(redactor), packets_(packets) {}

  RawEventObserver Observer();
  // Ties calls to what they launched, and flows to their slices; sorts by line, then time, the
  // longer first.
  void Finish();

  std::vector<CollectedEvent> events;
  std::vector<PerfettoLine> lines;
  std::vector<PerfettoCounter> counters;
  std::string bodies;
  std::string members;                               // JSON text, `"key": value` each
  std::map<std::string, std::string> process_names;  // by pid
  std::map<std::pair<std::string, std::string>, std::string> thread_names;  // by pid and tid
  int64_t observed = 0;  // events that are kept, metadata records too
  int64_t left_out = 0;  // of them, those that the format has no place for
  int64_t mended = 0;

 private:
  struct Launch {
    std::vector<size_t> calls, activities;
  };
  struct FlowEnd {
    std::string pid, tid;
    int64_t time = 0;
    uint64_t flow = 0;
    bool begins = false;
  };

  std::string Redacted(std::string_view text) const;
  void TakeMember(const ObservedMember& member);
  void TakeEvent(const ObservedEvent& observed_event);
  void TakeName(const JsonEvent& event);
  void TakeCounter(const JsonEvent& event, int64_t time, uint32_t order);
  void TakeSlice(const JsonEvent& event, const ObservedEvent& observed_event, uint32_t order);
  uint32_t LineOf(const JsonEvent& event, Kind kind);
  void TieLaunches();
  void TieFlows();

  KeptTimes kept_;
  const redact::Redactor* redactor_;  // may be null
  PerfettoPackets& packets_;
  EventFields fields_;
  uint32_t next_order_ = 0;
  std::map<std::tuple<std::string, std::string, std::string_view>, uint32_t> line_of_;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, uint32_t> counter_of_;
  std::unordered_map<std::string, Launch> launches_;  // by correlation
  std::vector<FlowEnd> flows_;
};

}  // namespace stepscope
