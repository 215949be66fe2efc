// Names places of the user's code that memory is allocated at, by stack.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/string_table.h"
#include "ingest/snapshot/snapshot_stacks.h"
#include "stepscope/report.h"

namespace stepscope::memory {

enum class Category : uint8_t { kUnknown, kForward, kBackward, kOptimizer, kCommunication, kCount };
std::string_view CategoryName(Category category);
ColumnKind KindOf(Category category);  // kOther: not recorded

// What a stack is counted to.
struct Place {
  StringId site = 0;  // of Sites::texts
  StringId op = 0;
  Category category = Category::kUnknown;
};

struct Sites {
  StringTable texts;          // 0: "", not known
  std::vector<Place> places;  // by stack
};

// The site is the first frame of Python outside of libraries; where there is none, the first
// outside of torch, the first of Python, the autograd node, the operator, or the first frame that
// is not of the allocator.
Sites FindSites(const SnapshotStacks& stacks);

// All frames, innermost first, one a line; long ones are cut.
std::string StackText(const SnapshotStacks& stacks, StackId stack);

}  // namespace stepscope::memory
