// Runs before the app arrives: gives the skeleton the theme and the panes that were last used, and says in plain words
// when the app cannot run here at all. It stores nothing and draws nothing else. The names of the database, its stores
// and its rows are those of app/src/browser/indexed_db.
"use strict";
(() => {
  const root = document.documentElement;

  // The access token leaves the address bar before anything else happens; the app takes it from here.
  if (location.hash.startsWith("#token=")) {
    window.satchelToken = location.hash.slice("#token=".length);
    history.replaceState(null, "", location.pathname + location.search);
  }

  // The page is parsed after this script is read; one frame later at the latest the skeleton is there.
  const withSkeleton = (change) => {
    const skeleton = document.getElementById("skeleton");
    if (skeleton) change(skeleton);
    else if (document.readyState === "loading") requestAnimationFrame(() => withSkeleton(change));
  };

  const explain = (title, ...sentences) => {
    const card = document.createElement("div");
    card.className = "trouble-card";
    const heading = document.createElement("h1");
    heading.textContent = title;
    card.append(heading);
    for (const sentence of sentences) {
      const line = document.createElement("p");
      // What stands between backquotes is code.
      line.append(
        ...sentence.split("`").map((words, index) => {
          if (index % 2 === 0) return words;
          const code = document.createElement("code");
          code.textContent = words;
          return code;
        }),
      );
      card.append(line);
    }
    const again = document.createElement("button");
    again.className = "button button-accent";
    again.textContent = "Try again";
    again.addEventListener("click", () => location.reload());
    card.append(again);
    const trouble = document.createElement("main");
    trouble.className = "trouble";
    // The app takes the skeleton away if it comes after all, and this with it.
    trouble.id = "skeleton";
    trouble.append(card);
    withSkeleton((skeleton) => skeleton.replaceWith(trouble));
  };

  if (!window.isSecureContext) {
    explain(
      "Satchel needs HTTPS away from localhost",
      "This page came over plain HTTP from another machine. Browsers then give a page no lasting storage, no offline start and no cryptography, and Satchel cannot work without them.",
      "Open the address with `https://` in front, or open Satchel on the machine it runs on, at `http://127.0.0.1`. Whoever runs the server can turn HTTPS on with `--tls-cert` and `--tls-key`, or put it behind a proxy and name that with `--public-url`.",
    );
    return;
  }
  if (typeof WebAssembly !== "object") {
    explain(
      "Satchel needs WebAssembly",
      "This browser does not have it, or it is switched off for this page, as in some lockdown modes.",
      "Use a current Firefox, Chrome, Edge or Safari, or allow WebAssembly for this address.",
    );
    return;
  }

  // Until the app has taken the skeleton away, a script that fails means that the app will not come.
  const failed = () =>
    explain(
      "Satchel could not be loaded",
      "A part of the app did not arrive, or did not start. What you have stored on this device is untouched.",
      "Check the connection and try again.",
    );
  addEventListener(
    "error",
    (event) => {
      const element = event.target;
      if (element === window || element instanceof HTMLScriptElement) failed();
    },
    true,
  );
  addEventListener("unhandledrejection", failed);

  const place = /^\/ui\/(\w+)/.exec(location.pathname)?.[1] ?? (location.pathname === "/" ? "chat" : "nowhere");
  withSkeleton((skeleton) => (skeleton.dataset.place = place));

  const read = (database, store, key, use) => {
    if (!database.objectStoreNames.contains(store)) return;
    const request = database.transaction(store).objectStore(store).get(key);
    request.onsuccess = () => {
      if (request.result?.fields) use(JSON.parse(request.result.fields).value);
    };
  };

  try {
    const opening = indexedDB.open("satchel");
    // There is no database yet: leave it to the app to make one.
    opening.onupgradeneeded = () => opening.transaction.abort();
    opening.onerror = (event) => event.preventDefault();
    opening.onsuccess = () => {
      const database = opening.result;
      read(database, "settings", "theme", (theme) => {
        if (theme === "light" || theme === "dark") root.dataset.theme = theme;
      });
      read(database, "settings", "text_size", (size) => (root.dataset.textSize = size));
      read(database, "positions", "panes", (panes) => {
        withSkeleton((skeleton) => {
          skeleton.dataset.sidebar = panes.sidebar ? "open" : "closed";
          skeleton.dataset.workspace = panes.workspace ? "open" : "closed";
        });
      });
      // Closing waits for the reads above, and keeps no upgrade waiting.
      database.close();
    };
  } catch {
    // No storage at all: the app says so itself when it starts.
  }
})();
