// Finds the shift between two sequences, then walks along both and skips entries of only one.
#include "facts/collectives/order_alignment.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/robust.h"
#include "facts/collectives/clock.h"

namespace stepscope {
namespace {

constexpr int64_t kSample = 128;        // pairs that judge a shift
constexpr int64_t kLookAhead = 32;      // entries that one sequence may have and the other not
constexpr int64_t kFewest = 3;          // pairs to judge by their ends
constexpr int64_t kTolerance = 20'000;  // ns, of ends that belong together
constexpr int64_t kShiftCost = 1'000;   // ns; of shifts that fit alike the smallest is taken

using Entries = std::span<const OrderedEntry>;

// other[i] faces reference[i + shift].
struct Shift {
  int64_t shift = 0;
  int64_t pairs = 0, agreeing = 0;
  int64_t spread = 0;  // MAD of the differences of their ends, ns

  double Agreement() const {
    return pairs == 0 ? 0 : static_cast<double>(agreeing) / static_cast<double>(pairs);
  }
  int64_t Cost() const { return spread + std::abs(shift) * kShiftCost; }
};

const OrderedEntry& At(Entries entries, int64_t i) { return entries[static_cast<size_t>(i)]; }
int64_t Size(Entries entries) { return static_cast<int64_t>(entries.size()); }

// What differences of ends scatter around: an offset that is not known, or 0.
int64_t Scatter(std::vector<int64_t>& differences, bool one_clock) {
  if (!one_clock) return MadOf(differences);
  for (int64_t& difference : differences) difference = std::abs(difference);
  return UpperMedian(differences);
}

// Absent beyond the end.
std::optional<uint64_t> LabelAt(Entries entries, int64_t i) {
  return i < Size(entries) ? std::optional(At(entries, i).label) : std::nullopt;
}

// Whether other[j] and its successor are reference[i] and its successor, but in the other order:
// threads side by side begin in either.
bool AreSwapped(Entries reference, int64_t i, Entries other, int64_t j) {
  const auto first = LabelAt(reference, i), second = LabelAt(reference, i + 1);
  return second && first != second && LabelAt(other, j) == second && LabelAt(other, j + 1) == first;
}

// The entries of `other` that face one of `reference`, from the first on; at most kSample.
struct Facing {
  Facing(Entries reference, Entries other, int64_t shift)
      : first(std::max<int64_t>(0, -shift)),
        end(std::min({Size(other), Size(reference) - shift, first + kSample})) {}
  int64_t first, end;
};

Shift Judge(Entries reference, Entries other, int64_t shift, bool one_clock,
            std::vector<int64_t>& differences) {
  const Facing facing(reference, other, shift);
  Shift judged{.shift = shift, .pairs = std::max<int64_t>(0, facing.end - facing.first)};
  differences.clear();
  for (int64_t i = facing.first; i < facing.end; ++i) {
    const OrderedEntry& a = At(reference, i + shift);
    const OrderedEntry& b = At(other, i);
    if (a.label == b.label) {
      ++judged.agreeing;
      differences.push_back(Apart(b.end, a.end));
    } else if (AreSwapped(reference, i + shift, other, i)) {
      // Half of them count: two labels in turn, one ahead, are no row of swaps.
      ++judged.agreeing;
      differences.push_back(Apart(b.end, At(reference, i + shift + 1).end));
      ++i;
    }
  }
  if (!differences.empty()) judged.spread = Scatter(differences, one_clock);
  return judged;
}

// The first entry of each step.
std::map<int64_t, int64_t> FirstOfSteps(Entries entries) {
  std::map<int64_t, int64_t> first;
  for (int64_t i = 0; i < Size(entries); ++i) {
    if (At(entries, i).step >= 0) first.try_emplace(At(entries, i).step, i);
  }
  return first;
}

// The shift at which most steps begin together: the median, since a recording may begin within one.
std::optional<int64_t> ShiftOfSteps(Entries reference, Entries other) {
  const auto own = FirstOfSteps(other);
  std::vector<int64_t> shifts;
  for (const auto& [step, first] : FirstOfSteps(reference)) {
    if (const auto same = own.find(step); same != own.end()) shifts.push_back(first - same->second);
  }
  return shifts.empty() ? std::nullopt : std::optional(UpperMedian(shifts));
}

// Labels come first: a shift that makes clearly fewer of them agree is out. Then the ends decide.
// Looks at most `furthest` entries around the shift `likely`.
Shift FindShift(Entries reference, Entries other, bool one_clock, int64_t likely,
                int64_t furthest) {
  const int64_t shorter = std::min(Size(reference), Size(other));
  std::vector<Shift> shifts;
  std::vector<int64_t> differences;
  double best = 0;
  for (int64_t shift = likely - furthest; shift <= likely + furthest; ++shift) {
    const Shift judged = Judge(reference, other, shift, one_clock, differences);
    // Few pairs agree by chance.
    if (judged.pairs < std::min(kSample, std::max<int64_t>(1, (shorter + 1) / 2))) continue;
    best = std::max(best, judged.Agreement());
    shifts.push_back(judged);
  }
  const int64_t fewest = one_clock ? 1 : kFewest;
  Shift found;
  for (const Shift& s : shifts) {
    if (s.Agreement() < best * 0.9 || s.agreeing == 0) continue;
    const bool by_ends = s.agreeing >= fewest;
    const bool better =
        found.agreeing == 0 ||
        (by_ends ? found.agreeing < fewest || s.Cost() < found.Cost()
                 : found.agreeing < fewest && std::abs(s.shift) < std::abs(found.shift));
    if (better) found = s;
  }
  return found;
}

// Pairs entry by entry. Where labels differ, looks for the nearest point from which on they agree
// again; where there is none, the two faced each other and disagree.
std::vector<int64_t> Walk(Entries reference, Entries other, int64_t shift) {
  std::vector<int64_t> partner(other.size(), kUnpaired);
  int64_t r = std::max<int64_t>(0, shift);
  int64_t o = std::max<int64_t>(0, -shift);
  const auto agree = [&](int64_t i, int64_t j) {
    return i < Size(reference) && LabelAt(reference, i) == LabelAt(other, j);
  };
  // A single label may agree by chance: two of them, or the end.
  const auto resumes = [&](int64_t i, int64_t j) {
    return agree(i, j) && (agree(i + 1, j + 1) || i + 1 == Size(reference) || j + 1 == Size(other));
  };
  const auto swapped = [&](int64_t i, int64_t j) {
    return AreSwapped(reference, i, other, j) &&
           (agree(i + 2, j + 2) || i + 2 == Size(reference) || j + 2 == Size(other));
  };
  // How many entries of the one or of the other to skip.
  const auto nearest = [&](int64_t i, int64_t j) -> std::pair<int64_t, int64_t> {
    for (int64_t k = 1; k <= kLookAhead; ++k) {
      if (resumes(i + k, j)) return {k, 0};
      if (resumes(i, j + k)) return {0, k};
    }
    return {0, 0};
  };
  while (r < Size(reference) && o < Size(other)) {
    if (swapped(r, o)) {
      partner[static_cast<size_t>(o++)] = r + 1;
      partner[static_cast<size_t>(o++)] = r;
      r += 2;
      continue;
    }
    if (!agree(r, o) && !agree(r + 1, o + 1)) {
      const auto [skip_r, skip_o] = nearest(r, o);
      r += skip_r;
      o += skip_o;
    }
    partner[static_cast<size_t>(o++)] = r++;
  }
  return partner;
}

OrderAlignment AlignBy(Entries reference, Entries other, const Shift& shift, bool one_clock) {
  OrderAlignment alignment;
  if (shift.agreeing == 0) {
    alignment.partner.assign(other.size(), kUnpaired);
    return alignment;
  }
  alignment.partner = Walk(reference, other, shift.shift);
  ConfirmByEnds(reference, other, one_clock, alignment);
  return alignment;
}

// Whether nearly all pairs of this shift run at the same time as the clocks are: no member of a
// collective ends before another begins. Where ends scatter by more than steps do, as on a busy
// machine, a shift by a step may look as regular.
bool RunTogether(Entries reference, Entries other, int64_t shift) {
  constexpr double kNearlyAll = 0.9;
  int64_t pairs = 0, together = 0;
  const Facing facing(reference, other, shift);
  for (int64_t i = facing.first; i < facing.end; ++i) {
    const OrderedEntry &a = At(reference, i + shift), &b = At(other, i);
    if (a.label != b.label) continue;
    ++pairs;
    together += Apart(b.end, a.end) < b.duration && Apart(a.end, b.end) < a.duration ? 1 : 0;
  }
  return pairs >= kFewest &&
         static_cast<double>(together) >= kNearlyAll * static_cast<double>(pairs);
}

OrderAlignment AlignTogether(Entries reference, Entries other, bool one_clock) {
  constexpr int64_t kAround = 2;  // a collective at the border of two steps
  constexpr double kAgree = 0.9;
  std::optional<OrderAlignment> by_step;
  if (const auto likely = ShiftOfSteps(reference, other)) {
    const int64_t around = RunTogether(reference, other, *likely) ? 0 : kAround;
    const Shift near = FindShift(reference, other, one_clock, *likely, around);
    OrderAlignment alignment = AlignBy(reference, other, near, one_clock);
    if (alignment.confirmed) return alignment;
    if (near.Agreement() >= kAgree) by_step = std::move(alignment);
  }
  const int64_t furthest = std::min(kMostShift, std::max(Size(reference), Size(other)));
  const Shift shift = FindShift(reference, other, one_clock, 0, furthest);
  OrderAlignment alignment = AlignBy(reference, other, shift, one_clock);
  // Steps of one number are the same step, unless times on one clock say otherwise: ends at an
  // offset that nobody knows look regular wherever steps are alike.
  const bool otherwise = one_clock && alignment.confirmed;
  return by_step && !otherwise ? *std::move(by_step) : std::move(alignment);
}

// The entries of one label, and where they are.
struct OfLabel {
  std::vector<OrderedEntry> entries;
  std::vector<int64_t> places;
};

std::map<uint64_t, OfLabel> ByLabel(Entries entries) {
  std::map<uint64_t, OfLabel> labels;
  for (int64_t i = 0; i < Size(entries); ++i) {
    OfLabel& own = labels[At(entries, i).label];
    own.entries.push_back(At(entries, i));
    own.places.push_back(i);
  }
  return labels;
}

// Of a file that ends early, one thread's entries may all be there and another's not: each label is
// aligned alone, and counts where its own ends bear that out.
OrderAlignment AlignLabels(Entries reference, Entries other, bool one_clock) {
  OrderAlignment all;
  all.partner.assign(other.size(), kUnpaired);
  const auto theirs = ByLabel(reference);
  for (const auto& [label, own] : ByLabel(other)) {
    const auto same = theirs.find(label);
    if (same == theirs.end()) continue;
    const OrderAlignment alone = AlignTogether(same->second.entries, own.entries, one_clock);
    if (!alone.confirmed) continue;
    for (size_t i = 0; i < alone.partner.size(); ++i) {
      if (alone.partner[i] == kUnpaired) continue;
      all.partner[static_cast<size_t>(own.places[i])] =
          same->second.places[static_cast<size_t>(alone.partner[i])];
    }
  }
  ConfirmByEnds(reference, other, one_clock, all);
  return all;
}

}  // namespace

void ConfirmByEnds(Entries reference, Entries other, bool one_clock, OrderAlignment& alignment) {
  const std::vector<int64_t>& partner = alignment.partner;
  std::vector<int64_t> differences, durations;
  for (size_t o = 0; o < partner.size(); ++o) {
    if (partner[o] == kUnpaired) continue;
    const OrderedEntry& r = At(reference, partner[o]);
    if (r.label != other[o].label) continue;
    differences.push_back(Apart(other[o].end, r.end));
    durations.push_back(std::min(other[o].duration, r.duration));
  }
  if (differences.empty()) return;
  alignment.agreeing = std::ssize(differences);
  alignment.apart = Scatter(differences, one_clock);
  alignment.duration = UpperMedian(durations);
  alignment.confirmed = alignment.agreeing >= (one_clock ? 1 : kFewest) &&
                        alignment.apart <= kTolerance + alignment.duration / 4;
}

OrderAlignment AlignOrder(Entries reference, Entries other, bool one_clock) {
  OrderAlignment together = AlignTogether(reference, other, one_clock);
  if (together.confirmed) return together;
  OrderAlignment labels = AlignLabels(reference, other, one_clock);
  const bool better = labels.confirmed && labels.agreeing >= together.agreeing;
  return better ? labels : together;
}

}  // namespace stepscope
