import { Cage, expect, test } from "./harness";
test("try", async ({ cages }) => {
  const cage = await Cage.with(cages, { "tools/shell.py": `
import subprocess, sys
def run(command):
    r = subprocess.run(command, shell=True, capture_output=True, text=True)
    return {"o": r.stdout, "e": r.stderr, "c": r.returncode}
async def arun(command):
    return run(command)
def nested():
    return {"o": subprocess.check_output([sys.executable,"-c","import subprocess; print(subprocess.check_output('echo nested | tr a-z A-Z',shell=True), end='')"], text=True)}
def inherit():
    print("before"); subprocess.run("echo out; echo err >&2", shell=True); print("after"); subprocess.Popen("echo late > late.txt", shell=True); return {}
`});
  console.log(JSON.stringify(await cage.result("tools.shell:run", {command: "echo hi > a.txt; ls -l; ls /toolset; echo x > /toolset/y; pwd; env"})));
  console.log(JSON.stringify(await cage.call("tools.shell:arun", {command: "echo hi"})));
  console.log(JSON.stringify(await cage.result("tools.shell:nested", {})));
  console.log(JSON.stringify(await cage.call("tools.shell:inherit", {})));
});
