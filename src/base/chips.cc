// The table, and names as people and drivers write them.
#include "base/chips.h"

#include <array>
#include <string>

#include "base/ascii.h"

namespace stepscope {
namespace {

constexpr double kTera = 1e12;

// Where one chip has several forms, the plain name is the one in large clusters (SXM).
constexpr auto kChips = std::to_array<Chip>({
    {"V100", 125 * kTera, 0, 0, 0, 0, "NVIDIA V100 data sheet (fp16)"},
    {"A100", 312 * kTera, 0, 624 * kTera, 0, 156 * kTera, "NVIDIA A100 data sheet"},
    {"H100", 989 * kTera, 1979 * kTera, 1979 * kTera, 0, 495 * kTera,
     "NVIDIA H100 data sheet, SXM"},
    {"H100 PCIe", 756 * kTera, 1513 * kTera, 1513 * kTera, 0, 378 * kTera,
     "NVIDIA H100 data sheet, PCIe"},
    {"H100 NVL", 835 * kTera, 1671 * kTera, 1671 * kTera, 0, 418 * kTera,
     "NVIDIA H100 data sheet, NVL"},
    {"H200", 989 * kTera, 1979 * kTera, 1979 * kTera, 0, 495 * kTera, "NVIDIA H200 data sheet"},
    {"B200", 2250 * kTera, 4500 * kTera, 4500 * kTera, 9000 * kTera, 1125 * kTera,
     "NVIDIA HGX B200 data sheet"},
    {"GB200", 2500 * kTera, 5000 * kTera, 5000 * kTera, 10000 * kTera, 1250 * kTera,
     "NVIDIA GB200 NVL72 data sheet, per GPU"},
    {"MI300X", 1307 * kTera, 2615 * kTera, 2615 * kTera, 0, 654 * kTera, "AMD MI300X data sheet"},
    {"MI325X", 1307 * kTera, 2615 * kTera, 2615 * kTera, 0, 654 * kTera, "AMD MI325X data sheet"},
    {"TPU v4", 275 * kTera, 0, 275 * kTera, 0, 0, "Google Cloud TPU v4 documentation"},
    {"TPU v5e", 197 * kTera, 0, 394 * kTera, 0, 0, "Google Cloud TPU v5e documentation"},
    {"TPU v5p", 459 * kTera, 0, 918 * kTera, 0, 0, "Google Cloud TPU v5p documentation"},
    {"TPU v6e", 918 * kTera, 0, 1836 * kTera, 0, 0, "Google Cloud TPU v6e documentation"},
});

// "NVIDIA A100-SXM4-40GB" is "a100 sxm4 40gb ", "TPUv5e" is "tpu v5e ": words in lower case,
// without the makers'.
std::string Words(std::string_view name) {
  std::string words = " ";
  for (const char c : Lower(name)) {
    const bool in_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (in_word || !words.ends_with(' ')) words += in_word ? c : ' ';
  }
  words += words.ends_with(' ') ? "" : " ";
  for (const std::string_view maker : {" nvidia ", " amd ", " instinct ", " google ", " cloud "}) {
    if (words.starts_with(maker)) words.erase(0, maker.size() - 1);
  }
  if (words.starts_with(" tpuv")) words.insert(4, " ");
  return words;
}

}  // namespace

std::span<const Chip> KnownChips() { return kChips; }

const Chip* FindChip(std::string_view name) {
  const std::string wanted = Words(name);
  const Chip* best = nullptr;
  size_t longest = 0;
  for (const Chip& chip : kChips) {
    const std::string known = Words(chip.name);
    if (!wanted.starts_with(known) || known.size() <= longest) continue;
    best = &chip;
    longest = known.size();
  }
  return best;
}

std::optional<double> PeakOf(const Chip& chip, std::string_view dtype) {
  double peak = 0;
  if (dtype == "bf16" || dtype == "fp16") peak = chip.bf16;
  if (dtype == "fp8") peak = chip.fp8;
  if (dtype == "int8") peak = chip.int8;
  if (dtype == "fp4") peak = chip.fp4;
  if (dtype == "tf32") peak = chip.tf32;
  return peak > 0 ? std::optional(peak) : std::nullopt;
}

}  // namespace stepscope
