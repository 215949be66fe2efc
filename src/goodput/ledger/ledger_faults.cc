// Reads manifests and says what a directory lacks.
#include "goodput/ledger/ledger_faults.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/read_file.h"
#include "report/humanize.h"

namespace stepscope::goodput {
namespace {

struct FaultWords {
  std::string_view name, text;
};
constexpr auto kFaults = std::to_array<FaultWords>({
    {"missing_segment", "a segment is missing"},
    {"unreadable_segment", "the header of a segment is damaged"},
    {"cut_segment", "a segment was cut"},
    {"other_segment", "a segment was replaced by another one"},
    {"damaged_segment", "records of a segment are damaged or missing"},
    {"missing_rollup", "a rollup is missing; its events were removed before"},
    {"damaged_manifest", "a manifest is damaged"},
    {"missing_manifest", "the manifest of the ledger is missing or an earlier one"},
    {"missing_events", "events are missing: gaps in a writer's sequence numbers"},
});
static_assert(kFaults.size() == static_cast<size_t>(FaultKind::kCount));

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "" : path.substr(0, slash + 1);
}

// Of what two manifests say of one segment, what demands more.
void TakeListed(ManifestEntry entry, FolderManifest& all) {
  const auto [known, is_new] = all.listed.try_emplace(entry.name, entry);
  if (is_new) return;
  ManifestEntry& old = known->second;
  // What an open segment had is not all that it has when it is closed.
  const bool as_whole = entry.kind != EntryKind::kClosed || old.kind == EntryKind::kClosed;
  if (entry.contents == Contents() && entry.salt == old.salt && as_whole)
    entry.contents = old.contents;
  const bool more = entry.kind == EntryKind::kClosed || old.kind != EntryKind::kClosed;
  if (more && entry.slots >= old.slots) {
    old = std::move(entry);
  } else {
    old.job = std::move(entry.job);
  }
}

void TakeEntry(ManifestEntry entry, bool of_ledger, std::set<std::string>& repaired,
               FolderManifest& all) {
  if (entry.kind <= EntryKind::kClosed) {
    // What a repair left of a segment counts, whatever its writer said.
    if (of_ledger && repaired.erase(entry.name) > 0) all.listed.erase(entry.name);
    return TakeListed(std::move(entry), all);
  }
  if (entry.kind == EntryKind::kFound) {
    std::erase_if(all.lost, [&](const ManifestEntry& lost) { return lost.name == entry.name; });
    if (entry.events >= 0) all.found[entry.name] = entry.events;
    return;
  }
  if (entry.kind != EntryKind::kLost) {
    all.gone.insert_or_assign(entry.name, std::move(entry));
    return;
  }
  all.listed.erase(entry.name);
  all.gone.erase(entry.name);
  all.found.erase(entry.name);
  repaired.insert(entry.name);
  all.lost.push_back(std::move(entry));
}

// The last entry of a segment says whose it is: its job may have been renamed or deleted since.
void SettleLost(FolderManifest& all) {
  std::map<std::string_view, std::string> jobs;
  for (const ManifestEntry& entry : all.lost) jobs[entry.name] = entry.job;
  for (ManifestEntry& entry : all.lost) entry.job = jobs[entry.name];
  std::erase_if(all.lost, [&](const ManifestEntry& entry) {
    const auto gone = all.gone.find(entry.name);
    const bool deleted = gone != all.gone.end() && gone->second.kind == EntryKind::kDeleted;
    return deleted || entry.events == 0;
  });
}

bool Concerns(const SegmentFault& fault, const std::string* job) {
  return !IsOfManifest(fault.kind) && (job == nullptr || fault.job == *job);
}

}  // namespace

std::string_view FaultName(FaultKind kind) { return kFaults[static_cast<size_t>(kind)].name; }
std::string_view FaultText(FaultKind kind) { return kFaults[static_cast<size_t>(kind)].text; }

Result<DecodedManifest> ReadManifest(const std::string& folder, const std::string& path) {
  const auto bytes = ReadFileIfThere(folder + "/" + path);
  if (!bytes) return std::unexpected(bytes.error());
  DecodedManifest manifest = DecodeManifest(bytes->value_or(""));
  for (ManifestEntry& entry : manifest.entries) entry.name.insert(0, FolderOf(path));
  return manifest;
}

