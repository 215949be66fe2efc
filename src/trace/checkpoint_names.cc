// Knows the functions of libraries, and words of users' functions.
#include "trace/checkpoint_names.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace stepscope {
namespace {

template <size_t kSize>
bool HasAny(std::string_view text, const std::array<std::string_view, kSize>& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.contains(word); });
}

constexpr auto kNotSaving = std::to_array<std::string_view>(
    {"load", "restore", "wrapper", "activation", "checkpointfunction", "recompute"});

// What has one of these words in the part of its path saves with functions of these names.
struct Library {
  std::string_view file, function;
};
constexpr auto kLibraries = std::to_array<Library>({{"torch/serialization.py", "save"},
                                                    {"torch/distributed/checkpoint/", "save"},
                                                    {"orbax/", "save"},
                                                    {"flax/training/checkpoints.py", "save"},
                                                    {"safetensors/", "save"},
                                                    {"tensorflow/python/checkpoint/", "save"},
                                                    {"numpy/lib/", "save"},
                                                    {"pickle.py", "dump"}});

}  // namespace

bool SavesCheckpoint(std::string_view annotation) {
  constexpr auto kWords = std::to_array<std::string_view>({"checkpoint", "ckpt"});
  const std::string lower = Lower(annotation);
  return HasAny(lower, kWords) && !HasAny(lower, kNotSaving);
}

bool SavesCheckpoint(const FrameName& frame) {
  constexpr auto kSaved = std::to_array<std::string_view>(
      {"checkpoint", "ckpt", "state", "model", "pretrained", "weights", "snapshot"});
  const std::string function = Lower(frame.function);
  if (HasAny(function, kNotSaving)) return false;
  if (function == "state_dict" || function == "_pickle.dump") return true;
  if (function.contains("save") && HasAny(function, kSaved)) return true;
  return std::ranges::any_of(kLibraries, [&](const Library& library) {
    return frame.file.contains(library.file) && function.contains(library.function);
  });
}

}  // namespace stepscope
