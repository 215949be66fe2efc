"""Tests of tools/check_layers, tools/check_style and tools/check_texts: a rule that catches nothing guards nothing."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).parent


def run(tool, files):
    """Runs a checker on a tree of these files; returns its exit status and what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        Path(folder, "src").mkdir(exist_ok=True)
        command = [sys.executable, TOOLS / tool, folder]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


class Layers(unittest.TestCase):
    def assert_caught(self, name, text, *words):
        status, out = run("check_layers", {name: "// What it is for.\n" + text})
        self.assertEqual(status, 1, out)
        self.assertEqual(len(out.splitlines()), 1, out)
        for word in (f"{name}:2: ", *words):
            self.assertIn(word, out)

    def assert_allowed(self, name, text):
        self.assertEqual(run("check_layers", {name: text}), (0, ""))

    def test_a_room_sees_only_what_lies_below(self):
        self.assert_caught("src/trace/a.h", '#include "ingest/reader.h"', "may not include")
        self.assert_caught("src/base/a.h", '#include "trace/trace.h"', "base may not include trace")
        self.assert_caught("src/base/a.h", '#include "stepscope/report.h"', "base")
        self.assert_allowed("src/base/a.h", '#include "stepscope/result.h"\n')
        self.assert_caught("src/facts/a.cc", '#include "report/build.h"', "facts")
        self.assert_caught("src/cli/main.cc", '#include "session/session.h"', "cli")
        self.assert_caught("src/session/a.cc", '#  include "cli/flags.h"', "session")
        self.assert_caught("include/stepscope/a.h", '#include "base/column.h"', "stepscope")
        self.assert_caught("src/facts/a.cc", '#include "../ingest/reader.h"', "relative")
        self.assert_allowed("src/ingest/a.cc", '#include "trace/trace.h"\n#include <simdjson.h>\n')
        self.assert_allowed("src/session/a.cc", '#include "ingest/a.h"\n#include "stepscope/a.h"\n')

    def test_analyses_never_include_one_another(self):
        self.assert_caught("src/analyses/idle.cc", '#include "analyses/overlap.h"', "one another")
        self.assert_caught("src/analyses/idle.cc", '#include "analyses/overlap.h"', "SHARED_BY_ANALYSES")
        self.assert_allowed("src/analyses/idle.cc", '#include "analyses/analysis.h"\n')

    def test_parts_of_an_analysis_belong_to_it(self):
        tree = {"src/analyses/idle.cc": '// A.\n#include "analyses/idle_findings.h"\n',
                "src/analyses/idle_tables.cc": '// A.\n#include "analyses/idle_findings.h"\n',
                "src/analyses/idle_findings.cc": '// A.\n#include "analyses/idle_findings.h"\n',
                "src/analyses/idle_findings.h": "// A.\n"}
        self.assertEqual(run("check_layers", tree), (0, ""))
        for other in ("overview", "idler"):
            text = '// A.\n#include "analyses/idle_findings.h"\n'
            status, out = run("check_layers", tree | {f"src/analyses/{other}.cc": text})
            self.assertEqual((status, len(out.splitlines())), (1, 1), out)
            self.assertIn("is a part of idle", out)

    def test_no_file_and_no_include_passes_unseen(self):
        for name in ("a.hpp", "a.inc", "a.cpp"):
            status, out = run("check_layers", {f"src/base/{name}": "// A.\n"})
            self.assertEqual(status, 1, name)
            self.assertIn(".h or .cc", out)
        self.assert_caught("src/base/a.cc", '#include "json_writer.h"', "with its room")
        self.assert_caught("src/trace/a.cc", "#include TRACE_HEADER", "not a macro")
        self.assert_caught("src/http/a.cc", "#include <boost/beast/core/detail/base64.hpp>", "internal")
        self.assert_caught("src/facts/a.cc", "auto p = std::filesystem::path();", "input or output")

    def test_the_precompiled_header_opens_no_door(self):
        self.assert_allowed("src/precompiled.h", "// A.\n#include <fmt/format.h>\n#include <vector>\n")
        for header in ('"trace/trace.h"', "<boost/beast.hpp>", "<sqlite3.h>", "HEADER"):
            self.assert_caught("src/precompiled.h", f"#include {header}", "standard library and fmt alone")

    def test_facts_and_analyses_do_no_io(self):
        self.assert_caught("src/analyses/idle.cc", "#include <fstream>", "input or output")
        self.assert_caught("src/facts/steps/steps.cc", "#include <cstdio>", "input or output")
        for header in ("netdb.h", "dirent.h", "sys/stat.h", "stdio.h", "syncstream", "print", "istream", "fmt/os.h"):
            self.assert_caught("src/analyses/idle.cc", f"#include <{header}>", "input or output")
        for words in ("std::println(x);", "fmt::print(x);", "std::osyncstream a(b);"):
            self.assert_caught("src/analyses/idle.cc", words, "input or output")
        self.assert_allowed("src/analyses/idle.cc", "#include <fmt/format.h>\n#include <unordered_map>\n")
        self.assert_allowed("src/base/a.cc", "#include <netdb.h>\n#include <sys/stat.h>\n")

    def test_libraries_are_known_and_have_rooms(self):
        for header in ("openssl/ssl.h", "curl/curl.h", "google/protobuf/message.h"):
            for name in ("src/analyses/idle.cc", "src/http/a.cc"):
                self.assert_caught(name, f"#include <{header}>", "name it in LIBRARIES")
        self.assert_caught("src/analyses/idle.cc", "#include <toml.hpp>", "may not use toml11")
        self.assert_caught("src/analyses/idle.cc", "#include <hwy/highway.h>", "may not use Highway")
        self.assert_caught("src/ingest/a.cc", "#include <hwy/highway.h>", "may not use Highway")
        self.assert_allowed("src/session/a.cc", "#include <toml.hpp>\n#include <xxhash.h>\n")
        self.assert_allowed("src/ingest/json/a.cc", "#include <hwy/foreach_target.h>\n")

    def test_names_that_a_library_keeps_for_itself(self):
        for name in ("simdjson::internal::f(a);", "fmt::detail::f(a);", "namespace d = boost::beast::detail;",
                     "std::ranges::__detail::f(a);"):
            self.assert_caught("src/ingest/a.cc", name, "internal to its library")
        self.assert_allowed("src/base/a.cc", '// fmt::detail::f\nauto a = "at::detail::f";\nnamespace a::details {}\n')

    def test_nothing_past_ingest_knows_a_format(self):
        self.assert_caught("src/facts/steps/steps.cc", "#include <simdjson.h>", "simdjson")
        self.assert_caught("src/session/a.cc", "#include <isa-l/igzip_lib.h>", "ISA-L")
        self.assert_caught("src/analyses/a.cc", "#include <nlohmann/json.hpp>", "nlohmann")
        self.assert_caught("src/trace/trace.h", "// as Kineto has it", "Kineto")
        self.assert_caught("src/report/json.cc", 'f("traceEvents");', "traceEvents")
        self.assert_allowed("src/demo/json.cc", "#include <nlohmann/json.hpp>\n")
        self.assert_caught("src/report/json.cc", "#include <nlohmann/json.hpp>", "nlohmann")

    def test_tests_may_look_anywhere(self):
        self.assert_allowed("src/facts/steps/steps_test.cc", '#include "ingest/reader.h"\n// kineto\n')

    def test_an_unknown_room_is_named(self):
        self.assertEqual(run("check_layers", {"src/attic/a.cc": "//\n"})[0], 1)
        self.assert_caught("src/trace/a.cc", '#include "attic/a.h"', "no room")

    def test_rooms_in_rooms_have_doors_of_their_own(self):
        self.assert_caught("src/facts/steps/a.h", '#include "facts/derived/steps/b.h"', "facts/steps may not")
        self.assert_caught("src/facts/derived/steps/a.h", '#include "facts/derived/lateness/b.h"',
                           "facts/derived/steps may not")
        self.assert_caught("src/facts/steps/a.h", '#include "facts/facts.h"', "facts/steps may not")
        self.assert_caught("src/facts/steps/a.cc", "#include <fstream>", "input or output")
        self.assert_allowed("src/facts/derived/steps/a.h", '#include "facts/facts.h"\n')

    def test_a_door_that_nobody_uses_is_closed(self):
        _, out = run("check_layers", {"tools/check_layers": "", "src/cli/a.cc": '#include "base/utf8.h"\n'})
        self.assertIn("cli never includes stepscope: close the door", out)
        self.assertNotIn("cli never includes base", out)

    def test_a_header_and_its_source_are_one_and_form_no_circle(self):
        tree = {"src/trace/a.h": "// A.\n", "src/trace/a.cc": '// A.\n#include "trace/b.h"\n',
                "src/trace/b.h": "// B.\n", "src/trace/b.cc": '// B.\n#include "trace/a.h"\n'}
        status, out = run("check_layers", tree)
        self.assertEqual(status, 1)
        self.assertIn("a circle of includes: trace/a, trace/b", out)
        tree["src/trace/b.cc"] = "// B.\n"
        self.assertEqual(run("check_layers", tree), (0, ""))


