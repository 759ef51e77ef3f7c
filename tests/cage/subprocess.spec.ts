// `subprocess`, `os.system`, `os.popen` and `shutil.which`, as a tool calls them.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { Cage, expect, test } from "./harness";

const APP_BUILDER = join(import.meta.dirname, "../fixtures/app-builder");

/** R069, C32: the files of the example as they are. */
test("the App Builder's three tools run", async ({ cages }) => {
  const files: Record<string, string> = {};
  for (const path of ["tools/files.py", "tools/shell.py"]) files[path] = await readFile(join(APP_BUILDER, path), "utf8");
  const cage = await Cage.with(cages, files);

  const written = await cage.call("tools.files:write_file", { path: "site/index.html", content: "<h1>Hi</h1>\n" });
  expect(written.outcome).toEqual({ type: "result", value: { written: "site/index.html", size: 12 } });
  expect(written.changed).toEqual({ "site/index.html": "<h1>Hi</h1>\n" });

  expect(await cage.result("tools.files:read_file", { path: "site/index.html" })).toEqual({
    path: "site/index.html",
    content: "<h1>Hi</h1>\n",
    size: 12,
  });

  const command = "grep -c Hi site/*.html && cp -r site build && ls build; nothing-like-it";
  const ran = await cage.call("tools.shell:run_command", { command });
  expect(ran.outcome.value).toEqual({ command, output: "1\nindex.html\nbash: nothing-like-it: command not found\n", exit_code: 127 });
  expect(ran.changed).toEqual({ "build/index.html": "<h1>Hi</h1>\n" });
});

/** Each function gives what its comment says; a failing assertion is the outcome's message. */
const TOOL = `
import io, os, shutil, subprocess, sys, time
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT

def raised(kind, act):
    try:
        act()
    except kind as error:
        return str(error)
    raise AssertionError(f"{kind.__name__} was not raised")

def equal(found, expected):
    if found != expected:
        raise AssertionError(f"{found!r} is not {expected!r}")

def runs():
    done = subprocess.run(["printf", "%s|", "a b", "it's", "*", ""], capture_output=True)
    equal((done.returncode, done.stdout, done.stderr), (0, b"a b|it's|*||", b""))
    done = subprocess.run("echo out; echo err >&2; exit 3", shell=True, capture_output=True, text=True)
    equal((done.returncode, done.stdout, done.stderr), (3, "out\\n", "err\\n"))
    equal(subprocess.run(["cat"], input="żółć", text=True, stdout=PIPE).stdout, "żółć")
    equal(subprocess.run(["cat"], input=b"\\xff\\x00", stdout=PIPE).stdout, b"\\xff\\x00")
    equal(subprocess.run(["cat"], input="é", encoding="latin-1", stdout=PIPE).stdout, "é")
    equal(subprocess.run(["cat"], stdout=PIPE).stdout, b"")
    equal(subprocess.run("echo a; ls missing; echo b", shell=True, stdout=PIPE, stderr=STDOUT, text=True).stdout,
          "a\\nls: cannot access 'missing': No such file or directory\\nb\\n")
    equal(subprocess.run("echo $A; env | sort", shell=True, env={"A": "1"}, capture_output=True, text=True).stdout, "1\\nA=1\\nPWD=/workspace\\n")
    equal(subprocess.run(["echo $0 $1", "zero", "one"], shell=True, capture_output=True, text=True).stdout, "zero one\\n")
    equal(subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True, universal_newlines=True).stdout, "42\\n")
    os.makedirs("sub", exist_ok=True)
    for cwd in ("sub", Path("sub"), "/workspace/sub"):
        equal(subprocess.run(["pwd"], cwd=cwd, capture_output=True, text=True).stdout, "/workspace/sub\\n")
    equal(os.getcwd(), "/workspace")

def others():
    equal(subprocess.check_output(["echo", "x"]), b"x\\n")
    equal(subprocess.check_call("true", shell=True), 0)
    equal(subprocess.call(["false"]), 1)
    equal(subprocess.getoutput("echo got; echo too >&2"), "got\\ntoo")
    equal(subprocess.getstatusoutput("echo got; exit 3"), (3, "got"))
    equal(raised(subprocess.CalledProcessError, lambda: subprocess.check_call(["false"])), "Command '['false']' returned non-zero exit status 1.")
    try:
        subprocess.run("echo o; echo e >&2; exit 4", shell=True, check=True, capture_output=True)
    except subprocess.CalledProcessError as error:
        equal((error.returncode, error.output, error.stderr, error.cmd), (4, b"o\\n", b"e\\n", "echo o; echo e >&2; exit 4"))
    equal(os.system("exit 3"), 3 << 8)
    equal(os.waitstatus_to_exitcode(os.system("exit 3")) if hasattr(os, "waitstatus_to_exitcode") else 3, 3)
    with os.popen("echo line1; echo line2") as pipe:
        equal(list(pipe), ["line1\\n", "line2\\n"])
    pipe = os.popen("cat > popen.txt; exit 2", "w")
    pipe.write("written")
    equal(pipe.close(), 2 << 8)
    equal(Path("popen.txt").read_text(), "written")
    equal((shutil.which("jq"), shutil.which("nothing-like-it"), shutil.which("python3")), ("/usr/bin/jq", None, sys.executable))

def refusals():
    missing = os.strerror(44)
    equal(raised(FileNotFoundError, lambda: subprocess.run(["nothing-like-it"])), f"[Errno 44] {missing}: 'nothing-like-it'")
    equal(raised(FileNotFoundError, lambda: subprocess.run("echo a b")), f"[Errno 44] {missing}: 'echo a b'")
    equal(raised(FileNotFoundError, lambda: subprocess.run(["cd", "/"])), f"[Errno 44] {missing}: 'cd'")
    equal(raised(FileNotFoundError, lambda: subprocess.run(["ls"], cwd="nowhere")), f"[Errno 44] {missing}: 'nowhere'")
    Path("plain.txt").write_text("text")
    raised(NotADirectoryError, lambda: subprocess.run(["ls"], cwd="plain.txt"))
    raised(PermissionError, lambda: subprocess.run(["./plain.txt"]))
    raised(ValueError, lambda: subprocess.run(["echo", "a\\0b"]))
    raised(ValueError, lambda: subprocess.run(["cat"], input=b"x", stdin=PIPE))
    done = subprocess.run("nothing-like-it", shell=True, capture_output=True, text=True)
    equal((done.returncode, done.stdout, done.stderr), (127, "", "bash: nothing-like-it: command not found\\n"))

def timeouts():
    for command in ("while true; do :; done", "sleep 30", [sys.executable, "-c", "while True: pass"],
                    "python3 -c 'while True: pass'; echo never > never.txt"):
        began = time.monotonic()
        try:
            subprocess.run(command, shell=isinstance(command, str), timeout=0.5, capture_output=True)
        except subprocess.TimeoutExpired as error:
            equal((error.timeout, error.cmd), (0.5, command))
        else:
            raise AssertionError(f"{command} did not time out")
        assert time.monotonic() - began < 5, command
    assert not os.path.exists("never.txt")
    process = subprocess.Popen(["sleep", "30"])
    raised(subprocess.TimeoutExpired, lambda: process.wait(timeout=0.1))
    process.kill()
    equal(process.wait(), -9)
    equal(subprocess.run(["echo", "next"], capture_output=True, timeout=10).stdout, b"next\\n")

def processes():
    with subprocess.Popen(["sort"], stdin=PIPE, stdout=PIPE, text=True) as process:
        equal(process.communicate("b\\na\\n"), ("a\\nb\\n", None))
    equal(process.returncode, 0)
    process = subprocess.Popen(["cat"], stdin=PIPE, stdout=PIPE)
    process.stdin.write(b"by hand")
    process.stdin.close()
    equal((process.stdout.read(), process.poll(), process.wait()), (b"by hand", 0, 0))
    process = subprocess.Popen("seq 3", shell=True, stdout=PIPE, text=True, bufsize=1)
    equal([line for line in process.stdout], ["1\\n", "2\\n", "3\\n"])
    first = subprocess.Popen(["printf", "b\\na\\n"], stdout=PIPE)
    second = subprocess.Popen(["sort"], stdin=first.stdout, stdout=PIPE, text=True)
    first.stdout.close()
    equal(second.communicate()[0], "a\\nb\\n")
    with open("out.txt", "w") as out, open("err.txt", "wb") as err:
        out.write("before\\n")
        subprocess.run("echo out; echo err >&2", shell=True, stdout=out, stderr=err, check=True)
        out.write("after\\n")
    equal((Path("out.txt").read_text(), Path("err.txt").read_text()), ("before\\nout\\nafter\\n", "err\\n"))
    with open("out.txt") as source:
        equal(subprocess.run(["head", "-1"], stdin=source, stdout=PIPE).stdout, b"before\\n")
    equal(subprocess.run("echo x; echo y >&2", shell=True, stdout=DEVNULL, stderr=DEVNULL).stdout, None)
    ended = subprocess.Popen(["touch", "ended.txt"])
    ended.terminate()
    equal((ended.wait(), os.path.exists("ended.txt")), (-15, False))
    assert isinstance(process, subprocess.Popen) and process.pid > 0
    import wave
    assert not hasattr(wave, "Popen"), "only subprocess was completed"

def check(name):
    globals()[name]()
    return {}

async def asynchronous():
    return {"stdout": subprocess.check_output(["echo", "async"], text=True)}

def aloud():
    print("before")
    subprocess.run("echo out; echo err >&2", shell=True)
    os.system("echo system")
    print("after")
    subprocess.Popen("echo late > late.txt", shell=True)
    return {}
`;

