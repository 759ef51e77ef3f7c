// Starts the core worker's WebAssembly (app/src/bin/satchel-worker.rs), which stands beside this file in the finished app.
import init from "./satchel-worker.js";
// What it needs only now and then, it imports then.
globalThis.satchelImport = (path) => import(path);
await init();
