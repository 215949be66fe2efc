// Finds the fields of an event's JSON text, and writes its arguments as debug annotations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "export/perfetto_packets.h"
#include "ingest/json/json_index.h"

namespace stepscope {

// Texts are without quotes and escapes, valid until the next event; empty: absent.
struct JsonEvent {
  char phase = 0;
  std::string category, name, pid, tid, id;
  bool has_category = false;
  // Arguments, as tokens.
  std::vector<std::pair<std::string_view, std::string_view>> args;

  // The text or number of an argument, without quotes; empty if absent.
  std::string Arg(std::string_view name) const;
};

class EventFields {
 public:
  // Reads JSON to the letter, as an observer is told.
  const JsonEvent& Read(std::string_view text);

  // Appends category, name and arguments of an event to `body`, as fields of a TrackEvent.
  static void Write(const JsonEvent& event, PerfettoPackets& packets, std::string& body);

 private:
  std::string text_;
  JsonIndex index_;
  JsonEvent event_;
};

// A JSON number as a counter has it.
std::optional<double> NumberOf(std::string_view token);

}  // namespace stepscope
