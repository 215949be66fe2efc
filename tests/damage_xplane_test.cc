// Tests profiles (XSpace files) that are cut, corrupt, hostile or odd, through the front door.
#include <gtest/gtest.h>

#include <ctime>

#include "ingest/trace_reader.h"
#include "tests/front_door.h"
#include "tests/gzip.h"
#include "tests/shared_data.h"
#include "tests/support/sample_hlo.h"
#include "tests/support/sample_xspace.h"

namespace stepscope::testing::damage_xplane_test {
namespace {

constexpr const char* kName = "host.xplane.pb";

// Two steps of everything a profile may hold.
std::string Profile() {
  SampleXSpace file;
  SamplePlane& host = file.Plane("/host:CPU");
  SampleLine& python = host.Line(1, "python");
  SampleLine& executor = host.Line(2, "tf_Compute");
  SampleLine& stream = file.Plane("/device:GPU:0").Line(7, "Stream #7(Compute)", 3);
  for (const int64_t step : {0, 1}) {
    const int64_t at = 1000 * step;
    python.Event("train", at, 900, {{"_r", 1}, {"step_num", 40 + step}});
    python.Event("FunctionRun", at + 10, 500, {{"id", 70 + step}, {"_pt", 3}, {"_p", step}});
    python.Event("MemoryAllocation", at + 20, 0,
                 {{"allocator_name", "GPU_0_bfc"},
                  {"bytes_allocated", 512},
                  {"addr", 4096},
                  {"allocation_bytes", 512},
                  {"region_type", "temp"}});
    executor.Event("ExecutorState::Process", at + 30, 300,
                   {{"id", 70 + step}, {"iter_num", 0}, {"_ct", 3}, {"_c", step}});
    executor.Event("cuLaunchKernel", at + 40, 5, {{"correlation_id", 10 + step}});
    stream.Event("gemm", at + 100, 200,
                 {{"correlation_id", 10 + step},
                  {"kernel_details", SampleRef{"regs:32 grid:8,1,1 block:256,1,1"}},
                  {"hlo_module", "jit_step"},
                  {"hlo_op", "dot.1"}});
    stream.Event("MemcpyD2H", at + 320, 20, {{"memcpy_details", "size:4096"}});
  }
  const std::string dot = ProtoOf([](pbf_writer& w) { pbf_writer(w, 30).add_uint64(1, 0); });
  SampleBuffers plan;
  plan.Buffer(1, 64, 1).Buffer(2, 64, 2).Allocation(64, 5, {{1, 0, 64}});
  plan.Allocation(128, 0, {{2, 64, 64}}).Schedule({{SampleBuffers::kBegins, 2, "dot.1"}});
  file.Plane("/host:metadata")
      .Metadata(
          "jit_step(1)",
          {{"Hlo Proto",
            SampleBytes{HloProgram(
                {SampleComputation(
                    1, {SampleInstruction("p", "parameter", 1, SampleShape({4, 4}), {}),
                        SampleInstruction("dot.1", "dot", 2, SampleShape({4, 4}), {1, 1}, dot)})},
                plan.bytes())}}});
  file.Plane("Task Environment")
      .Stats({{"profile_start_time", uint64_t{1'736'000'000'000'000'000}}});
  return file.Bytes();
}

// A profile of one line of the host, or of a GPU, that `fill(line)` fills.
template <class Fill>
std::string OneLine(std::string_view plane, const Fill& fill) {
  SampleXSpace file;
  fill(file.Plane(plane).Line(1, "Stream #1"));
  return file.Bytes();
}

double CostOf(const std::string& bytes) {
  const std::clock_t began = std::clock();
  EXPECT_TRUE(AskAbout(bytes, kName));
  return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

// Whether eight times the input takes about eight times as long: squared it would be 64 times.
template <class Make>
bool CostsWhatItIsLong(const Make& bytes_of_size, int64_t size) {
  constexpr double kNoise = 0.05;
  for (int tries = 0; tries < 3; ++tries) {
    if (CostOf(bytes_of_size(size)) < 20 * CostOf(bytes_of_size(size / 8)) + kNoise) return true;
  }
  return false;
}

TEST(DamageXPlane, TheWholeProfileIsRead) {
  const auto answer = AskAbout(Profile(), kName);
  ASSERT_TRUE(answer);
  EXPECT_EQ(GpuEvents(*answer), 4);
  EXPECT_EQ(NoteCount(*answer, "truncated"), 0);
  EXPECT_EQ(NoteCount(*answer, "unreadable_event"), 0);
}

TEST(DamageXPlane, CutAtEveryByteItSaysSoAndUsesWhatIsWhole) {
  const std::string whole = Profile();
  int64_t before = 0;
  for (size_t length = 1; length < whole.size(); ++length) {
    const auto answer = AskAbout(whole.substr(0, length), kName);
    if (!answer) {
      EXPECT_LT(length, 4u) << answer.error().what;
      continue;
    }
    EXPECT_LE(GpuEvents(*answer), 4);
    EXPECT_GE(GpuEvents(*answer), before) << "at " << length;
    before = GpuEvents(*answer);
  }
  EXPECT_EQ(before, 4);
}

TEST(DamageXPlane, EveryByteMayBeWrong) {
  const std::string whole = Profile();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {0x01, 0x04, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      const auto trace = ReadTrace(ByteSource::FromMemory(damaged));
      EXPECT_TRUE(trace || !trace.error().what.empty());
      // An answer that can be printed, or an error that says why. Of some: it takes milliseconds.
      if (at % 4 == static_cast<size_t>(flip) % 4) (void)AskAbout(damaged, kName);
    }
  }
}

TEST(DamageXPlane, CompressedItIsTheSame) {
  const auto plain = AskAbout(Profile(), kName);
  const auto packed = AskAbout(Gzip(Profile()), "host.xplane.pb.gz");
  ASSERT_TRUE(plain && packed);
  EXPECT_EQ(Numbers(*plain), Numbers(*packed));
}

TEST(DamageXPlane, LengthsMayClaimAnything) {
  for (const uint64_t claimed :
       {uint64_t{1} << 20, uint64_t{1} << 31, uint64_t{1} << 63, ~uint64_t{0}, ~uint64_t{0} - 2}) {
    for (const uint32_t field : {1u, 2u, 3u, 4u, 5u, 6u}) {
      const std::string lie = ProtoOf([&](pbf_writer& w) { w.add_uint64(field, claimed); });
      std::string plane = ProtoOf([](pbf_writer& w) { w.add_string(2, "/device:GPU:0"); }) + lie;
      plane[plane.size() - lie.size()] =
          static_cast<char>(static_cast<unsigned char>(plane[plane.size() - lie.size()]) | 2);
      (void)AskAbout(ProtoOf([&](pbf_writer& w) { w.add_string(1, plane); }), kName);
    }
  }
}

TEST(DamageXPlane, FieldsOfWrongTypesArePassedOver) {
  const std::string odd = ProtoOf([](pbf_writer& w) {
    for (uint32_t field = 1; field < 12; ++field) {
      w.add_uint64(field, 5);
      w.add_fixed64(field, 5);
      w.add_float(field, 5);
      w.add_string(field, "");
    }
  });
  const std::string plane = ProtoOf([&](pbf_writer& w) {
    w.add_string(2, "/device:GPU:0");
    {
      pbf_writer line(w, 3);
      line.add_string(4, odd);
      line.add_string(1, "7");
    }
    w.add_string(4, odd);
    w.add_string(5, odd);
    w.add_string(6, odd);
  });
  EXPECT_TRUE(AskAbout(ProtoOf([&](pbf_writer& w) {
                         w.add_string(1, plane);
                         w.add_string(1, plane + odd);
                         w.add_uint64(1, 3);
                       }),
                       kName));
}

TEST(DamageXPlane, StatsMayReferToNothing) {
  const std::string bytes = ProtoOf([](pbf_writer& w) {
    {
      pbf_writer plane(w, 1);
      plane.add_string(2, "/device:GPU:0");
      {
        pbf_writer line(plane, 3);
        {
          pbf_writer event(line, 4);
          event.add_uint64(3, 5000);
          for (const uint64_t id : {uint64_t{9}, ~uint64_t{0}}) {
            {
              pbf_writer stat(event, 4);
              stat.add_uint64(1, id);
              stat.add_uint64(7, id);
            }
          }
        }
      }
    }
  });
  const auto answer = AskAbout(bytes, kName);
  ASSERT_TRUE(answer);
  EXPECT_EQ(GpuEvents(*answer), 1);
  EXPECT_EQ(NoteCount(*answer, "unreadable_stat"), 2);
}

TEST(DamageXPlane, EmptyThingsAreThings) {
  for (const char* name : {"/device:GPU:", "/device:TPU:x", "/host:CPU", "/host:metadata", ""}) {
    const std::string bytes = ProtoOf([&](pbf_writer& w) {
      {
        pbf_writer plane(w, 1);
        plane.add_string(2, name);
        plane.add_string(3, "");
        {
          pbf_writer line(plane, 3);
          for (int i = 0; i < 1000; ++i) line.add_string(4, "");
        }
        plane.add_string(4, "");
        plane.add_string(5, "");
        plane.add_string(6, "");
      }
      w.add_string(1, "");
      w.add_string(2, "");
      w.add_string(4, "");
    });
    EXPECT_TRUE(AskAbout(bytes, kName)) << name;
  }
}

TEST(DamageXPlane, AHundredThousandNestedRangesCostWhatTheyAreLong) {
  const auto nested = [](int64_t depth) {
    return OneLine("/host:CPU", [&](SampleLine& line) {
      line.Event("train", 0, 2 * depth + 10, {{"_r", 1}});
      for (int64_t i = 0; i < depth; ++i)
        line.Event("launch", i, 2 * (depth - i), {{"correlation_id", i + 1}});
    });
  };
  EXPECT_TRUE(CostsWhatItIsLong(nested, 100'000));
}

TEST(DamageXPlane, RootsInRootsAndLinksBetweenAllCostWhatTheyAreLong) {
  const auto roots = [](int64_t count) {
    return OneLine("/host:CPU", [&](SampleLine& line) {
      for (int64_t i = 0; i < count; ++i)
        line.Event("train", i, 2 * (count - i), {{"_r", i % 3}, {"step_num", i % 7}});
    });
  };
  EXPECT_TRUE(CostsWhatItIsLong(roots, 60'000));
  const auto links = [](int64_t count) {
    return OneLine("/host:CPU", [&](SampleLine& line) {
      line.Event("train", 0, 10 * count, {{"_r", 1}});
      for (int64_t i = 0; i < count; ++i) {  // all under one key, and each in a tree of its own
        line.Event("x", 2 * i, 1, {{"_pt", 1}, {"_p", 1}, {"_ct", 1}, {"_c", i % 2}});
        line.Event("ExecutorState::Process", 2 * i, 1, {{"id", 1}, {"iter_num", i % 5}});
      }
    });
  };
  EXPECT_TRUE(CostsWhatItIsLong(links, 40'000));
}

TEST(DamageXPlane, ManyModulesAndRunsCostWhatTheyAreLong) {
  const auto modules = [](int64_t count) {
    return OneLine("/device:GPU:0", [&](SampleLine& line) {
      for (int64_t i = 0; i < count; ++i) {
        line.Event("k", 3 * i, 2,
                   {{"hlo_module", "m" + std::to_string(i / 2)}, {"hlo_op", "o"}, {"run_id", i}});
      }
    });
  };
  EXPECT_TRUE(CostsWhatItIsLong(modules, 40'000));
}

TEST(DamageXPlane, IdsMayBeChosenToCollide) {
  const auto ids = [](int64_t count) {
    return ProtoOf([&](pbf_writer& w) {
      {
        pbf_writer plane(w, 1);
        plane.add_string(2, "/device:GPU:0");
        for (int64_t i = 0; i < count; ++i) {
          {
            pbf_writer entry(plane, 4);
            entry.add_uint64(1, static_cast<uint64_t>(i) * 2'147'483'648U * 541U);
            pbf_writer(entry, 2).add_string(2, "k");
          }
        }
      }
    });
  };
  EXPECT_TRUE(CostsWhatItIsLong(ids, 100'000));
}

TEST(DamageXPlane, ProgramsMayRepeatAndReferToThemselves) {
  const auto program = [](int64_t count) {
    const std::string calls = ProtoOf([](pbf_writer& w) {
      w.add_uint64(38, 1);
      w.add_uint64(36, 1);
    });
    const std::string tuple = ProtoOf([&](pbf_writer& w) {
      w.add_uint64(2, 13);
      for (int64_t i = 0; i < count; ++i) w.add_string(4, SampleShape({2}));
    });
    const std::string computation = ProtoOf([&](pbf_writer& w) {
      w.add_string(2, SampleInstruction("t", "tuple", 1, tuple, {}));
      for (int64_t i = 0; i < count; ++i)  // each takes the tuple, and calls where it stands
        w.add_string(
            2, SampleInstruction("x" + std::to_string(i), "call", 2, SampleShape({2}), {1}, calls));
      w.add_uint64(5, 1);
    });
    const std::string proto = ProtoOf([&](pbf_writer& w) {
      {
        pbf_writer module(w, 1);
        for (int64_t i = 0; i < count; ++i) pbf_writer(module, 3).add_uint64(5, 1);
        module.add_string(3, computation);
      }
    });
    SampleXSpace file;
    file.Plane("/host:metadata").Metadata("m(1)", {{"Hlo Proto", SampleBytes{proto}}});
    file.Plane("/device:GPU:0").Line(1, "Stream #1").Event("k", 0, 5);
    return file.Bytes();
  };
  EXPECT_TRUE(CostsWhatItIsLong(program, 20'000));
}

class DamagedProfile : public SharedDataTest {};

TEST_F(DamagedProfile, AProfileThatWentThroughATextToolIsToldApart) {
  const auto answer = Ask({Shared("traces/malformed/utf8_mangled.xplane.pb")});
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().what.contains("damaged as text")) << answer.error().what;
  EXPECT_TRUE(answer.error().hint.contains("copy the original again")) << answer.error().hint;
}

}  // namespace
}  // namespace stepscope::testing::damage_xplane_test
