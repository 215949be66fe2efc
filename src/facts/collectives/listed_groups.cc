// Tries every listed group with every order of its members, and takes the best fit until none is
// left.
#include "facts/collectives/listed_groups.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace stepscope {
namespace {

constexpr double kAlike = 0.9;         // of the shorter order, of collectives that are the same
constexpr int64_t kClose = 20'000;     // ns, of ends that belong together
constexpr int64_t kTimesAsClose = 2;   // a larger group may fit so much worse
constexpr int64_t kMostDurations = 2;  // ends further apart than so many collectives take: no fit

using Members = std::vector<int64_t>;

class Finder {
 public:
  Finder(std::span<const ListedOrder> orders, std::span<const int64_t> recorded,
         const AlignTwo& align)
      : orders_(orders), recorded_(recorded), align_(align), taken_(orders.size()) {
    for (const ListedOrder& order : orders) {
      for (const Members& members : *order.groups) {
        if (members.size() > 1) groups_.insert(members);
      }
    }
  }

  std::vector<ListedGroup> Find() {
    while (std::optional<ListedGroup> best = Best()) {
      for (const size_t order : best->orders) taken_[order] = true;
      found_.push_back(*std::move(best));
    }
    for (size_t i = 0; i < orders_.size(); ++i) {
      if (!taken_[i]) AddAlone(i);
    }
    return std::move(found_);
  }

 private:
  struct Fit {
    ListedGroup group;
    int64_t apart = 0;  // ns, of the ends of the member that fits worst
  };

  std::vector<size_t> LeftOf(int64_t rank) const {
    std::vector<size_t> left;
    for (size_t i = 0; i < orders_.size(); ++i) {
      if (!taken_[i] && orders_[i].rank == rank) left.push_back(i);
    }
    return left;
  }

  Members RecordedOf(const Members& members) const {
    Members both;
    std::ranges::set_intersection(members, recorded_, std::back_inserter(both));
    return both;
  }

  const OrderAlignment& Alignment(size_t a, size_t b) {
    const auto [at, is_new] = alignments_.try_emplace({a, b});
    if (is_new) at->second = align_(a, b);
    return at->second;
  }

  bool Fits(size_t a, size_t b) {
    const OrderAlignment& alignment = Alignment(a, b);
    const auto shorter = static_cast<double>(std::min(orders_[a].size, orders_[b].size));
    return static_cast<double>(alignment.agreeing) >= kAlike * shorter &&
           alignment.apart <= kClose + kMostDurations * alignment.duration;
  }

  // Of the rank's orders the one that is closest to the reference.
  std::optional<size_t> Closest(size_t reference, int64_t rank) {
    std::optional<size_t> closest;
    for (const size_t other : LeftOf(rank)) {
      if (!Fits(reference, other)) continue;
      if (!closest || Alignment(reference, other).apart < Alignment(reference, *closest).apart)
        closest = other;
    }
    return closest;
  }

  std::optional<Fit> FitWith(const Members& members, const Members& present, size_t reference) {
    Fit fit{.group = {.members = members, .orders = {reference}, .alignment = {{}}}};
    for (const int64_t rank : std::span(present).subspan(1)) {
      const auto other = Closest(reference, rank);
      if (!other) return std::nullopt;
      fit.group.orders.push_back(*other);
      fit.group.alignment.push_back(Alignment(reference, *other));
      fit.apart = std::max(fit.apart, Alignment(reference, *other).apart);
    }
    return fit;
  }

  std::vector<Fit> AllFits() {
    std::vector<Fit> fits;
    for (const Members& members : groups_) {
      const Members present = RecordedOf(members);
      if (present.size() < 2) continue;
      for (const size_t reference : LeftOf(present.front())) {
        if (auto fit = FitWith(members, present, reference)) fits.push_back(*std::move(fit));
      }
    }
    return fits;
  }

  std::optional<ListedGroup> Best() {
    std::vector<Fit> fits = AllFits();
    if (fits.empty()) return std::nullopt;
    const int64_t least = std::ranges::min(fits, {}, &Fit::apart).apart;
    std::erase_if(fits, [&](const Fit& f) { return f.apart > kTimesAsClose * least + kClose; });
    return std::ranges::max(fits, {},
                            [](const Fit& f) { return std::pair(f.group.orders.size(), -f.apart); })
        .group;
  }

  void AddAlone(size_t order) {
    const Members* only = nullptr;
    for (const Members& members : *orders_[order].groups) {
      if (members.size() < 2 || RecordedOf(members).size() != 1) continue;
      if (only != nullptr) return;
      only = &members;
    }
    if (only != nullptr) found_.push_back({.members = *only, .orders = {order}, .alignment = {{}}});
  }

  std::span<const ListedOrder> orders_;
  std::span<const int64_t> recorded_;
  const AlignTwo& align_;
  std::set<Members> groups_;
  std::vector<bool> taken_;
  std::map<std::pair<size_t, size_t>, OrderAlignment> alignments_;
  std::vector<ListedGroup> found_;
};

}  // namespace

std::vector<ListedGroup> FindListedGroups(std::span<const ListedOrder> orders,
                                          std::span<const int64_t> recorded,
                                          const AlignTwo& align) {
  return Finder(orders, recorded, align).Find();
}

}  // namespace stepscope
