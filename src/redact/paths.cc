// Knows the directories of systems and libraries.
#include "redact/paths.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "redact/characters.h"

namespace stepscope::redact {
namespace {

constexpr size_t kLongest = 4096;

// Between spaces: of these a path may be made that every machine has.
constexpr std::string_view kRoots = " usr bin sbin lib lib32 lib64 dev proc sys etc ";
constexpr std::string_view kSystem =
    " usr bin sbin lib lib32 lib64 dev proc sys etc local share include x86_64-linux-gnu "
    "aarch64-linux-gnu shm self fd cuda nvidia python3 dist-packages site-packages ";
constexpr std::string_view kHomes = " home Users users Home ";
constexpr std::string_view kPublicSources =
    " aten c10 caffe2 torch csrc tensorflow xla third_party external cutlass cub thrust nccl "
    "jaxlib jax tsl ";
// Endings of files, in lower case.
constexpr std::string_view kEndings =
    " py pyc pyx ipynb c cc cpp cxx cu cuh h hpp inl so sh bash json jsonl yaml yml toml cfg ini "
    "txt log csv tsv parquet arrow npy npz pt pth ckpt bin safetensors onnx pkl pickle h5 hdf5 "
    "tar gz zip zst pb tfrecord model proto ptx cubin hlo mlir ll rs go java js ts md sql db ";

constexpr auto kLibraryRoots = std::to_array<std::string_view>(
    {"site-packages/", "site-packages\\", "dist-packages/", "dist-packages\\"});
constexpr auto kFirstRoots =
    std::to_array<std::string_view>({"/lib/python3", "/Lib/", "/torchinductor_", "/torch/"});

bool Has(std::string_view list, std::string_view word) {
  return !word.empty() && list.contains(" " + std::string(word) + " ");
}

bool IsSeparator(char c) { return c == '/' || c == '\\'; }

bool IsInName(char c) { return IsAlnum(c) || std::string_view("._-+@%~=#$").contains(c); }

std::string_view LastName(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

// "py" of "train.py", in lower case; empty: none.
std::string EndingOf(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == name.npos || dot == 0) return "";
  return Lower(name.substr(dot + 1));
}

bool IsFile(std::string_view name) {
  const std::string ending = EndingOf(name);
  const bool letter = std::ranges::any_of(ending, [](char c) { return IsLower(c); });
  // "libcudart.so.12" too.
  return (letter && ending.size() <= 12) || name.contains(".so.");
}

bool IsSystem(std::string_view directory) {
  size_t at = 0;
  bool first = true;
  while (at < directory.size()) {
    const size_t next = RunEnd(directory, at, [](char c) { return !IsSeparator(c); });
    const std::string_view name = directory.substr(at, next - at);
    if (!name.empty()) {
      if (first && !Has(kRoots, name)) return false;
      first = false;
      if (!Has(kSystem, name) && !name.starts_with("python3.") && !name.starts_with("cuda-"))
        return false;
    }
    at = next + 1;
  }
  return true;
}

// The end of the names from `at` on, and how many there are.
size_t NamesEnd(std::string_view text, size_t at, bool windows, size_t& names) {
  const size_t limit = std::min(text.size(), at + kLongest);
  bool in_name = false;
  size_t end = at;
  while (end < limit &&
         (IsInName(text[end]) || text[end] == '/' || (windows && text[end] == '\\'))) {
    const bool separator = IsSeparator(text[end]);
    names += !separator && !in_name;
    in_name = !separator;
    ++end;
  }
  while (end > at && (text[end - 1] == '.' || text[end - 1] == '=')) --end;  // of a sentence
  return end;
}

// A home is private wherever it stands, as in the name of a program ("jit_step_/home/alice/x").
bool IsHome(std::string_view path) {
  for (const std::string_view home : {"/home/", "/Users/"}) {
    if (path.starts_with(home) && path.size() > home.size() && IsInName(path[home.size()]))
      return true;
  }
  return false;
}

PathParts FromLibrary(std::string_view path, size_t root) {
  const std::string_view head = path.substr(0, root);
  return {.head = head, .tail = path.substr(root), .open = IsSystem(head), .tail_is_library = true};
}

}  // namespace

size_t AbsolutePathAt(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at);
  const char before = at == 0 ? ' ' : text[at - 1];
  if (IsAlnum(before) || before == '/' || before == '\\') return 0;
  if (std::string_view(".)]}>_-*").contains(before) && !IsHome(rest)) return 0;
  const bool drive = rest.size() > 3 && (IsLower(rest[0]) || IsUpper(rest[0])) && rest[1] == ':' &&
                     IsSeparator(rest[2]) && IsInName(rest[3]);
  const bool share = rest.starts_with("\\\\") && rest.size() > 2 && IsAlnum(rest[2]);
  const bool home =
      rest.starts_with("~/") || (rest.size() > 1 && rest[0] == '~' && IsLower(rest[1]));
  const bool root = rest.starts_with('/') && rest.size() > 1 && IsInName(rest[1]);
  if (!drive && !share && !home && !root) return 0;
  size_t names = 0;
  const size_t end = NamesEnd(text, drive ? at + 2 : at, drive || share, names);
  return names < (drive ? 1 : 2) ? 0 : end - at;
}

size_t RelativeFileAt(std::string_view text, size_t at) {
  if (at > 0 && std::string_view("/\\)]}>").contains(text[at - 1])) return 0;
  size_t names = 0;
  const size_t end = NamesEnd(text, at, false, names);
  const std::string_view path = text.substr(at, end - at);
  return names >= 2 && Has(kEndings, EndingOf(LastName(path))) ? path.size() : 0;
}

size_t RelativeRunEnd(std::string_view text, size_t at) {
  size_t names = 0;
  return NamesEnd(text, at, false, names);
}

PathParts PartsOf(std::string_view path) {
  size_t root = path.npos;
  for (const std::string_view at : kLibraryRoots) {
    const size_t found = path.rfind(at);
    if (found != path.npos && (root == path.npos || found > root)) root = found;
  }
  if (root != path.npos && root > 0) return FromLibrary(path, root - 1);
  for (const std::string_view at : kFirstRoots) {
    const size_t found = path.find(at);
    if (found != path.npos && found > 0) return FromLibrary(path, found);
  }
  const std::string_view last = LastName(path);
  const std::string_view directory = path.substr(0, path.size() - last.size());
  const bool open = IsSystem(directory);
  if (!open && !IsFile(last)) return {.head = path, .tail = {}};
  const size_t cut = directory.empty() ? 0 : directory.size() - 1;
  return {.head = path.substr(0, cut), .tail = path.substr(cut), .open = open || cut == 0};
}

std::string_view UserOf(std::string_view path) {
  size_t at = 0;
  for (bool behind_home = false; at < path.size();) {
    const size_t next = RunEnd(path, at, [](char c) { return !IsSeparator(c); });
    const std::string_view name = path.substr(at, next - at);
    if (behind_home && !name.empty()) return name;
    behind_home = behind_home || Has(kHomes, name);
    at = next + 1;
  }
  return path.starts_with('~') ? path.substr(1, path.find('/') - 1) : std::string_view();
}

bool IsOfPublicSources(std::string_view path) {
  while (path.starts_with("../") || path.starts_with("./")) path.remove_prefix(path.find('/') + 1);
  return Has(kPublicSources, path.substr(0, path.find('/')));
}

}  // namespace stepscope::redact
