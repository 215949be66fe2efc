// Reads the tables of a report in an order in which each can use what came before: ranges, calls,
// devices.
#include "ingest/nsys/nsys_reader.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "ingest/common/event_text.h"
#include "ingest/nsys/host_tables.h"
#include "ingest/nsys/nsys_tables.h"
#include "ingest/nsys/report_facts.h"

namespace stepscope {
namespace {

using nsys::NcclCalls;
using nsys::Processes;

class NsysReader {
 public:
  NsysReader(DatabaseFile file, Wanted keep, std::optional<size_t> part)
      : file_(std::move(file)),
        texts_(file_),
        processes_(nsys::FindProcesses(file_), part, nsys::ShiftOf(file_)),
        source_{file_, texts_, processes_, keep} {}

  Result<std::vector<Recording>> Read() {
    if (processes_.all().empty()) return std::unexpected(NothingInIt());
    nsys::ReadHostTables(source_, collectives_);
    nsys::ReadDeviceTables(source_, collectives_);
    const int64_t others = processes_.left_out();  // names are of all that ever ran
    nsys::NameThreads(source_);
    nsys::ReadMachine(source_);
    nsys::ReadMetrics(source_);
    SetRanks();
    NoteFile(others);
    std::vector<Recording> recordings;
    for (const auto& process : processes_.all())
      recordings.push_back({std::move(process->trace()), process->notes.List()});
    return recordings;
  }

 private:
  Error NothingInIt() const {
    if (file_.truncated()) {
      return {"the report ends early, before any event that can be read", "",
              "export or copy the report again"};
    }
    return {"the database has no events of Nsight Systems", "",
            "record with `nsys profile --trace=cuda,nvtx`, then "
            "`nsys export --type sqlite REPORT.nsys-rep`"};
  }

  // By the environment of the one process there is; by the largest communicator, if all ranks
  // differ.
  void SetRanks() {
    const size_t count = processes_.order().size();
    if (count == 1) {
      const auto launched = nsys::RankOfEnvironment(file_);
      TraceMeta& meta = processes_.all().front()->trace().meta;
      meta.rank = launched.rank();
      if (meta.rank) meta.world_size = launched.world_size();
      if (meta.rank) return;
    }
    if (SetRanksOfCommunicators() || count == 1) return;
    for (const auto& process : processes_.all()) process->notes.Add(ReportNote::kRankFromDevice);
  }

  bool SetRanksOfCommunicators() {
    std::set<int64_t> ranks, sizes;
    for (const auto& process : processes_.all()) {
      const auto member = collectives_.MembershipOf(process->process());
      if (!member || member->rank >= member->ranks) return false;
      ranks.insert(member->rank);
      sizes.insert(member->ranks);
    }
    const bool of_all = sizes.size() == 1 && ranks.size() == processes_.all().size() &&
                        *sizes.begin() >= static_cast<int64_t>(processes_.order().size());
    if (!of_all) return false;
    for (const auto& process : processes_.all()) {
      process->trace().meta.rank = collectives_.MembershipOf(process->process())->rank;
      process->notes.Add(ReportNote::kRankFromCommunicator);
    }
    return true;
  }

  // What concerns the whole file is noted once.
  void NoteFile(int64_t others) {
    Notes& notes = processes_.all().front()->trace().notes;
    if (file_.end() == InputEnd::kCorrupt)
      notes.Add(NoteKind::kCorrupt);
    else if (file_.truncated() || processes_.damaged())
      notes.Add(NoteKind::kTruncated);
    ReportNotes& of_report = processes_.all().front()->notes;
    if (others > 0) of_report.Add(ReportNote::kOtherProcesses, others);
    for (const std::string& table : processes_.unreadable())
      of_report.Add(ReportNote::kUnreadableTable, 1, table);
    if (nsys::IsNewer(file_)) of_report.Add(ReportNote::kNewerSchema);
  }

  DatabaseFile file_;
  nsys::Texts texts_;
  Processes processes_;
  nsys::Source source_;
  NcclCalls collectives_;
};

}  // namespace

Result<std::vector<Recording>> ReadNsys(DatabaseFile file, const ReadOptions& options) {
  return NsysReader(std::move(file), options.keep, std::nullopt).Read();
}

Result<Trace> ReadNsysPart(DatabaseFile file, const ReadOptions& options) {
  const Wanted keep = options.observer == nullptr ? options.keep : Wanted::All();
  auto recordings = NsysReader(std::move(file), keep, options.part).Read();
  if (!recordings) return std::unexpected(recordings.error());
  Trace& trace = recordings->front().trace;
  if (options.observer != nullptr) ObserveAsText(trace, *options.observer);
  return std::move(trace);
}

}  // namespace stepscope
