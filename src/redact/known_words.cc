// Finds known words by their first run of letters and digits.
#include "redact/known_words.h"

#include <algorithm>

#include "base/ascii.h"
#include "redact/characters.h"

namespace stepscope::redact {
namespace {

constexpr size_t kShortest = 4, kLongest = 255;
constexpr size_t kMostRuns =
    12;  // of letters and digits in a name: "ip-10-0-0-1.ec2.internal" has 7

// Words that name hosts and users of many, and things in traces. Between spaces.
constexpr std::string_view kCommon =
    " x86_64 aarch64 amd64 arm64 root user users ubuntu runner admin home data test tests train "
    "training trainer worker "
    "workers node nodes host hosts localhost none null true false unknown default cuda torch "
    "python python3 nccl gloo rank kernel main model models stream device devices compute memory "
    "batch step steps graph linear norm conv relu adam loss optim optimizer index copy cast "
    "softmax attention embedding dropout forward backward autograd aten triton inductor jax "
    "flax tensor tensorflow xla tpu gpu cpus gpus linux debian centos jenkins docker container "
    "work workspace build code project projects shared share scratch tmp temp public private "
    "local server client master slave head login cluster batchnorm matmul gemm cublas cudnn "
    "cutlass profiler trace traces thread threads process service system daemon nobody nvidia "
    "amazon google azure sagemaker vertex slurm kube kubernetes hadoop spark jovyan vscode "
    "coder developer research researcher team group engine input output queue event events sync "
    "async send recv reduce gather scatter broadcast barrier alltoall allreduce allgather wait "
    "start stop exec launch lock unlock self function object value name text string number "
    "float double half bfloat16 int8 int32 int64 long short char bool byte bytes list dict "
    "array view reshape transpose permute select slice sort split stack chunk mean sqrt "
    "rsqrt pow clamp fill zero zeros ones empty full like arange range random normal uniform "
    "module layer layers block blocks hidden query proj head heads mask position token tokens "
    "vocab pool max mini micro step1 step2 version release debug info warning error ";

bool IsCommon(const std::string& word) { return kCommon.contains(" " + word + " "); }

// Numbers alone, and ranks, are no names.
bool IsNumberOrRank(std::string_view word) {
  const size_t digits = RunEnd(word, 0, [](char c) { return !IsDigit(c); });
  const bool rest =
      RunEnd(word, digits, [](char c) { return IsDigit(c) || c == '.'; }) == word.size();
  std::string head(word.substr(0, digits));
  while (!head.empty() && !IsAlnum(head.back())) head.pop_back();
  return rest && (head.empty() || head == "rank" || head == "step" || head == "stage" ||
                  head == "stream" || head == "gpu" || head == "cuda" || head == "device" ||
                  head == "layer" || head == "epoch" || head == "int" || head == "float" ||
                  head == "sm" || head == "tid" || head == "pid");
}

size_t RunsOfDigits(std::string_view word) {
  size_t runs = 0;
  for (size_t i = 0; i < word.size(); ++i)
    runs += IsDigit(word[i]) && (i == 0 || !IsDigit(word[i - 1]));
  return runs;
}

std::string_view FirstRun(std::string_view word) {
  return word.substr(0, RunEnd(word, 0, IsAlnum));
}

}  // namespace

void KnownWords::Add(NameKind kind, std::string_view word) {
  if (word.size() < kShortest || word.size() > kLongest || words_.size() >= kMost) return;
  const std::string lower = Lower(word);
  const std::string_view first = FirstRun(lower);
  if (first.empty() || !IsAlnum(lower.back()) || IsCommon(lower) || IsNumberOrRank(lower)) return;
  const auto [at, added] = words_.emplace(lower, kind);
  if (!added) at->second = std::min(at->second, kind);  // whichever file comes first
  first_.emplace(first);
}

void KnownWords::AddSecret(std::string_view text) {
  constexpr size_t kShortestSecret = 10;
  const size_t scheme = text.find(' ');
  if (scheme != text.npos && IsOneOf(" bearer basic ", text.substr(0, scheme)))
    text.remove_prefix(scheme + 1);
  if (text.size() >= kShortestSecret && RunsOfDigits(text) >= 2) Add(NameKind::kSecret, text);
}

void KnownWords::Add(const KnownWords& others) {
  for (const auto& [word, kind] : others.words_) Add(kind, word);
}

std::optional<KnownWords::Match> KnownWords::At(std::string_view text, size_t at) const {
  if (words_.empty()) return std::nullopt;
  size_t end = RunEnd(text, at, IsAlnum, kLongest + 1);
  if (end - at > kLongest || !first_.contains(Lower(text.substr(at, end - at))))
    return std::nullopt;
  const std::string lower = Lower(text.substr(at, kLongest + 1));
  std::optional<Match> longest;
  for (size_t runs = 0; runs < kMostRuns && end - at <= kLongest; ++runs) {
    const auto word = words_.find(lower.substr(0, end - at));
    if (word != words_.end()) longest = Match{word->second, end - at};
    const size_t next = RunEnd(text, end, [](char c) { return c == '-' || c == '.' || c == '_'; });
    if (next == end || next == text.size() || !IsAlnum(text[next])) break;
    end = RunEnd(text, next, IsAlnum);
  }
  return longest;
}

}  // namespace stepscope::redact
