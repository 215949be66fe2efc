// Numbers of the fields of Perfetto's traces, for the reader and the exporter.
//
// They are those of protos/perfetto/trace/ in https://github.com/google/perfetto, which never
// change. Fields from 60001 on are Stepscope's own: other readers pass over them.
#pragma once

#include <cstdint>

namespace stepscope::perfetto {

enum TraceField : uint32_t { kPacket = 1 };

enum PacketField : uint32_t {
  kClockSnapshot = 6,
  kTimestamp = 8,
  kSequence = 10,
  kTrackEvent = 11,
  kInterned = 12,
  kSequenceFlags = 13,
  kStateClearedOld = 41,
  kPreviousDropped = 42,
  kProcessDescriptor = 43,
  kThreadDescriptor = 44,
  kCompressedPackets = 50,
  kGpuCounterEvent = 52,
  kGpuStageEvent = 53,
  kClockId = 58,
  kDefaults = 59,
  kTrackDescriptor = 60,
  kOrderStep = 60001,  // sint64: the event's place in its recording, less the place that follows
                       // the last one's on this sequence
  kRecording = 60002,  // RecordingField
};
enum SequenceFlag : uint32_t { kStateCleared = 1, kNeedsState = 2 };

// The packets of a sequence are one recording.
enum RecordingField : uint32_t {
  kRank = 1,
  kWindow = 2,
  kEventsInFile = 3,
  kTimeShift = 4,  // sint64, ns: was added to all times
  kMembers = 5,    // JSON text, `"key": value` each: members of the document beside its events
};

enum EventField : uint32_t {
  kTimestampDeltaUs = 1,
  kCategoryIid = 3,
  kAnnotation = 4,
  kLegacyEvent = 6,
  kType = 9,
  kNameIid = 10,
  kTrackUuid = 11,
  kTimestampAbsoluteUs = 16,
  kCategory = 22,
  kName = 23,
  kCounterValue = 30,
  kFlowOld = 36,
  kTerminatingFlowOld = 42,
  kDoubleCounter = 44,
  kFlow = 47,
  kTerminatingFlow = 48,
  kGpuCorrelation = 3000,  // field 1: ids of the stages that the slice launched
};
enum EventType : uint32_t { kNoType = 0, kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4 };
enum LegacyField : uint32_t { kLegacyNameIid = 1, kLegacyPhase = 2, kLegacyDurationUs = 3 };

enum AnnotationField : uint32_t {
  kAnnotationIid = 1,
  kBool = 2,
  kUint = 3,
  kInt = 4,
  kReal = 5,
  kText = 6,
  kPointer = 7,
  kNested = 8,
  kJson = 9,
  kAnnotationName = 10,
  kDictEntry = 11,
  kArrayValue = 12,
  kTextIid = 17,
};
enum NestedField : uint32_t {
  kNestedType = 1,
  kNestedKey = 2,
  kNestedDictValue = 3,
  kNestedArrayValue = 4,
  kNestedInt = 5,
  kNestedReal = 6,
  kNestedBool = 7,
  kNestedText = 8,
};

enum InternedField : uint32_t {
  kCategories = 1,
  kNames = 2,
  kAnnotationNames = 3,
  kGpuSpecifications = 24,
  kAnnotationTexts = 29,
  kComputeKernels = 1000,
  kComputeArgNames = 1001,
};
enum InternedText : uint32_t { kIid = 1, kInternedText = 2, kDemangled = 3 };

enum DescriptorField : uint32_t {
  kUuid = 1,
  kTrackName = 2,
  kProcess = 3,
  kThread = 4,
  kParent = 5,
  kCounterTrack = 8,
  kStaticName = 10,
  kChildOrdering = 11,
  kSiblingRank = 12,
  kAtraceName = 13,
  kIdentity = 60001,  // IdentityField
};
enum ProcessField : uint32_t { kPid = 1, kProcessName = 6, kProcessLabels = 8 };
enum ThreadField : uint32_t {
  kThreadPid = 1,
  kThreadTid = 2,
  kThreadReference = 6,
  kThreadName = 5
};
enum CounterField : uint32_t {
  kUnit = 3,
  kUnitMultiplier = 4,
  kIsIncremental = 5,
  kUnitName = 6,
};
// What a track stands for in the trace it was made from. Several tracks may stand for one.
enum IdentityField : uint32_t {
  kIdentityPid = 1,  // texts, as a JSON trace has them
  kIdentityTid = 2,
  kIdentityProcess = 3,  // its name
  kIdentityThread = 4,
  kIdentityCounter = 5,  // name of the counter
  kIdentityLater = 6,    // 1: values beside the counter's first, and what export adds
};

enum SnapshotField : uint32_t { kClock = 1, kPrimaryClock = 2 };
enum ClockField : uint32_t {
  kSnapshotClock = 1,
  kSnapshotTime = 2,
  kClockIncremental = 3,
  kClockMultiplier = 4,
};
enum DefaultsField : uint32_t { kEventDefaults = 11, kDefaultClock = 58 };

enum StageField : uint32_t {
  kStageEventId = 1,
  kStageDuration = 2,
  kStageQueueId = 3,
  kStageId = 4,
  kStageExtra = 6,
  kStageGpu = 11,
  kStageQueueIid = 13,
  kStageIid = 14,
  kStageName = 17,
  kStageKernelIid = 19,
  kStageNameIid = 20,
  kStageLaunch = 21,
};
enum LaunchField : uint32_t { kLaunchGrid = 1, kLaunchBlock = 2, kLaunchArg = 3 };
enum LaunchArgField : uint32_t { kLaunchArgIid = 1, kLaunchArgName = 2 };  // 3, 4: int, uint
enum ExtraField : uint32_t { kExtraName = 1, kExtraValue = 2 };

// Clocks of every trace; those from 64 to 127 are of one sequence.
constexpr uint32_t kRealtime = 1, kBoottime = 6, kFirstOfSequence = 64, kFirstGlobal = 128;

}  // namespace stepscope::perfetto
