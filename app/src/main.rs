//! The page, and which parts of it are chunks: pieces of WebAssembly that arrive when they are first needed.
//!
//! The chunks are declared here and not in the library, because each is an export: the core worker, linked from the same
//! library, would have to carry all that they lead to. `cargo xtask build` cuts them out (xtask/src/app_build/chunks.rs); a
//! build by Trunk alone, without the feature `chunks`, has everything in one piece.

#[cfg(feature = "chunks")]
use leptos::wasm_split::wasm_split;
use satchel_app::pages::{self, Draw, Forking, NotArrived, Pages};

/// A page that is a chunk, named as its function in [`pages`], or something else that is code. Pages given the same name would share a chunk; what only some
/// pages use goes into chunks of its own, which are loaded along.
macro_rules! chunk {
    ($name:ident) => {
        chunk!($name: Draw = pages::$name)
    };
    ($name:ident: $what:ty = $code:expr) => {{
        #[cfg(feature = "chunks")]
        #[wasm_split($name, wasm_split_path = leptos::wasm_split, fallible)]
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
        toolsets: chunk!(toolsets),
        toolset: chunk!(toolset),
        servers: chunk!(servers),
        tools: chunk!(tools),
        settings: chunk!(settings),
        workspace: chunk!(workspace),
        runs: chunk!(runs),
        examples: chunk!(examples),
        calls: chunk!(calls),
        answer: chunk!(answer),
        coming: chunk!(coming),
        attachments: chunk!(attachments),
        attached: chunk!(attached),
        mentions: chunk!(mentions),
        palette: chunk!(palette),
        background: chunk!(background),
        forking: chunk!(forking: Forking = pages::forking()),
        model_picker: chunk!(model_picker),
        no_model: chunk!(no_model),
        wrench: chunk!(wrench),
        search: chunk!(search),
        export: chunk!(export),
    });
}
