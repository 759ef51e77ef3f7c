//! The bundle that is being looked at: opened once, shown, and installed as it was shown.

use std::cell::RefCell;

use satchel_core::bundle::{Bundle, BundleError, BundleLimits, Decision, Origin};
use satchel_core::local_api::{Code, Response, World, bundles};
use satchel_core::record::SourceType;

use super::jobs::in_world;
use super::{Progress, store};
use crate::browser::core_worker::scope::Course;
use crate::work::settings;

thread_local! {
    static SHOWN: RefCell<Option<Bundle>> = const { RefCell::new(None) };
}

/// Opens a bundle and shows what installing it would do.
pub(super) async fn show(paths: Option<Vec<String>>, pieces: Vec<Vec<u8>>, course: &Course) -> Response {
    forget();
    let store = match store::open().await {
        Ok(store) => store,
        Err(error) => return Response::failed(error),
    };
    let limits = match settings::limits(&store).await {
        Ok(limits) => limits.bundle(),
        Err(error) => return Response::failed(error),
    };
    let opened = match paths {
        Some(paths) => Bundle::open_folder(paths.into_iter().zip(pieces), &limits),
        None => open(pieces.first().map_or(&[][..], Vec::as_slice), &limits, course),
    };
    let bundle = match opened {
        Ok(bundle) => bundle,
        Err(error) => return bundles::refuse(error),
    };
    let (response, shown) = bundles::preview(&store, bundle).await;
    SHOWN.set(shown.filter(|_| !course.is_stopped()));
    response
}

fn open(bytes: &[u8], limits: &BundleLimits, course: &Course) -> Result<Bundle, BundleError> {
    // More often than this nobody sees a difference.
    const STEP: u64 = 1 << 20;
    let mut told = 0;
    Bundle::open_watched(bytes, limits, &mut |done, total| {
        if done >= told + STEP {
            told = done;
            course.tell(Progress { done, total });
        }
    })
}

/// Installs what was shown. Its user saw every command and address (R057).
pub(super) async fn install(package: &str, source_type: SourceType, source_ref: String, replace: bool) -> Response {
    let shown = SHOWN.take().filter(|bundle| bundle.package().to_string() == package);
    let Some(bundle) = shown else {
        return Response::refused(Code::NotFound, "the bundle is no longer held open; import it again");
    };
    let kept = bundle.clone();
    let origin = Origin { source_type, source_ref: Some(source_ref) };
    let decision = Decision { enabled: true, connect: true, replace };
    let response = match store::open().await {
        Ok(store) => {
            let install = async |world: &World<'_>| bundles::install(&store, world, bundle, origin, decision).await;
            in_world(&store, Vec::new(), install).await
        }
        Err(error) => Response::failed(error),
    };
    // After a failure the user may try again, with more room or another decision.
    if response.status >= 400 {
        SHOWN.set(Some(kept));
    }
    response
}

/// Lets go of it.
pub(super) fn forget() {
    SHOWN.set(None);
}
