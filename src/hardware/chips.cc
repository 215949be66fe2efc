// Lists chips, and finds them by names as people and drivers write them.
#include "hardware/chips.h"

#include <array>
#include <string>

#include "base/ascii.h"

namespace stepscope {
namespace {

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;

constexpr Chip Make(std::string_view name, std::array<double, 6> tera, double giga, int capability,
                    std::string_view source) {
  return {name,
          tera[0] * kTera,
          tera[1] * kTera,
          tera[2] * kTera,
          tera[3] * kTera,
          tera[4] * kTera,
          tera[5] * kTera,
          giga * kGiga,
          capability,
          source};
}

// Where one chip has several forms, the plain name is the one in large clusters (SXM), and of those
// with different memories the smaller one. TFLOP/s in bf16 (V100, T4: fp16), fp8, int8, fp4, tf32,
// fp32; GB/s; compute capability.
constexpr auto kChips = std::to_array<Chip>({
    Make("V100", {125, 0, 0, 0, 0, 15.7}, 900, 70, "NVIDIA V100 data sheet"),
    Make("T4", {65, 0, 130, 0, 0, 8.1}, 320, 75, "NVIDIA T4 data sheet"),
    Make("A100", {312, 0, 624, 0, 156, 19.5}, 1555, 80, "NVIDIA A100 data sheet, 40 GB"),
    Make("A100 SXM4 80GB", {312, 0, 624, 0, 156, 19.5}, 2039, 80,
         "NVIDIA A100 data sheet, SXM 80 GB"),
    Make("A100 80GB PCIe", {312, 0, 624, 0, 156, 19.5}, 1935, 80,
         "NVIDIA A100 data sheet, PCIe 80 GB"),
    Make("H100", {989, 1979, 1979, 0, 495, 67}, 3350, 90, "NVIDIA H100 data sheet, SXM"),
    Make("H100 PCIe", {756, 1513, 1513, 0, 378, 51}, 2000, 90, "NVIDIA H100 data sheet, PCIe"),
    Make("H100 NVL", {835, 1671, 1671, 0, 418, 60}, 3900, 90, "NVIDIA H100 data sheet, NVL"),
    Make("H200", {989, 1979, 1979, 0, 495, 67}, 4800, 90, "NVIDIA H200 data sheet"),
    Make("B200", {2250, 4500, 4500, 9000, 1125, 75}, 8000, 100, "NVIDIA HGX B200 data sheet"),
    Make("GB200", {2500, 5000, 5000, 10000, 1250, 80}, 8000, 100,
         "NVIDIA GB200 NVL72 data sheet, per GPU"),
    // NVIDIA publishes sums of boards; of types whose sums do not agree there is no number.
    Make("B300", {2250, 4500, 0, 0, 1125, 75}, 8000, 103, "NVIDIA HGX B300 data sheet, per GPU"),
    Make("GB300", {2500, 5000, 0, 15000, 1250, 80}, 8000, 103,
         "NVIDIA GB300 NVL72 data sheet, per GPU"),
    Make("L40S", {362, 733, 733, 0, 183, 91.6}, 864, 89, "NVIDIA L40S data sheet"),
    Make("MI300X", {1307, 2615, 2615, 0, 654, 163.4}, 5300, 0, "AMD MI300X data sheet"),
    Make("MI325X", {1307, 2615, 2615, 0, 654, 163.4}, 6000, 0, "AMD MI325X data sheet"),
    Make("MI355X", {2517, 5033, 5033, 10066, 0, 157.3}, 8000, 0, "AMD MI355X data sheet"),
    Make("TPU v4", {275, 0, 275, 0, 0, 0}, 1228, 0, "Google Cloud TPU v4 documentation"),
    Make("TPU v5e", {197, 0, 394, 0, 0, 0}, 819, 0, "Google Cloud TPU v5e documentation"),
    Make("TPU v5p", {459, 0, 918, 0, 0, 0}, 2765, 0, "Google Cloud TPU v5p documentation"),
    Make("TPU v6e", {918, 0, 1836, 0, 0, 0}, 1640, 0, "Google Cloud TPU v6e documentation"),
    Make("TPU7x", {2307, 4614, 0, 0, 0, 0}, 7380, 0, "Google Cloud TPU7x (Ironwood) documentation"),
    Make("Trainium2", {667, 1299, 0, 0, 667, 181}, 2900, 0,
         "AWS Neuron documentation, Trainium2 architecture"),
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
  for (const std::string_view maker : {" nvidia ", " tesla ", " geforce ", " amd ", " instinct ",
                                       " google ", " cloud ", " aws "}) {
    if (words.starts_with(maker)) words.erase(0, maker.size() - 1);
  }
  if (words.starts_with(" tpuv")) words.insert(4, " ");
  if (words.starts_with(" tpu v7x ")) words.erase(4, 2);
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
  if (dtype == "fp32") peak = chip.fp32;
  return peak > 0 ? std::optional(peak) : std::nullopt;
}

}  // namespace stepscope
