#!/usr/bin/env python3
"""Tests of tools/unity_groups: which sources are compiled as one."""
import importlib.machinery
import importlib.util
import tempfile
import unittest
from pathlib import Path

LOADER = importlib.machinery.SourceFileLoader("unity_groups", str(Path(__file__).parent / "unity_groups"))
SPEC = importlib.util.spec_from_loader("unity_groups", LOADER)
unity_groups = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(unity_groups)


def local(text):
    return "namespace a {\nnamespace {\n\n" + text + "\n\n}  // namespace\n}  // namespace a\n"


class Names(unittest.TestCase):
    def names(self, text):
        return unity_groups.local_names(local(text))

    def test_of_functions_types_and_constants(self):
        self.assertEqual(self.names("int Add(int a) {\n  int b = a;\n}"), {"Add"})
        self.assertEqual(self.names("std::vector<int> Add(\n    int a) {"), {"Add"})
        self.assertEqual(self.names("constexpr int kMost = 3;"), {"kMost"})
        self.assertEqual(self.names("constexpr auto kMost = std::to_array<int>({\n    {1},\n});"), {"kMost"})
        self.assertEqual(self.names("struct Found {\n  int a;\n};"), {"Found"})
        self.assertEqual(self.names("enum Field {\n  kOne,  // one, or two\n  kTwo = 2\n};"), {"Field", "kOne", "kTwo"})
        self.assertEqual(self.names("enum class Kind { kOne };"), {"Kind"})
        self.assertEqual(self.names("template <class T>\nusing Kept = std::vector<T>;"), {"Kept"})
        self.assertEqual(unity_groups.local_names("static int Add() { return 1; }\n"), {"Add"})
        self.assertEqual(unity_groups.local_names("#define TWICE(a) a a\n"), {"TWICE"})

    def test_of_everybody_are_not_of_the_source(self):
        self.assertEqual(unity_groups.local_names("namespace a {\nint Add() { return 1; }\n}  // namespace a\n"), set())


class Groups(unittest.TestCase):
    def groups(self, **texts):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in texts.items():
                path = Path(folder) / "src" / name.replace("__", "/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.with_suffix(".cc").write_text(text)
            sources = [str(path) for path in Path(folder).rglob("*.cc")]
            return [[Path(source).stem for source in group] for group in unity_groups.groups(sources)]

    def test_cross_rooms(self):
        self.assertEqual(self.groups(x__a="int A();", x__b="int B();", y__c="int C();"), [["a", "b", "c"]])

    def test_a_word_means_one_thing(self):
        self.assertEqual(self.groups(x__a=local("int Add(int a) {"), x__b="int b = Add(1);"), [])
        self.assertEqual(self.groups(x__a=local("int Add(int a) {"), x__b=local("int Sum() {")), [["a", "b"]])
        self.assertEqual(self.groups(x__a="int A();", x__b="using namespace std;"), [])

    def test_a_namespace_of_its_own_keeps_a_word_to_its_source(self):
        def own(name):
            return (f"namespace s {{\nnamespace {name} {{\nnamespace {{\n\nint Run() {{\n\n}}  // namespace\n"
                    f"}}  // namespace {name}\n\n}}  // namespace s\n")
        def short(name):
            return f"namespace s::{name} {{\nnamespace {{\n\nint Run() {{\n\n}}  // namespace\n}}  // namespace s::{name}\n"

        self.assertEqual(self.groups(x__one=own("one"), x__two=short("two")), [["one", "two"]])
        self.assertEqual(self.groups(x__one=own("one"), x__two=local("int Run() {"), x__we=local("int Run() {")),
                         [["one", "two"]])

    def test_two_sources_of_one_name_do_not_meet(self):
        own = "namespace s::one {\nnamespace {\n\nint Run() {\n\n}  // namespace\n}  // namespace s::one\n"
        self.assertEqual(self.groups(x__one=own, y__one=own), [])

    def test_have_a_size_an_edit_can_wait_for(self):
        many = {f"x__f{number:02}": f"int f{number};" for number in range(unity_groups.MOST_FILES + 2)}
        self.assertEqual([len(group) for group in self.groups(**many)], [unity_groups.MOST_FILES, 2])


if __name__ == "__main__":
    unittest.main()
