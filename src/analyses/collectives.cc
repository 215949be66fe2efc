// Matches collectives across ranks and reports their wait time, transfer time and bandwidth.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/collectives_slow_groups.h"
#include "base/saturate.h"
#include "facts/derived/replay/wait_origins.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace collectives {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Do all ranks run the same collectives, at what bandwidth, and how much of their time is waiting for the
last rank?

**Definition:** Collectives are matched by process group (name and members) and sequence number. Old traces without
sequence numbers are matched by order: they are shifted until operations, sizes and the rhythm of ends agree.
`unmatched` are collectives found on no other rank, those that disagree with the other ranks (`mismatches`), and sends
and receives. Sends and receives are never matched and are not part of `match_rate`.

Clocks of hosts differ by milliseconds. Ranks leave a synchronizing collective together, so the median difference of
two ranks' ends is their clock offset. `clock_offset` is relative to the lowest rank that can be aligned with this
one. `clock_error` is the clock uncertainty: the scatter of ends around the offset. Traces longer than 10 s also get a
drift. All recorded steps are used for alignment, whichever steps are selected.

`wait` is from a rank's own start to the last rank's start on aligned clocks, at most its duration. `transfer` is the
rest. `as_last` is the wait of all others for a rank as the last to arrive, whoever held it up: `stragglers` tells that.
`waits` has it rank by rank. A rank may leave
a broadcast, or another collective with a root, before the last one enters: these are split only where all were still in it
then, as over gloo.

Bandwidths are those of nccl-tests, in GB of 1e9 bytes: `algbw` = bytes / time and `busbw` = algbw × factor. The factor
is 2(n-1)/n for all-reduce, (n-1)/n for all-gather, reduce-scatter and all-to-all, 1 for broadcast and reduce. The time
is the shortest duration over the ranks, that of the last to arrive.

`slow_groups` are process groups whose collectives take longer, by a tenth and more, than the same of at least three
others with as many members. `exposed` is what a member would save at most if they were as fast.

Several devices of one process, the usual case of TensorFlow and JAX, take the place of ranks: `device` is then set, and
their clock is one. `clock_error` is how far their common ends lie apart. Sizes and groups come from the compiled program
(XLA). Its replica groups are matched one by one where the program has as many replicas as the trace has devices, which
XLA numbers in order unless the device mesh says otherwise.

**Limitations:** Waiting for ranks that were not recorded counts as transfer. With one rank, all bandwidths are
too low by its wait time. Offsets assume that ends coincide, so a rank that always leaves some microseconds later
looks like an offset. For kernels that run several collectives, only the size of the first is often recorded.

**Interpretation:** The network does not cause wait time; see `stragglers` for the cause. Compare `busbw` of large
messages with nccl-tests on the same machines. Small messages are latency-bound and never reach it. A wait
below `clock_error` is not significant.
)md";

constexpr size_t kMostMatches = 100;

Column BandwidthColumn(std::string key, Phrase title) {
  return {std::move(key), std::move(title), Unit::kBytesPerSecond, Role::kValue};
}

Cell BytesCell(int64_t bytes) { return bytes < 0 ? Cell() : Cell(bytes); }

int64_t ShortestDuration(std::span<const CollectivePart> parts) {
  return std::ranges::min(parts, {}, &CollectivePart::duration).duration();
}

int64_t LongestWait(std::span<const CollectivePart> parts) {
  return std::ranges::max(parts, {}, &CollectivePart::wait).wait;
}

// All collectives of one operation and size in one group.
struct KindSum {
  CollectiveOp op = CollectiveOp::kOther;
  int64_t count = 0, size = -1;
  int64_t time = 0;                      // ns; sum of the shortest duration of each
  int64_t kernels = 0;                   // ns; of all ranks
  std::optional<int64_t> wait_max = {};  // ns; absent: none was split
};
using KindKey = std::tuple<std::string_view, std::string, int64_t>;  // group, operation, bytes

