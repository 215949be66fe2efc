// Defines the answer of an analysis as data: metrics, tables, series, findings and notes.
//
// Every face (text, JSON, CSV, Markdown, the page) is written from these structs and computes
// nothing of its own. The JSON form is a contract, written down in docs/report-schema.json: keys
// may be added, none is renamed or removed once released.
//
// Conventions that hold in every report:
//   - Times are int64 nanoseconds (Unit::kNanoseconds), never floating point, never microseconds.
//   - A moment of the wall clock (Unit::kUnixTime) is such a number too, counted from 1970 in UTC;
//     times within a trace or a job are counted from its start.
//   - Ratios are doubles from 0 to 1 (Unit::kRatio), never percentages.
//   - An absent value is an empty Cell (JSON null), never a zero standing in for "unknown".
//   - The columns with Role::kKey identify a row: no two rows of a table agree in all of them.
//   - Text in cells comes from traces, that is from strangers. It may hold control characters or
//     invalid UTF-8; each face escapes it for its medium.
//
// Everything here is a plain value: copy it, keep it, send it to another thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "stepscope/phrase.h"
#include "stepscope/result.h"

namespace stepscope {

inline constexpr std::string_view kReportSchema = "stepscope.report/1";

// What a number measures. Faces choose how to print it from this alone.
enum class Unit : uint8_t {
  kNone,             // text, or an identifier such as a rank: printed as it is
  kNanoseconds,      // "ns"
  kRatio,            // "ratio": 0..1
  kCount,            // "count": how many
  kBytes,            // "bytes"
  kBytesPerSecond,   // "bytes/s"
  kFlop,             // "FLOP": arithmetic operations
  kFlopPerSecond,    // "FLOP/s"
  kUnixTime,         // "unix_ns": a moment of the wall clock, as ns since the epoch
  kRatioDifference,  // "ratio_difference": of two ratios; 0.05 is shown as 5.0 pp
  kRelativeChange,   // "ratio": 0.05 is shown as +5.0%, 20 as 21×
};

// The unit's name in JSON and CSV: "" for kNone, else as quoted above.
std::string_view UnitName(Unit unit);

// One value. std::monostate is "no value here": unknown, or not applicable to this row.
using Cell = std::variant<std::monostate, int64_t, double, std::string>;

// What the numbers of a column or a row measure: which activity of a device or its host, or which
// part of a job's time. Faces give each kind one look, wherever it is shown.
enum class ColumnKind : uint8_t {
  kNone,  // of no kind: JSON has no key for it
  // Of devices, their hosts and steps.
  kCompute,
  kCommunication,
  kMemory,   // copies and fills, and memory in use
  kOverlap,  // several of the above at once
  kForward,
  kBackward,
  kOptimizer,
  kLaunch,  // launching activities
  kHost,    // the host's operators and calls
  kCompilation,
  kInput,   // loading data
  kOutput,  // copies to the host
  kWait,    // waiting for a rank, a thread or a synchronization
  kIdle,
  // Of jobs.
  kProductive,
  kInProgress,
  kStartup,
  kCheckpoint,
  kWasted,
  kRecovery,
  kElastic,
  kQueued,
  kCustom,
  kExcluded,
  kOther,  // none of the above
  kCount
};

// The kind's name in JSON and CSV: "compute", "in_progress"; "" for kNone.
std::string_view ColumnKindName(ColumnKind kind);

// Whether a column says which row this is, or what was measured for it. "key" and "value" in JSON.
enum class Role : uint8_t { kKey, kValue };

struct Column {
  std::string key;  // stable machine name, snake_case, without a unit: "idle_ratio"
  Phrase title;     // what a reader sees above the column: "idle"
  Unit unit = Unit::kNone;
  Role role = Role::kValue;
  bool detail = false;  // text and Markdown leave it out; JSON and CSV hold it
  ColumnKind kind = ColumnKind::kNone;
  bool words = false;  // its texts are words of ours, as "input wait", and no names from traces
};

struct Table {
  static constexpr size_t kAllRows = SIZE_MAX;

