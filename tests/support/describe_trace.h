// Describes a trace as text, for tests that compare two.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

// Everything of an event, as text.
inline std::string Describe(const Trace& t, EventId e) {
  const Track& track = t.tracks[t.tracks_of()[e]];
  std::string text =
      fmt::format("{} {}+{} {}/{} {}/{}", t.strings[t.names()[e]], t.starts()[e], t.durations()[e],
                  track.device, track.stream, track.process, track.thread);
  for (size_t f = 0; f < Index(IntField::kCount); ++f) {
    if (const auto value = t.Ints(static_cast<IntField>(f)).Find(e))
      text += fmt::format(" i{}={}", f, *value);
  }
  for (size_t f = 0; f < Index(TextField::kCount); ++f) {
    const auto id = t.Texts(static_cast<TextField>(f)).Find(e);
    if (id) text += fmt::format(" t{}={}", f, t.strings[*id]);
  }
  return text;
}

inline std::vector<std::string> DescribeAll(const Trace& t, KindSet kinds = KindSet::All()) {
  std::vector<std::string> all;
  for (EventId e = 0; e < t.size(); ++e) {
    if (kinds.Has(t.kinds()[e])) all.push_back(Describe(t, e));
  }
  return all;
}

// What is not of a single event.
inline std::string DescribeRest(const Trace& t) {
  std::string text = fmt::format("{} events, {} of accelerators, {} strings", t.events_in_file,
                                 t.gpu_events_in_file, t.strings.size());
  for (const Track& track : t.tracks) {
    text += fmt::format("\ntrack {}/{} {}/{} {}", track.device, track.stream, track.process,
                        track.thread, track.name);
  }
  for (size_t i = 0; i < t.launch_configs.size(); ++i)
    text += fmt::format("\ngrid {}", t.launch_configs[i].grid[0]);
  for (size_t k = 0; k < static_cast<size_t>(NoteKind::kCount); ++k) {
    const auto kind = static_cast<NoteKind>(k);
    if (t.notes.Count(kind) > 0)
      text += fmt::format("\n{} {} {}", NoteName(kind), t.notes.Count(kind), t.notes.Detail(kind));
  }
  return text;
}

}  // namespace stepscope
