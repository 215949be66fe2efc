// Detects the format of a trace by its first bytes, and has its reader read it.
#include "ingest/trace_reader.h"

#include <new>
#include <optional>
#include <utility>

#include "ingest/ascend/ascend_reader.h"
#include "ingest/common/event_text.h"
#include "ingest/execution_trace/execution_reader.h"
#include "ingest/kineto/kineto_reader.h"
#include "ingest/nsys/nsys_reader.h"
#include "ingest/partial/partial_reader.h"
#include "ingest/perfetto/perfetto_reader.h"
#include "ingest/rocprof/rocprof_reader.h"
#include "ingest/sqlite/database_file.h"
#include "ingest/xplane/xplane_reader.h"
#include "trace/collective_calls.h"

namespace stepscope {

namespace {

using Recordings = Result<std::vector<Recording>>;

// The recording ReadOptions::part of those of a file.
Result<Trace> PartOf(Recordings recordings, const ReadOptions& options) {
  if (!recordings) return std::unexpected(recordings.error());
  if (options.part >= recordings->size())
    return std::unexpected(Error{"the file holds fewer recordings than before", "", ""});
  Trace trace = std::move((*recordings)[options.part].trace);
  if (options.observer != nullptr) ObserveAsText(trace, *options.observer);
  return trace;
}

Result<Trace> ReadPartOfDatabase(ByteSource source, const ReadOptions& options) {
  auto file = DatabaseFile::Open(SeekableBytes(std::move(source)));
  if (!file) return std::unexpected(file.error());
  if (IsRocpd(*file)) return PartOf(ReadRocpd(*file, options), options);
  if (IsAscendDatabase(*file)) return PartOf(ReadAscendDatabase(*file, options), options);
  return ReadNsysPart(std::move(*file), options);
}

Recordings ReadDatabase(ByteSource source, const ReadOptions& options) {
  auto file = DatabaseFile::Open(SeekableBytes(std::move(source)));
  if (!file) return std::unexpected(file.error());
  if (IsRocpd(*file)) return ReadRocpd(*file, options);
  if (IsAscendDatabase(*file)) return ReadAscendDatabase(*file, options);
  return ReadNsys(std::move(*file), options);
}

// XProf's container of profiles. https://github.com/google/riegeli (records_format.md: the file's
// first block begins with the hash of what follows).
constexpr std::string_view kRiegeli("\x83\xaf\x70\xd1\x0d\x88\x4a\x3f\0\0\0\0\0\0\0\0", 16);

Result<Trace> ReadOne(ByteSource source, const ReadOptions& options) {
  if (source.Peek(kRiegeli.size()) == kRiegeli) {
    return std::unexpected(Error{"cannot read the profile: it is in XProf's riegeli container", "",
                                 "give the <host>.xplane.pb of the same run"});
  }
  if (LooksLikeSqlite(source.Peek(kSqliteSniff)))
    return ReadPartOfDatabase(std::move(source), options);
  if (LooksLikePartials(source.Peek(kPartialSniff)))
    return PartOf(ReadPartials(std::move(source)), options);
  if (LooksLikeRocprof(source.Peek(kRocprofSniff)))
    return PartOf(ReadRocprofJson(std::move(source), options), options);
  if (LooksLikePerfetto(source.Peek(kPerfettoSniff)))
    return ReadPerfettoPart(std::move(source), options);
  if (LooksLikeXSpace(source.Peek(kXSpaceSniff)))
    return ReadXSpace(SeekableBytes(std::move(source)), options);
  if (LooksLikeExecutionTrace(source.Peek(kExecutionSniff)))
    return std::unexpected(ExecutionTraceAlone());
  return ReadKineto(std::move(source), options);
}

// Of a file that may hold several; nothing of one that holds one trace.
std::optional<Recordings> ReadSeveral(ByteSource& source, const ReadOptions& options) {
  if (LooksLikeSqlite(source.Peek(kSqliteSniff))) return ReadDatabase(std::move(source), options);
  if (LooksLikePartials(source.Peek(kPartialSniff))) return ReadPartials(std::move(source));
  if (LooksLikeRocprof(source.Peek(kRocprofSniff)))
    return ReadRocprofJson(std::move(source), options);
  if (LooksLikePerfetto(source.Peek(kPerfettoSniff)))
    return ReadPerfetto(std::move(source), options);
  return std::nullopt;
}

Error OutOfMemory() {
  return {"cannot read the trace: out of memory", "",
          "analyze fewer ranks at a time, or use a machine with more memory"};
}

}  // namespace

Result<Trace> ReadTrace(ByteSource source, const ReadOptions& options) {
  try {
    auto trace = ReadOne(std::move(source), options);
    if (trace) MarkKernelsOfCollectiveCalls(*trace);
    return trace;
  } catch (const std::bad_alloc&) {
    return std::unexpected(OutOfMemory());
  }
}

Result<std::vector<Recording>> ReadRecordings(ByteSource source, const ReadOptions& options) {
  try {
    if (auto several = ReadSeveral(source, options)) {
      if (!*several) return std::move(*several);
      for (Recording& recording : **several) MarkKernelsOfCollectiveCalls(recording.trace);
      return std::move(*several);
    }
  } catch (const std::bad_alloc&) {
    return std::unexpected(OutOfMemory());
  }
  auto trace = ReadTrace(std::move(source), options);
  if (!trace) return std::unexpected(trace.error());
  std::vector<Recording> one;
  one.push_back({std::move(*trace), {}});
  return one;
}

bool IsDamaged(ByteSource source) {
  if (LooksLikePartials(source.Peek(kPartialSniff))) return !HoldsNoPartials(std::move(source));
  if (!source.compressed()) return false;
  std::string ignored(1 << 16, '\0');
  while (source.Read(ignored) > 0) StopIfAsked();
  return source.end() == InputEnd::kCorrupt;
}

}  // namespace stepscope
