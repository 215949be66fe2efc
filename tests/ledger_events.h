// The events in a ledger, and those of a file, to be set beside each other.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "goodput/json_lines.h"
#include "goodput/ledger.h"

namespace stepscope::testing {

// What is raw of the job, in a folder or in PostgreSQL. Throws where that cannot be read to its
// end.
inline std::vector<goodput::Event> EventsIn(const std::string& store, const std::string& job = "j",
                                            goodput::Oddities* oddities = nullptr) {
  const auto ledger = goodput::Ledger::Open(store, goodput::Access::kRead);
  if (!ledger) throw std::runtime_error(ledger.error().what);
  goodput::Oddities unasked;
  std::vector<goodput::Event> events;
  ledger->ReadRaw(job, oddities == nullptr ? unasked : *oddities,
                  [&](const goodput::Event& event, const goodput::EventPlace&, bool) {
                    events.push_back(event);
                  });
  if (const auto read = ledger->ReadWell(); !read) throw std::runtime_error(read.error().what);
  return events;
}

inline std::vector<goodput::Event> EventsOf(const std::string& path) {
  auto source = ByteSource::Open(path);
  if (!source) throw std::runtime_error(source.error().what);
  goodput::Oddities oddities;
  std::vector<goodput::Event> events;
  ReadJsonLines(*source, oddities, [&](const goodput::Event& event) { events.push_back(event); });
  return events;
}

}  // namespace stepscope::testing