std::map<KindKey, KindSum> CollectKinds(const Facts& facts) {
  const CollectiveFacts& c = facts.collectives;
  std::map<std::tuple<uint32_t, CollectiveOp, StringId, int64_t>, KindSum> found;
  for (const CollectiveMatch& match : c.matches) {
    KindSum& kind = found[{match.group, match.op, match.operation, match.bytes}];
    const auto parts = c.Parts(match);
    ++kind.count;
    kind.time = AddSaturated(kind.time, ShortestDuration(parts));
    for (const CollectivePart& p : parts) kind.kernels = AddSaturated(kind.kernels, p.duration());
    const int64_t wait = LongestWait(parts);
    if (match.last != kNobody && wait != kNoTime)
      kind.wait_max = std::max(kind.wait_max, std::optional(wait));
  }
  // Groups with one label are shown as one.
  std::map<KindKey, KindSum> kinds;
  for (const auto& [key, kind] : found) {
    const auto& [group, op, operation, bytes] = key;
    KindSum& sum = kinds[{c.groups[group].label, OperationText(facts, op, operation), bytes}];
    sum.op = op;
    sum.size = c.groups[group].size;
    sum.count += kind.count;
    sum.time = AddSaturated(sum.time, kind.time);
    sum.kernels = AddSaturated(sum.kernels, kind.kernels);
    sum.wait_max = std::max(sum.wait_max, kind.wait_max);
  }
  return kinds;
}

Table KindTable(const Facts& facts) {
  const auto kinds = CollectKinds(facts);
  std::vector<const std::pair<const KindKey, KindSum>*> order;
  for (const auto& kind : kinds) order.push_back(&kind);
  std::ranges::stable_sort(order, std::greater(), [](const auto* k) { return k->second.kernels; });
  Table table{.key = "collectives",
              .title = "Collectives by operation",
              .columns = {KeyColumn("group", "group"), KeyColumn("operation", "operation"),
                          KeyColumn("bytes", "size", Unit::kBytes), CountColumn("count", "count"),
                          TimeColumn("time", "mean time"), BandwidthColumn("algbw", "algbw"),
                          BandwidthColumn("busbw", "busbw"), TimeColumn("wait_max", "max wait")},
              .text_rows = 8};
  for (const auto* k : order) {
    const auto& [key, kind] = *k;
    const auto& [group, operation, bytes] = key;
    Cell algbw, busbw;
    if (bytes >= 0 && kind.time > 0) {
      const double rate = static_cast<double>(bytes) * static_cast<double>(kind.count) /
                          (static_cast<double>(kind.time) * 1e-9);
      algbw = rate;
      if (const auto factor = BusFactor(kind.op, kind.size)) busbw = rate * *factor;
    }
    table.rows.push_back({std::string(group), operation, BytesCell(bytes), kind.count,
                          kind.time / kind.count, algbw, busbw, Maybe(kind.wait_max)});
  }
  return table;
}

