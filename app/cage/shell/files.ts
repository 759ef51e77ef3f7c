// The shell's files: those of Python, at once. Nothing is kept here, so what the shell writes goes through the same operations as
// what Python writes, and the workspace knows of it. Errors have the form that the shell's commands read.
import type { FsStat, IFileSystem } from "just-bash/browser";

import { bytesOfLatin1, decode, encode, latin1 } from "./lossless_text";
import type { FileFailure, FileSystem, Pyodide, Stat } from "./pyodide";

type Content = string | Uint8Array;
type Encoding = string | { encoding?: string | null } | undefined;

const WORDS: Record<string, string> = {
  EACCES: "permission denied",
  EBUSY: "resource busy or locked",
  EEXIST: "file already exists",
  EINVAL: "invalid argument",
  EISDIR: "illegal operation on a directory",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "name too long",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on device",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  EPERM: "operation not permitted",
  EROFS: "read-only file system",
  EXDEV: "cross-device link not permitted",
};

/** Devices that end at once when they are read, and take everything. */
const EMPTY_DEVICES = new Set(["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"]);
const ENDLESS_DEVICES: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  "/dev/zero": (bytes) => bytes,
  "/dev/random": (bytes) => crypto.getRandomValues(bytes),
  "/dev/urandom": (bytes) => crypto.getRandomValues(bytes),
};
/** How much of an endless device one reading gives: there is no reading by pieces. */
const ENDLESS_BYTES = 65_536;
/** Where `<(command)` puts what it gives. */
const DESCRIPTORS = "/dev/fd/";

/** The file system in memory that Python uses, as the shell wants it. */
export class Files implements IFileSystem {
  private readonly fs: FileSystem;
  private readonly names: Map<number, string>;
  private readonly descriptors = new Map<string, Uint8Array>();
  /** Files that a redirection could not open, and why. The shell does not expect that; `settle` (see script.ts) asks for them. */
  readonly refused = new Map<string, string>();

  /** `stubs` are paths of commands of the shell that have no file. */
  constructor(
    pyodide: Pyodide,
    private readonly stubs: ReadonlySet<string>,
  ) {
    this.fs = pyodide.FS;
    this.names = new Map(Object.entries(pyodide.ERRNO_CODES).map(([name, number]) => [number, name]));
  }

  async readFile(path: string, encoding?: Encoding): Promise<string> {
    const bytes = this.read(path);
    const name = nameOf(encoding);
    return name === "binary" || name === "latin1" || name === "ascii" ? latin1(bytes) : decode(bytes);
  }

  async readFileBytes(path: string): Promise<never> {
    // The type is opaque so that nobody takes it for text; it is a string in which each character is a byte.
    return latin1(this.read(path)) as never;
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    return this.read(path);
  }

  async writeFile(path: string, content: Content, encoding?: Encoding): Promise<void> {
    this.write(path, content, encoding, "w");
  }

  async appendFile(path: string, content: Content, encoding?: Encoding): Promise<void> {
    this.write(path, content, encoding, "a");
  }

  async exists(path: string): Promise<boolean> {
    if (this.descriptors.has(path) || this.stubs.has(path) || isDevice(path)) return true;
    try {
      this.fs.stat(path);
      return true;
    } catch {
      return false;
    }
  }

  async stat(path: string): Promise<FsStat> {
    return this.describe(path, "stat", () => this.fs.stat(path));
  }

  async lstat(path: string): Promise<FsStat> {
    return this.describe(path, "lstat", () => this.fs.lstat(path));
  }

