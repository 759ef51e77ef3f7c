// The shell behind `subprocess`: every row does what bash and GNU's commands do.
import { Cage, expect, test } from "./harness";
import { ROWS, type Row } from "./shell_rows";

const TOOL = {
  "tools/shell.py": `
import base64, os, shutil, subprocess

def empty_workspace():
    for entry in os.scandir("/workspace"):
        shutil.rmtree(entry) if entry.is_dir(follow_symlinks=False) else os.unlink(entry)

def run(script, stdin, files):
    empty_workspace()
    for path, content in files.items():
        os.makedirs(os.path.dirname(os.path.join("/workspace", path)), exist_ok=True)
        with open(os.path.join("/workspace", path), "w") as file:
            file.write(content)
    done = subprocess.run(script, shell=True, cwd="/workspace", input=stdin.encode(), capture_output=True, timeout=60)
    return {"stdout": base64.b64encode(done.stdout).decode(), "stderr": done.stderr.decode(), "code": done.returncode}

def plain(script):
    done = subprocess.run(script, shell=True, capture_output=True, text=True)
    return {"stdout": done.stdout, "stderr": done.stderr, "code": done.returncode}
`,
};

/** C32, R083 */
test("commands and constructs do what bash and GNU do", async ({ cages }) => {
  test.setTimeout(240_000);
  const cage = await Cage.with(cages, TOOL);
  for (const row of ROWS) {
    await test.step(row.name, async () => expect(await done(cage, row), row.name).toEqual(expected(row)));
  }
});

const expected = ({ stdout, stderr = "", code = 0 }: Row) => ({ stdout: Buffer.from(stdout).toString("latin1"), stderr, code });

async function done(cage: Cage, { script, stdin = "", files = {} }: Row) {
  const { stdout, stderr, code } = await cage.result("tools.shell:run", { script, stdin, files });
  return { stdout: Buffer.from(stdout, "base64").toString("latin1"), stderr, code };
}

/** C32 */
test("python runs in the shell as a program of its own", async ({ cages }) => {
  const cage = await Cage.with(cages, { ...TOOL, "helper.py": "WHO = 'toolset'\n" });
  const check = async (script: string, stdout: string, { stderr = "", code = 0 } = {}) =>
    expect(await cage.result("tools.shell:plain", { script }), script).toEqual({ stdout, stderr, code });

  await check(`python -c 'import sys; print(sys.argv, 1 + 1)' a 'b c'`, "['-c', 'a', 'b c'] 2\n");
  await check(`python3 -c 'import sys; sys.exit(3)'`, "", { code: 3 });
  await check(`python3 -c 'import sys; sys.exit("why")'`, "", { stderr: "why\n", code: 1 });
  await check(`echo 'print("from", "stdin")' | python3 -; echo 'print(2)' | python`, "from stdin\n2\n");
  await check(`echo '{"a": 1}' | python3 -m json.tool --compact`, '{"a":1}\n');
  await check(`printf 'a\\nb\\n' | python3 -c 'import sys; print(sys.stdin.read().upper(), end="")' | tac`, "B\nA\n");
  await check(`python3 -c 'import sys; sys.stdout.buffer.write(bytes([255, 0]))' | base64`, "/wA=\n");
  await check(`mkdir -p lib && echo 'WHO = "workspace"' > lib/helper.py; echo 'import helper; print(helper.WHO, __name__)' > lib/main.py; python3 lib/main.py`, "workspace __main__\n");
  await check(`echo 'WHO = "changed"' > lib/helper.py; python3 lib/main.py; cd lib && python3 -m main`, "changed __main__\nchanged __main__\n");
  await check(`cd /tmp && X=1 python3 -c 'import os; print(os.getcwd(), os.environ["X"]); os.chdir("/"); os.environ["X"] = "2"'; pwd; echo [$X]`, "/tmp 1\n/tmp\n[]\n");
  await check(`printf '#!/usr/bin/env python3\\nimport sys\\nprint(sys.argv)\\n' > lib/run.py; ./lib/run.py x`, "['./lib/run.py', 'x']\n");
  await check(`python3 nothing.py`, "", {
    stderr: "/usr/bin/python3: can't open file '/workspace/nothing.py': [Errno 44] No such file or directory\n",
    code: 2,
  });
  await check(`python3 -m nothing`, "", { stderr: "/usr/bin/python3: No module named nothing\n", code: 1 });
  await check(`python3 -c '1/0' 2>&1 | tail -1`, "ZeroDivisionError: division by zero\n");
  await check(`python3 -c 'def f():\n    raise ValueError("x")\nf()'; echo $?`, "1\n", {
    stderr: [
      "Traceback (most recent call last):",
      '  File "<string>", line 3, in <module>',
      "    f()",
      "    ~^^",
      '  File "<string>", line 2, in f',
      '    raise ValueError("x")',
      "ValueError: x\n",
    ].join("\n"),
  });
  await check(`python3 -c 'import subprocess; print(subprocess.check_output("echo deep | tr a-z A-Z", shell=True, text=True), end="")'`, "DEEP\n");
  await check(`python3 -c 'import atexit; atexit.register(print, "last"); print("first")'`, "first\nlast\n");
  await check(`python3 --version | cut -d. -f1`, "Python 3\n");
});

/** C32: the tool that runs is not touched by the script it runs. */
test("a script leaves nothing behind in the tool that ran it", async ({ cages }) => {
  const cage = await Cage.with(cages, {
    "tools/clean.py": `
import logging, os, subprocess, sys

def state():
    return [os.getcwd(), sys.argv, sys.path, sorted(os.environ), sys.modules["__main__"].__dict__.get("mark"), sys.stdout is sys.__stdout__,
            "leftover" in sys.modules, len(logging.getLogger().handlers)]

def run():
    before = state()
    script = """
import logging, os, sys
logging.basicConfig()
sys.path.append('/somewhere'); sys.argv.append('x'); os.environ['NEW'] = '1'; os.chdir('/')
mark = 1
open('/workspace/leftover.py', 'w').close()
sys.path.insert(0, '/workspace')
import leftover
"""
    subprocess.run([sys.executable, "-c", script], check=True)
    return {"same": before == state()}
`,
  });
  expect(await cage.result("tools.clean:run")).toEqual({ same: true });
});

test("the shell writes what the workspace keeps, and the toolset's files are read-only to it", async ({ cages }) => {
  const cage = await Cage.with(cages, TOOL);
  expect(await cage.materialise({ "old.txt": "old\n", "keep.txt": "keep\n" })).toHaveProperty("type", "done");
  const script = "mkdir -p a && echo new > a/new.txt; sed -i s/keep/kept/ keep.txt; rm old.txt; mv a/new.txt moved.txt; cat /toolset/tools/shell.py | wc -l; echo x > /toolset/x; echo $?; rm /toolset/tools/shell.py 2>/dev/null; echo $?; t=$(mktemp); echo t > $t; mv $t from-tmp.txt";
  const returned = await cage.call("tools.shell:plain", { script });
  const lines = TOOL["tools/shell.py"].split("\n").length - 1;
  expect(returned.outcome.value).toEqual({ stdout: `${lines}\n1\n1\n`, stderr: "bash: /toolset/x: Read-only file system\n", code: 0 });
  expect(returned.changed).toEqual({ "keep.txt": "kept\n", "moved.txt": "new\n", "from-tmp.txt": "t\n" });
  expect(returned.removed).toEqual(["old.txt"]);
});
