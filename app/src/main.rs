//! The page, and which parts of it are chunks: pieces of WebAssembly that arrive when they are first needed.
//!
//! The chunks are declared here and not in the library, because each is an export: the core worker, linked from the same
//! library, would have to carry all that they lead to. `cargo xtask build` cuts them out (xtask/src/app_build/chunks.rs); a
//! build by Trunk alone, without the feature `chunks`, has everything in one piece.

#[cfg(feature = "chunks")]
use leptos::wasm_split::wasm_split;
use satchel_app::pages::{self, Draw, Forking, NotArrived, Pages};

/// A page, named as its function in [`pages`], or something else that is code, and the chunk it is in. What is used together shares a
/// chunk: whatever two chunks use and the chat page does not is a chunk of its own, loaded along with either, and every further chunk
/// here would double the number of those.
macro_rules! chunk {
    ($name:ident in $chunk:ident) => {
        chunk!($name in $chunk: Draw = pages::$name)
    };
    ($name:ident in $chunk:ident: $what:ty = $code:expr) => {{
        #[cfg(feature = "chunks")]
        #[wasm_split($chunk, wasm_split_path = leptos::wasm_split, fallible)]
        fn $name() -> Result<$what, NotArrived> {
            Ok($code)
        }
        #[cfg(not(feature = "chunks"))]
        async fn $name() -> Result<$what, NotArrived> {
            Ok($code)
        }
        || Box::pin($name())
    }};
}

fn main() {
    satchel_app::run_page(Pages {
        chat: chunk!(chat in answer),
        toolsets: chunk!(toolsets in managing),
        toolset: chunk!(toolset in managing),
        servers: chunk!(servers in managing),
        tools: chunk!(tools in managing),
        settings: chunk!(settings in settings),
        workspace: chunk!(workspace in workspace),
        runs: chunk!(runs in working),
        examples: chunk!(examples in start),
        calls: chunk!(calls in answer),
        answer: chunk!(answer in answer),
        coming: chunk!(coming in answer),
        attachments: chunk!(attachments in working),
        attached: chunk!(attached in answer),
        mentions: chunk!(mentions in working),
        palette: chunk!(palette in choosing),
        background: chunk!(background in start),
        forking: chunk!(forking in working: Forking = pages::forking()),
        model_picker: chunk!(model_picker in start),
        no_model: chunk!(no_model in start),
        wrench: chunk!(wrench in choosing),
        search: chunk!(search in choosing),
        export: chunk!(export in working),
        whole_chat: chunk!(whole_chat in settings),
    });
}
