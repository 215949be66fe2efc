// Decides by prefixes, and by how often the class of characters changes.
#include "redact/tokens.h"

#include <algorithm>
#include <array>
#include <bitset>

#include "redact/characters.h"

namespace stepscope::redact {
namespace {

constexpr size_t kLooks = 256;  // characters

bool IsTokenCharacter(char c) { return (IsAlnum(c) && !(c & 0x80)) || c == '_' || c == '-'; }

struct Prefix {
  std::string_view text;
  size_t least;  // characters behind it
};

constexpr auto kPrefixes = std::to_array<Prefix>(
    {{"AKIA", 12},      {"ASIA", 12},        {"AROA", 12},     {"AIDA", 12},
     {"ghp_", 16},      {"gho_", 16},        {"ghu_", 16},     {"ghs_", 16},
     {"ghr_", 16},      {"github_pat_", 16}, {"glpat-", 12},   {"hf_", 20},
     {"api_org_", 20},  {"sk-", 20},         {"sk_live_", 12}, {"pk_live_", 12},
     {"rk_live_", 12},  {"xoxb-", 10},       {"xoxp-", 10},    {"xoxa-", 10},
     {"xoxs-", 10},     {"xoxr-", 10},       {"xapp-", 10},    {"AIza", 30},
     {"ya29.", 16},     {"GOCSPX-", 16},     {"nvapi-", 16},   {"npm_", 20},
     {"dckr_pat_", 16}, {"wandb_", 20},      {"dapi", 32},     {"SG.", 20},
     {"pypi-", 20},     {"tskey-", 12},      {"hvs.", 20},     {"lin_api_", 20},
     {"r8_", 20},       {"gsk_", 20},        {"dop_v1_", 20},  {"AGE-SECRET-KEY-", 20}});

// header.payload.signature, each in base64: the first begins with {" and so with eyJ.
size_t JwtAt(std::string_view text, size_t at) {
  if (!text.substr(at).starts_with("eyJ")) return 0;
  size_t end = at;
  for (int part = 0; part < 3; ++part) {
    const size_t begin = end;
    end = RunEnd(text, begin, IsTokenCharacter);
    if (end - begin < 4) return part == 2 ? begin - at : 0;
    if (part == 2 || end == text.size() || text[end] != '.') return part > 0 ? end - at : 0;
    ++end;
  }
  return end - at;
}

enum class Class : uint8_t { kLower, kUpper, kDigit, kOther };

Class ClassOf(char c) {
  if (IsLower(c)) return Class::kLower;
  if (IsUpper(c)) return Class::kUpper;
  return IsDigit(c) ? Class::kDigit : Class::kOther;
}

struct Look {
  size_t size = 0, lower = 0, upper = 0, digits = 0, changes = 0;
  std::bitset<128> letters;

