// `/toolset`: the files of the toolset, which nothing in Python can change.
import { Folder, type Operations } from "./folder";
import { ERRNO, type FileSystem, type Stream } from "./pyodide";

const WRITES = 0o3;

export function makeToolset(fs: FileSystem): Folder {
  const refuse = () => {
    throw new fs.ErrnoError(ERRNO.readOnly);
  };
  const open = (stream: Stream) => {
    if (stream.flags & WRITES) refuse();
  };
  const changes = { setattr: refuse, mknod: refuse, rename: refuse, unlink: refuse, rmdir: refuse, symlink: refuse };
  return new Folder(fs, "/toolset", (plain: Operations) => ({
    folderNode: { ...plain.folderNode, ...changes },
    fileNode: { ...plain.fileNode, setattr: refuse },
    fileStream: { ...plain.fileStream, open, write: refuse, msync: refuse },
    linkNode: { ...plain.linkNode, setattr: refuse },
  }));
}
