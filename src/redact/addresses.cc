// Parses addresses by their grammar; names of hosts by their top-level domain.
#include "redact/addresses.h"

#include <string>

#include "base/ascii.h"
#include "redact/characters.h"

namespace stepscope::redact {
namespace {

// Top-level domains that no module, file or attribute of Python is named after.
constexpr std::string_view kDomains =
    " com org edu gov mil internal localdomain arpa corp intra lan svc example invalid test tech "
    "dev ";
// Those that may be: with a digit or hyphen in the first label, or three labels.
constexpr std::string_view kWeakDomains =
    " net io ai cloud local cluster home app uk de fr jp cn kr eu ch nl se ru au ca us it es at "
    "be fi no dk pl cz tw sg hk br info biz ";
constexpr std::string_view kPublicHosts =
    " localhost 127.0.0.1 0.0.0.0 ::1 pytorch.org docs.pytorch.org docs.nvidia.com nvidia.com "
    "developer.nvidia.com github.com raw.githubusercontent.com huggingface.co docs.python.org "
    "python.org pypi.org files.pythonhosted.org tensorflow.org www.tensorflow.org arxiv.org "
    "ui.perfetto.dev json-schema.org www.apache.org apache.org google.com example.com ";

bool Has(std::string_view list, std::string_view word) {
  return list.contains(" " + std::string(word) + " ");
}

bool EndsWord(std::string_view text, size_t end) {
  return end == text.size() || (!IsAlnum(text[end]) && text[end] != '_');
}

size_t Ipv4At(std::string_view text, size_t at) {
  size_t end = at;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && (end == text.size() || text[end++] != '.')) return 0;
    const size_t next = RunEnd(text, end, IsDigit, 4);
    if (next == end || next - end > 3) return 0;
    if (std::stoi(std::string(text.substr(end, next - end))) > 255) return 0;
    end = next;
  }
  const bool goes_on = end + 1 < text.size() && text[end] == '.' && IsAlnum(text[end + 1]);
  // "torch-2.1.0.3", "numpy==1.2.3.4", "12.8.4.1-1".
  const bool version = (at > 0 && (text[at - 1] == '.' || text[at - 1] == '-')) ||
                       (at > 1 && text.substr(at - 2, 2) == "==") ||
                       (end + 1 < text.size() && text[end] == '-' && IsDigit(text[end + 1]));
  return goes_on || version || !EndsWord(text, end) ? 0 : end - at;
}

// Groups of hexadecimal digits between colons. IPv6 has eight, or fewer around one "::"; MAC
// addresses six of two digits.
size_t GroupsAt(std::string_view text, size_t at) {
  constexpr size_t kLongest = 45;
  const size_t end = RunEnd(text, at, [](char c) { return IsHex(c) || c == ':'; }, kLongest + 1);
  if (end - at > kLongest || !EndsWord(text, end)) return 0;
  size_t groups = 0, gaps = 0, digits = 0, longest = 0, shortest = 99;
  for (size_t i = at; i <= end;) {
    const size_t next = RunEnd(text, i, IsHex, end - i);
    const size_t size = next - i;
    groups += size > 0;
    longest = std::max(longest, size);
    if (size > 0) shortest = std::min(shortest, size);
    if (next + 1 < end && text[next] == ':' && text[next + 1] == ':') ++gaps;
    for (size_t d = i; d < next; ++d) digits += IsDigit(text[d]);
    i = next + 1;
  }
  if (groups == 6 && gaps == 0 && longest == 2 && shortest == 2) return end - at;
  const bool whole = groups == 8 && gaps == 0;
  const bool cut = gaps == 1 && groups >= 2 && groups < 8 && digits > 0 &&
                   (groups > 2 || IsDigit(text[at]) || text.substr(at).starts_with("fe80"));
  return longest <= 4 && (whole || cut) ? end - at : 0;
}

bool IsDistinctive(std::string_view label) {
  return RunEnd(label, 0, [](char c) { return !IsDigit(c) && c != '-'; }) < label.size();
}

}  // namespace

size_t AddressAt(std::string_view text, size_t at) {
  const size_t size = IsDigit(text[at]) ? Ipv4At(text, at) : 0;
  if (size > 0) return IsPublicHost(text.substr(at, size)) ? 0 : size;
  return IsHex(text[at]) ? GroupsAt(text, at) : 0;
}

size_t HostAt(std::string_view text, size_t at) {
  constexpr size_t kLongest = 255;
  if (at > 0 && (text[at - 1] == '.' || text[at - 1] == '_')) return 0;
  const auto in_label = [](char c) { return IsLower(c) || IsUpper(c) || IsDigit(c) || c == '-'; };
  size_t end = at, labels = 0;
  std::string_view first, last;
  while (end < text.size()) {
    const size_t next = RunEnd(text, end, in_label, 64);
    if (next == end || next - end > 63 || next - at > kLongest) break;
    last = text.substr(end, next - end);
    if (labels++ == 0) first = last;
    end = next;
    if (end + 1 >= text.size() || text[end] != '.' || !in_label(text[end + 1])) break;
    ++end;
  }
  if (end == at || !EndsWord(text, end)) return 0;
  const std::string_view name = text.substr(at, end - at);
  // As EC2 names them: the address of the host.
  if (labels == 1) {
    const size_t digits = RunEnd(name, 0, [](char c) { return !IsDigit(c); });
    const bool is_address =
        name.starts_with("ip-") && digits == 3 &&
        RunEnd(name, 3, [](char c) { return IsDigit(c) || c == '-'; }) == name.size() &&
        name.size() >= 10;
    return is_address ? name.size() : 0;
  }
  if (IsPublicHost(name) || name.ends_with('.')) return 0;
  const std::string domain = Lower(last);
  const bool called = end < text.size() && text[end] == '(';  // a function of a module
  if (Has(kDomains, domain)) return called ? 0 : name.size();
  const bool weak = Has(kWeakDomains, domain) && (IsDistinctive(first) || labels > 3);
  return weak && !called ? name.size() : 0;
}

bool IsPublicHost(std::string_view host) { return Has(kPublicHosts, Lower(host)); }

}  // namespace stepscope::redact
