// How the page is built: one script, one style sheet and index.html in build/ui/dist, under names
// that never change, because the C++ build embeds them and report.html puts them inline.
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

const kEntry = /^ {2}("[\w.]+"): (".*"),$/gm;

// The page holds the keys of texts once, with English: Japanese becomes a list in the same order. That both have the same keys
// the compiler has checked.
const listTexts: Plugin = {
  name: "list-texts",
  enforce: "pre",
  transform(code, id) {
    const [, path, part = ""] = /^(.*\/text\/)ja(\.timeline)?\.ts$/.exec(id) ?? [];
    if (!path) return undefined;
    const texts = new Map([...code.matchAll(kEntry)].map(([, key, text]) => [key, text]));
    const english = [...readFileSync(`${path}en${part}.ts`, "utf8").matchAll(kEntry)].map(([, key]) => key);
    if (english.length !== texts.size) throw new Error(`${id}: a text is not on a line of its own`);
    const list = `[${english.map((key) => texts.get(key)).join(",")}]`;
    const keys = (name: string) => `Object.keys(${name}).map((key, at) => [key, texts[at]])`;
    return part
      ? `import { enTimeline } from "./en.timeline"; const texts = ${list}; export const jaTimeline = Object.fromEntries(${keys("enTimeline")});`
      : `import { en } from "./en"; import { jaTimeline } from "./ja.timeline"; const texts = [...Object.values(jaTimeline), ...${list}]; export const ja = Object.fromEntries(${keys("en")});`;
  },
};

export default defineConfig({
  base: "./",
  plugins: [listTexts],
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    outDir: "../build/ui/dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rollupOptions: {
      output: {
        inlineDynamicImports: true,
        entryFileNames: "assets/stepscope.js",
        assetFileNames: "assets/stepscope[extname]",
      },
    },
  },
});
