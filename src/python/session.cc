// Binds a run: opening traces, asking questions about them, and refusing what cannot be answered.
#include "stepscope/session.h"

#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "python/answer.h"
#include "python/bind_columns.h"
#include "python/errors.h"
#include "python/module.h"
#include "python/storage.h"
#include "python/text.h"
#include "python/use.h"
#include "python/work.h"
#include "stepscope/query.h"

namespace stepscope::python {
namespace {

using Params = std::vector<std::pair<std::string, std::string>>;
using Groups = std::vector<std::pair<std::string, std::vector<std::string>>>;

std::vector<KernelGroup> GroupsOf(const Groups& given) {
  std::vector<KernelGroup> groups;
  for (const auto& [name, patterns] : given) groups.push_back({name, patterns});
  return groups;
}

// A session for one user at a time.
struct Run {
  Run(Session opened, int64_t names) : session(std::move(opened)), most_names(names) {}

  Use use;
  std::optional<Session> session;  // none once it is closed
  int64_t most_names;              // of every answer, as in AnalyzeOptions
};

// What `use` holds as long as it lives. Raises if the run is closed, of another process, or is
// closed while waiting for its turn.
Session& Opened(Run& run) {
  if (!run.session)
    Raise({"the run is closed", "", "open it again with stepscope.open()"}, Fault::kUse);
  return *run.session;
}

std::unique_ptr<Run> Open(const nb::list& given, int threads, const Groups& groups,
                          const Params& params, std::vector<std::string> analyses, bool advice,
                          bool events, const nb::object& storage, const nb::object& on_progress,
                          int64_t max_input, int64_t most_names) {
  const std::vector<std::string> paths = BytesOfEach(given);
  OpenOptions options{.analyses = std::move(analyses),
                      .advice = advice,
                      .threads = threads,
                      .keep_traces = events,
                      .settings = {.groups = GroupsOf(groups), .params = params},
                      .max_input = max_input,
                      .storage = StorageOf(storage)};
  ValueOrRaise(Session::Check(options.settings), Fault::kQuestion);
  LatestProgress latest;
  if (!on_progress.is_none())
    options.on_progress = [&](const Progress& progress) { latest.Set(progress); };
  auto opened = WorkFor<Result<Session>>(
      [&](std::stop_token stop) {
        options.stop = std::move(stop);
        return Session::Open(paths, options);
      },
      Telling(latest, on_progress));
  return std::make_unique<Run>(ValueOrRaise(std::move(opened), Fault::kInput), most_names);
}

Answer Analyze(Run& run, std::vector<std::string> only, std::string steps,
               std::vector<int64_t> ranks, Params params) {
  const Use::Turn turn(run.use);
  const Session& session = Opened(run);
  AnalyzeOptions options{.only = std::move(only),
                         .steps = std::move(steps),
                         .ranks = std::move(ranks),
                         .most_names = run.most_names,
                         .groups = {},
                         .params = std::move(params)};
  auto answer = WorkFor<Result<ReportSet>>([&](std::stop_token stop) {
    options.stop = std::move(stop);
    return session.Analyze(options);
  });
  return FoundOrRaise(ValueOrRaise(std::move(answer), Fault::kQuestion));
}

using ReadRanks = std::vector<std::optional<Result<EventTable>>>;

// All at once. No more is read when one cannot be.
ReadRanks ReadAtOnce(const Session& session, const std::vector<int64_t>& ranks, size_t threads,
                     const std::stop_token& stop) {
  ReadRanks read(ranks.size());
  const size_t each = std::max<size_t>(1, threads / std::max<size_t>(1, ranks.size()));
  std::atomic<bool> failed = false;
  ParallelFor(ranks.size(), threads, [&](size_t r) {
    if (failed) return;
    read[r] = session.ReadEvents(ranks[r], static_cast<int>(each), stop);
    failed = failed || !*read[r];
  });
  return read;
}

// The events of each of these ranks. A rank that there is none of is a wrong question; a file that
// is gone is not.
nb::list ReadEvents(Run& run, const std::vector<int64_t>& ranks) {
  const Use::Turn turn(run.use);
  const Session& session = Opened(run);
  const size_t threads = std::max(1u, std::thread::hardware_concurrency());
  ReadRanks read = WorkFor<ReadRanks>(
      [&](std::stop_token stop) { return ReadAtOnce(session, ranks, threads, stop); });
  nb::list events;
  for (auto& one : read) {
    if (!one) continue;  // another could not be read
    const bool wrong = !*one && one->error().where == "`rank`";
    events.append(ValueOrRaise(std::move(*one), wrong ? Fault::kQuestion : Fault::kInput));
  }
  return events;
}

// All rows at once, as columns.
nb::object Sql(Run& run, const std::string& statement, int64_t memory, double timeout) {
  const Use::Turn turn(run.use);
  const Session& session = Opened(run);
  QueryOptions options{.memory = memory, .timeout = static_cast<int64_t>(timeout * 1e9)};
  options.analyze.most_names = run.most_names;
  auto columns = WorkFor<Result<Columns>>([&](std::stop_token stop) -> Result<Columns> {
    options.stop = std::move(stop);
    auto rows = Query(std::vector<QueriedRun>{{session.run().name, &session}}, statement, options);
    if (!rows) return std::unexpected(rows.error());
    return rows->Next(SIZE_MAX);
  });
  return ObjectOf(ValueOrRaise(std::move(columns), Fault::kQuestion));
}

void Close(Run& run) {
  if (!run.use.IsOfThisProcess()) return;  // the copy of a fork goes with its process
  const Use::Turn turn(run.use);
  std::optional<Session> closed = std::exchange(run.session, std::nullopt);
  const nb::gil_scoped_release unlocked;
  closed.reset();
}

nb::list FilesOf(Run& run) {
  const Use::Turn turn(run.use);
  nb::list files;
  for (const InputFile& file : Opened(run).run().files) {
    nb::dict out;
    out["path"] = PathTextOf(file.path);
    out["rank"] = file.rank < 0 ? nb::none() : nb::object(nb::int_(file.rank));
    out["window"] = file.window;
    out["events"] = file.events;
    out["device_events"] = file.gpu_events;
    out["bytes"] = file.bytes;
    out["problem"] = TextOf(file.problem);
    files.append(out);
  }
  return files;
}

std::vector<int64_t> RanksOf(Run& run) {
  const Use::Turn turn(run.use);
  std::set<int64_t> ranks;
  for (const InputFile& file : Opened(run).run().files) {
    if (file.rank >= 0) ranks.insert(file.rank);
  }
  return {ranks.begin(), ranks.end()};
}

std::vector<int64_t> RecordedRanksOf(Run& run) {
  const Use::Turn turn(run.use);
  return Opened(run).RecordedRanks();
}

nb::object NameOf(Run& run) {
  const Use::Turn turn(run.use);
  return TextOf(Opened(run).run().name);
}

Groups ReadGroups(const nb::object& path) {
  Groups groups;
  for (KernelGroup& group : ValueOrRaise(ReadKernelGroups(BytesOf(path)), Fault::kInput))
    groups.emplace_back(std::move(group.name), std::move(group.patterns));
  return groups;
}

nb::dict DictOf(const AnalysisInfo& info) {
  nb::list params;
  for (const ParameterInfo& param : info.params) {
    nb::dict out;
    out["name"] = param.name;
    out["type"] = param.type;
    out["default"] = param.default_value;
    out["unit"] = param.unit;
    out["message"] = param.message;
    params.append(out);
  }
  nb::dict out;
  out["name"] = info.name;
  out["title"] = info.title;
  out["summary"] = info.summary;
  out["doc"] = info.doc;
  out["params"] = params;
  return out;
}

nb::list Analyses() {
  nb::list list;
  for (const AnalysisInfo& info : Session::List()) list.append(DictOf(info));
  return list;
}

nb::dict Explain(const std::string& name) {
  return DictOf(ValueOrRaise(Session::Explain(name), Fault::kQuestion));
}

}  // namespace

void AddSessions(nb::module_& module) {
  nb::class_<Run>(module, "Run")
      .def("analyze", Analyze, nb::arg("only"), nb::arg("steps"), nb::arg("ranks"),
           nb::arg("params"))
      .def("read_events", ReadEvents, nb::arg("ranks"))
      .def_prop_ro("recorded_ranks", RecordedRanksOf)
      .def("sql", Sql, nb::arg("statement"), nb::arg("memory"), nb::arg("timeout"))
      .def("close", Close)
      .def_prop_ro("closed", [](const Run& run) { return !run.session; })
      .def_prop_ro("name", NameOf)
      .def_prop_ro("files", FilesOf)
      .def_prop_ro("ranks", RanksOf);
  module.def("open", Open, nb::arg("paths"), nb::arg("threads"), nb::arg("groups"),
             nb::arg("params"), nb::arg("analyses"), nb::arg("advice"), nb::arg("events"),
             nb::arg("storage").none(), nb::arg("on_progress").none(), nb::arg("max_input") = 0,
             nb::arg("most_names") = AnalyzeOptions().most_names);
  module.def("also_find_duckdb", AlsoFindDuckDb, nb::arg("file"));
  module.def("read_groups", ReadGroups, nb::arg("path"));
  module.def("analyses", Analyses);
  module.def("explain", Explain, nb::arg("name"));
}

}  // namespace stepscope::python
