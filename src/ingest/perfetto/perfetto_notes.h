// Counts what only Perfetto's traces can have wrong. What all traces can have is in trace/notes.h.
#pragma once

#include <cstdint>
#include <span>

#include "notes/notes_of.h"

namespace stepscope::perfetto {

enum class PerfettoNote : uint8_t {
  kWithoutEnd,
  kEndAlone,
  kLostPackets,
  kDamagedPackets,
  kUnknownClock,
  kKindsInferred,
  kGpuCounters,
  kCount
};

std::span<const NoteText> NoteTexts(PerfettoNote);

using PerfettoNotes = NotesOf<PerfettoNote>;

}  // namespace stepscope::perfetto