  explicit Look(std::string_view run) : size(run.size()) {
    Class before = Class::kOther;
    for (const char c : run) {
      const Class now = ClassOf(c);
      lower += now == Class::kLower;
      upper += now == Class::kUpper;
      digits += now == Class::kDigit;
      changes += now != before && before != Class::kOther;
      if (now == Class::kLower || now == Class::kUpper) letters.set(static_cast<size_t>(c));
      before = now;
    }
  }
  double Changes() const { return static_cast<double>(changes) / static_cast<double>(size); }
};

// The pairs of letters that English, and so names in programs, is mostly made of.
constexpr std::string_view kPairs =
    "th he in er an re nd at on nt ha es st en ed to it ou ea hi is or ti as te et ng of al de se "
    "le sa si ar ve ra ld ur ro ri co li ic ne me la ce ta ec om ll ma io ct ss ge nc us ac ch el "
    "ol un em ns pe sc po tr ad il no id ot so lo rs ut im ul mp ni wi op sh pr ca di bi gr fo ke "
    "ty av ap am ag ow mo ho ff ck ef ph ex sp su pl vi ev ts ls fi fu ee oo ai ie ue ui qu da ba ";

std::bitset<26 * 26> CommonPairs() {
  std::bitset<26 * 26> common;
  for (size_t i = 0; i + 1 < kPairs.size(); i += 3)
    common.set(static_cast<size_t>((kPairs[i] - 'a') * 26 + kPairs[i + 1] - 'a'));
  return common;
}

// The share of pairs of letters that are common: of random letters 0.2, of names more than half.
double ShareOfWords(std::string_view run) {
  static const std::bitset<26 * 26> common = CommonPairs();
  size_t pairs = 0, known = 0;
  for (size_t i = 0; i + 1 < run.size(); ++i) {
    const int a = (run[i] | 0x20) - 'a', b = (run[i + 1] | 0x20) - 'a';
    if (a < 0 || a > 25 || b < 0 || b > 25) continue;
    ++pairs;
    known += common[static_cast<size_t>(a * 26 + b)];
  }
  return static_cast<double>(known) / static_cast<double>(std::max<size_t>(pairs, 1));
}

// Of letters and digits without a separator.
bool LooksRandom(std::string_view run) {
  constexpr size_t kShortest = 20, kShortestOneCase = 24;
  if (run.size() < kShortest) return false;
  constexpr double kMostWords = 0.38;
  const Look look(run);
  const bool mixed = look.lower >= 3 && look.upper >= 3 && look.digits >= 1;
  if (ShareOfWords(run) > kMostWords) return false;
  if (mixed && look.Changes() >= 0.36 && look.letters.count() >= 8) return true;
  // Parts of kernels' names are of one case: "tb1x4x1x2_1x8x1x32".
  const bool one_case =
      (look.lower == 0 || look.upper == 0) && look.lower + look.upper + look.digits == run.size();
  return run.size() >= kShortestOneCase && one_case && look.digits >= 4 &&
         look.letters.count() >= 6 && look.Changes() >= 0.28;
}

// A secret key as of AWS: 40 characters of base64 or more, often with slashes, so that it may look
// like a path. Paths have fewer changes of case in as many characters, and more words.
bool LooksLikeLongKey(std::string_view run) {
  constexpr size_t kSize = 40, kLeastOfCase = 8, kLeastChanges = 10;
  if (run.size() < kSize || run.front() == '/' || run.back() == '/') return false;
  const Look look(run);
  return look.lower >= kLeastOfCase && look.upper >= kLeastOfCase && look.digits >= 1 &&
         look.changes >= kLeastChanges && look.Changes() >= 0.22 && ShareOfWords(run) <= 0.45;
}

// Keys and accounts of Twilio: two letters and 32 digits.
size_t TwilioAt(std::string_view text, size_t at) {
  constexpr size_t kDigits = 32;
  const std::string_view here = text.substr(at);
  if (!here.starts_with("SK") && !here.starts_with("AC")) return 0;
  const size_t end = RunEnd(text, at + 2, IsHex);
  const bool ends = end == text.size() || !IsAlnum(text[end]);
  return end - at == kDigits + 2 && ends ? kDigits + 2 : 0;
}

bool IsRandomHex(std::string_view run) {
  constexpr size_t kShortest = 32;
  if (run.size() < kShortest || !std::ranges::all_of(run, IsHex)) return false;
  const Look look(run);
  return look.digits >= 4 && look.lower + look.upper >= 4 && look.letters.count() >= 3;
}

// A short one stands alone as a word: behind a dash, a dot or a letter it is part of a name, and
// behind zeros an address.
bool IsShortHexAt(std::string_view text, size_t at, size_t end) {
  constexpr size_t kShortest = 16;
  const auto in_name = [](char c) { return IsTokenCharacter(c) || c == '.' || c == '/'; };
  const std::string_view run = text.substr(at, end - at);
  if (run.size() < kShortest || !std::ranges::all_of(run, IsHex) || run.starts_with("00"))
    return false;
  if ((at > 0 && in_name(text[at - 1])) || (end < text.size() && in_name(text[end]))) return false;
  const Look look(run);
  const bool one_case = look.lower == 0 || look.upper == 0;
  return one_case && look.digits >= 4 && look.lower + look.upper >= 4 && look.letters.count() >= 3;
}

bool IsHexPart(std::string_view part) {
  constexpr size_t kShortest = 8;
  return part.size() >= kShortest && std::ranges::all_of(part, IsHex);
}

// A part between slashes that no name is: hexadecimal, or its class of characters changes too often
// for words.
bool IsOddPart(std::string_view part) {
  constexpr size_t kShortest = 6;
  const Look look(part);
  if (IsHexPart(part)) return look.digits >= 2 && look.lower + look.upper >= 2;
  if (part.size() < kShortest || look.lower < 2 || look.upper < 2) return false;
  if (part.find_first_of("-_") != part.npos) return false;
  return (look.digits > 0 && look.Changes() >= 0.45) ||
         (look.Changes() >= 0.36 && ShareOfWords(part) <= 0.38);
}

// A key of parts between slashes ("team/prod/9f8e7d6c5b4a39281706f5e4"): 20 characters of it are in
// parts that no path has, or one part looks random by itself. A file's name may have both.
size_t KeyOfPartsAt(std::string_view text, size_t at) {
  constexpr size_t kLeastOdd = 20;
  const auto in_part = [](char c) { return IsTokenCharacter(c) || c == '+'; };
  const auto in_key = [&](char c) { return in_part(c) || c == '/'; };
  if (at > 0 && in_key(text[at - 1])) return 0;
  const size_t looked = RunEnd(text, at, in_key, kLooks);
  const bool file = looked + 1 < text.size() && text[looked] == '.' && IsAlnum(text[looked + 1]);
  if (file || !text.substr(at, looked - at).contains('/')) return 0;
  size_t odd = 0, hex = 0;
  for (size_t begin = at; begin < looked; ++begin) {
    const size_t end = std::min(RunEnd(text, begin, in_part), looked);
    const std::string_view part = text.substr(begin, end - begin);
    if (LooksRandom(part) || IsRandomHex(part))
      odd += kLeastOdd;
    else if (IsOddPart(part))
      odd += part.size();
    else if (IsHexPart(part))
      hex += part.size();
    begin = end;
  }
  if (odd == 0 || odd + hex < kLeastOdd) return 0;
  return RunEnd(text, RunEnd(text, looked, in_key), [](char c) { return c == '='; }) - at;
}

// 8-4-4-4-12.
size_t UuidAt(std::string_view text, size_t at) {
  size_t end = at;
  for (const size_t digits : {8u, 4u, 4u, 4u, 12u}) {
    if (end != at && (end == text.size() || text[end++] != '-')) return 0;
    const size_t next = RunEnd(text, end, IsHex, digits);
    if (next - end != digits) return 0;
    end = next;
  }
  return end < text.size() && IsAlnum(text[end]) ? 0 : end - at;
}

}  // namespace

size_t PemAt(std::string_view text, size_t at) {
  constexpr std::string_view kBegin = "-----BEGIN ", kEnd = "-----END ", kDashes = "-----";
  if (!text.substr(at).starts_with(kBegin)) return 0;
  const size_t end = text.find(kEnd, at);
  if (end == text.npos) return text.size() - at;
  const size_t dashes = text.find(kDashes, end + kEnd.size());
  return (dashes == text.npos ? text.size() : dashes + kDashes.size()) - at;
}

size_t TokenAt(std::string_view text, size_t at) {
  if (const size_t jwt = JwtAt(text, at); jwt > 0) return jwt;
  if (const size_t twilio = TwilioAt(text, at); twilio > 0) return twilio;
  const std::string_view rest = text.substr(at);
  for (const Prefix& prefix : kPrefixes) {
    if (!rest.starts_with(prefix.text)) continue;
    const size_t behind = at + prefix.text.size();
    const size_t end = RunEnd(text, behind, [&](char c) {
      return IsTokenCharacter(c) || (c == '.' && prefix.text.ends_with('.'));
    });
    const Look look(text.substr(behind, end - behind));
    const bool words = look.digits == 0 && look.upper == 0;  // "hf_the_name_of_some_function"
    if (end - behind >= prefix.least && !words) return end - at;
  }
  return 0;
}

size_t RandomAt(std::string_view text, size_t at) {
  if (const size_t uuid = UuidAt(text, at); uuid > 0) return uuid;
  if (const size_t key = KeyOfPartsAt(text, at); key > 0) return key;
  const auto is_plain = [](char c) { return IsTokenCharacter(c) && c != '_' && c != '-'; };
  const size_t plain_end = RunEnd(text, at, is_plain, kLooks);
  constexpr size_t kShortestPart = 4;  // so that texts of short words cost little
  if (plain_end - at < kShortestPart) return 0;
  const std::string_view plain = text.substr(at, plain_end - at);
  if (IsRandomHex(plain)) return RunEnd(text, plain_end, is_plain) - at;
  if (IsShortHexAt(text, at, plain_end)) return plain_end - at;
  const size_t whole_end = RunEnd(text, at, IsTokenCharacter, kLooks);
  if (text.substr(at).starts_with("0x")) return 0;
  // Base64 has + and / within, and = at its end; its URL form has - and _.
  const auto is_base64 = [&](char c) { return is_plain(c) || c == '+' || c == '/' || c == '='; };
  const size_t base64_end = RunEnd(text, at, is_base64, kLooks);
  const bool begins = at == 0 || !(is_plain(text[at - 1]) || text[at - 1] == '/');
  if (begins && LooksLikeLongKey(text.substr(at, base64_end - at))) return base64_end - at;
  for (const size_t end : {base64_end, whole_end, plain_end}) {
    const std::string_view run = text.substr(at, end - at);
    const Look look(run);
    const size_t others = run.size() - look.lower - look.upper - look.digits;
    if (others * 8 > run.size() || look.digits < 2 || !LooksRandom(run)) continue;
    if (end == base64_end) return RunEnd(text, end, is_base64) - at;
    return end == whole_end ? RunEnd(text, end, IsTokenCharacter) - at
                            : RunEnd(text, end, is_plain) - at;
  }
  return 0;
}

}  // namespace stepscope::redact
