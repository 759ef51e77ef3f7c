// What the shell uses of Pyodide and of Emscripten's file system.

export interface Stat {
  mode: number;
  size: number;
  mtime: Date;
  dev: number;
  ino: number;
}

/** The failure of an operation; the number is one of `ERRNO_CODES`. */
export interface FileFailure {
  errno: number;
}

export interface FileSystem {
  stat(path: string): Stat;
  lstat(path: string): Stat;
  isDir(mode: number): boolean;
  isFile(mode: number): boolean;
  isLink(mode: number): boolean;
  readFile(path: string): Uint8Array;
  open(path: string, flags: string): object;
  write(stream: object, bytes: Uint8Array, offset: number, length: number): number;
  close(stream: object): void;
  readdir(path: string): string[];
  mkdir(path: string): void;
  rmdir(path: string): void;
  unlink(path: string): void;
  rename(from: string, to: string): void;
  chmod(path: string, mode: number): void;
  utime(path: string, accessed: number, modified: number): void;
  symlink(target: string, path: string): void;
  readlink(path: string): string;
}

/** A Python function seen from here. */
export interface PythonFunction {
  callPromising(...values: unknown[]): Promise<unknown>;
}

export interface Pyodide {
  FS: FileSystem;
  ERRNO_CODES: Record<string, number>;
  pyimport(name: string): Record<string, PythonFunction>;
  setInterruptBuffer(buffer: unknown): void;
}
