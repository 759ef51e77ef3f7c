// Starts the app's own WebAssembly a second time, in this worker: `main` sees that there is no window and serves core's
// heavy work instead of drawing (app/src/core_worker.rs). The page names the script to load, which has its content's hash
// in its name; only a script of this origin can be meant.
const script = new URL(new URL(import.meta.url).searchParams.get("app"), self.location.origin);
if (script.origin !== self.location.origin) throw new Error("the core worker loads only the app's own script");
const { default: init } = await import(script.href);
await init({ module_or_path: script.href.replace(/\.js$/, "_bg.wasm") });
