// Tests planes, lines and events of a profile in any order that protocol buffers allow, and their
// times. For contents, see xplane_events_test.cc, for steps xplane_steps_test.cc, for damage
// tests/damage_xplane_test.cc.
#include "ingest/xplane/xplane_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "ingest/trace_reader.h"
#include "tests/support/read_profile.h"
#include "tests/support/sample_xspace.h"

namespace stepscope::xplane_reader_test {
namespace {

const Track& TrackOf(const Trace& trace, EventId event) {
  return trace.tracks[trace.tracks_of()[event]];
}

// A message made of what `write(writer)` writes.
template <class Write>
std::string Message(const Write& write) {
  std::string bytes;
  pbf_writer writer(bytes);
  write(writer);
  return bytes;
}

std::string Entry(int64_t key, const std::string& value) {
  return Message([&](pbf_writer& w) {
    w.add_uint64(1, static_cast<uint64_t>(key));
    w.add_string(2, value);
  });
}

std::string Named(std::string_view name) {
  return Message([&](pbf_writer& w) { w.add_string(2, name); });
}

// A file of one plane, "/device:GPU:0", of these fields after its name.
template <class Write>
std::string OneGpu(const Write& write) {
  return Message([&](pbf_writer& w) {
    w.add_string(1, Message([&](pbf_writer& plane) {
                   plane.add_string(2, "/device:GPU:0");
                   write(plane);
                 }));
  });
}

TEST(XPlane, ThreadsAndStreamsBecomeTracks) {
  SampleXSpace file;
  SamplePlane& host = file.Plane("/host:CPU");
  host.Line(31, "python").Event("train", 10, 20);
  host.Line(32, "tf_data/7").Event("IteratorGetNext", 5, 6);
  SamplePlane& gpu = file.Plane("/device:GPU:3");
  gpu.Line(13, "Stream #13(Compute)").Event("gemm", 12, 4, {{"correlation_id", 77}});
  const Trace t = ReadProfile(file.Bytes());
  ASSERT_EQ(t.size(), 3u);
  EXPECT_EQ(NameOf(t, 0), "train");
  EXPECT_EQ(TrackOf(t, 0).thread, "31");
  EXPECT_EQ(TrackOf(t, 0).name, "python");
  EXPECT_FALSE(TrackOf(t, 1).is_stream);
  EXPECT_TRUE(TrackOf(t, 2).is_stream);
  EXPECT_EQ(TrackOf(t, 2).device, 3);
  EXPECT_EQ(TrackOf(t, 2).stream, 13);
  EXPECT_EQ(t.starts()[2], 12);
  EXPECT_EQ(t.durations()[2], 4);
  EXPECT_EQ(t.kinds()[2], Kind::kCompute);
  EXPECT_EQ(t.Ints(IntField::kCorrelation).Find(2), 77);
  EXPECT_EQ(t.events_in_file, 3);
  EXPECT_EQ(t.gpu_events_in_file, 1);
}

TEST(XPlane, SaysOnWhichMachineItWasRecorded) {
  const auto machine_of = [](const std::vector<std::string>& hosts) {
    SampleXSpace file;
    file.Plane("/host:CPU").Line(1, "python").Event("train", 0, 5);
    for (const std::string& host : hosts) file.Host(host);
    return ReadProfile(file.Bytes()).meta.machine;
  };
  EXPECT_EQ(machine_of({}), "");
  EXPECT_EQ(machine_of({"node1"}), "node1");
  EXPECT_EQ(machine_of({"node1", "node1"}), "node1");
  EXPECT_EQ(machine_of({"node1", "node2"}), "") << "a profile of several hosts";
}

// In whose words to advise: JAX names what it dispatches, and the programs it compiles.
TEST(XPlane, TellsJaxFromTensorFlow) {
  const auto framework_of = [](const char* name) {
    SampleXSpace file;
    file.Plane("/host:CPU").Line(31, "python").Event(name, 10, 20);
    return ReadProfile(file.Bytes()).meta.framework;
  };
  EXPECT_EQ(framework_of("IteratorGetNext"), Framework::kTensorFlow);
  EXPECT_EQ(framework_of("PjitFunction(step)"), Framework::kJax);
  EXPECT_EQ(framework_of("jit_step(7)"), Framework::kJax);
}

TEST(XPlane, TheKeyOfAMapCountsNotTheIdWithin) {
  const std::string wrong_id = Message([](pbf_writer& w) {
    w.add_uint64(1, 99);
    w.add_string(2, "gemm");
  });
  const Trace t = ReadProfile(OneGpu([&](pbf_writer& plane) {
    {
      pbf_writer line(plane, 3);
      line.add_uint64(1, 7);
      {
        pbf_writer event(line, 4);
        event.add_uint64(1, 5);
        event.add_uint64(2, 1000);
        event.add_uint64(3, 2000);
      }
      pbf_writer(line, 4).add_uint64(1, 99);
    }
    plane.add_string(4, Entry(5, wrong_id));
  }));
  ASSERT_EQ(t.size(), 2u);
  EXPECT_EQ(NameOf(t, 0), "gemm");
  EXPECT_EQ(NameOf(t, 1), "") << "an event whose metadata is missing is an event";
}

TEST(XPlane, FieldsMayStandInAnyOrder) {
  // The line's time, id and display name after its events; an event's id after its stats, its start
  // after its duration; the plane's name last, its tables before its lines.
  const std::string file = Message([&](pbf_writer& w) {
    w.add_string(1, Message([&](pbf_writer& plane) {
                   plane.add_string(5, Entry(3, Named("correlation_id")));
                   plane.add_string(
                       4, Entry(5, Message([&](pbf_writer& m) {
                                  {
                                    pbf_writer stat(m, 5);
                                    stat.add_uint64(1, 3);
                                    stat.add_uint64(
                                        4, 1);  // of all such events: the event's own counts
                                  }
                                  m.add_string(2, "gemm");
                                })));
                   {
                     pbf_writer line(plane, 3);
                     {
                       pbf_writer event(line, 4);
                       {
                         pbf_writer stat(event, 4);
                         stat.add_uint64(4, 42);
                         stat.add_uint64(1, 3);
                       }
                       event.add_uint64(3, 2000);
                       event.add_uint64(2, 1000);
                       event.add_uint64(1, 5);
                     }
                     line.add_string(2, "Stream #7(Compute)");
                     line.add_uint64(3, 500);
                     line.add_uint64(1, 7);
                   }
                   plane.add_string(2, "/device:GPU:1");
                   plane.add_uint64(1, 4);
                 }));
  });
  const Trace t = ReadProfile(file);
  ASSERT_EQ(t.size(), 1u);
  EXPECT_EQ(NameOf(t, 0), "gemm");
  EXPECT_EQ(t.starts()[0], 501);
  EXPECT_EQ(t.durations()[0], 2);
  EXPECT_EQ(TrackOf(t, 0).device, 1);
  EXPECT_EQ(TrackOf(t, 0).stream, 7);
  EXPECT_EQ(t.Ints(IntField::kCorrelation).Find(0), 42);
}

TEST(XPlane, ADisplayNameGoesBeforeTheName) {
  SampleXSpace file;
  SampleLine& thread = file.Plane("/host:CPU").Line(31, "31");
  thread.Event("work", 0, 1);
  thread.fields().add_string(11,
                             "main thread");  // where protocol buffers put it: behind the events
  const Trace t = ReadProfile(file.Bytes());
  ASSERT_EQ(t.size(), 1u);
  EXPECT_EQ(TrackOf(t, 0).name, "main thread");
}

TEST(XPlane, UnknownFieldsArePassedOver) {
  const Trace t = ReadProfile(OneGpu([](pbf_writer& plane) {
    plane.add_string(77, "of a newer version");
    plane.add_fixed64(78, 1);
    plane.add_float(79, 1.5F);
    {
      pbf_writer line(plane, 3);
      line.add_string(77, "too");
      {
        pbf_writer event(line, 4);
        event.add_uint64(1, 1);
        event.add_fixed64(90, 5);
        event.add_uint64(2, 3000);
        event.add_string(91, "and here");
      }
    }
    plane.add_string(4,
                     Entry(1, Named("k") + Message([](pbf_writer& w) { w.add_string(80, "x"); })));
  }));
  ASSERT_EQ(t.size(), 1u);
  EXPECT_EQ(NameOf(t, 0), "k");
  EXPECT_EQ(t.starts()[0], 3);
  EXPECT_EQ(t.notes.Count(NoteKind::kUnreadableEvent), 0);
}

TEST(XPlane, TimesAreFromTheLinesOwnOnAndCutToWholeNanoseconds) {
  SampleXSpace file;
  SamplePlane& gpu = file.Plane("/device:GPU:0");
  gpu.Line(1, "Stream #1").EventInPs("a", 1'999, 2'002);  // ends at 4.001 ns
  gpu.Line(2, "Stream #2", 16'204).EventInPs("b", 5'000, 1'000);
  gpu.Line(3, "Stream #3").EventInPs("before", -1'500, 1'000);  // from -1.5 to -0.5 ns
  const Trace t = ReadProfile(file.Bytes());
  ASSERT_EQ(t.size(), 3u);
  EXPECT_EQ(t.starts()[0], 1);
  EXPECT_EQ(t.durations()[0], 3) << "neighbors that touch still touch: both ends are cut";
  EXPECT_EQ(t.starts()[1], 16'209);
  EXPECT_EQ(t.starts()[2], -2);
  EXPECT_EQ(t.durations()[2], 1);
  EXPECT_EQ(t.notes.Count(NoteKind::kSubNanosecond), 2);
}

TEST(XPlane, TheProfilesStartPlacesRelativeTimesOnTheCalendar) {
  constexpr int64_t kStart = 1'736'000'000'123'456'789;
  SampleXSpace file;
  SamplePlane& gpu = file.Plane("/device:GPU:0");
  gpu.Line(1, "Stream #1", 100).Event("relative", 5, 1);
  gpu.Line(2, "Stream #2", kStart + 200).Event("absolute", 5, 1);  // another tool's
  file.Plane("Task Environment").Stats({{"profile_start_time", static_cast<uint64_t>(kStart)}});
  const Trace t = ReadProfile(file.Bytes());
  ASSERT_EQ(t.size(), 2u);
  EXPECT_EQ(t.starts()[0], kStart + 105);
  EXPECT_EQ(t.starts()[1], kStart + 205);
}

TEST(XPlane, WhatIsNoTimeCostsTheEvent) {
  SampleXSpace file;
  SampleLine& line = file.Plane("/device:GPU:0").Line(1, "Stream #1", 7);
  line.EventInPs("overflows", INT64_MAX, INT64_MAX);
  line.EventInPs("backwards", 5'000, -3'000);
  line.Event("good", 9, 1);
  file.Plane("/device:GPU:1").Line(1, "Stream #1", INT64_MAX).Event("far", 9, 1);
  const Trace t = ReadProfile(file.Bytes());
  ASSERT_EQ(t.size(), 2u);
  EXPECT_EQ(NameOf(t, 0), "backwards");
  EXPECT_EQ(t.durations()[0], 0);
  EXPECT_EQ(NameOf(t, 1), "good");
  EXPECT_EQ(t.notes.Count(NoteKind::kUnreadableEvent), 2);
  EXPECT_EQ(t.notes.Count(NoteKind::kNegativeDuration), 1);
}

TEST(XPlane, EventsThatStandForManyHaveNoTime) {
  const Trace t = ReadProfile(OneGpu([](pbf_writer& plane) {
    {
      pbf_writer line(plane, 3);
      {
        pbf_writer event(line, 4);
        event.add_uint64(1, 1);
        event.add_uint64(5, 1000);  // num_occurrences
        event.add_uint64(3, 5000);
      }
    }
  }));
  EXPECT_EQ(t.size(), 0u);
  EXPECT_EQ(t.notes.Count(NoteKind::kAggregatedEvent), 1);
}

TEST(XPlane, NamesMayHoldAnyBytes) {
  SampleXSpace file;
  SampleLine& line = file.Plane("/host:CPU").Line(1, "python");
  line.Event("$caf\xe9.py:1 \xff\xfe", 0, 1);
  line.Event("\xf0\x9f\x94\xa5", 2, 1);
  const Trace t = ReadProfile(file.Bytes());
  ASSERT_EQ(t.size(), 2u);
  EXPECT_TRUE(NameOf(t, 0).starts_with("$caf"));
  EXPECT_EQ(t.kinds()[0], Kind::kPython);
  EXPECT_EQ(NameOf(t, 1), "\xf0\x9f\x94\xa5");
}

TEST(XPlane, IdsMayBeAnyNumber) {
  for (const int64_t id : {int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX, int64_t{1} << 40}) {
    const Trace t = ReadProfile(OneGpu([&](pbf_writer& plane) {
      {
        pbf_writer line(plane, 3);
        line.add_uint64(1, static_cast<uint64_t>(id));
        pbf_writer(line, 4).add_uint64(1, static_cast<uint64_t>(id));
      }
      plane.add_string(4, Entry(id, Named("k")));
    }));
    ASSERT_EQ(t.size(), 1u) << id;
    EXPECT_EQ(NameOf(t, 0), "k") << id;
    EXPECT_EQ(TrackOf(t, 0).stream, id);
  }
}

TEST(XPlane, WhatTheProfilerSaysIsANote) {
  SampleXSpace file;
  file.Plane("/device:GPU:0").Line(1, "Stream #1").Event("k", 1, 2);
  std::string bytes = file.Bytes();
  pbf_writer to(bytes);
  to.add_string(3, "dropped 5 events");
  to.add_string(4, "host-7");
  const Trace t = ReadProfile(bytes);
  EXPECT_EQ(t.notes.Count(NoteKind::kProfilerSaid), 1);
  EXPECT_EQ(t.notes.Detail(NoteKind::kProfilerSaid), "dropped 5 events");
}

TEST(XPlane, ProgramsOfPmapAreOfJax) {
  for (const char* name : {"JaxPmapFunction(step)", "PjitFunction(step)", "pmap(step)/mul"}) {
    SampleXSpace file;
    file.Plane("/host:CPU").Line(1, "python").Event(name, 0, 1);
    EXPECT_EQ(ReadProfile(file.Bytes()).meta.framework, Framework::kJax) << name;
  }
}

TEST(XPlane, IsToldFromJsonByItsBeginning) {
  EXPECT_TRUE(LooksLikeXSpace("\x0a\x05\x08\x01"));
  EXPECT_TRUE(LooksLikeXSpace(std::string_view("\x0a\x00", 2)));
  EXPECT_FALSE(LooksLikeXSpace("\n{\"traceEvents\":[]}"));
  EXPECT_FALSE(LooksLikeXSpace("\n\n  [ ]"));
  EXPECT_FALSE(LooksLikeXSpace("{}"));
  EXPECT_FALSE(LooksLikeXSpace(""));
}

TEST(XPlane, WithoutPlanesThereIsNoProfile) {
  const auto trace = ReadTrace(ByteSource::FromMemory(std::string_view("\x0a", 1)));
  ASSERT_FALSE(trace);
}

}  // namespace
}  // namespace stepscope::xplane_reader_test
