// Finds the module of a model that operators and activities of a trace belong to, by the calls
// of modules among its Python frames.
//
// In forward, that is the innermost module around the operator or the launch on its thread. An
// operator of backward belongs to the module of the forward operator that it is the gradient of
// (autograd_links.h). What modules run within backward, such as recomputation, is their backward.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

struct ModulePlace {
  StringId module = kNoString;  // the name of its frames, "nn.Module: Linear_0"; kNoString: none
  bool backward = false;
};

class ModulePlaces {
 public:
  // Both must outlive this.
  ModulePlaces(const StringTable& names, const RankActivity& rank);

  // Whether any module was called.
  bool any() const { return any_; }
  // The innermost module at or around a frame of a thread, as a frame of it; kNoRange for none.
  int32_t ModuleAt(uint32_t thread, int32_t frame) const {
    return frame == kNoRange ? kNoRange : modules_[thread][static_cast<size_t>(frame)];
  }
  ModulePlace OfCall(uint32_t call) const;
  ModulePlace OfRange(int32_t range) const;
  // Of each of HostOps::memory; none of one that is in no range, whose thread is unknown. Empty
  // where no module was called.
  std::vector<ModulePlace> OfMemory() const;

 private:
  void FindModules(const StringTable& names);
  void LinkBackward();
  StringId NameAt(uint32_t thread, int32_t frame) const;
  ModulePlace Of(uint32_t thread, int32_t frame, int32_t range) const;

  const HostOps& host_;
  bool any_ = false;
  std::vector<RangeLinks> modules_;  // by thread, then frame
  std::vector<int32_t> of_calls_;    // the innermost frame around each
  std::vector<int32_t> of_ranges_;   // likewise
  RangeLinks backward_;              // of each range: the innermost of backward around it
  std::vector<StringId> linked_;     // of each range of backward: its module
};

}  // namespace stepscope
