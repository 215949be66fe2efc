// Keeps a value that components watch, such as the URL, the theme or the commands.
import { useEffect, useState } from "preact/hooks";

export interface Store<T> {
  get(): T;
  set(value: T): void;
  watch(listener: (value: T) => void): () => void;
}

export function makeStore<T>(initial: T): Store<T> {
  let current = initial;
  const listeners = new Set<(value: T) => void>();
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of [...listeners]) listener(value);
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(() => store.get());
  useEffect(() => {
    setValue(() => store.get()); // it may have changed between drawing and here
    return store.watch((next) => setValue(() => next));
  }, [store]);
  return value;
}

// What the reader chose for good (theme, language). A page opened from a file may have no storage.
export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(`stepscope.${key}`);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`stepscope.${key}`, value);
  } catch {
    // not kept beyond this page
  }
}
