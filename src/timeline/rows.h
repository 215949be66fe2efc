// Assigns each event to a row of its track.
//
// An event lies below all events of its track that are open when it begins and last until it ends
// or longer, on the first row where nothing runs: nested events stand below one another, and of
// events that overlap without nesting each has a row of its own.
#pragma once

#include <cstdint>
#include <vector>

namespace stepscope {

// The last row takes what finds no other: in it events may overlap. More can hardly be looked at.
inline constexpr uint32_t kMostRows = 512;

// Gives out rows to events in the order of start, of equals the longer first. A row costs the
// logarithm of their number.
class RowAssigner {
 public:
  RowAssigner();

  uint32_t Place(int64_t start, int64_t end);
  uint32_t rows() const { return rows_; }  // that have an event

 private:
  uint32_t LastAtLeast(int64_t end) const;
  uint32_t FirstFreeFrom(uint32_t row, int64_t start) const;
  bool Join(uint32_t node);  // what is below it; returns whether that changed it
  void Set(uint32_t row, int64_t end);

  // Of each row the end of its last event; as a tree: the leaves are rows, kMostRows on, and each
  // node has the least and the greatest of what is below. Leaves alone are kept as long as rows are
  // few.
  struct Node {
    int64_t least, greatest;
  };
  std::vector<Node> tree_;
  uint32_t rows_ = 0;
};

}  // namespace stepscope