Result<FolderManifest> ReadManifests(const std::string& folder, std::vector<std::string> paths) {
  // The ledger's own says last what holds.
  std::ranges::stable_partition(
      paths, [](const std::string& path) { return !path.ends_with(kLedgerManifest); });
  FolderManifest all;
  std::set<std::string> repaired;
  for (const std::string& path : paths) {
    const bool of_ledger = path.ends_with(kLedgerManifest);
    auto manifest = ReadManifest(folder, path);
    if (!manifest) return std::unexpected(manifest.error());
    if (manifest->damaged || (of_ledger && manifest->torn)) all.damaged.push_back(path);
    for (ManifestEntry& entry : manifest->entries)
      TakeEntry(std::move(entry), of_ledger, repaired, all);
  }
  for (const auto& [name, entry] : all.gone) all.listed.erase(name);
  SettleLost(all);
  return all;
}

namespace {

// Fills in what a cut segment has lost, by reading the rest.
Result<std::optional<SegmentFault>> Measured(const std::string& path, SegmentFault fault,
                                             int64_t events, int64_t last) {
  auto reader = SegmentReader::Open(path);
  if (!reader) return std::unexpected(Error(reader.error()));
  int64_t left = 0, until = kUnknown;
  Notes ignored;
  reader->Finish(ignored, [&](const Event& event) {
    ++left;
    until = std::max(until, event.time);
  });
  if (reader->failed()) return std::unexpected(*reader->failed());
  if (events >= 0) fault.events = std::max<int64_t>(events - left, 0);
  if (until != kUnknown) fault.first = until;
  fault.last = last;
  return fault;
}

// What the manifest or the closing record says of the whole segment, whichever says more slots. -1
// and kUnknown: neither knows its end.
std::pair<int64_t, int64_t> EventsAndEnd(const std::optional<SegmentMark>& mark,
                                         const ManifestEntry* listed) {
  const bool ends = mark && mark->closed;
  if (ends && (listed == nullptr || listed->slots <= mark->slots)) {
    return {mark->events, mark->last};
  }
  const bool told = listed != nullptr && listed->kind == EntryKind::kClosed;
  return told ? std::pair(listed->events, listed->last) : std::pair(int64_t{-1}, kUnknown);
}

}  // namespace

Result<std::optional<SegmentFault>> FaultOf(const std::string& folder, const std::string& name,
                                            uint64_t size, const SegmentReader& reader,
                                            const ManifestEntry* listed) {
  const SegmentHeader& header = reader.header();
  const std::optional<SegmentMark>& mark = reader.mark();
  SegmentFault fault{.file = name, .job = header.job};
  if (listed != nullptr) fault.listed = *listed;
  const bool ends = mark && mark->closed;
  const bool told = listed != nullptr && listed->kind == EntryKind::kClosed;
  if (listed != nullptr && listed->salt != header.salt) {
    fault.kind = FaultKind::kOther;
    return fault;
  }
  const uint64_t needed = std::max(mark ? mark->slots : 0, listed != nullptr ? listed->slots : 0);
  // An open segment has all its room, from its first mark on.
  const bool cut = size < kSlotsBegin + needed * kSlotBytes ||
                   (mark && !ends && size < kSlotsBegin + header.slots * kSlotBytes);
  if (cut) {
    fault.kind = FaultKind::kCut;
    const auto [events, last] = EventsAndEnd(mark, listed);
    return Measured(folder + "/" + name, std::move(fault), events, last);
  }
  // The manifest speaks of the end only after the record of it: this is an earlier copy.
  if (told && !ends) {
    fault.kind = FaultKind::kCut;
    auto measured = Measured(folder + "/" + name, std::move(fault), listed->events, listed->last);
    if (measured && (*measured)->events == 0) return std::nullopt;
    return measured;
  }
  const bool differs = told && ends && listed->checksum != 0 &&
                       (listed->slots != mark->slots || listed->checksum != mark->checksum);
  if (!differs) return std::nullopt;
  fault.kind = FaultKind::kOther;
  return fault;
}

namespace {

struct Sum {
  std::set<std::string_view> segments;
  int64_t events = 0, first = kUnknown, last = kUnknown;
  bool exact = true, open = false;  // open: some of it is not repaired

