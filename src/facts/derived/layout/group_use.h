// Infers what process groups without a description are for from what runs in them, and when.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "facts/derived/layout/group_kinds.h"
#include "facts/derived/layout/process_groups.h"

namespace stepscope {

// Groups of one form: all of messages or none, of one size and stride.
struct GroupForm {
  bool of_messages = false;
  int64_t size = -1, stride = 0;
  std::vector<uint32_t> groups;  // index into ProcessGroups::groups
  GroupUse use;                  // of all of them
};

struct InferredKind {
  ParallelKind kind = ParallelKind::kUnknown;
  std::string label;     // "dp or tp" where it could be either
  std::string known_by;  // or why it is not known
};

// Of each of the forms. `others`: whether groups with a described kind, of fewer than all ranks,
// exist.
std::vector<InferredKind> InferKinds(const Facts& facts, const std::vector<GroupForm>& forms,
                                     bool others);

}  // namespace stepscope