/** R083, C32 */
test("subprocess does what CPython's does", async ({ cages }) => {
  const cage = await Cage.with(cages, { "tools/processes.py": TOOL });
  for (const name of ["runs", "others", "refusals", "timeouts", "processes"]) {
    await test.step(name, () => cage.result("tools.processes:check", { name }));
  }
  expect(await cage.result("tools.processes:asynchronous")).toEqual({ stdout: "async\n" });
});

test("what a command writes to the tool's own output comes in its place, and nothing started is forgotten", async ({ cages }) => {
  const cage = await Cage.with(cages, { "tools/processes.py": TOOL });
  const returned = await cage.call("tools.processes:aloud");
  expect(returned.stdout).toBe("before\nout\nsystem\nafter\n");
  expect(returned.stderr).toBe("err\n");
  expect(returned.changed).toEqual({ "late.txt": "late\n" });
});

/** C32 */
test("a browser without JSPI is said to be one", async ({ cages }) => {
  await cages.route("**/cage.html", async (route) => {
    const response = await route.fetch();
    const body = await response.text();
    const without = '<script type="text/plain" id="worker">delete WebAssembly.Suspending; delete WebAssembly.promising;';
    await route.fulfill({ response, body: body.replace('<script type="text/plain" id="worker">', without) });
  });
  const cage = await Cage.with(cages, { "tools/processes.py": TOOL });
  expect(cage.ready.can_wait).toBe(false);
  const { outcome } = await cage.call("tools.processes:check", { name: "runs" });
  expect(outcome.message).toMatch(/This browser cannot run commands from Python: it has no JavaScript Promise Integration \(JSPI\)\. Chrome, Edge/);
});
