// Tables hold what sentences are made of.
#include "hang/hang_report.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "hang/hang_words.h"
#include "report/columns.h"

namespace stepscope::hang {
namespace {

constexpr size_t kMostAwaited = 8;  // of one rank in one operation
constexpr size_t kMostRows = 20'000;
constexpr size_t kRowsShown = 16;

std::string_view KindName(WaitKind kind) {
  switch (kind) {
    case WaitKind::kNotArrived:
      return "not arrived";
    case WaitKind::kNotFinished:
      return "not finished";
    case WaitKind::kNotBegun:
      return "not begun";
    case WaitKind::kMismatch:
      return "mismatch";
    case WaitKind::kMissing:
      return "dump missing";
    case WaitKind::kQueued:
      return "behind another operation";
    case WaitKind::kMessage:
      return "message not posted";
  }
  return "";
}

std::string GroupText(const Job& job, size_t group) {
  if (group >= job.groups.size()) return "";
  const JobGroup& of = job.groups[group];
  if (of.description.empty()) return of.name;
  return of.description + " (" + of.name + ")";
}

Table RootsTable(const Job& job, const Judgement& judgement) {
  Table table{
      .key = "roots",
      .title = "Root ranks",
      .columns = {KeyColumn("rank", "rank"), Words(ValueColumn("reason", "reason")),
                  ValueColumn("group", "group"), ValueColumn("sequence", "sequence"),
                  ValueColumn("evidence", "evidence"), Words(ValueColumn("certain", "certain")),
                  Detail(ValueColumn("operation", "operation")),
                  Detail(ValueColumn("line", "line")),
                  Detail(CountColumn("waiting", "ranks waiting"))},
      .text_rows = kRowsShown};
  for (const Root& root : judgement.roots) {
    const DumpOperation* operation = root.own != nullptr ? root.own : root.others;
    table.rows.push_back(
        {root.rank, std::string(ReasonName(root.reason)), TextCell(GroupText(job, root.group)),
         operation ? Cell(operation->sequence) : Cell(), SayEvidence(job, root).str(),
         root.proven ? "yes" : "no", operation ? TextCell(operation->name) : Cell(),
         operation ? TextCell(operation->line) : Cell(), root.waiting});
  }
  return table;
}

// Those that it waits for, roots first.
std::vector<int64_t> Shown(const Wait& wait, const std::set<int64_t>& roots) {
  std::vector<int64_t> shown;
  for (const bool root : {true, false})
    for (const int64_t rank : wait.awaited)
      if (roots.contains(rank) == root && shown.size() < kMostAwaited) shown.push_back(rank);
  return shown;
}

Table WaitsTable(const Job& job, const Judgement& judgement, int64_t& left_out) {
  Table table{.key = "waits",
              .title = "Who waits for whom",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("waits_for", "waits for"),
                          KeyColumn("group", "group"), ValueColumn("operation", "operation"),
                          ValueColumn("sequence", "sequence"), Words(ValueColumn("why", "why")),
                          Detail(ValueColumn("sizes", "sizes")), ValueColumn("line", "line")},
              .text_rows = kRowsShown};
  std::set<int64_t> roots;
  for (const Root& root : judgement.roots) roots.insert(root.rank);
  std::set<std::tuple<int64_t, int64_t, size_t>> seen;
  for (const Wait& wait : judgement.waits) {
    const auto shown = Shown(wait, roots);
    left_out += static_cast<int64_t>((wait.awaited.size() - shown.size()) * wait.waiting.size());
    for (const int64_t rank : wait.waiting) {
      for (const int64_t awaited : shown) {
        if (!seen.emplace(rank, awaited, wait.group).second) continue;
        if (table.rows.size() >= kMostRows) {
          ++left_out;
          continue;
        }
        const Standing* standing = job.groups[wait.group].Find(rank);
        const DumpOperation* own = wait.operation;
        if (!own->point_to_point && standing != nullptr && standing->first != nullptr)
          own = standing->first;
        table.rows.push_back({rank, awaited, GroupText(job, wait.group), own->name, own->sequence,
                              std::string(KindName(wait.kind)), own->in_sizes,
                              TextCell(own->line)});
      }
    }
  }
  std::ranges::stable_sort(table.rows, [&](const auto& a, const auto& b) {
    return std::get<int64_t>(a[0]) < std::get<int64_t>(b[0]);
  });
  return table;
}

// The operations that ranks are stuck in, most ranks first.
Table OperationsTable(const Job& job) {
  Table table{.key = "operations",
              .title = "Operations that ranks are stuck in",
              .columns = {KeyColumn("group", "group"), KeyColumn("sequence", "sequence"),
                          KeyColumn("operation", "operation"), CountColumn("members", "members"),
                          CountColumn("stuck", "stuck"), ValueColumn("sizes", "sizes"),
                          ValueColumn("types", "types"), ValueColumn("line", "line"),
                          Detail(ValueColumn("since", "last arrival", Unit::kUnixTime))},
              .text_rows = kRowsShown};
  std::map<std::tuple<size_t, int64_t, std::string>, std::pair<int64_t, const DumpOperation*>>
      stuck;
  for (size_t place = 0; place < job.groups.size(); ++place) {
    for (const auto& [rank, standing] : job.groups[place].standings) {
      if (standing.first == nullptr) continue;
      auto& [count, last] = stuck[{place, standing.first->sequence, standing.first->name}];
      ++count;
      if (last == nullptr || standing.first->created > last->created) last = standing.first;
    }
  }
  for (const auto& [key, value] : stuck) {
    const DumpOperation& last = *value.second;
    const JobGroup& group = job.groups[std::get<0>(key)];
    table.rows.push_back({GroupText(job, std::get<0>(key)), last.sequence, last.name,
                          static_cast<int64_t>(group.members.size()), value.first,
                          TextCell(last.in_sizes), TextCell(last.types), TextCell(last.line),
                          last.created == kAbsent ? Cell() : Cell(last.created)});
  }
  SortDescending(table, "stuck");
  return table;
}

// Roots of one reason stand together.
std::vector<std::vector<Root>> Grouped(const std::vector<Root>& roots) {
  std::vector<std::vector<Root>> groups;
  for (const Root& root : roots) {
    const auto same = std::ranges::find_if(groups, [&](const auto& group) {
      return group.front().reason == root.reason && group.front().proven == root.proven;
    });
    if (same == groups.end()) {
      groups.push_back({root});
    } else {
      same->push_back(root);
    }
  }
  return groups;
}

Finding FindingOf(const Job& job, const Judgement& judgement, const std::vector<Root>& roots) {
  const Phrase chain = SayChain(roots.front());
  Finding finding{.severity = Severity::kHigh,
                  .message = SayRoots(job, roots),
                  .because = SayEvidence(job, roots.front()),
                  .hint = SayAdvice(roots, judgement.messages_unseen),
                  .table = "roots"};
  if (roots.size() > 1)
    finding.because = Say("rank {rank}: {evidence}", roots.front().rank, finding.because);
  if (!chain.empty()) finding.because = Say("{evidence}; {chain}", finding.because, chain);
  if (roots.size() == 1) finding.cause.rank = roots.front().rank;
  return finding;
}

Phrase Headline(const Job& job, const Judgement& judgement) {
  Phrase headline;
  for (const auto& roots : Grouped(judgement.roots)) {
    if (!headline.empty()) headline += " ";
    headline += SayRoots(job, roots);
  }
  if (!headline.empty()) return headline;
  if (judgement.stuck == 0) return "No rank is stuck in an operation that was recorded.";
  return Say(
      "Which rank stopped the job is not known: {count} ranks are stuck, and dumps do not "
      "tell for whom they wait.",
      judgement.stuck);
}

}  // namespace

Report HangReport(const Job& job, const Judgement& judgement) {
  Report report{.analysis = "hang", .title = "Hang"};
  report.headline = Headline(job, judgement);
  report.metrics = {
      {"ranks", "ranks", static_cast<int64_t>(job.ranks.size()), Unit::kCount},
      {"dumps", "ranks with a dump", static_cast<int64_t>(job.dumps.size()), Unit::kCount},
      {"stuck", "ranks stuck in an operation", judgement.stuck, Unit::kCount}};
  int64_t left_out = 0;
  report.tables = {RootsTable(job, judgement), WaitsTable(job, judgement, left_out),
                   OperationsTable(job)};
  for (const auto& roots : Grouped(judgement.roots))
    report.findings.push_back(FindingOf(job, judgement, roots));
  if (left_out > 0)
    report.notes.push_back({"waits_left_out", left_out,
                            "waits were left out: others of the same ranks are shown", ""});
  if (!judgement.missing.empty()) {
    report.notes.push_back({"missing_dumps", static_cast<int64_t>(judgement.missing.size()),
                            Say("dumps are missing, of {ranks}: nothing is known of them",
                                SayRanks(judgement.missing)),
                            ""});
  }
  return report;
}

}  // namespace stepscope::hang