  std::string key;  // unique within the report: "ranks"
  Phrase title;     // a heading
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as `columns`; the most important row first
  // How many rows a person wants to see at first. Text and Markdown cut here and say how many rows
  // they left out; JSON and CSV always hold them all. 0: only mention that the table exists.
  size_t text_rows = kAllRows;
  // The key of the column whose cells name the kind of each row, as ColumnKindName() does; empty
  // where rows are of no kind.
  std::string kind_column = {};
  // The key of the column that faces draw as bars where they have no picture of their own for the
  // table; empty: none.
  std::string bars = {};
};

// A single number about the whole run.
struct Metric {
  std::string key;
  Phrase title;
  Cell value;
  Unit unit = Unit::kNone;
  bool detail = false;  // as of a column
};

// A curve, for faces that can draw.
struct Series {
  std::string key;
  Phrase title;
  Unit x_unit = Unit::kNone;
  Unit y_unit = Unit::kNone;
  std::vector<std::pair<double, double>> points;
};

// "high", "medium", "low" in JSON.
enum class Severity : uint8_t { kHigh, kMedium, kLow };
std::string_view SeverityName(Severity severity);

// What a finding is due to. The name is "input", "launch", ... in JSON; "" for kNone.
enum class CauseKind : uint8_t {
  kNone,       // of its own
  kRecording,  // what the traces do not hold: no other finding can be trusted before
  kInput,      // loading data
  kLaunch,     // kernels that are launched late, or too small for a launch each
  kHost,       // other activity of the host
  kSync,       // the host waits for the device, or copies results back
  kCompilation,
  kOneTime,        // graph capture, context creation, module loading
  kCopies,         // memcpy and memset
  kCommunication,  // transfer: messages that are too many, too large or too late
  kCompute,        // slower, more or uneven compute
  kWait,           // ranks wait for others; why is not known
  kPrecision,      // wider types than needed
  kMemory,         // device memory that is nearly full, or grows
  kCount
};
std::string_view CauseName(CauseKind kind);

struct Cause {
  CauseKind kind = CauseKind::kNone;
  std::optional<int64_t> rank = {};  // the one rank it is on
  std::optional<int64_t> step = {};  // the one step it is in
};

// How near a finding is to its cause. Of findings with one cause the nearest speaks for all.
enum class Nearness : uint8_t {
  kSymptom,  // a time that several causes can have: "Host-bound idle time is 20% of span."
  kPart,     // a part of the cause, or one way to see it
  kCause,    // the cause and what it costs
};

// Another finding of the same cause, beneath the one that speaks for it.
struct Evidence {
  std::string analysis;  // whose it is
  Phrase message;
  Phrase because;
  std::string table;  // of that analysis
};

// What a finding's impact was measured over.
struct Extent {
  int64_t time = 0;  // ns of one rank; 0: its mean time
  double steps = 0;  // of one rank; 0: as many of the mean length as the time holds
  // Recordings of one rank that an impact is the sum of, where the time is 0: a mean time is of
  // one.
  double recordings = 1;
};

// What a replay says mending is worth, ns per step that it is in.
struct Worth {
  int64_t saved = 0;
  int64_t step_time = 0;  // as recorded
  int64_t error = 0;      // of the replay
  int64_t excess = 0;     // what was taken away, waited for or not; 0: unknown
};

// What pictures mark and the timeline selects. Unlike the cause of a finding, it decides nothing.
struct Where {
  std::vector<int64_t> ranks = {};  // whose steps these are, ascending; empty: those of all ranks
  std::optional<int64_t> device = {};  // of the one rank it is on, where that has several
  // Numbers of the steps it is in, ascending; empty: it is in all, or in all since one.
  std::vector<int64_t> steps = {};
  Phrase event = {};  // what takes the time: the operator's name, or "save (train.py:40)"
};

// Something worth acting on: what it is, the numbers that show it, and one concrete thing to try.
struct Finding {
  Severity severity = Severity::kLow;
  Phrase message;      // one sentence: problem and size
  Phrase because;      // the evidence, in numbers that appear in the report's metrics or tables
  Phrase hint;         // one thing to try; "try" in JSON
  int64_t impact = 0;  // ns of one rank's time that fixing it could save at most; 0: not a time
  // The key of the table of the same report that shows the evidence; empty where none does.
  std::string table = {};
  Cause cause = {};
  Nearness nearness = Nearness::kSymptom;
  Extent extent = {};
  std::optional<int64_t> since = {};  // number of the first step it is in; empty: it is in all
  Where where = {};

