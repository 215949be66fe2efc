// Takes names of ranges apart.
#include "ingest/common/range_names.h"

#include <algorithm>
#include <array>
#include <string>

#include "ingest/common/whole_number.h"
#include "trace/communication_names.h"
#include "trace/vocabulary.h"

namespace stepscope {
namespace {

constexpr std::string_view kDigits = "0123456789";

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

}  // namespace stepscope
