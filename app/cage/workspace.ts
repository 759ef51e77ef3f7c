// `/workspace`, which knows what was written to it. Every operation that changes a file is wrapped, below Python, so that nothing
// has to be compared afterwards and no forged time hides a change. What the app itself puts there is not a change.
import { Folder, type Operations } from "./folder";
import type { FileSystem, Node, Stream } from "./pyodide";
import type { FileSpan, UnreadFile } from "./protocol";

/** What a call has done to the files. */
export interface Changes {
  changed: { path: string; node: Node }[];
  removed: string[];
  unread: UnreadFile[];
  /** Why nothing of it can be kept; empty where it can. */
  trouble: string;
}

/** How many files there may be, and how large one. */
export interface Limits {
  files: number;
  fileBytes: number;
}

const READABLE = 0o444;

export class Workspace {
  private readonly folder: Folder;
  /** Files that were written, wherever they are by now. */
  private readonly dirty = new Set<Node>();
  /** Paths at which a file was taken away. */
  private readonly gone = new Set<string>();
  /** Folders that may have become empty. */
  private readonly thinned = new Set<Node>();
  /** The files the app knows of. */
  private readonly known = new Set<string>();

  constructor(private readonly fs: FileSystem) {
    this.folder = new Folder(fs, "/workspace", (plain) => this.watching(plain));
  }

  /** Brings the files to another state: first the removals, then the writes. */
  materialise(remove: string[], write: Iterable<[string, Uint8Array]>): void {
    for (const path of remove) {
      this.known.delete(path);
      this.gone.delete(path);
      const node = this.folder.find(path);
      if (!node || this.fs.isDir(node.mode)) continue;
      this.dirty.delete(node);
      this.folder.detach(node);
      this.folder.prune(node.parent);
    }
    for (const [path, contents] of write) {
      this.dirty.delete(this.folder.put(path, contents));
      this.gone.delete(path);
      this.known.add(path);
    }
  }

  /** Each call begins at the top. */
  enter(): void {
    this.fs.currentPath = this.folder.place;
  }

  /** What was done since the last time that was asked. Where it cannot be kept, everything stays to be told. */
  collect(limits: Limits): Changes {
    const changes: Changes = { changed: [], removed: [], unread: [], trouble: "" };
    for (const node of this.dirty) {
      const path = this.folder.isAttached(node) ? this.folder.pathOf(node) : "";
      if (!path || isLeftOut(path)) {
        this.dirty.delete(node);
        continue;
      }
      const reason = this.whyUnread(node);
      if (reason) changes.unread.push({ path, reason });
      else if (node.usedBytes > limits.fileBytes) {
        changes.trouble ||= `The file ${path} has ${count(node.usedBytes)} bytes, and a file of the workspace may have ${count(limits.fileBytes)}.`;
      } else changes.changed.push({ path, node });
    }
    for (const path of this.gone) if (this.known.has(path) && !this.holdsFile(path)) changes.removed.push(path);
    const fresh = changes.changed.filter(({ path }) => !this.known.has(path)).length;
    const files = this.known.size + fresh - changes.removed.length;
    if (files > limits.files) {
      changes.trouble ||= `The workspace would have ${count(files)} files, and it may have ${count(limits.files)}.`;
    }
    if (changes.trouble) return { changed: [], removed: [], unread: [], trouble: changes.trouble };
    this.settle(changes);
    return changes;
  }

  /** Takes what was told as known; what could not be read stays to be told again. */
  private settle({ changed, removed }: Changes): void {
    for (const { path, node } of changed) {
      this.known.add(path);
      this.dirty.delete(node);
    }
    for (const path of removed) this.known.delete(path);
    this.gone.clear();
    for (const folder of this.thinned) this.folder.prune(folder);
    this.thinned.clear();
  }

  private whyUnread(node: Node): string {
    if (this.fs.isLink(node.mode)) return `it is a link to ${node.link}, and links are not kept`;
    if (!this.fs.isFile(node.mode)) return "it is not an ordinary file";
    if (!(node.mode & READABLE)) return "permission denied: nobody may read it";
    return "";
  }

