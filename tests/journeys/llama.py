"""Serves a model on a free port of this machine until standard input ends: `llama.py PACKAGES MODEL`. Prints its address."""

import pathlib
import sys

packages, model = map(pathlib.Path, sys.argv[1:3])
sys.path.insert(0, str(packages))

import xllamacpp  # noqa: E402  (it is found only now)

params = xllamacpp.CommonParams()
params.model.path = str(model)
params.n_ctx = 8192
params.n_parallel = 1
params.hostnames = ["127.0.0.1"]
params.port = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
