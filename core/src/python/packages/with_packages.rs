//! Python with the packages that toolsets declare: whoever calls Python is given a call only when its packages are there.

use super::kept::Packages;
use super::source::{PackageSource, Step};
use crate::ids::ToolCallId;
use crate::python::{CallPython, Description, Ending, PythonCall, PythonEnd};
use crate::store::Store;

/// Someone who calls Python, and what is needed to have packages.
pub struct WithPackages<'a, P: ?Sized, S, F> {
    /// Who calls Python.
    pub python: &'a P,
    /// Who has the packages.
    pub packages: Packages<'a, S, F>,
    /// Hears what is fetched for a call, before it runs.
    pub on_step: &'a dyn Fn(&ToolCallId, Step<'_>),
}

impl<P: CallPython + ?Sized, S: Store, F: PackageSource> WithPackages<'_, P, S, F> {
    /// Adds the wheels that a call's toolset needs.
    async fn equip(&self, call: &mut PythonCall) -> Result<(), String> {
        let on_step = |step: Step<'_>| (self.on_step)(&call.id, step);
        let wheels = self.packages.ready(call.session.package, &on_step).await.map_err(|error| error.to_string())?;
        call.wheels.extend(wheels);
        Ok(())
    }
}

impl<P: CallPython + ?Sized, S: Store, F: PackageSource> CallPython for WithPackages<'_, P, S, F> {
    async fn call(&self, mut call: PythonCall) -> PythonEnd {
        match self.equip(&mut call).await {
            Ok(()) => self.python.call(call).await,
            Err(message) => PythonEnd { ending: Ending::Died { message }, output: Vec::new(), displays: Vec::new() },
        }
    }

    async fn describe(&self, call: &PythonCall) -> Result<Description, String> {
        let mut call = call.clone();
        self.equip(&mut call).await?;
        self.python.describe(&call).await
    }
}
