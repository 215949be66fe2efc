// Lists the arguments that are kept.
#include "ingest/kineto/kineto_fields.h"

#include "base/short_text.h"

namespace stepscope {
namespace {

using Type = ArgUse::Type;

struct Entry {
  std::string_view key;
  ArgUse use;
};

constexpr ArgUse Int(IntField field) { return {Type::kInt, static_cast<uint8_t>(field)}; }
constexpr ArgUse Id(IntField field) { return {Type::kId, static_cast<uint8_t>(field)}; }
constexpr ArgUse Text(TextField field) { return {Type::kText, static_cast<uint8_t>(field)}; }
constexpr ArgUse Real(RealField field) { return {Type::kReal, static_cast<uint8_t>(field)}; }

constexpr ArgUse Launch(LaunchArg arg) { return {Type::kLaunch, static_cast<uint8_t>(arg)}; }

constexpr auto kEntries = std::to_array<Entry>({
    {"correlation", Int(IntField::kCorrelation)},
    {"External id", Int(IntField::kExternalId)},
    {"external id", Int(IntField::kExternalId)},  // 2021
    {"Record function id", Id(IntField::kRecordFunction)},
    {"Sequence number", Int(IntField::kSequence)},
    {"Fwd thread id", Int(IntField::kForwardThread)},
    {"bytes", Int(IntField::kBytes)},
    {"size", Int(IntField::kBytes)},   // of HIP runtime copies
    {"Bytes", Int(IntField::kBytes)},  // of memory events
    {"In msg nelems", Int(IntField::kInElements)},
    {"Out msg nelems", Int(IntField::kOutElements)},
    {"Group size", Int(IntField::kGroupSize)},
    {"Seq", Int(IntField::kCollectiveSequence)},
    {"Seq num", Int(IntField::kCollectiveSequence)},
    {"correlation_id", Int(IntField::kFlowId)},  // of Ascend's task queue
    {"Src Rank", Int(IntField::kMessageFrom)},
    {"Dst Rank", Int(IntField::kMessageTo)},
    {"Addr", Int(IntField::kAddress)},
    {"Total Allocated", Int(IntField::kTotalAllocated)},
    {"Total Reserved", Int(IntField::kTotalReserved)},
    {"Device Type", Int(IntField::kDeviceType)},
    {"Device Id", Int(IntField::kDeviceId)},
    {"wait_on_stream", Int(IntField::kWaitStream)},
    {"wait_on_cuda_event_record_corr_id", Int(IntField::kWaitCorrelation)},
    {"wait_on_cuda_event_id", Int(IntField::kEventHandle)},
    {"Input Dims", Text(TextField::kInputShapes)},
    {"Input dims", Text(TextField::kInputShapes)},
    {"Input type", Text(TextField::kInputTypes)},
    {"Concrete Inputs", Text(TextField::kInputValues)},
    {"Input Strides", Text(TextField::kInputStrides)},
    {"Collective name", Text(TextField::kCollective)},
    {"dtype", Text(TextField::kDataType)},
    {"Process Group Name", Text(TextField::kGroupName)},
    {"Process Group Description", Text(TextField::kGroupDescription)},
    {"Process Group Ranks", Text(TextField::kGroupRanks)},
    {"In split size", Text(TextField::kInSplit)},
    {"Out split size", Text(TextField::kOutSplit)},
    {"memory bandwidth (GB/s)", Real(RealField::kBandwidth)},
    {"grid", Launch(LaunchArg::kGrid)},
    {"block", Launch(LaunchArg::kBlock)},
    {"registers per thread", Launch(LaunchArg::kRegisters)},
    {"shared memory", Launch(LaunchArg::kSharedMemory)},
    {"blocks per SM", Launch(LaunchArg::kBlocksPerSm)},
    {"est. achieved occupancy %", Launch(LaunchArg::kOccupancy)},
    {"device", {Type::kDevice}},
    {"stream", {Type::kStream}},
    {"name", {Type::kName}},
});

// No two of the keys above share a bucket; MakeBuckets() fails to compile when one does.
constexpr size_t kBuckets = 128;
constexpr size_t BucketOf(std::string_view key) {
  const auto byte = [&](size_t i) {
    return static_cast<size_t>(static_cast<unsigned char>(key[i]));
  };
  return (key.size() * 99 + byte(0) * 57 + byte(key.size() * 2 / 3) * 15 +
          byte(key.size() - 1) * 6) %
         kBuckets;
}

consteval std::array<uint8_t, kBuckets> MakeBuckets() {
  std::array<uint8_t, kBuckets> buckets{};  // index into kEntries plus one; 0: empty
  for (size_t i = 0; i < kEntries.size(); ++i) {
    uint8_t& bucket = buckets[BucketOf(kEntries[i].key)];
    if (bucket != 0) throw "two keys share a bucket: choose other factors in BucketOf";
    bucket = static_cast<uint8_t>(i + 1);
  }
  return buckets;
}
constexpr std::array<uint8_t, kBuckets> kBucketTable = MakeBuckets();

}  // namespace

ArgUse UseOfArg(std::string_view key) {
  if (key.empty()) return {};
  const uint8_t entry = kBucketTable[BucketOf(key)];
  if (entry == 0 || !SameText(kEntries[entry - 1u].key, key)) return {};
  return kEntries[entry - 1u].use;
}

}  // namespace stepscope
