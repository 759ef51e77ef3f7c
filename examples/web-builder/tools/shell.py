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
        What it wrote, what it wrote as errors, and the number it ended with: 0 when all went well.
    """
    done = subprocess.run(command, shell=True, cwd=workspace, capture_output=True, text=True, errors="replace")
    return {"stdout": _shortened(done.stdout), "stderr": _shortened(done.stderr), "exit_code": done.returncode}


def _shortened(text: str) -> str:
    if len(text) <= _MOST_CHARACTERS:
        return text
    half = _MOST_CHARACTERS // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"
