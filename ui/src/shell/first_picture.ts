// On the timeline's page the picture comes first: what else the page asks for, all reports for their names in the
// navigation, waits until it is there.
import { makeStore, useStore } from "./store";

const there = makeStore(false);

export const useFirstPicture = (): boolean => useStore(there);

// Said by whoever shows the picture, or says why there is none.
export function firstPictureIsThere(): void {
  requestAnimationFrame(() => setTimeout(() => there.set(true)));  // the picture itself is on the screen a frame later
}