  Severity at_most = Severity::kHigh;  // whatever it costs
  std::optional<Worth> worth = {};
  bool only_worth = false;  // it is no finding, but weighs others of its cause
  bool by_replay = false;   // its impact is what a replay saves: others of its cause cost no more

  // Set once all reports are there.
  double share = 0;      // impact / extent.time, 0..1
  int64_t per_step = 0;  // ns: impact per step that it is in; 0: unknown
  int64_t place = 0;     // 1, 2, ... in the whole answer, by impact; 0: not ordered yet
  std::vector<Evidence> evidence = {};
};

// An irregularity of the input, or a limit of the answer: what could not be taken at face value.
struct Note {
  std::string name;   // stable machine name: "negative_duration"
  int64_t count = 0;  // how often
  Phrase message;     // what happened and what was done about it
  std::string where;  // the file it happened in; empty when it concerns the whole run
};

enum class Status : uint8_t {
  kOk,
  kPartial,      // some ranks could not answer; `why` says which and for what reason
  kUnavailable,  // the input holds nothing to answer from; `why` says what is missing, tables are
                 // empty
};
std::string_view StatusName(Status status);  // "ok", "partial", "unavailable"

struct Report {
  std::string analysis;  // the analysis that made it: "comm_overlap"
  Phrase title;
  Phrase label = {};       // the title in one or two words, among those of its group
  std::string group = {};  // "overview", "ranks", "device", "host", "memory"; empty: of none
  Status status = Status::kOk;
  Phrase why;       // empty exactly when status is kOk
  Phrase headline;  // the answer in one sentence; empty when unavailable
  std::vector<Metric> metrics;
  std::vector<Table> tables;
  std::vector<Series> series;
  std::vector<Finding> findings;
  std::vector<Note> notes;  // limits of this answer; irregularities of the input are in RunInfo
  // What the question named and the input does not have, such as step 99.
  // Faces for scripts fail with it; JSON does not hold it.
  std::optional<Error> absent = {};
};

// One file that was offered as input, and what became of it.
struct InputFile {
  std::string path;
  int64_t rank = -1;       // -1: not used; `problem` says why
  int64_t window = 0;      // 0, 1, ...: which profiling window of that rank, in order of time
  int64_t events = 0;      // events in the file
  int64_t gpu_events = 0;  // of which device activities
  int64_t bytes = 0;       // size on disk
  std::string problem;     // empty when the file was read to its end without complaint
  int64_t written = 0;     // when, as StoredItem::written; no writer prints it
  uint64_t version = 0;    // as StoredItem::version; no writer prints it
};

// What was read: the inputs of one training run.
struct RunInfo {
  std::string name;              // how a person would call it: the folder or file
  std::vector<InputFile> files;  // sorted by rank, then window; unused ones last
  int64_t ranks = 0;             // distinct ranks that were read
  std::string steps;             // the step selection in force: "all", "complete", "3..7"
  std::vector<Note> notes;       // irregularities of the input, by file
  // Of a comparison of two parts of one run: what each is of it, "rank 3"; else empty.
  Phrase before = {};
  Phrase after = {};
};

// Everything one invocation answers; what the writers take.
struct ReportSet {
  RunInfo run;
  Phrase verdict;  // one or two sentences: where the time went, and what stands out most
  std::vector<Report> reports;
};

}  // namespace stepscope
