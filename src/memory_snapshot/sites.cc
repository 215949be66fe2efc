// Reads the names of frames as PyTorch's unwinder writes them.
#include "memory_snapshot/sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace stepscope::memory {
namespace {

constexpr size_t kFramesShown = 48;
constexpr size_t kMostOfName = 160;

// What is known of a text, whatever frame it is in.
struct Words {
  bool python = false, torch = false, library = false, optimizer = false;  // as a file
  bool engine = false, communication = false, allocator = false;           // as a name
  StringId op = 0, node = 0;
};

std::string_view Between(std::string_view text, std::string_view before, std::string_view after) {
  const size_t at = text.find(before);
  if (at == text.npos) return "";
  const size_t from = at + before.size(), to = text.find(after, from);
  return to == text.npos ? "" : text.substr(from, to - from);
}

bool IsOfAllocator(std::string_view name) {
  for (const std::string_view of :
       {"torch::unwind", "torch::CapturedTraceback", "torch::cuda::", "c10::cuda::CUDACaching",
        "at::detail::empty", "at::TensorBase at::detail::", "c10::StorageImpl", "at::native::empty",
        "??"})
    if (name.starts_with(of)) return true;
  return name.empty();
}

bool IsOfOptimizer(std::string_view file) {
  for (const std::string_view of :
       {"/torch/optim/", "/torch/distributed/optim/", "/apex/optimizers/", "/deepspeed/ops/adam/",
        "/bitsandbytes/optim/", "/transformer_engine/pytorch/optimizers/"})
    if (file.contains(of) || file.starts_with(of.substr(1))) return true;
  return false;
}

Words WordsOf(std::string_view text, StringTable& texts) {
  Words words;
  words.python =
      text.ends_with(".py") || text.starts_with("<ipython") || text.starts_with("/tmp/ipykernel");
  words.torch =
      text.contains("/torch/") || text.starts_with("torch/") || text.contains("/torchgen/");
  words.library = words.torch || text.contains("/site-packages/") ||
                  text.contains("/dist-packages/") || text.contains("/lib/python");
  words.optimizer = IsOfOptimizer(text);
  words.engine = text.starts_with("torch::autograd::Engine::evaluate_function");
  words.communication = text.contains("ProcessGroup") || text.starts_with("c10d::");
  words.allocator = IsOfAllocator(text);
  if (const auto op = Between(text, "at::_ops::", "::"); !op.empty())
    words.op = texts.Intern(fmt::format("aten::{}", op));
  if (text.starts_with("torch::autograd::utils::clone_obey_contract") ||
      text.starts_with("torch::autograd::AccumulateGrad::"))
    words.node = texts.Intern("AccumulateGrad");
  if (const auto node = Between(text, "torch::autograd::generated::", "::apply"); !node.empty())
    words.node = texts.Intern(node);
  return words;
}

class Finder {
 public:
  Finder(const SnapshotStacks& stacks, Sites& sites) : stacks_(stacks), sites_(sites) {
    sites_.texts.Intern("");
    for (StringId id = 0; id < stacks.texts(); ++id)
      words_.push_back(WordsOf(stacks.text(id), sites_.texts));
  }

  Place PlaceOf(StackId stack) {
    Place place;
    std::optional<FrameId> own, outside, python, other;
    StringId node = 0;
    bool engine = false, optimizer = false, communication = false;
    for (const FrameId id : stacks_.stack(stack)) {
      const auto& frame = stacks_.frame(id);
      const Words &name = words_[frame.name], &file = words_[frame.file];
      if (file.python && !python) python = id;
      if (file.python && !file.torch && !outside) outside = id;
      if (file.python && !file.library && !own) own = id;
      if (!file.python && !name.allocator && !other) other = id;
      if (place.op == 0) place.op = name.op;
      if (node == 0) node = name.node;
      engine |= name.engine;
      optimizer |= file.optimizer;
      communication |= name.communication;
    }
    if (stacks_.stack(stack).empty()) return place;
    place.category = communication ? Category::kCommunication
                     : optimizer   ? Category::kOptimizer
                     : engine      ? Category::kBackward
                                   : Category::kForward;
    if (own || outside || python) {
      place.site = Named(own ? *own : outside ? *outside : *python);
    } else {
      place.site = node != 0 ? node : place.op != 0 ? place.op : other ? Named(*other) : 0;
    }
    return place;
  }

 private:
  StringId Named(FrameId id) {
    const auto& frame = stacks_.frame(id);
    const std::string_view name = stacks_.text(frame.name).substr(0, kMostOfName);
    const std::string_view file = stacks_.text(frame.file);
    if (frame.line == 0) return sites_.texts.Intern(name);
    return sites_.texts.Intern(fmt::format("{}:{} {}", file, frame.line, name));
  }

  const SnapshotStacks& stacks_;
  Sites& sites_;
  std::vector<Words> words_;
};

}  // namespace

std::string_view CategoryName(Category category) {
  switch (category) {
    case Category::kUnknown:
      return "not recorded";
    case Category::kForward:
      return "forward and other";
    case Category::kBackward:
      return "backward";
    case Category::kOptimizer:
      return "optimizer";
    case Category::kCommunication:
      return "communication";
    case Category::kCount:
      break;
  }
  return "";
}

ColumnKind KindOf(Category category) {
  constexpr ColumnKind kKinds[] = {ColumnKind::kOther, ColumnKind::kForward, ColumnKind::kBackward,
                                   ColumnKind::kOptimizer, ColumnKind::kCommunication};
  return category < Category::kCount ? kKinds[static_cast<size_t>(category)] : ColumnKind::kOther;
}

Sites FindSites(const SnapshotStacks& stacks) {
  Sites sites;
  Finder finder(stacks, sites);
  for (StackId stack = 0; stack < stacks.size(); ++stack)
    sites.places.push_back(finder.PlaceOf(stack));
  return sites;
}

std::string StackText(const SnapshotStacks& stacks, StackId stack) {
  std::string text;
  const auto frames = stacks.stack(stack);
  for (const FrameId id : frames.first(std::min(frames.size(), kFramesShown))) {
    const auto& frame = stacks.frame(id);
    if (!text.empty()) text += '\n';
    text += stacks.text(frame.name).substr(0, kMostOfName);
    if (frame.line > 0) text += fmt::format(" ({}:{})", stacks.text(frame.file), frame.line);
  }
  return text;
}

}  // namespace stepscope::memory