  private holdsFile(path: string): boolean {
    const node = this.folder.find(path);
    return node !== undefined && !this.fs.isDir(node.mode);
  }

  /** A node is at another place now, or at none: its old path is gone, and so are those below it. */
  private leave(node: Node): void {
    if (!this.fs.isDir(node.mode)) this.gone.add(this.folder.pathOf(node));
    else for (const child of Object.values<Node>(node.contents)) this.leave(child);
  }

  /** A node came to a place: whatever it has is new there. */
  private arrive(node: Node): void {
    if (!this.fs.isDir(node.mode)) this.dirty.add(node);
    else for (const child of Object.values<Node>(node.contents)) this.arrive(child);
  }

  private watching(plain: Operations): Operations {
    const { dirty, thinned } = this;
    const setattr = (node: Node, attributes: { size?: number; mode?: number | null }) => {
      plain.fileNode.setattr(node, attributes);
      const closed = attributes.mode != null && !(node.mode & READABLE);
      if (attributes.size !== undefined || closed) dirty.add(node);
    };
    return {
      folderNode: {
        ...plain.folderNode,
        mknod: (parent: Node, name: string, mode: number, device: number) => {
          const node = this.folder.adopt(plain.folderNode.mknod(parent, name, mode, device));
          if (this.fs.isDir(mode)) thinned.add(node);
          else dirty.add(node);
          return node;
        },
        symlink: (parent: Node, name: string, target: string) => {
          const node = this.folder.adopt(plain.folderNode.symlink(parent, name, target));
          dirty.add(node);
          return node;
        },
        rename: (node: Node, parent: Node, name: string) => {
          this.leave(node);
          thinned.add(node.parent);
          plain.folderNode.rename(node, parent, name);
          this.arrive(node);
        },
        unlink: (parent: Node, name: string) => {
          this.leave(parent.contents[name]);
          thinned.add(parent);
          plain.folderNode.unlink(parent, name);
        },
        rmdir: (parent: Node, name: string) => {
          thinned.add(parent);
          plain.folderNode.rmdir(parent, name);
        },
      },
      fileNode: { ...plain.fileNode, setattr },
      fileStream: {
        ...plain.fileStream,
        write: (stream: Stream, ...rest: unknown[]) => {
          dirty.add(stream.node);
          return plain.fileStream.write(stream, ...rest);
        },
        mmap: (stream: Stream, ...rest: unknown[]) => {
          const [, , protection, flags] = rest as number[];
          const written = protection & 2 && !(flags & 2);
          if (written) dirty.add(stream.node);
          return plain.fileStream.mmap(stream, ...rest);
        },
        msync: (stream: Stream, ...rest: unknown[]) => {
          dirty.add(stream.node);
          return plain.fileStream.msync(stream, ...rest);
        },
      },
      linkNode: plain.linkNode,
    };
  }
}

/** What Python keeps of modules is not the user's (C60). */
function isLeftOut(path: string): boolean {
  return path.startsWith("__pycache__/") || path.includes("/__pycache__/");
}

function count(number: number): string {
  return number.toLocaleString("en");
}

/** Groups files so that a piece has not many more bytes than `most`; a larger file is a piece of its own. */
export function* pieces(changed: Changes["changed"], most: number): Generator<{ spans: FileSpan[]; contents: Uint8Array[] }> {
  let piece: { spans: FileSpan[]; contents: Uint8Array[] } = { spans: [], contents: [] };
  let bytes = 0;
  for (const { path, node } of changed) {
    if (piece.spans.length && bytes + node.usedBytes > most) {
      yield piece;
      piece = { spans: [], contents: [] };
      bytes = 0;
    }
    piece.spans.push({ path, size: node.usedBytes });
    piece.contents.push(node.contents.subarray(0, node.usedBytes));
    bytes += node.usedBytes;
  }
  if (piece.spans.length) yield piece;
}
