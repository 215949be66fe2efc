// Defines the stable names of units, kinds, severities and states in JSON and CSV.
#include <array>

#include "stepscope/report.h"

namespace stepscope {

std::string_view UnitName(Unit unit) {
  switch (unit) {
    case Unit::kNone:
      return "";
    case Unit::kNanoseconds:
      return "ns";
    case Unit::kRatio:
      return "ratio";
    case Unit::kCount:
      return "count";
    case Unit::kBytes:
      return "bytes";
    case Unit::kBytesPerSecond:
      return "bytes/s";
    case Unit::kFlop:
      return "FLOP";
    case Unit::kFlopPerSecond:
      return "FLOP/s";
    case Unit::kUnixTime:
      return "unix_ns";
    case Unit::kRatioDifference:
      return "ratio_difference";
    case Unit::kRelativeChange:
      return "ratio";
  }
  return "";
}

std::string_view ColumnKindName(ColumnKind kind) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"",           "compute",   "communication", "memory",     "overlap",     "forward",
       "backward",   "optimizer", "launch",        "host",       "compilation", "input",
       "output",     "wait",      "idle",          "productive", "in_progress", "startup",
       "checkpoint", "wasted",    "recovery",      "elastic",    "queued",      "custom",
       "excluded",   "other"});
  static_assert(kNames.size() == static_cast<size_t>(ColumnKind::kCount));
  return kNames[static_cast<size_t>(kind)];
}

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kHigh:
      return "high";
    case Severity::kMedium:
      return "medium";
    case Severity::kLow:
      return "low";
  }
  return "low";
}

std::string_view CauseName(CauseKind kind) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"", "recording", "input", "launch", "host", "sync", "compilation", "one_time", "copies",
       "communication", "compute", "wait", "precision", "memory"});
  static_assert(kNames.size() == static_cast<size_t>(CauseKind::kCount));
  return kNames[static_cast<size_t>(kind)];
}

std::string_view StatusName(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kPartial:
      return "partial";
    case Status::kUnavailable:
      return "unavailable";
  }
  return "unavailable";
}

}  // namespace stepscope
