// A folder of the cage that is filled from outside: files are put in and taken out without Python, by no path look-up, and a file's
// bytes are the view into the buffer they came in. What Python may do to it is decided by the operations given.
import type { FileSystem, Node } from "./pyodide";

const FOLDER_MODE = 0o40777;
const FILE_MODE = 0o100666;

/** What replaces the operations of the file system in memory. */
export interface Operations {
  folderNode: Node["node_ops"];
  fileNode: Node["node_ops"];
  fileStream: Node["stream_ops"];
  linkNode: Node["node_ops"];
}

export class Folder {
  readonly root: Node;
  private readonly operations: Operations;

  /** Makes the folder at `place`; `operations` are made from those of the file system in memory. */
  constructor(
    private readonly fs: FileSystem,
    readonly place: string,
    operations: (plain: Operations) => Operations,
  ) {
    const { MEMFS } = fs.filesystems;
    // A table of operations is only to be had from a node.
    const sample = (mode: number) => {
      const node = MEMFS.createNode(fs.root, ".satchel-sample", mode, 0);
      delete fs.root.contents[node.name];
      fs.destroyNode(node);
      return node;
    };
    const [folder, file, link] = [sample(FOLDER_MODE), sample(FILE_MODE), sample(0o120777)];
    this.operations = operations({
      folderNode: folder.node_ops,
      fileNode: file.node_ops,
      fileStream: file.stream_ops,
      linkNode: link.node_ops,
    });
    fs.mkdirTree(place);
    this.root = fs.mount({ mount: () => this.adopt(MEMFS.createNode(null, "/", FOLDER_MODE, 0)) }, {}, place);
  }

  /** Gives a node of the file system in memory the operations of this folder. */
  adopt(node: Node): Node {
    const { fs, operations } = this;
    if (fs.isDir(node.mode)) node.node_ops = operations.folderNode;
    else if (fs.isLink(node.mode)) node.node_ops = operations.linkNode;
    else if (fs.isFile(node.mode)) {
      node.node_ops = operations.fileNode;
      node.stream_ops = operations.fileStream;
    }
    return node;
  }

  /** A new node, unknown to the operations. */
  create(parent: Node, name: string, mode: number): Node {
    return this.adopt(this.fs.filesystems.MEMFS.createNode(parent, name, mode, 0));
  }

  /** Puts a file there, whatever was in its way. */
  put(path: string, contents: Uint8Array): Node {
    const names = path.split("/");
    const name = names.pop() ?? "";
    let parent = this.root;
    for (const step of names) {
      let next: Node | undefined = Object.hasOwn(parent.contents, step) ? parent.contents[step] : undefined;
      if (next && !this.fs.isDir(next.mode)) {
        this.detach(next);
        next = undefined;
      }
      parent = next ?? this.create(parent, step, FOLDER_MODE);
    }
    let node: Node | undefined = Object.hasOwn(parent.contents, name) ? parent.contents[name] : undefined;
    if (node && !this.fs.isFile(node.mode)) {
      this.detach(node);
      node = undefined;
    }
    node ??= this.create(parent, name, FILE_MODE);
    node.contents = contents;
    node.usedBytes = contents.length;
    node.mtime = node.ctime = Date.now();
    return node;
  }

  /** The node at a path, no link followed; nothing where there is none. */
  find(path: string): Node | undefined {
    let node = this.root;
    for (const step of path.split("/")) {
      if (!this.fs.isDir(node.mode) || !Object.hasOwn(node.contents, step)) return undefined;
      node = node.contents[step];
    }
    return node;
  }

  /** Takes a node out, with everything below it. */
  detach(node: Node): void {
    if (this.fs.isDir(node.mode)) for (const child of Object.values<Node>(node.contents)) this.detach(child);
    delete node.parent.contents[node.name];
    node.parent.mtime = node.parent.ctime = Date.now();
    this.fs.destroyNode(node);
  }

  /** Takes a folder out if it is empty, and then the one it was in. */
  prune(folder: Node): void {
    let node = folder;
    while (node !== this.root && this.isAttached(node) && Object.keys(node.contents).length === 0) {
      const { parent } = node;
      this.detach(node);
      node = parent;
    }
  }

  isAttached(node: Node): boolean {
    for (let at = node; at !== this.root; at = at.parent) {
      if (at.parent === at || at.parent.contents?.[at.name] !== at) return false;
    }
    return true;
  }

  /** Where a node is, from the top of the folder. */
  pathOf(node: Node): string {
    const names = [];
    for (let at = node; at !== this.root; at = at.parent) names.push(at.name);
    return names.reverse().join("/");
  }
}
