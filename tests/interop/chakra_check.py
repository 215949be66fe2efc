"""Decodes execution traces that `stepscope export --chakra` wrote, with Google's protobuf.

The schema is written here, by the numbers of et_def.proto in https://github.com/mlcommons/chakra.

Usage: chakra_check.py STEPSCOPE TRACES...
"""
import collections
import pathlib
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

FIELD = descriptor_pb2.FieldDescriptorProto
MESSAGES = {
    "Attribute": [("name", 1, FIELD.TYPE_STRING), ("int32", 7, FIELD.TYPE_INT32), ("int64", 9, FIELD.TYPE_INT64),
                  ("truth", 27, FIELD.TYPE_BOOL), ("text", 29, FIELD.TYPE_STRING)],
    "Metadata": [("version", 1, FIELD.TYPE_STRING), ("attributes", 2, "Attribute")],
    "Inputs": [("values", 1, FIELD.TYPE_STRING), ("shapes", 2, FIELD.TYPE_STRING), ("types", 3, FIELD.TYPE_STRING)],
    "Node": [("id", 1, FIELD.TYPE_UINT64), ("name", 2, FIELD.TYPE_STRING), ("type", 3, FIELD.TYPE_INT32),
             ("ctrl_deps", 4, FIELD.TYPE_UINT64), ("data_deps", 5, FIELD.TYPE_UINT64),
             ("start", 6, FIELD.TYPE_UINT64), ("duration", 7, FIELD.TYPE_UINT64), ("inputs", 8, "Inputs"),
             ("attributes", 10, "Attribute")],
}
REPEATED = {"attributes", "ctrl_deps", "data_deps"}


def schema():
    file = descriptor_pb2.FileDescriptorProto(name="chakra.proto", package="chakra", syntax="proto3")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            is_message = isinstance(kind, str)
            message.field.add(
                name=field, number=number, type=FIELD.TYPE_MESSAGE if is_message else kind,
                type_name=f".chakra.{kind}" if is_message else None,
                label=FIELD.LABEL_REPEATED if field in REPEATED else FIELD.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"chakra.{name}")) for name in MESSAGES}


def messages(data):
    """The messages of a file, each behind its length as a varint."""
    at = 0
    while at < len(data):
        size = shift = 0
        while True:
            byte = data[at]
            at += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        assert at + size <= len(data), "a message is cut short"
        yield data[at:at + size]
        at += size


def check(path, classes):
    first, *rest = messages(path.read_bytes())
    metadata = classes["Metadata"].FromString(first)
    assert metadata.version, f"{path}: no version"
    nodes = [classes["Node"].FromString(message) for message in rest]
    before = {node.id: set(node.ctrl_deps) | set(node.data_deps) for node in nodes}
    assert len(before) == len(nodes), f"{path}: ids repeat"
    assert all(before.keys() >= ids for ids in before.values()), f"{path}: unknown ids"
    after = collections.defaultdict(list)
    for node, ids in before.items():
        for one in ids:
            after[one].append(node)
    waits = {node: len(ids) for node, ids in before.items()}
    ready, done = [node for node, count in waits.items() if count == 0], 0
    while ready:
        done += 1
        for node in after[ready.pop()]:
            waits[node] -= 1
            if waits[node] == 0:
                ready.append(node)
    assert done == len(nodes), f"{path}: the graph has a circle"
    return collections.Counter(node.type for node in nodes)


def main(stepscope, traces):
    classes = schema()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([stepscope, "export", *traces, "--chakra", "-o", folder], check=True, stdout=subprocess.DEVNULL)
        files = sorted(pathlib.Path(folder).glob("*.et"))
        assert files, "no file was written"
        kinds = sum((check(file, classes) for file in files), collections.Counter())
    print(f"interop: {len(files)} execution traces, nodes by type: {dict(sorted(kinds.items()))}: ok")


main(sys.argv[1], sys.argv[2:])
