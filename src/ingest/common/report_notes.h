// Counts what only reports of other profilers can have wrong: those that hold several processes,
// are databases, or are Perfetto's. What all traces can have is in trace/notes.h.
#pragma once

#include <cstdint>
#include <span>

#include "notes/notes_of.h"

namespace stepscope {

enum class ReportNote : uint8_t {
  kRankFromDevice,
  kRankFromCommunicator,
  kGraphsAsWhole,
  kWithoutEnd,
  kOtherProcesses,
  kUnreadableTable,
  kNewerSchema,
  kEndAlone,
  kLostPackets,
  kDamagedPackets,
  kUnknownClock,
  kKindsInferred,
  kGpuCounters,
  kUnknownKernel,
  kUnknownCall,
  kUnknownAgent,
  kOddEntries,
  kCount
};

std::span<const NoteText> NoteTexts(ReportNote);

using ReportNotes = NotesOf<ReportNote>;

}  // namespace stepscope
