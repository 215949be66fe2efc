"""Reads segments in a few lines, for the tests: docs/formats/goodput-segments.md, from the reader's side."""
import collections
import glob
import os
import struct
import zlib

Event = collections.namedtuple("Event", "kind time monotonic sequence step fields text writer job")


class Damaged(Exception):
    """A slot, or one of those that should follow it, is not whole."""


def _slot(data, salt, number):
    slot = data[8192 + 32 * number:8224 + 32 * number]
    if zlib.crc32(slot[4:], salt + number & 0xFFFFFFFF) != int.from_bytes(slot[:4], "little"):
        raise Damaged(number)
    return slot


def _fields(payload):
    fields, text = {}, ""
    while payload and payload[0]:
        tag = payload[0]
        if tag < 128:
            fields[tag], payload = struct.unpack_from("<q", payload, 1)[0], payload[9:]
        else:
            size = int.from_bytes(payload[1:3], "little")
            fields[tag] = size
            text, payload = payload[3:3 + size].decode(), payload[3 + size:]
    return fields, text


def _event(data, salt, number, writer, job):
    """(the event that begins with this slot, how many slots it takes); None for a further slot."""
    slot = _slot(data, salt, number)
    kind, more = slot[4], slot[5]
    if kind == 255:
        return None, 1
    payload = b"".join(_slot(data, salt, number + k)[11:] for k in range(1, more + 1))
    fields, text = _fields(payload)
    monotonic, time = struct.unpack_from("<qq", slot, 16)
    return Event(kind, time, monotonic, int.from_bytes(slot[6:11], "little"),
                 int.from_bytes(slot[11:16], "little"), fields, text, writer, job), 1 + more


def read_file(path):
    """The events of a segment, and how many slots were torn."""
    with open(path, "rb") as file:
        data = file.read()
    if not data.strip(b"\0"):
        return [], 0
    assert data[:8] == b"STEPGOOD", path
    length = int.from_bytes(data[16:20], "little")
    assert zlib.crc32(data[16:16 + length]) == int.from_bytes(data[12:16], "little"), path
    assert data[:3968] == data[4096:8064], path  # and then a mark each
    salt = int.from_bytes(data[20:24], "little")
    sizes = struct.unpack_from("<3H", data, 52)
    job = data[58:58 + sizes[0]].decode()
    writer = data[58 + sizes[0] + sizes[1]:58 + sum(sizes)].decode()
    events, torn, number = [], 0, 0
    while number < (len(data) - 8192) // 32:
        slots = 1
        if data[8192 + 32 * number:8224 + 32 * number].strip(b"\0"):
            try:
                event, slots = _event(data, salt, number, writer, job)
                if event is not None:
                    events.append(event)
            except Damaged:
                torn += 1
        number += slots
    return events, torn


def read_folder(folder):
    """The events of all segments, in the order of their names, and how many slots were torn."""
    events, torn = [], 0
    for path in sorted(glob.glob(os.path.join(folder, "*.goodput"))):
        of_file, torn_here = read_file(path)
        events += of_file
        torn += torn_here
    return events, torn
