// Tests which of the listed groups orders are found to be of, at the limits of what fits.
#include "facts/collectives/listed_groups.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace stepscope::listed_groups_test {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

// Orders of ranks that are all in the same groups, and how well two of them fit.
class Case {
 public:
  explicit Case(Groups groups) : groups_(std::move(groups)) {}

  void Order(int64_t rank, size_t size = 100) {
    orders_.push_back({.rank = rank, .size = size, .groups = &groups_});
  }
  void Fit(size_t a, size_t b, const OrderAlignment& alignment) {
    for (const auto& pair : {std::pair(a, b), std::pair(b, a)}) alignments_[pair] = alignment;
  }
  // "0,1: 0 2; " for members 0 and 1 with the orders 0 and 2.
  std::string Found(const std::vector<int64_t>& recorded) const {
    const AlignTwo align = [this](size_t a, size_t b) {
      const auto at = alignments_.find({a, b});
      return at == alignments_.end() ? OrderAlignment{} : at->second;
    };
    std::string text;
    for (const ListedGroup& group : FindListedGroups(orders_, recorded, align)) {
      EXPECT_EQ(group.orders.size(), group.alignment.size());
      text += fmt::format("{}: {}; ", fmt::join(group.members, ","), fmt::join(group.orders, " "));
    }
    return text;
  }

 private:
  Groups groups_;
  std::vector<ListedOrder> orders_;
  std::map<std::pair<size_t, size_t>, OrderAlignment> alignments_;
};

// What two orders of so many collectives are found to be.
std::string FoundOfTwo(size_t size, const OrderAlignment& alignment) {
  Case two(Groups{{0, 1}});
  two.Order(0, size);
  two.Order(1, size + 50);
  two.Fit(0, 1, alignment);
  return two.Found({0, 1});
}

// Nine of ten of the shorter one are enough.
TEST(ListedGroups, MostCollectivesMustBeTheSame) {
  EXPECT_EQ(FoundOfTwo(100, {.agreeing = 90}), "0,1: 0 1; ");
  EXPECT_EQ(FoundOfTwo(100, {.agreeing = 89}), "");
}

// By 20 us and the time of two collectives.
TEST(ListedGroups, EndsMustBeClose) {
  EXPECT_EQ(FoundOfTwo(10, {.agreeing = 10, .apart = 20'000}), "0,1: 0 1; ");
  EXPECT_EQ(FoundOfTwo(10, {.agreeing = 10, .apart = 20'001}), "");
  EXPECT_EQ(FoundOfTwo(10, {.agreeing = 10, .apart = 20'600, .duration = 300}), "0,1: 0 1; ");
  EXPECT_EQ(FoundOfTwo(10, {.agreeing = 10, .apart = 20'601, .duration = 300}), "");
}

// Of a rank's orders the closest; of equally close ones the first.
TEST(ListedGroups, TheClosestOrderIsTaken) {
  for (const auto& [second, third, expected] :
       {std::tuple(500, 300, "0,1: 0 2; "), {300, 500, "0,1: 0 1; "}, {300, 300, "0,1: 0 1; "}}) {
    Case three(Groups{{0, 1}});
    three.Order(0);
    three.Order(1);
    three.Order(1);
    three.Fit(0, 1, {.agreeing = 100, .apart = second});
    three.Fit(0, 2, {.agreeing = 100, .apart = third});
    EXPECT_EQ(three.Found({0, 1}), expected) << second << " " << third;
  }
}

// A larger group may fit twice as badly and 20 us worse.
TEST(ListedGroups, OfAboutEquallyCloseOnesTheLargest) {
  for (const auto& [apart, expected] :
       {std::pair(21'000, "0,1,2: 0 1 2; "), {21'001, "0,1: 0 1; "}}) {
    Case both(Groups{{0, 1}, {0, 1, 2}});
    for (const int64_t rank : {0, 1, 2}) both.Order(rank);
    both.Fit(0, 1, {.agreeing = 100, .apart = 500, .duration = 1000});
    both.Fit(0, 2, {.agreeing = 100, .apart = apart, .duration = 1000});
    EXPECT_EQ(both.Found({0, 1, 2}), expected) << apart;
  }
}

// An order that fits nothing is of a group whose other members were not recorded, if there is one.
TEST(ListedGroups, AnOrderAloneIsOfTheOnlyGroupWithoutOthers) {
  Case one(Groups{{0, 1}, {0, 7}});
  one.Order(0);
  EXPECT_EQ(one.Found({0, 1}), "0,7: 0; ");
  Case two(Groups{{0, 7}, {0, 8}});
  two.Order(0);
  EXPECT_EQ(two.Found({0, 1}), "");
  Case alone(Groups{{0}});
  alone.Order(0);
  EXPECT_EQ(alone.Found({0, 1}), "");
}

}  // namespace
}  // namespace stepscope::listed_groups_test
