"""The tool `run_command`."""

import subprocess
from pathlib import Path

#: Beyond this nobody reads, neither a person nor a model.
_MOST_CHARACTERS = 20_000


def run_command(workspace: Path, command: str) -> dict:
    """Runs a shell command on the files of the workspace.

    Args:
        workspace: The folder of the chat's files.
        command: The command line.

    Returns:
        What it wrote, errors included, and the number it ended with: 0 when all went well.
    """
    done = subprocess.run(command, shell=True, cwd=workspace, capture_output=True, text=True, errors="replace")
    output = f"$ {command}\n{done.stdout}{done.stderr}"
    if done.returncode:
        output = f"{output.rstrip()}\n(ended with {done.returncode})\n"
    if len(output) > _MOST_CHARACTERS:
        half = _MOST_CHARACTERS // 2
        output = f"{output[:half]}\n… {len(output) - 2 * half} characters left out …\n{output[-half:]}"
    return {"output": output, "exit_code": done.returncode}
