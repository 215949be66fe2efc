// Adds analyses of one's own, which are then listed, asked, shown and compared as all others are.
//
//   Plugin late{.info = {.name = "late_kernels", .title = "Late kernels",
//                        .summary = "Kernels that start long after their launch",
//                        .doc = "**Question:** ...",
//                        .params = {{"limit", "integer", "50000", "ns", "delays from here on"}}},
//               .run = &FindLateKernels};
//   if (const auto added = AddPlugin(std::move(late)); !added) return Print(added.error());
//
//   Result<Report> FindLateKernels(PluginContext& context, const PluginValues& values) {
//     Report report;
//     for (const int64_t rank : context.ranks()) {
//       auto events = context.Events(rank, {"start", "launch"}, {.kinds = {"kernel"}});
//       if (!events) return std::unexpected(events.error());
//       ...
//     }
//     return report;
//   }
//
// Such an analysis is a function from what the run holds to a Report; it sees no other plugin. Its
// texts are shown as they are in every language. They are known to the whole process: add them
// before runs are opened, or later; a session asks for those that are there when it is asked.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "stepscope/columns.h"
#include "stepscope/events.h"
#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/session.h"

namespace stepscope {

// Values of the parameters by name, each of its declared type: "integer", "number" or "text".
using PluginValue = std::variant<int64_t, double, std::string>;
using PluginValues = std::map<std::string, PluginValue, std::less<>>;

// What a plugin may ask about the run, for one question. It may be used while the plugin runs, on
// its thread.
class PluginContext {
 public:
  // The run and the selection of steps that is in force (RunInfo::steps). With redaction, private
  // names are pseudonyms already, as in events and reports.
  const RunInfo& run() const;
  // The ranks that the question is about, ascending.
  std::vector<int64_t> ranks() const;

  // Events of a rank as columns (stepscope/events.h), only of the selected steps. The first call
  // for a rank reads its files again. Fails as Session::ReadEvents() and EventTable::Get() do.
  Result<Columns> Events(int64_t rank, const std::vector<std::string>& columns = {},
                         const EventFilter& filter = {});

  // What an analysis of ours says about the same ranks and steps, before findings of several
  // reports become one. `params` are "name" and value. Fails for an unknown name, parameter or
  // value, for another plugin, and where the run was not opened for it.
  Result<Report> ReportOf(std::string_view analysis,
                          const std::vector<std::pair<std::string, std::string>>& params = {});

  // Asked to stop when nobody waits for the answer: give up soon, what is returned is not used.
  std::stop_token stop() const;

  struct State;
  explicit PluginContext(State& state) : state_(state) {}
  PluginContext(const PluginContext&) = delete;

 private:
  State& state_;
};

struct Plugin {
  AnalysisInfo info;
  // Fills in the report's answer; name, title and label are set for it, it is of no group, and
  // columns of bars get a kind. An error, or a report that breaks a rule (CheckReport()), becomes a
  // report that is unavailable and says why. It shall not throw. It may be called from any thread,
  // from several at once.
  std::function<Result<Report>(PluginContext& context, const PluginValues& values)> run;
};

// Adds it, in place of one of the same name. Fails when an analysis of ours has the name, and when
// a name, type, default or unit is not what it should be. From any thread.
Result<void> AddPlugin(Plugin plugin);

// Forgets the plugin of this name; whether there was one.
bool RemovePlugin(std::string_view name);

// The names of all plugins, in the order in which they were added.
std::vector<std::string> PluginNames();

// What two runs are asked for to be compared, where nobody says otherwise: kComparedAnalyses, and
// all plugins.
std::vector<std::string> ComparedAnalyses();

// Fails where a report breaks a rule of stepscope/report.h: keys of tables, columns or metrics that
// are no snake_case or are there twice, rows that are not as long as columns, two rows with the
// same keys, a finding that names a table there is none of, bars of a column without numbers.
Result<void> CheckReport(const Report& report);

// The unit of this name (UnitName()); fails with the nearest one. The same of kinds and severities.
Result<Unit> ParseUnit(std::string_view name);
Result<ColumnKind> ParseColumnKind(std::string_view name);
Result<Severity> ParseSeverity(std::string_view name);
Result<CauseKind> ParseCause(std::string_view name);

}  // namespace stepscope
