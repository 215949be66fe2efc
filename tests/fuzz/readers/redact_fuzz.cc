// Fuzzes the rewriting of texts and profiles without what is private: however the pieces arrive,
// the result is the same, valid JSON stays valid with the same numbers, and a secret that stands in
// the environment of a valid document is gone.
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "redact/profile.h"
#include "redact/redactor.h"
#include "redact/text_stream.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::redact::redact_fuzz {
namespace {

using Json = nlohmann::json;

const Redactor& Fixed() {
  static const Redactor redactor = *MakeRedactor({}, "a key of 32 bytes for all inputs", nullptr);
  return redactor;
}

std::string Streamed(std::string_view text, size_t piece) {
  std::string out;
  TextStream stream(Fixed(), nullptr, [&](std::string_view part) -> Result<void> {
    out += part;
    return {};
  });
  for (size_t at = 0; at < text.size(); at += piece)
    Require(stream.Add(text.substr(at, piece)).has_value());
  Require(stream.Finish().has_value());
  return out;
}

void AddNumbers(const Json& value, std::vector<std::string>& numbers) {
  if (value.is_number()) numbers.push_back(value.dump());
  for (const Json& part : value) {
    if (value.is_structured()) AddNumbers(part, numbers);
  }
}

std::vector<std::string> NumbersIn(const Json& value) {
  std::vector<std::string> numbers;
  AddNumbers(value, numbers);
  std::ranges::sort(numbers);  // keys that are names may come in another order
  return numbers;
}

void CheckDocument(const Json& before, std::string_view redacted) {
  const Json after = Json::parse(redacted, nullptr, false);
  Require(!after.is_discarded() && before.size() == after.size());
  Require(NumbersIn(before) == NumbersIn(after));
}

void CheckSecret(const Json& rest) {
  constexpr std::string_view kSecret = "hf_AbCdEfGhIjKlMnOpQrStUvWxYz012345";
  const Json document = {{"environment", {{"HF_TOKEN", kSecret}}}, {"rest", rest}};
  const std::string whole = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  Require(!Streamed(whole, 1000).contains(kSecret));
}

void CheckProfile(std::string_view bytes) {
  std::string out;
  Profile profile(Fixed(), nullptr);
  const auto done = profile.Rewrite(bytes, [&](std::string_view part) -> Result<void> {
    out += part;
    return {};
  });
  Require(done.has_value() || !done.error().what.empty());
}

void Fuzz(std::string_view bytes) {
  const std::string redacted = Streamed(bytes, bytes.size() + 1);
  Require(Streamed(bytes, 7) == redacted);
  CheckProfile(bytes);
  const Json document = Json::parse(bytes, nullptr, false);
  if (document.is_discarded()) return;
  if (document.is_structured()) CheckDocument(document, redacted);
  CheckSecret(document);
}

const fuzz::Register kTarget({.name = "redact", .run = &Fuzz, .form = fuzz::Form::kJson});

}  // namespace
}  // namespace stepscope::redact::redact_fuzz