Table RankTable(const CollectiveFacts& c) {
  Table table{.key = "ranks",
              .title = "Wait and transfer time",
              .columns = ParticipantKeys(),
              .text_rows = 16};
  AddColumns(
      table,
      {CountColumn("matched", "matched"), CountColumn("unmatched", "unmatched"),
       CountColumn("point_to_point", "send/recv"), TimeColumn("wait", "wait"),
       TimeColumn("transfer", "transfer"), TimeColumn("as_last", "waits as last"),
       CountColumn("times_last", "times last"), TimeColumn("clock_offset", "clock offset"),
       TimeColumn("clock_error", "clock uncertainty"), ValueColumn("clock_drift", "clock drift")});
  SetKinds(table, {{"transfer", ColumnKind::kCommunication}, {"wait", ColumnKind::kWait}});
  for (const RankCollectives& r : c.ranks) {
    const bool split = r.split > 0, known = r.clock.known;
    std::vector<Cell> row = ParticipantCells(r);
    row.insert(row.end(), {r.matched, r.unmatched, r.point_to_point, When(split, r.wait),
                           When(split, r.transfer), When(split, r.blame), When(split, r.times_last),
                           When(known, r.clock.offset), When(known, r.clock.error),
                           r.clock.drift == 0 ? Cell() : Cell(r.clock.drift)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Wait time by waiting participant and the last one.
Table WaitTable(const CollectiveFacts& c) {
  struct Sum {
    int64_t wait = 0, times = 0;
  };
  std::map<std::pair<uint32_t, uint32_t>, Sum> waits;
  for (const CollectiveMatch& match : c.matches) {
    if (match.last == kNobody) continue;
    const uint32_t last = c.parts[match.last].rank;
    for (const CollectivePart& part : c.Parts(match)) {
      if (part.wait <= 0) continue;
      Sum& sum = waits[{part.rank, last}];
      sum.wait = AddSaturated(sum.wait, part.wait);
      ++sum.times;
    }
  }
  Table table{
      .key = "waits", .title = "Wait by last rank", .columns = ParticipantKeys(), .text_rows = 0};
  AddColumns(table, {KeyColumn("for_rank", "last rank"), KeyColumn("for_device", "last device"),
                     TimeColumn("wait", "wait"), CountColumn("times", "times")});
  for (const auto& [key, sum] : waits) {
    std::vector<Cell> row = ParticipantCells(c.ranks[key.first]);
    for (Cell& cell : ParticipantCells(c.ranks[key.second])) row.push_back(std::move(cell));
    row.insert(row.end(), {sum.wait, sum.times});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The collectives with the most wait time.
Table MatchTable(const Facts& facts) {
  const CollectiveFacts& c = facts.collectives;
  std::vector<std::pair<int64_t, uint32_t>> waits;  // wait of all ranks, index of the match
  for (uint32_t m = 0; m < c.matches.size(); ++m) {
    if (c.matches[m].last == kNobody) continue;
    int64_t sum = 0;
    for (const CollectivePart& part : c.Parts(c.matches[m])) sum = AddSaturated(sum, part.wait);
    waits.emplace_back(-sum, m);
  }
  const auto shown = static_cast<std::ptrdiff_t>(std::min(waits.size(), kMostMatches));
  std::ranges::partial_sort(waits, waits.begin() + shown);
  waits.resize(static_cast<size_t>(shown));
  Table table{.key = "longest_waits",
              .title = "Longest collective waits",
              .columns = {KeyColumn("place", "position"), ValueColumn("group", "group"),
                          ValueColumn("sequence", "sequence"),
                          ValueColumn("operation", "operation"), BytesColumn("bytes", "size"),
                          CountColumn("ranks", "ranks"), ValueColumn("last_rank", "last rank"),
                          ValueColumn("last_device", "last device"), TimeColumn("wait", "wait"),
                          TimeColumn("wait_max", "max wait"), TimeColumn("transfer", "transfer")},
              .text_rows = 0};
  for (const auto& [sum, m] : waits) {
    const CollectiveMatch& match = c.matches[m];
    const auto parts = c.Parts(match);
    const RankCollectives& last = c.ranks[c.parts[match.last].rank];
    table.rows.push_back({static_cast<int64_t>(table.rows.size() + 1), c.groups[match.group].label,
                          match.sequence, OperationText(facts, match.op, match.operation),
                          BytesCell(match.bytes), static_cast<int64_t>(match.count), last.rank,
                          When(last.device >= 0, last.device), -sum, LongestWait(parts),
                          ShortestDuration(parts)});
  }
  return table;
}

Table MismatchTable(const Facts& facts) {
  const CollectiveFacts& c = facts.collectives;
  Table table{.key = "mismatches",
              .title = "Mismatched collectives",
              .columns = {KeyColumn("place", "position"), ValueColumn("group", "group"),
                          ValueColumn("sequence", "sequence"), ValueColumn("rank", "rank"),
                          ValueColumn("device", "device"), ValueColumn("operation", "operation"),
                          BytesColumn("bytes", "size"),
                          ValueColumn("others_operation", "others' operation"),
                          BytesColumn("others_bytes", "others' size")},
              .text_rows = 4};
  for (const CollectiveMismatch& m : c.mismatches) {
    const CollectiveMatch& match = c.matches[m.match];
    const RankCollectives& rank = c.ranks[m.rank];
    table.rows.push_back({static_cast<int64_t>(table.rows.size() + 1), c.groups[match.group].label,
                          match.sequence, rank.rank, When(rank.device >= 0, rank.device),
                          OperationText(facts, m.op, m.operation), BytesCell(m.bytes),
                          OperationText(facts, match.op, match.operation), BytesCell(match.bytes)});
  }
  return table;
}

struct Totals {
  int64_t matched = 0, unmatched = 0, point_to_point = 0, collectives = 0;
  int64_t wait = 0, transfer = 0, error = 0, offset = 0;
  int64_t unjoined = 0;                     // ranks with collectives, but no clock
  const RankCollectives* blamed = nullptr;  // for whom the others wait most
  int64_t caused = 0;                       // ns that they do

  Cell MatchRate() const { return Ratio(matched, matched + unmatched - point_to_point); }
};

Totals AddUp(const Facts& facts) {
  const CollectiveFacts& c = facts.collectives;
  const std::vector<int64_t> caused = CausedWaitsOf(facts);
  Totals t;
  for (const RankCollectives& r : c.ranks) {
    t.matched += r.matched;
    t.unmatched += r.unmatched;
    t.point_to_point += r.point_to_point;
    t.wait = AddSaturated(t.wait, r.wait);
    t.transfer = AddSaturated(t.transfer, r.transfer);
    t.error = std::max(t.error, r.clock.error);
    t.offset = std::max(t.offset, r.clock.offset < 0 ? -r.clock.offset : r.clock.offset);
    if (r.matched + r.unmatched > 0 && !r.clock.known) ++t.unjoined;
    const int64_t own = caused[static_cast<size_t>(&r - c.ranks.data())];
    if (t.blamed == nullptr || own > t.caused) {
      t.blamed = &r;
      t.caused = own;
    }
  }
  for (const CollectiveMatch& match : c.matches) t.collectives += match.Matched() ? 1 : 0;
  return t;
}

void AddNotes(Report& report, const Facts& facts, const Totals& t) {
  const CollectiveFacts& c = facts.collectives;
  const auto add = [&](std::string name, int64_t count, Phrase message) {
    if (count > 0) report.notes.push_back({std::move(name), count, std::move(message), ""});
  };
  add("point_to_point", t.point_to_point,
      "sends and receives are no collectives: `whatif` matches those whose partner was recorded");
  if (c.ranks.size() > 1) {
    add("unjoined_clocks", t.unjoined,
        "ranks share no synchronizing collective with others: their clocks are not aligned (no "
        "wait time)");
  }
  add("order_unclear", c.unconfirmed,
      "communication kernels were not matched: no sequence number and no constant distance to the "
      "ends of another rank");
  int64_t by_order = 0, ambiguous = 0, absent = 0;
  for (const CollectiveMatch& match : c.matches) {
    if (match.Matched() && !c.groups[match.group].numbered) ++by_order;
  }
  for (const CollectiveGroup& group : c.groups) {
    ambiguous += group.ambiguous ? 1 : 0;
    if (group.size > group.present && c.ranks.size() > 1) ++absent;
  }
  add("matched_by_order", by_order, "collectives were matched by order: no sequence number");
  add("ambiguous_group", ambiguous,
      "process groups were not matched: more ranks than members, so one name stands for several "
      "groups");
  add("absent_members", absent,
      "process groups have members that were not recorded (waiting for them counts as transfer)");
}

void AddMismatchFinding(Report& report, const Facts& facts) {
  const CollectiveFacts& c = facts.collectives;
  const Phrase noun = ParticipantNoun(facts);
  std::map<uint32_t, int64_t> by_rank;
  int64_t count = 0;
  for (const CollectiveMismatch& m : c.mismatches) {
    if (!c.groups[c.matches[m.match].group].numbered) continue;
    ++by_rank[m.rank];
    ++count;
  }
  if (count == 0) return;
  const auto& most = *std::ranges::max_element(by_rank, {}, [](const auto& r) { return r.second; });
  report.findings.push_back(
      {.severity = Severity::kHigh,
       .message = Say("{ranks}s run different collectives at {positions}.", Capitalized(noun),
                      Plural(static_cast<size_t>(count), "position")),
       .because = Say("{count} of {total} mismatches are on {who}", most.second, count,
                      SayParticipant(facts, c.ranks[most.first])),
       .hint = Say("make every {rank} call the same collectives in the same order with the same "
                   "sizes; check conditions on rank or data around the first mismatch (such a job "
                   "can hang)",
                   noun),
       .impact = 0,
       .table = "mismatches"});
}

Phrase Headline(const Facts& facts, const Totals& t) {
  const CollectiveFacts& c = facts.collectives;
  const std::string_view noun = ParticipantNoun(facts);
  if (t.matched == 0) {
    return Say("{collectives} on {ranks}, none matched.", Plural(c.matches.size(), "collective"),
               Plural(c.ranks.size(), noun));
  }
  Phrase text =
      Say("{collectives} matched across {ranks}",
          Plural(static_cast<size_t>(t.collectives), "collective"), Plural(c.ranks.size(), noun));
  const double all = static_cast<double>(t.wait) + static_cast<double>(t.transfer);
  if (all <= 0) return text + ".";
  text += "; " + Say("wait time is {share} of collective time",
                     HumanRatio(static_cast<double>(t.wait) / all));
  if (t.caused > t.wait / 2) text += Say(", mostly for {who}", SayParticipant(facts, *t.blamed));
  return text + Say(" (clock uncertainty {time}).", HumanTime(static_cast<double>(t.error)));
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kCollectives, facts);
  if (report.status == Status::kUnavailable) return report;
  const CollectiveFacts& c = facts.collectives;
  if (c.matches.empty()) {
    MakeUnavailable(report, NoCommunication(facts));
    return report;
  }
  if (c.ranks.size() == 1) {
    report.status = Status::kPartial;
    report.why = "only one rank was recorded: no matching, and times include waiting";
  }
  const Totals t = AddUp(facts);
  report.headline = Headline(facts, t);
  const bool joined = std::ranges::any_of(c.ranks, [](const auto& r) { return r.clock.known; });
  report.metrics = {
      {"match_rate", "matched", c.ranks.size() > 1 ? t.MatchRate() : Cell(), Unit::kRatio},
      {"mismatches", "mismatches", static_cast<int64_t>(c.mismatches.size()), Unit::kCount},
      {"wait_ratio", "wait, % of collectives", Ratio(t.wait, AddSaturated(t.wait, t.transfer)),
       Unit::kRatio},
      {"clock_offset_max", "max clock offset", When(joined, t.offset), Unit::kNanoseconds},
      {"clock_error_max", "max clock uncertainty", When(joined, t.error), Unit::kNanoseconds}};
  report.tables.push_back(RankTable(c));
  report.tables.push_back(WaitTable(c));
  report.tables.push_back(KindTable(facts));
  report.tables.push_back(MatchTable(facts));
  if (!c.mismatches.empty()) report.tables.push_back(MismatchTable(facts));
  AddNotes(report, facts, t);
  AddMismatchFinding(report, facts);
  AddSlowGroups(report, facts);
  return report;
}

}  // namespace
}  // namespace collectives

const Analysis kCollectives = {
    .name = "collectives",
    .title = "Collectives",
    .label = "Collectives",
    .group = AnalysisGroup::kRanks,
    .summary = "Wait, transfer and bandwidth",
    .doc = collectives::kDoc,
    .needs = kRankActivityNeeds,
    .of_partials = OfPartials::kYes,
    .params = {},
    .run = &collectives::Run,
};

}  // namespace stepscope
