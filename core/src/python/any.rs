//! A caller of Python whose type is not known: what the router is handed, so that not all of it has to name that type.

use std::pin::Pin;

use super::{CallPython, Description, PythonCall, PythonEnd};

/// An answer that is on its way.
type Answering<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Any [`CallPython`]. It is one itself.
pub trait AnyPython {
    /// [`CallPython::call`]
    fn call_any(&self, call: PythonCall) -> Answering<'_, PythonEnd>;

    /// [`CallPython::describe`]
    fn describe_any<'a>(&'a self, call: &'a PythonCall) -> Answering<'a, Result<Description, String>>;
}

impl<P: CallPython> AnyPython for P {
    fn call_any(&self, call: PythonCall) -> Answering<'_, PythonEnd> {
        Box::pin(self.call(call))
    }

    fn describe_any<'a>(&'a self, call: &'a PythonCall) -> Answering<'a, Result<Description, String>> {
        Box::pin(self.describe(call))
    }
}

impl CallPython for dyn AnyPython + '_ {
    async fn call(&self, call: PythonCall) -> PythonEnd {
        self.call_any(call).await
    }

    async fn describe(&self, call: &PythonCall) -> Result<Description, String> {
        self.describe_any(call).await
    }
}