class Style(unittest.TestCase):
    def check(self, name, text):
        return run("check_style", {name: text, "include/a.h": "// A.\n#pragma once\n"})

    def assert_caught(self, name, text, word):
        status, out = self.check(name, text)
        self.assertEqual(status, 1, out)
        self.assertIn(word, out)

    def test_files(self):
        self.assertEqual(self.check("tests/a.cc", "// Good.\nint a;\n"), (0, ""))
        self.assert_caught("tests/a.cc", "int a;\n", "opens with a comment")
        self.assert_caught("tests/a.cc", "// A.\n" + "int a;\n" * 800, "801 lines")
        self.assert_caught("tests/a.cc", "// A.\n// TODO: more\n", "a.cc:2: error: finish")
        self.assert_caught("src/base/a.cc", "// A.\n", "README")
        self.assert_caught("tests/a.h", "// A.\n", "pragma once")
        self.assert_caught("bench/a.py", "import os\n", "opens with a comment")

    def test_files_named_in_texts_exist(self):
        tree = {"src/base/README.md": "# base\n\n`gone_file`, `no.h`, `docs/no.md`, `Word`, `--a_b`, `a/b`\n",
                "docs/architecture.md": "# Rooms\n\n`base/no`\n"}
        status, out = run("check_style", tree)
        self.assertEqual(status, 1, out)
        for name in ("gone_file", "no.h", "docs/no.md", "a/b", "base/no"):
            self.assertIn(f"there is no file '{name}'", out)
        self.assertEqual(out.count("there is no file"), 5, out)
        tree |= {"src/base/gone_file.h": "// A.\n#pragma once\n// A.\n", "src/base/no.h": "// A.\n#pragma once\n",
                 "docs/no.md": "", "src/a/b.h": "// A.\n#pragma once\n", "src/a/README.md": "# a\n\n`b`\n"}
        self.assertEqual(run("check_style", tree)[0], 0)

    def test_a_readme_names_the_units_of_its_room(self):
        header = "// A.\n#pragma once\n"
        tree = {"src/base/README.md": "# base\n\n`one` and `three.cc`, not two\n", "src/base/one.h": header,
                "src/base/two.h": header, "src/base/two.cc": "// A.\n", "src/base/three.cc": "// A.\n",
                "src/base/four_test.cc": "// A.\n"}
        status, out = run("check_style", tree)
        self.assertEqual((status, out.count("error")), (1, 1), out)
        self.assertIn("README.md:1: error: name `two`", out)
        tree["src/base/README.md"] += "`two`\n"
        self.assertEqual(run("check_style", tree)[0], 0)

    def test_lists_of_analyses_and_commands_are_elsewhere(self):
        tree = {"src/analyses/README.md": "# analyses\n", "src/analyses/idle.cc": "// A.\n",
                "src/analyses/build.cc": "// A.\n", "src/analyses/build.h": "// A.\n#pragma once\n"}
        status, out = run("check_style", tree)
        self.assertEqual((status, out.count("error")), (1, 1), out)
        self.assertIn("name `build`", out)

    def test_titles_have_at_most_four_words(self):
        readme = {"src/analyses/README.md": "# analyses\n\n`a`\n"}
        text = '// A.\nTable t{.title = "One two three four five"};\n'
        status, out = run("check_style", readme | {"src/analyses/a.cc": text})
        self.assertEqual(status, 1, out)
        self.assertIn("a.cc:2: error: a title has at most 4 words", out)
        self.assertEqual(run("check_style", readme | {"src/analyses/a.cc": text.replace(" five", "")})[0], 0)
        text = '// A.\nTable t{.title = fmt::format("One {} two three four, of {}", a, b)};\n'
        self.assertEqual(run("check_style", readme | {"src/analyses/a.cc": text})[0], 0)
        self.assertEqual(run("check_style", readme | {"src/analyses/a.cc": text.replace("One", "One one")})[0], 1)

    def test_functions(self):
        body = "  int x;\n"
        long = f"// A.\nnamespace a {{\nvoid F(int a,\n       int b) {{\n{body * 120}}}\n}}\n"
        self.assert_caught("tests/a.cc", long, "a.cc:3: error: function of 123 lines")
        status, out = self.check("tests/a.cc", long.replace(body * 120, body * 70))
        self.assertEqual(status, 0)
        self.assertIn("warning: function of 73 lines", out)

    def test_what_is_no_function(self):
        for head, tail in (("struct S {", "};"), ("const T kT[] = {", "};"), ("void F() {}", ""),
                           ("constexpr auto kT = std::to_array<T>({", "});")):
            text = f"// A.\n{head}\n" + "  int x;\n" * 130 + f"{tail}\n"
            self.assertEqual(self.check("tests/a.cc", text), (0, ""), head)
        text = "// A.\nclass A {\n  int F() {\n  }\n" + "  int x;\n" * 130 + "};\n"
        self.assertEqual(self.check("tests/a.cc", text), (0, ""))
        raw = '// A.\nconst char* kDoc = R"md(\nf(x) {\n' + "text\n" * 130 + '}\n)md";\n'
        self.assertEqual(self.check("tests/a.cc", raw), (0, ""))


    def test_a_catalogue_holds_tables(self):
        readme = "# language\n\n- `ja_*`: Japanese.\n"
        text = '// A.\nTexts F() {\n' + '  {"a --full", "b"},\n' * 130 + "}\n"
        tree = {"src/language/README.md": readme, "src/language/ja_a.cc": text}
        self.assertEqual(run("check_style", tree)[0], 0)
        for name in ("src/language/lookup.cc", "src/report/ja_a.cc"):
            status, out = run("check_style", {name: text, f"{Path(name).parent}/README.md": f"`{Path(name).stem}`\n"})
            self.assertEqual((status, out.count("not options"), out.count("function of")), (1, 130, 1), out)

    def test_a_pattern_names_units(self):
        tree = {"src/base/README.md": "# base\n\n- `ja_*`: A.\n", "src/base/ja_a.cc": "// A.\n"}
        self.assertEqual(run("check_style", tree)[0], 0)
        status, out = run("check_style", tree | {"src/base/jb.cc": "// A.\n"})
        self.assertEqual((status, out.count("error"), "name `jb`" in out), (1, 1, True), out)


