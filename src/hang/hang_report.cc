// Tables hold what sentences are made of.
#include "hang/hang_report.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "hang/hang_words.h"
#include "hang/wait_groups.h"
#include "report/columns.h"
#include "report/humanize.h"

namespace stepscope::hang {
namespace {

constexpr size_t kMostAwaited = 8;  // of one rank in one operation
constexpr size_t kMostRows = 20'000;
constexpr size_t kRowsShown = 16;

std::string GroupText(const Job& job, size_t group) {
  if (group >= job.groups.size()) return "";
  const JobGroup& of = job.groups[group];
  if (of.description.empty()) return of.name;
  return of.description + " (" + of.name + ")";
}

// Empty of messages that only stacks show.
Cell NumberCell(const DumpOperation& operation) {
  return operation.Number() < 0 ? Cell() : Cell(operation.Number());
}

// Where it called its operation; where it has none, where its stack says that it is.
std::string LineOf(const Job& job, const Root& root) {
  if (root.own != nullptr && !root.own->line.empty()) return root.own->line;
  if (const RankStack* stack = job.StackOf(root.rank)) return stack->line;
  return root.others != nullptr ? root.others->line : "";
}

// The first one in which the rank differed from others.
const Earlier* EarlierOf(const Judgement& judgement, int64_t rank) {
  const auto at = std::ranges::find_if(judgement.earlier, [&](const Earlier& earlier) {
    return std::ranges::find(earlier.ranks, rank) != earlier.ranks.end();
  });
  return at == judgement.earlier.end() ? nullptr : &*at;
}

Phrase EvidenceOf(const Job& job, const Judgement& judgement, const Root& root) {
  const Phrase evidence = SayEvidence(job, root);
  const Earlier* earlier = EarlierOf(judgement, root.rank);
  if (earlier == nullptr) return evidence;
  return Say("{evidence}; {more}", evidence, Say("before, {what}", SayEarlier(job, *earlier)));
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
    const std::string line = LineOf(job, root);
    table.rows.push_back(
        {root.rank, std::string(ReasonName(root.reason)), TextCell(GroupText(job, root.group)),
         operation ? NumberCell(*operation) : Cell(), EvidenceOf(job, judgement, root).str(),
         IsCertain(job, root) ? "yes" : "no", operation ? TextCell(operation->name) : Cell(),
         TextCell(line), root.waiting});
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
        table.rows.push_back({rank, awaited, GroupText(job, wait.group), own->name,
                              NumberCell(*own), std::string(WaitName(wait.kind)), own->in_sizes,
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
    table.rows.push_back({GroupText(job, std::get<0>(key)), last.Number(), last.name,
                          static_cast<int64_t>(group.members.size()), value.first,
                          TextCell(last.in_sizes), TextCell(last.types), TextCell(last.line),
                          last.created == kAbsent ? Cell() : Cell(last.created)});
  }
  SortDescending(table, "stuck");
  return table;
}

// Whether both are among those of which any may be the root, because dumps are missing.
bool MayEither(const Root& a, const Root& b) {
  const auto open = [](const Root& root) {
    return !root.proven() && (root.reason == Reason::kDumpMissing ||
                              root.reason == Reason::kHostNotArrived || root.doubt == Doubt::kGone);
  };
  return open(a) && open(b) && a.doubt == b.doubt;
}

// When each rank was last heard of, the longest silent first.
Table SignsTable(const Job& job) {
  Table table{
      .key = "signs",
      .title = "Last signs of life",
      .columns = {KeyColumn("rank", "rank"), ValueColumn("last", "last event", Unit::kUnixTime),
                  TimeColumn("silent", "before the others"), ValueColumn("step", "last step")},
      .text_rows = kRowsShown};
  const int64_t newest = NewestSign(job);
  for (const auto& [rank, sign] : job.signs) {
    if (table.rows.size() >= kMostRows) break;
    table.rows.push_back(
        {rank, sign.last, newest - sign.last, sign.step < 0 ? Cell() : Cell(sign.step)});
  }
  SortDescending(table, "silent");
  return table;
}

// Creation of the last operation that any rank enqueued; kAbsent: dumps do not say.
int64_t LastArrival(const Job& job) {
  int64_t last = kAbsent;
  for (const auto& [rank, dump] : job.dumps) last = std::max(last, dump->newest);
  return last;
}

// Those whose stacks are rare come first: they do what others do not.
Table StacksTable(const Job& job) {
  Table table{.key = "stacks",
              .title = "Where main threads are",
              .columns = {KeyColumn("rank", "rank"), ValueColumn("line", "line"),
                          ValueColumn("innermost", "innermost frame"),
                          ValueColumn("call", "call of torch.distributed"),
                          CountColumn("alike", "ranks there")},
              .text_rows = kRowsShown};
  std::map<std::string_view, int64_t> count;
  for (const auto& [rank, stack] : job.stacks) ++count[stack->line];
  for (const auto& [rank, stack] : job.stacks) {
    if (table.rows.size() >= kMostRows) break;
    table.rows.push_back({rank, TextCell(stack->line), TextCell(stack->innermost),
                          TextCell(stack->call), count[stack->line]});
  }
  std::ranges::stable_sort(table.rows, [](const auto& a, const auto& b) {
    return std::get<int64_t>(a[4]) < std::get<int64_t>(b[4]);
  });
  return table;
}

// What differed before, and stopped nobody there.
Table EarlierTable(const Job& job, const Judgement& judgement) {
  Table table{.key = "earlier",
              .title = "Mismatches that all finished",
              .columns = {KeyColumn("group", "group"), KeyColumn("sequence", "sequence"),
                          ValueColumn("operation", "operation"), ValueColumn("ranks", "ranks"),
                          ValueColumn("sizes", "sizes"), ValueColumn("others", "other ranks"),
                          ValueColumn("other_sizes", "their sizes")},
              .text_rows = kRowsShown};
  for (const Earlier& earlier : judgement.earlier) {
    if (table.rows.size() >= kMostRows) break;
    table.rows.push_back({GroupText(job, earlier.group), earlier.usual->sequence,
                          earlier.other->name, ListRanks(earlier.ranks),
                          TextCell(earlier.other->in_sizes), ListRanks(earlier.usuals),
                          TextCell(earlier.usual->in_sizes)});
  }
  return table;
}

Finding EarlierFinding(const Job& job, const Judgement& judgement) {
  const Earlier& first = judgement.earlier.front();
  return {.severity = Severity::kMedium,
          .message = "Members of a group called different things before the job stopped.",
          .because = SayEarlier(job, first),
          .hint = SayEarlierAdvice(first),
          .table = "earlier"};
}

// No other finding can be trusted before.
Finding ContradictionFinding(const Job& job) {
  return {.severity = Severity::kHigh,
          .message = "Dumps contradict one another: they may be of several jobs or starts.",
          .because = job.contradiction,
          .hint =
              "give the dumps that one start of the job left, each under the name that it was "
              "written with; see the notes",
          .cause = {.kind = CauseKind::kRecording},
          .nearness = Nearness::kCause};
}

// Roots of one reason stand together, those that are proven first.
std::vector<std::vector<Root>> Grouped(const std::vector<Root>& roots) {
  std::vector<std::vector<Root>> groups;
  for (const Root& root : roots) {
    const auto same = std::ranges::find_if(groups, [&](const auto& group) {
      const bool same = group.front().reason == root.reason && group.front().doubt == root.doubt;
      return same || MayEither(group.front(), root);
    });
    if (same == groups.end()) {
      groups.push_back({root});
    } else {
      same->push_back(root);
    }
  }
  std::ranges::stable_partition(groups, [](const auto& group) { return group.front().proven(); });
  return groups;
}

Finding FindingOf(const Job& job, const Judgement& judgement, const std::vector<Root>& roots) {
  const Phrase chain = SayChain(roots.front());
  Finding finding{.severity = Severity::kHigh,
                  .message = SayRoots(job, roots),
                  .because = EvidenceOf(job, judgement, roots.front()),
                  .hint = SayAdvice(job, roots),
                  .table = "roots"};
  if (roots.size() > 1)
    finding.because = Say("rank {rank}: {evidence}", roots.front().rank, finding.because);
  if (!chain.empty()) finding.because = Say("{evidence}; {chain}", finding.because, chain);
  if (roots.size() == 1 && job.contradiction.empty()) finding.cause.rank = roots.front().rank;
  return finding;
}

// Dumps alone do not show that ranks wait in messages, and not all ranks have a stack.
bool MayWaitUnseen(const Job& job) {
  return job.on_host && std::ranges::any_of(job.dumps, [&](const auto& dump) {
           return job.StackOf(dump.first) == nullptr;
         });
}

Phrase SayUnseen() {
  return "Whether ranks wait for one another in send and recv is not known: this back end does not "
         "record them.";
}

// Where nobody is stuck, as dumps tell, and ranks may be in messages.
Finding UnseenFinding(const Job& job) {
  Finding finding{.severity = Severity::kMedium,
                  .message = SayUnseen(),
                  .hint =
                      "take stacks of all ranks (py-spy dump with locals), which show who waits "
                      "for whom; or dump again in a minute: a job that moves has later "
                      "operations then"};
  if (job.since_arrival != kAbsent) {
    finding.because =
        Say("the last operation of the job began {time} before the dumps were written",
            HumanNanoseconds(job.since_arrival));
  }
  return finding;
}

Phrase SayJudgement(const Job& job, const Judgement& judgement) {
  Phrase headline;
  for (const auto& roots : Grouped(judgement.roots)) {
    if (!headline.empty()) headline += " ";
    headline += SayRoots(job, roots);
  }
  if (!headline.empty()) return headline;
  if (job.dumps.empty() && !job.stacks.empty())
    return "Which rank stopped the job is not known: stacks alone do not tell who waits for whom.";
  if (judgement.stuck == 0 && !judgement.missing.empty()) {
    return Say(
        "No rank is stuck in an operation that was recorded; whether {ranks} ended is not known: "
        "there is no dump.",
        SayRanks(judgement.missing));
  }
  const Phrase nobody = "No rank is stuck in an operation that was recorded.";
  if (judgement.stuck == 0) return MayWaitUnseen(job) ? nobody + " " + SayUnseen() : nobody;
  return Say(
      "Which rank stopped the job is not known: {count} ranks are stuck, and dumps do not "
      "tell for whom they wait; dumps of all ranks, or world_size, would.",
      judgement.stuck);
}

Phrase Headline(const Job& job, const Judgement& judgement) {
  Phrase said = SayJudgement(job, judgement);
  if (!job.contradiction.empty())
    said = Say("Dumps contradict one another: {what}. ", job.contradiction) + said;
  if (judgement.stuck == 0 || !job.may_move || job.counts_only) return said;
  return said + " " +
         Say("The last operation of the job began {time} before the dumps were written: if it "
             "still "
             "moves, they disagree; dump again in a minute.",
             HumanNanoseconds(job.since_arrival));
}

// Of ranks without a dump: those whose file is there and empty apart.
void AddLostNotes(const Job& job, const Judgement& judgement, Report& report) {
  std::vector<int64_t> missing, empty;
  for (const int64_t rank : judgement.missing)
    if (job.Unusable(rank) == nullptr) missing.push_back(rank);
  for (const auto& [rank, dump] : job.unusable)
    if (dump.empty) empty.push_back(rank);
  if (!missing.empty()) {
    report.notes.push_back(
        {"missing_dumps", std::ssize(missing),
         Say("dumps are missing, of {ranks}: nothing is known of them", SayRanks(missing)), ""});
  }
  if (!empty.empty()) {
    report.notes.push_back({"empty_dumps", std::ssize(empty),
                            Say("dumps are empty files, of {ranks}: their processes may have "
                                "ended while they wrote them",
                                SayRanks(empty)),
                            ""});
  }
  AddUnusableNotes(job, report);
}

}  // namespace

Report HangReport(const Job& job, const Judgement& judgement) {
  Report report{.analysis = "hang", .title = "Hang"};
  report.headline = Headline(job, judgement);
  report.metrics = {
      {"ranks", "ranks", static_cast<int64_t>(job.ranks.size()), Unit::kCount},
      {"dumps", "ranks with a dump", static_cast<int64_t>(job.dumps.size()), Unit::kCount},
      {"stuck", "ranks stuck in an operation", judgement.stuck, Unit::kCount}};
  if (const int64_t last = LastArrival(job); last != kAbsent)
    report.metrics.push_back({"last_arrival", "last arrival", last, Unit::kUnixTime});
  int64_t left_out = 0;
  report.tables = {RootsTable(job, judgement), WaitsTable(job, judgement, left_out),
                   OperationsTable(job)};
  if (!job.stacks.empty()) report.tables.push_back(StacksTable(job));
  if (!job.signs.empty()) report.tables.push_back(SignsTable(job));
  if (!job.contradiction.empty()) report.findings.push_back(ContradictionFinding(job));
  for (const auto& roots : Grouped(judgement.roots))
    report.findings.push_back(FindingOf(job, judgement, roots));
  if (!job.unusable.empty()) report.findings.push_back(UnusableFinding(job));
  if (judgement.roots.empty() && judgement.stuck == 0 && MayWaitUnseen(job))
    report.findings.push_back(UnseenFinding(job));
  report.tables.push_back(WaitGroupsTable(job, judgement));
  if (!judgement.earlier.empty()) {
    report.tables.push_back(EarlierTable(job, judgement));
    report.findings.push_back(EarlierFinding(job, judgement));
  }
  if (left_out > 0)
    report.notes.push_back({"waits_left_out", left_out,
                            "waits were left out: others of the same ranks are shown", ""});
  AddLostNotes(job, judgement, report);
  return report;
}

}  // namespace stepscope::hang
