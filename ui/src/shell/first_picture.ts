// Delays all other requests of the timeline page until its first picture is drawn.
import { makeStore, useStore } from "./store";

const there = makeStore(false);

export const useFirstPicture = (): boolean => useStore(there);

// Said by whoever shows the picture, or says why there is none.
export function firstPictureIsThere(): void {
  requestAnimationFrame(() => setTimeout(() => there.set(true)));  // the picture itself is on the screen a frame later
}