class Texts(unittest.TestCase):
    CATALOGUE = 'constexpr Translated kTexts[] = {{"{who} waits", "{who} が待つ"}, {"rank {rank}", "ランク {rank}"}};'

    def check(self, code, catalogue=CATALOGUE):
        return run("check_texts", {"src/analyses/a.cc": code, "src/language/ja.cc": catalogue})

    def test_a_template_needs_each_language(self):
        self.assertEqual(self.check('auto a = Say("{who} waits", who);'), (0, ""))
        status, out = self.check('auto a =\n    Say("{who} "\n        "sleeps", who);')
        self.assertEqual((status, out), (1, 'src/analyses/a.cc:2: no ja for "{who} sleeps"\n'))
        status, out = self.check('auto a = Say(one ? "rank {rank}" : "ranks {rank}", rank);')
        self.assertEqual((status, out), (1, 'src/analyses/a.cc:1: no ja for "ranks {rank}"\n'))

    def test_fields_are_those_of_the_english(self):
        status, out = self.check("", 'kTexts[] = {{"{who} waits", "{time} 待つ"}};')
        self.assertEqual((status, out), (1, "src/language/ja.cc:1: fields that the English has not: time\n"))

    def test_each_text_is_there_once(self):
        tree = {"src/language/ja_a.cc": 'kTexts[] = {{"rank", "ランク"}};',
                "src/language/ja_b.cc": 'kTexts[] = {{"step", "ステップ"},\n{"rank", "ランク"}};'}
        self.assertEqual(run("check_texts", tree), (1, 'src/language/ja_b.cc:2: "rank" is in src/language/ja_a.cc:1 '
                                                       'already\n'))

    def test_comments_are_no_code(self):
        self.assertEqual(self.check('// Say("{who} sleeps", who)\nauto a = "https://b" + Say("{who} waits", who);'),
                         (0, ""))
        self.assertEqual(self.check('auto a = Say("{who} at https://b", who);')[0], 1)


if __name__ == "__main__":
    unittest.main()
