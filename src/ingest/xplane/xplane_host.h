// Reads the host planes of an XPlane file: the events of its threads.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "ingest/common/read_options.h"
#include "ingest/xplane/xplane_groups.h"
#include "ingest/xplane/xplane_lines.h"
#include "ingest/xplane/xplane_programs.h"
#include "ingest/xplane/xplane_runs.h"
#include "ingest/xplane/xplane_turns.h"
#include "trace/trace.h"

namespace stepscope {

bool IsHostPlane(std::string_view name);

// Reads planes of the host into a trace, and into what decides about steps.
class HostPlanes {
 public:
  // `programs`: all of the recording, by which operations are known that the host runs.
  HostPlanes(Trace& trace, Wanted keep, HostGroups& groups, const Programs& programs,
             ModuleRuns& runs)
      : trace_(trace), keep_(keep), groups_(groups), programs_(programs), runs_(runs) {}

  void Read(const XPlane& plane, LineReader& lines);

  // To be called once, after groups.Build(): marks the events that are steps, if they are to be,
  // and the operators that ran by themselves.
  void MarkEvents(bool steps);

  // To be called last: adds the steps that no event of the host spans.
  void AddMarkers(bool steps);

 private:
  // What events of special names are.
  enum class Role : uint8_t {
    kNone,
    kAllocation,
    kDeallocation,
    kIterator,          // a stage of an input pipeline
    kEagerExecute,      // a call that runs an operator by itself
    kCapturedFunction,  // a function that a stage calls
    kFunctionCall,      // a call of a function, until its results are there
    kFunctionRun,       // hands a function to executors
    kGradient,          // an operator that computes gradients
    kRendezvous,        // devices of the process wait for one another
  };
  // What events have in common by their name.
  struct Name {
    StringId id = 0;
    Kind kind = Kind::kUnknown;  // of those that say no more
    Role role = Role::kNone;
    int32_t legacy_level = 0;  // of roots that carry no "_r"
  };

  static Role RoleOf(std::string_view name);
  static HostPart PartOf(const XStats& stats, const Name& name);
  Name Know(std::string_view name);
  void StartLine(const XLine& line);
  void Take(const XEvent& event, const XTime& time);
  void TakeMemory(const XEvent& event, const XTime& time, const Name& name);
  EventId Keep(Kind kind, const XEvent& event, const XTime& time, StringId name);
  void Join(HostEventId id, const XEvent& event, std::string_view name);
  void TakeOperation(const XEvent& event, const XTime& time, EventId kept);
  void TakeRendezvous(const XEvent& event, const XTime& time);
  TrackId AsyncTrack();
  StringId Intern(const XStats& stats, StatKey key);
  void SetText(TextField field, const XStats& stats, StatKey key);
  void SetInt(IntField field, int64_t value);
  void MarkAlone();
  void AddEvaluations(std::span<const Evaluation> evaluations);

  // What a program says of an operation.
  struct Operation {
    StringId opcode = kNoString;  // kNoString: there is no program
    StringId collective = kNoString, type = kNoString;
    int64_t in_elements = -1, out_elements = -1, group_size = -1;
    bool communicates = false;
  };
  Operation Describe(const XStats& stats);
  Operation OperationOf(const XStats& stats);
  // A collective whose members are not known yet.
  struct OpenCollective {
    EventId kept = kNotKept;
    int64_t end = 0, group_size = -1;
  };

  struct Span {
    TrackId track;
    int64_t start, end;  // ns
  };

  Trace& trace_;
  Wanted keep_;
  HostGroups& groups_;
  const Programs& programs_;
  ModuleRuns& runs_;
  uint32_t line_ = 0;
  std::vector<TrackId> track_of_line_;
  TrackId track_ = 0;
  TrackId async_track_ = 0;
  bool has_async_track_ = false;
  OncePerText<Name> names_;
  OncePerText<StringId> texts_;
  // By the places of module and operation in the plane's table, and the program's number.
  std::map<std::tuple<uint32_t, uint32_t, int64_t>, Operation> operations_;
  OpenCollective open_;      // the last one of the line
  std::vector<Span> alone_;  // calls that run operators by themselves, in no compiled function
};

}  // namespace stepscope
