// What is used of Pyodide and of Emscripten's file system. Both have more; their own types do not have the inner parts.

/** A Python object seen from here. */
export interface PythonFunction {
  (...values: unknown[]): any;
  callPromising(...values: unknown[]): Promise<any>;
  destroy(): void;
}

export interface PythonDict {
  get(name: string): any;
  set(name: string, value: unknown): void;
  destroy(): void;
}

/** A file, folder or link. */
export interface Node {
  name: string;
  mode: number;
  parent: Node;
  /** By name in a folder, the bytes in a file; the bytes may be more than are used. */
  contents: any;
  usedBytes: number;
  link?: string;
  mtime: number;
  ctime: number;
  node_ops: Record<string, (...values: any[]) => any>;
  stream_ops: Record<string, (...values: any[]) => any>;
}

export interface Stream {
  node: Node;
  flags: number;
}

export interface FileSystem {
  root: Node;
  currentPath: string;
  ErrnoError: new (errno: number) => Error;
  filesystems: { MEMFS: { createNode(parent: Node | null, name: string, mode: number, dev: number): Node } };
  isDir(mode: number): boolean;
  isFile(mode: number): boolean;
  isLink(mode: number): boolean;
  isMountpoint(node: Node): boolean;
  destroyNode(node: Node): void;
  mkdirTree(path: string): void;
  mount(type: { mount(): Node }, options: object, mountpoint: string): Node;
  open(path: string, flags: string): Stream;
  close(stream: Stream): void;
  write(stream: Stream, bytes: Uint8Array, offset: number, length: number): number;
  writeFile(path: string, data: Uint8Array | string): void;
}

export interface Pyodide {
  FS: FileSystem;
  globals: { get(name: string): any };
  pyimport(name: string): any;
  registerJsModule(name: string, module: object): void;
  runPythonAsync(source: string, options: { globals: PythonDict; filename?: string }): Promise<any>;
  setStdin(options: { stdin: () => null }): void;
  setStdout(options: { write: (bytes: Uint8Array) => number }): void;
  setStderr(options: { write: (bytes: Uint8Array) => number }): void;
  _api: {
    on_fatal?: (error: unknown) => void;
    loadDynlib(path: string): Promise<void>;
    config: { jsglobals: object };
  };
  _module: { jspiSupported: boolean };
}

/** The numbers by which the file system says no. */
export const ERRNO = { readOnly: 69, exists: 20 };
