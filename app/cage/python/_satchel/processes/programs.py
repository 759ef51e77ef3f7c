"""Which programs there are, and how one is found: as a system finds it, by the files in the folders of `PATH`.

The commands of the shell have a file each in `/usr/bin` and `/bin`, so that `shutil.which` and `command -v` see them too.
"""

import errno
import os
import re
import shlex
import stat

# What the shell has and a system has as a file. `cd`, `export` and the like are the shell's own: no program can be one.
COMMANDS = """
[ awk base64 basename bash cat chmod clear column comm cp cut date diff dirname du echo egrep env expand expr false fgrep file find
fold grep head hostname join jq ln ls md5sum mkdir mktemp mv nl od paste printenv printf pwd python python3 readlink
realpath rev rg rm rmdir sed seq sh sha1sum sha256sum sleep sort split stat strings tac tail tar tee test time timeout touch tr
tree true uname unexpand uniq wc which whoami xan xargs yq
""".split()
FOLDERS = ("/usr/bin", "/bin")
PYTHON = "/usr/bin/python3"


def lay_out():
    """Puts a file for each command where programs are looked for."""
    programs, other = FOLDERS
    os.makedirs(programs, exist_ok=True)
    if not os.path.exists(other):
        os.symlink(programs, other)
    for name in COMMANDS:
        # The words by which the shell knows that the file stands for its command.
        content = f"#!/bin/bash\n# Built-in command: {name}\n".encode()
        descriptor = os.open(f"{programs}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o755)
        os.write(descriptor, content)
        os.close(descriptor)


def command_line(arguments, program, cwd, environment):
    """The line of the shell that runs a program with these arguments; raises as starting it would.

    `program` is what is looked for, and `arguments` begins with the name by which it is to know itself.
    """
    path = _find(program, cwd, environment)
    interpreter = _interpreter(path, program)
    if interpreter is None:
        first = [os.path.basename(path)]
    else:
        first = [interpreter, program if "/" in program else path]
    return shlex.join([*first, *arguments[1:]])


def check_folder(cwd):
    """Raises as a system does when a process is to start in a folder that is none."""
    try:
        mode = os.stat(cwd).st_mode
    except OSError as failure:
        raise OSError(failure.errno, os.strerror(failure.errno), cwd) from None
    if not stat.S_ISDIR(mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), cwd)


def _find(program, cwd, environment):
    if "/" in program:
        candidates = [os.path.join(cwd, program)]
    else:
        folders = (environment.get("PATH") or ":".join(FOLDERS)).split(":")
        candidates = [os.path.join(cwd, folder, program) for folder in folders]
    refusal = errno.ENOENT
    for path in candidates:
        try:
            mode = os.stat(path).st_mode
        except OSError as failure:
            if failure.errno not in (errno.ENOENT, errno.ENOTDIR):
                refusal = failure.errno
            continue
        if stat.S_ISREG(mode) and (mode & 0o111 or _may_be_run(path)):
            return os.path.normpath(path)
        refusal = errno.EACCES
    raise OSError(refusal, os.strerror(refusal), program)


def _may_be_run(path):
    """The workspace keeps no modes: there, what says who runs it may be run."""
    return path.startswith("/workspace/") and _beginning(path).startswith(b"#!")


def _interpreter(path, program):
    """Who runs the file: nobody for a command of the shell."""
    if os.path.dirname(path) in FOLDERS and os.path.basename(path) in COMMANDS:
        return None
    line = _beginning(path).split(b"\n", 1)[0].decode(errors="surrogateescape")
    named = re.match(r"#!\s*(\S+)\s*(\S*)", line)
    if not named:
        raise OSError(errno.ENOEXEC, os.strerror(errno.ENOEXEC), program)
    interpreter = named[2] if named[1].endswith("/env") else named[1]
    name = os.path.basename(interpreter)
    if re.fullmatch(r"python(3(\.\d+)?)?", name):
        return "python3"
    if name in ("sh", "bash", "dash"):
        return "bash"
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)


def _beginning(path):
    with open(path, "rb") as file:
        return file.read(256)
