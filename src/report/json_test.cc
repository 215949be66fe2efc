// Tests JSON against docs/report-schema.json and the example in docs/report.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "report/kinds.h"
#include "stepscope/write.h"
#include "tests/paths.h"
#include "tests/support/sample_answer.h"

namespace stepscope::json_test {
namespace {

using Json = nlohmann::ordered_json;

std::string ReadDoc(const std::string& name) {
  std::ifstream file(testing::SourceDir() + "/docs/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool IsOfType(const Json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return type == "null" && value.is_null();
}

// Checks the part of JSON Schema that report-schema.json uses, and reports the path of every
// mismatch.
class SchemaCheck {
 public:
  explicit SchemaCheck(Json root) : root_(std::move(root)) {}

  void Check(const Json& value) { Check(root_, value, ""); }

 private:
  void Check(const Json& schema, const Json& value, const std::string& path) {
    if (schema.contains("$ref")) {
      const auto ref = schema["$ref"].get<std::string>().substr(1);
      return Check(root_.at(Json::json_pointer(ref)), value, path);
    }
    if (schema.contains("type")) CheckType(schema["type"], value, path);
    if (schema.contains("const")) {
      EXPECT_EQ(schema["const"], value) << path;
    }
    if (schema.contains("enum")) {
      EXPECT_TRUE(std::ranges::count(schema["enum"], value) == 1) << path << ": " << value;
    }
    for (const Json& key : schema.value("required", Json::array())) {
      EXPECT_TRUE(value.contains(key.get<std::string>())) << path << " lacks " << key;
    }
    if (schema.contains("properties")) CheckProperties(schema["properties"], value, path);
    if (schema.contains("items")) {
      for (const Json& item : value) Check(schema["items"], item, path + "[]");
    }
  }

  static void CheckType(const Json& types, const Json& value, const std::string& path) {
    const Json list = types.is_array() ? types : Json::array({types});
    EXPECT_TRUE(std::ranges::any_of(list, [&](const Json& t) { return IsOfType(value, t); }))
        << path << ": " << value << " is no " << types;
  }

  // Unknown keys are legal for readers, but this writer should have told the schema about them.
  void CheckProperties(const Json& properties, const Json& value, const std::string& path) {
    for (const auto& [key, item] : value.items()) {
      ASSERT_TRUE(properties.contains(key)) << path << "." << key << " is not in the schema";
      Check(properties[key], item, std::string(path).append(".").append(key));
    }
  }

  Json root_;
};

// The text that a string or number becomes as the value of a metric.
std::string Value(const Cell& cell) {
  ReportSet answer;
  answer.reports.resize(1);
  answer.reports[0].metrics = {{"k", "K", cell, Unit::kNone}};
  const std::string json = ToJson(answer);
  EXPECT_TRUE(Json::accept(json)) << json;
  const size_t start = json.find("\"value\": ") + 9;
  return json.substr(start, json.find(", \"unit\"", start) - start);
}

TEST(ReportJson, FollowsTheSchema) {
  SchemaCheck schema(Json::parse(ReadDoc("report-schema.json")));
  schema.Check(Json::parse(ToJson(SampleAnswer())));
  schema.Check(Json::parse(ToJson(ReportSet{})));
}

TEST(ReportJson, FollowsTheExampleInTheDocumentation) {
  const std::string page = ReadDoc("report.md");
  const size_t start = page.find("```json\n") + 8;
  const std::string example = page.substr(start, page.find("```", start) - start);
  SchemaCheck(Json::parse(ReadDoc("report-schema.json"))).Check(Json::parse(example));
}

TEST(ReportJson, ARowIsALine) {
  const std::string json = ToJson(SampleAnswer());
  EXPECT_NE(json.find(R"(
     "rows": [
      [2, 0, 1240000, 0.1234, null, 1500000],
      [0, 0, 640, 0.0, null, null],
      [1, 0, 83500000000, null, null, 12]
     ]
)"),
            std::string::npos)
      << json;
  EXPECT_TRUE(json.ends_with("}\n"));
}

TEST(ReportJson, ShortNamesAreOfThoseThatAreRead) {
  const std::string add = "void at::native::add<float>(float*, int)";
  ReportSet answer;
  answer.reports.resize(1);
  answer.reports[0].tables = {{.key = "t", .columns = {{"name", "name"}}, .rows = {}}};
  for (const std::string& name : {add, std::string("volta_sgemm"), add}) {
    answer.reports[0].tables[0].rows.push_back({name});
  }
  EXPECT_EQ(Json::parse(ToJson(answer))["short_names"], (Json{{add, "add<float>"}}));
  EXPECT_EQ(Json::parse(ToJson(ReportSet{}))["short_names"], Json::object());
}

TEST(ReportJson, TheSchemaListsEveryKind) {
  const Json schema = Json::parse(ReadDoc("report-schema.json"));
  Json kinds = Json::array();
  for (int k = 1; k < static_cast<int>(ColumnKind::kCount); ++k) {
    kinds.push_back(ColumnKindName(static_cast<ColumnKind>(k)));
  }
  EXPECT_EQ(schema["definitions"]["kind"]["enum"], kinds);
}

TEST(ReportJson, ColumnsAndRowsHaveKinds) {
  Table table{.key = "ranks", .columns = {{"rank", "rank"}, {"idle", "idle", Unit::kNanoseconds}}};
  SetKinds(table, {{"idle", ColumnKind::kIdle}});
  AddKindColumn(table);
  table.rows = {{int64_t{0}, int64_t{5}, KindCell(ColumnKind::kInProgress)}};
  ReportSet answer;
  answer.reports.resize(1);
  answer.reports[0].tables = {table};
  const Json json = Json::parse(ToJson(answer));
  SchemaCheck(Json::parse(ReadDoc("report-schema.json"))).Check(json);
  const Json& written = json["reports"][0]["tables"][0];
  EXPECT_FALSE(written["columns"][0].contains("kind"));
  EXPECT_EQ(written["columns"][1]["kind"], "idle");
  EXPECT_EQ(written["kind_column"], "kind");
  EXPECT_EQ(written["columns"][2]["key"], "kind");
  EXPECT_EQ(written["rows"][0][2], "in_progress");
}

TEST(ReportJson, KeysStandInTheOrderOfTheContract) {
  const Json json = Json::parse(ToJson(SampleAnswer()));
  std::string keys;
  for (const auto& [key, value] : json["reports"][0].items()) keys += key + " ";
  EXPECT_EQ(keys,
            "analysis title label group status why headline metrics tables series findings notes ");
  EXPECT_EQ(json["run"]["files"][0]["rank"], 0);
  EXPECT_TRUE(json["run"]["files"][1]["rank"].is_null());
  EXPECT_EQ(json["reports"][0]["findings"][1]["try"],
            "look at the data loader of rank 1: raise num_workers");
  EXPECT_EQ(json["reports"][0]["findings"][1]["table"], "ranks");
  EXPECT_EQ(json["reports"][0]["findings"][0]["table"], "");
}

TEST(ReportJson, NumbersAreExact) {
  EXPECT_EQ(Value(std::numeric_limits<int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(Value(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(Value(int64_t{9007199254740993}), "9007199254740993");
  EXPECT_EQ(Value(0.1), "0.1");
  EXPECT_EQ(Value(1.0), "1.0");
  EXPECT_EQ(Value(std::numeric_limits<double>::denorm_min()), "5e-324");
}

TEST(ReportJson, WhatIsNoNumberIsNull) {
  EXPECT_EQ(Value({}), "null");
  EXPECT_EQ(Value(std::nan("")), "null");
  EXPECT_EQ(Value(-std::numeric_limits<double>::infinity()), "null");
}

TEST(ReportJson, AnyBytesBecomeValidUtf8) {
  EXPECT_EQ(Value("\"a\\b\"\n"), R"("\"a\\b\"\n")");
  EXPECT_EQ(Value(std::string("\x1b[31m\0", 6)), R"("\u001b[31m\u0000")");
  EXPECT_EQ(Value("größe 数据 🚀"), "\"größe 数据 🚀\"");
  EXPECT_EQ(Value("\xff|\xe6\x95|\xed\xa0\x80"), "\"\uFFFD|\uFFFD|\uFFFD\uFFFD\uFFFD\"");
  EXPECT_EQ(Value("x\u202Egpj \u2028"), R"("x\u202egpj \u2028")");
}

}  // namespace
}  // namespace stepscope::json_test