  void Add(int64_t lost, int64_t from, int64_t until) {
    events += std::max<int64_t>(lost, 0);
    exact = exact && lost >= 0;
    if (from != kUnknown) first = first == kUnknown ? from : std::min(first, from);
    last = std::max(last, until);
  }
};

Sum SumOf(std::span<const SegmentFault> faults, std::span<const ManifestEntry> given_up,
          const std::string* job) {
  Sum sum;
  for (const SegmentFault& fault : faults) {
    if (!Concerns(fault, job)) continue;
    sum.segments.insert(fault.file);
    sum.open = true;
    if (fault.kind != FaultKind::kOther) sum.Add(fault.events, fault.first, fault.last);
  }
  for (const ManifestEntry& entry : given_up) {
    if (job != nullptr && entry.job != *job) continue;
    sum.segments.insert(entry.name);
    sum.Add(entry.events, entry.first, entry.last);
  }
  return sum;
}

Phrase TimeLost(const Sum& sum) {
  if (sum.last == kUnknown) return {};
  if (sum.first == kUnknown) return Say(" until {time}", HumanMoment(sum.last));
  return Say(" from {first} to {last}", HumanMoment(sum.first), HumanMoment(sum.last));
}

Phrase Loss(const Sum& sum) {
  const Phrase events = CountOfLost(sum.events, sum.exact), time = TimeLost(sum);
  if (sum.segments.empty())
    return Say("Stored events are lost: {events} in damaged records.", events);
  const Phrase segments = Plural(sum.segments.size(), "segment");
  if (sum.open)
    return Say("Stored events are lost: {segments} missing or damaged, with {events}{time}.",
               segments, events, time);
  return Say(
      "Stored events are lost: {segments} missing or damaged before a repair, with "
      "{events}{time}.",
      segments, events, time);
}

// `of_job`: the answer is of one job.
Phrase Gaps(const FoundLost& found, bool of_job) {
  const Phrase events = Plural(static_cast<size_t>(found.Missing()), "event");
  if (of_job && found.shared) {
    return Say(
        "Events are missing: {events}, by gaps in the sequence numbers of their writers; these "
        "wrote to other jobs too, so that some may be of those. ",
        events);
  }
  return Say("Events are missing: {events}, by gaps in the sequence numbers of their writers. ",
             events);
}

}  // namespace

int64_t FoundLost::Missing() const {
  int64_t sum = 0;
  for (const auto& [writer, events] : gaps) sum += events;
  return sum;
}

// A writer of several jobs has its gaps once.
FoundLost& FoundLost::operator+=(const FoundLost& other) {
  lost += other.lost;
  exact = exact && other.exact;
  shared = shared || other.shared;
  for (const auto& [writer, events] : other.gaps) gaps[writer] = std::max(gaps[writer], events);
  return *this;
}

Phrase CountOfLost(int64_t events, bool exact) {
  const Phrase count = Plural(static_cast<size_t>(events), "event");
  if (exact) return count;
  return events > 0 ? Say("at least {count}", count) : Phrase("an unknown number of events");
}

Phrase LeadOf(std::span<const SegmentFault> faults, std::span<const ManifestEntry> given_up,
              const FoundLost& found, const std::string* job) {
  Sum sum = SumOf(faults, given_up, job);
  Phrase lead;
  if (std::ranges::find(faults, FaultKind::kNoManifest, &SegmentFault::kind) != faults.end()) {
    lead += Phrase(
        "The manifest of the ledger is missing or an earlier one: segments may be missing "
        "unnoticed. ");
  }
  if (sum.segments.empty() && found == FoundLost()) return lead;
  sum.open = sum.open || found.lost > 0;
  sum.events += found.lost;
  sum.exact = sum.exact && found.exact;
  if (!sum.segments.empty() || found.lost > 0 || !found.exact) {
    lead += Loss(sum);
    lead += " ";
  }
  if (!found.gaps.empty()) lead += Gaps(found, job != nullptr);
  lead += Phrase("The numbers are of the remaining events and can be too low or too high. ");
  return lead;
}

std::vector<Note> NotesOfFaults(std::span<const SegmentFault> faults, const std::string& folder,
                                const std::string* job) {
  std::vector<Note> notes;
  for (const SegmentFault& fault : faults) {
    if (!Concerns(fault, job)) continue;
    notes.push_back({std::string(FaultName(fault.kind)), 1, Phrase(FaultText(fault.kind)),
                     folder + "/" + fault.file});
  }
  return notes;
}

}  // namespace stepscope::goodput