  async mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    if (options?.recursive) {
      const found = this.lookAt(path);
      if (found && this.fs.isDir(found.mode)) return;
      const parent = parentOf(path);
      if (parent !== path) await this.mkdir(parent, options);
    }
    this.attempt("mkdir", path, () => this.fs.mkdir(path));
  }

  async readdir(path: string): Promise<string[]> {
    return this.attempt("scandir", path, () => this.fs.readdir(path))
      .filter((name) => name !== "." && name !== "..")
      .sort();
  }

  async readdirWithFileTypes(path: string) {
    const names = await this.readdir(path);
    const folder = path === "/" ? "" : path;
    return names.map((name) => {
      const { mode } = this.attempt("lstat", `${folder}/${name}`, () => this.fs.lstat(`${folder}/${name}`));
      return {
        name,
        isFile: this.fs.isFile(mode),
        isDirectory: this.fs.isDir(mode),
        isSymbolicLink: this.fs.isLink(mode),
      };
    });
  }

  async rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void> {
    if (this.descriptors.delete(path)) return;
    let found: Stat;
    try {
      found = this.fs.lstat(path);
    } catch (error) {
      if (options?.force && this.nameOf(error) === "ENOENT") return;
      throw this.failure("rm", path, error);
    }
    if (!this.fs.isDir(found.mode)) {
      this.attempt("rm", path, () => this.fs.unlink(path));
      return;
    }
    if (options?.recursive) {
      for (const name of await this.readdir(path)) await this.rm(`${path === "/" ? "" : path}/${name}`, options);
    }
    this.attempt("rm", path, () => this.fs.rmdir(path));
  }

  async cp(from: string, to: string, options?: { recursive?: boolean }): Promise<void> {
    const found = this.attempt("cp", from, () => this.fs.lstat(from));
    if (this.fs.isLink(found.mode)) {
      const target = this.fs.readlink(from);
      if (this.lookAt(to)) await this.rm(to);
      this.attempt("cp", to, () => this.fs.symlink(target, to));
    } else if (!this.fs.isDir(found.mode)) {
      this.write(to, this.read(from), undefined, "w");
      this.attempt("cp", to, () => this.fs.chmod(to, found.mode & 0o777));
    } else if (!options?.recursive) {
      throw new Error(`EISDIR: is a directory, cp '${from}'`);
    } else {
      if (isWithin(to, from)) throw new Error(`EINVAL: cannot copy '${from}' into itself, '${to}'`);
      await this.mkdir(to, { recursive: true });
      for (const name of await this.readdir(from)) await this.cp(`${from}/${name}`, `${to}/${name}`, options);
    }
  }

  async mv(from: string, to: string): Promise<void> {
    const found = this.attempt("mv", from, () => this.fs.lstat(from));
    if (from === to) return;
    if (this.fs.isDir(found.mode) && isWithin(to, from)) {
      throw new Error(`EINVAL: cannot move '${from}' into itself, '${to}'`);
    }
    try {
      this.fs.rename(from, to);
    } catch (error) {
      if (this.nameOf(error) !== "EXDEV") throw this.failure("mv", from, error);
      // The workspace and /tmp are two file systems.
      await this.cp(from, to, { recursive: true });
      await this.rm(from, { recursive: true });
    }
  }

  resolvePath(base: string, path: string): string {
    const names: string[] = [];
    for (const name of (path.startsWith("/") ? path : `${base}/${path}`).split("/")) {
      if (name === "..") names.pop();
      else if (name !== "" && name !== ".") names.push(name);
    }
    return `/${names.join("/")}`;
  }

  /** Patterns are matched folder by folder. */
  getAllPaths(): string[] {
    return [];
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.attempt("chmod", path, () => this.fs.chmod(path, mode));
  }

  async symlink(target: string, path: string): Promise<void> {
    this.attempt("symlink", path, () => this.fs.symlink(target, path));
  }

  /** The file system knows no second name of a file, so a hard link is a copy. */
  async link(from: string, to: string): Promise<void> {
    if (this.lookAt(to)) throw new Error(`EEXIST: file already exists, link '${to}'`);
    const found = this.attempt("link", from, () => this.fs.stat(from));
    if (this.fs.isDir(found.mode)) throw new Error(`EPERM: operation not permitted, link '${from}'`);
    await this.cp(from, to);
  }

  async readlink(path: string): Promise<string> {
    return this.attempt("readlink", path, () => this.fs.readlink(path));
  }

  async realpath(path: string): Promise<string> {
    let real = "";
    let rest = this.resolvePath("/", path).split("/").slice(1);
    for (let links = 0; rest.length > 0; ) {
      const next = `${real}/${rest[0]}`;
      const found = this.attempt("realpath", path, () => this.fs.lstat(next || "/"));
      rest = rest.slice(1);
      if (!this.fs.isLink(found.mode)) {
        real = next === "/" ? "" : next;
        continue;
      }
      if (++links > 40) throw new Error(`ELOOP: too many levels of symbolic links, realpath '${path}'`);
      const target = this.resolvePath(real || "/", this.fs.readlink(next));
      rest = [...target.split("/").slice(1), ...rest];
      real = "";
    }
    return real || "/";
  }

  async utimes(path: string, accessed: Date, modified: Date): Promise<void> {
    this.attempt("utimes", path, () => this.fs.utime(path, accessed.getTime(), modified.getTime()));
  }

  private read(path: string): Uint8Array {
    const kept = this.descriptors.get(path);
    if (kept) return kept;
    if (EMPTY_DEVICES.has(path)) return new Uint8Array(0);
    const endless = ENDLESS_DEVICES[path];
    if (endless) return endless(new Uint8Array(ENDLESS_BYTES));
    return this.attempt("read", path, () => this.fs.readFile(path), "open");
  }

  private write(path: string, content: Content, encoding: Encoding, flags: "w" | "a"): void {
    if (isDevice(path)) return;
    const name = nameOf(encoding);
    const bytes =
      typeof content !== "string" ? content : name === "binary" || name === "latin1" ? bytesOfLatin1(content) : encode(content);
    if (path.startsWith(DESCRIPTORS)) {
      const before = flags === "a" ? (this.descriptors.get(path) ?? new Uint8Array(0)) : new Uint8Array(0);
      const whole = new Uint8Array(before.length + bytes.length);
      whole.set(before);
      whole.set(bytes, before.length);
      this.descriptors.set(path, whole);
      return;
    }
    if (this.refused.has(path)) return;
    try {
      const stream = this.fs.open(path, flags);
      try {
        this.fs.write(stream, bytes, 0, bytes.length);
      } finally {
        this.fs.close(stream);
      }
    } catch (error) {
      // A redirection opens its file by writing nothing to it, as bytes; no command does.
      if (content === "" && name === "binary") this.refused.set(path, this.wordsOf(error));
      else throw this.failure("open", path, error);
    }
  }

  private describe(path: string, operation: string, look: () => Stat): FsStat {
    const device = this.descriptors.get(path);
    if (device || this.stubs.has(path) || isDevice(path)) {
      const size = device?.length ?? 0;
      return { isFile: true, isDirectory: false, isSymbolicLink: false, mode: 0o666, size, mtime: new Date() };
    }
    const found = this.attempt(operation, path, look);
    const isFile = this.fs.isFile(found.mode);
    // The workspace keeps no modes: there, what says who runs it may be run.
    const runnable = isFile && (found.mode & 0o111) === 0 && path.startsWith("/workspace/") && this.namesInterpreter(path);
    return {
      isFile,
      isDirectory: this.fs.isDir(found.mode),
      isSymbolicLink: this.fs.isLink(found.mode),
      mode: runnable ? found.mode | 0o111 : found.mode,
      size: found.size,
      mtime: found.mtime,
      dev: found.dev,
      ino: found.ino,
    };
  }

  private namesInterpreter(path: string): boolean {
    const bytes = this.fs.readFile(path);
    return bytes[0] === 0x23 && bytes[1] === 0x21;
  }

  private lookAt(path: string): Stat | undefined {
    try {
      return this.fs.lstat(path);
    } catch {
      return undefined;
    }
  }

  private nameOf(error: unknown): string | undefined {
    return this.names.get((error as FileFailure | undefined)?.errno ?? -1);
  }

  private wordsOf(error: unknown): string {
    const words = WORDS[this.nameOf(error) ?? ""] ?? "cannot be opened";
    return words.charAt(0).toUpperCase() + words.slice(1);
  }

  private failure(operation: string, path: string, error: unknown): unknown {
    const name = this.nameOf(error);
    return name ? new Error(`${name}: ${WORDS[name] ?? "the file system refused"}, ${operation} '${path}'`) : error;
  }

  /** Does it, and says a refusal as the shell's commands expect it; a file that is missing is one that could not be opened. */
  private attempt<T>(operation: string, path: string, act: () => T, missing = operation): T {
    try {
      return act();
    } catch (error) {
      throw this.failure(this.nameOf(error) === "ENOENT" ? missing : operation, path, error);
    }
  }
}

function nameOf(encoding: Encoding): string | undefined {
  return (typeof encoding === "string" ? encoding : encoding?.encoding) ?? undefined;
}

function isDevice(path: string): boolean {
  return EMPTY_DEVICES.has(path) || Object.hasOwn(ENDLESS_DEVICES, path);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 1));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
