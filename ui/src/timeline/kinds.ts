// Finds the report kind of an event, which chooses its color and its name.
import { kindNamed, type Kind } from "../data/report";
import type { TimelineInfo } from "../data/source";

// By the number that a tile has for it.
export const kindAt = (info: TimelineInfo, number: number): Kind => kindNamed(info.column_kinds[number]);

// By the name that the event's details have for it.
export const kindOfEvent = (info: TimelineInfo, name: string): Kind => kindAt(info, info.kinds.indexOf(name));
