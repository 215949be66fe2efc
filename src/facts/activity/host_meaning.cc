// Implements the meaning of names.
#include "facts/activity/host_meaning.h"

#include <string_view>

#include "trace/processor_names.h"
#include "trace/vocabulary.h"

namespace stepscope {
namespace {

// Of an operator, by its name.
HostMeaning MeaningOf(std::string_view name) {
  switch (ProcessorRoleOf(name)) {
    case ProcessorRole::kCollective:
      return HostMeaning::kCollective;
    case ProcessorRole::kFunctional:
      return HostMeaning::kFunctional;
    case ProcessorRole::kDispatch:
      return HostMeaning::kDispatch;
    case ProcessorRole::kOther:
      break;
  }
  const HostActivity activity = HostActivityOfName(name);
  const bool prepares =
      activity == HostActivity::kInputWait || activity == HostActivity::kCompilation;
  return prepares ? HostMeaning::kPreparation : HostMeaning::kCompute;
}

// Of an operation of a compiled program.
HostMeaning MeaningOfHlo(std::string_view name) {
  return CommunicatesCompiled(name) ? HostMeaning::kCollective : HostMeaning::kCompute;
}

}  // namespace

std::vector<HostMeaning> MeaningsOfNames(const HostOps& host, const StringTable& names,
                                         bool compiled) {
  std::vector<HostMeaning> meanings;
  meanings.reserve(names.size());
  for (StringId id = 0; id < names.size(); ++id)
    meanings.push_back(compiled ? MeaningOfHlo(names[id]) : MeaningOf(names[id]));
  if (!compiled) return meanings;
  // Programs may give one name to different operations.
  std::vector<bool> told(names.size());
  for (const HostRange& range : host.ranges) {
    const RangeDetail* detail = host.DetailOf(range);
    if (detail == nullptr || detail->opcode == kNoString) continue;
    const HostMeaning meaning = MeaningOfOperation(*detail, names, range.name);
    if (!told[range.name] || meaning == HostMeaning::kCollective) meanings[range.name] = meaning;
    told[range.name] = true;
  }
  return meanings;
}

HostMeaning MeaningOfOperation(const RangeDetail& detail, const StringTable& names, StringId name) {
  if (detail.collective != kNoString) return HostMeaning::kCollective;
  if (detail.opcode == kNoString) return MeaningOfHlo(names[name]);
  const bool communicates = KindOfHloOp(names[detail.opcode], {}) == Kind::kCommunication;
  return communicates ? HostMeaning::kCollective : HostMeaning::kCompute;
}

}  // namespace stepscope
