// Takes names apart, and puts together those that the report has as numbers.
#include "ingest/nsys/nsys_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "trace/communication_names.h"
#include "trace/vocabulary.h"

namespace stepscope::nsys {
namespace {

constexpr std::string_view kDigits = "0123456789";

// CUPTI's CUpti_ActivityMemcpyKind and, from 11 on, migrations of unified memory.
constexpr auto kCopies =
    std::to_array<std::string_view>({"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD",
                                     "DtoA", "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD"});
constexpr auto kMemories =
    std::to_array<std::string_view>({"Pageable", "Pinned", "Device", "Array", "Managed",
                                     "Device Static", "Managed Static", "Unknown"});
constexpr auto kSyncs = std::to_array<std::string_view>(
    {"", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"});

template <size_t N>
std::string_view At(const std::array<std::string_view, N>& names, int64_t number,
                    std::string_view other) {
  return number >= 0 && number < static_cast<int64_t>(N) ? names[static_cast<size_t>(number)]
                                                         : other;
}

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < 0)
    return std::nullopt;
  return number;
}

// Takes "seq" and "3" off the end of "aten::mul, seq = 3".
bool TakeField(std::string_view& text, std::string_view key, std::string_view& value) {
  const size_t at = text.rfind(key);
  if (at == text.npos) return false;
  value = text.substr(at + key.size());
  text = text.substr(0, at);
  return true;
}

// Modules, optimizers and users name ranges with dots, spaces and "#"; autograd's names have one
// space.
bool IsOperatorName(std::string_view name) {
  constexpr std::string_view kAutograd = "autograd::engine::evaluate_function: ";
  if (name.starts_with(kAutograd)) return true;
  return !name.empty() && name.find_first_of(" .#()") == name.npos && !IsCollectiveCall(name) &&
         !StepOfRange(name);
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string_view WithoutVersion(std::string_view call) {
  constexpr size_t kDigitsOfVersion = 4;  // "_v3020", "_v11010"
  const size_t last = call.find_last_not_of(kDigits);
  if (last == call.npos || last < 2 || call.substr(last - 1, 2) != "_v") return call;
  return call.size() - last - 1 < kDigitsOfVersion ? call : call.substr(0, last - 1);
}

std::string CopyName(int64_t kind, int64_t from, int64_t to) {
  return fmt::format("Memcpy {} ({} -> {})", At(kCopies, kind, "Unknown"),
                     At(kMemories, from, "Unknown"), At(kMemories, to, "Unknown"));
}

std::string SetName(int64_t memory) {
  return fmt::format("Memset ({})", At(kMemories, memory, "Unknown"));
}

std::string_view SyncName(int64_t type) { return At(kSyncs, type, ""); }

std::optional<TorchRange> TorchRangeOf(std::string_view text) {
  TorchRange range;
  std::string_view rest = text, ignored, number;
  TakeField(rest, ", input_op_ids = ", ignored);
  TakeField(rest, ", sizes = ", range.sizes);
  const bool has_id = TakeField(rest, ", op_id = ", ignored) && WholeNumber(ignored);
  const bool has_sequence = TakeField(rest, ", seq = ", number) && WholeNumber(number);
  if (!has_id && !has_sequence) return std::nullopt;
  if (has_sequence) range.sequence = WholeNumber(number);
  range.name = rest;
  range.is_operator = IsOperatorName(rest);
  return range;
}

std::optional<int64_t> StepOfRange(std::string_view text) {
  if (const int64_t step = StepNumber(text); step >= 0) return step;
  constexpr size_t kLongest = 40;
  const size_t first = text.find_first_of(kDigits);
  if (first == text.npos || text.size() > kLongest) return std::nullopt;
  const size_t end = std::min(text.find_first_not_of(kDigits, first), text.size());
  std::string words;
  for (const char c : text.substr(0, first)) {
    if (!std::string_view(" _-:#=[").contains(c)) words += Lower(c);
  }
  constexpr auto kSteps = std::to_array<std::string_view>(
      {"step", "trainstep", "trainingstep", "globalstep", "iteration", "iter", "trainiteration",
       "trainiter", "trainingiteration"});
  // "iteration[3,5)" is a step too; "iteration 3 - overlap" is a part of one.
  const bool whole =
      end == text.size() || text.substr(first).find_first_not_of("0123456789,)] ") == text.npos;
  if (!whole || std::ranges::find(kSteps, words) == kSteps.end()) return std::nullopt;
  return WholeNumber(text.substr(first, end - first));
}

}  // namespace stepscope::nsys
