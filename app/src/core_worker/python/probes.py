"""Every way out of the cage that is known, tried from inside it.

Runs as ordinary tool code would. `arguments` is a JSON text with the address to try; `result` is left as the JSON text of a
list of {way, refused, absent, detail}.
"""

import asyncio
import json
import urllib.request

import js
from pyodide.ffi import create_once_callable, to_js
from pyodide.http import pyfetch

target = json.loads(arguments)["target"].rstrip("/")
address = target + "/canary"
socket_address = address.replace("http", "ws", 1)
probes = []


def options(**fields):
    return to_js(fields, dict_converter=js.Object.fromEntries)


async def first_event(source, good, bad):
    """Waits for one of two events, and raises if it is the bad one."""
    outcome = asyncio.get_running_loop().create_future()

    def settle(value):
        return create_once_callable(lambda event: outcome.done() or outcome.set_result(value))

    setattr(source, "on" + good, settle(True))
    setattr(source, "on" + bad, settle(False))
    if not await outcome:
        raise PermissionError(f"the browser answered with the event {bad!r}")


def record(way, detail, *, refused=False, absent=False):
    probes.append({"way": way, "refused": refused, "absent": absent, "detail": detail})


async def attempt(way, action):
    """Records a way as refused if it raises, and as open if it does not. One that is not there at all is refused and absent."""
    try:
        await asyncio.wait_for(action(), 10)
    except TimeoutError:
        # A way that nobody answers on is not shown to be closed.
        record(way, "no answer within 10 s, so nothing is known")
    except AttributeError as error:
        record(way, f"there is no {error} in the cage", refused=True, absent=True)
    except BaseException as error:
        detail = str(error).strip().splitlines()
        record(way, detail[-1] if detail else type(error).__name__, refused=True)
    else:
        record(way, "the cage let it through")


async def indexed_db():
    await first_event(js.indexedDB.open("satchel"), "success", "error")


async def caches():
    await js.caches.keys()


async def cookies():
    return js.document.cookie


async def cookie_store():
    await js.cookieStore.getAll()


async def local_storage():
    return js.localStorage.length


async def private_files():
    await js.navigator.storage.getDirectory()


async def locks():
    await js.navigator.locks.query()


async def parent_page():
    return js.parent.document


async def fetch():
    await js.fetch(address)


async def fetch_without_cors():
    await js.fetch(address, options(mode="no-cors"))


async def fetch_keepalive():
    await js.fetch(address, options(keepalive=True, mode="no-cors", method="POST", body="x"))


async def xml_http_request():
    request = js.XMLHttpRequest.new()
    request.open("GET", address, False)
    request.send()


async def web_socket():
    await first_event(js.WebSocket.new(socket_address), "open", "error")


async def event_source():
    await first_event(js.EventSource.new(address), "open", "error")


async def web_transport():
    await js.WebTransport.new(address.replace("http:", "https:", 1)).ready


async def script_import():
    js.importScripts(address)


async def nested_worker():
    worker = js.Worker.new(address, options(type="module"))
    await first_event(worker, "message", "error")


async def python_pyfetch():
    await pyfetch(address)


async def python_urllib():
    urllib.request.urlopen(address, timeout=5)


ways = {
    "indexeddb": indexed_db,
    "caches": caches,
    "cookies": cookies,
    "cookie-store": cookie_store,
    "local-storage": local_storage,
    "private-files": private_files,
    "locks": locks,
    "parent-page": parent_page,
    "fetch": fetch,
    "fetch-no-cors": fetch_without_cors,
    "fetch-keepalive": fetch_keepalive,
    "xml-http-request": xml_http_request,
    "websocket": web_socket,
    "event-source": event_source,
    "web-transport": web_transport,
    "import-scripts": script_import,
    "nested-worker": nested_worker,
    "pyfetch": python_pyfetch,
    "urllib": python_urllib,
}
for way, action in ways.items():
    await attempt(way, action)
result = json.dumps(probes)
