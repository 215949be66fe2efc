// How the page is built: one script, one style sheet and index.html in build/ui/dist, under names
// that never change, because the C++ build embeds them and report.html puts them inline.
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
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
