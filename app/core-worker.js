// Starts the core worker's WebAssembly (app/src/bin/satchel-worker.rs), which stands beside this file in the finished app.
import init from "./satchel-worker.js";
await init();
