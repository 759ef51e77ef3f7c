//! How large a plan may become.

/// What a render plan may cost. A short declaration can name a large result many times over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderLimits {
    /// How many bytes the values put in for expressions may take together, about as JSON.
    pub resolved_bytes: usize,
}

impl Default for RenderLimits {
    fn default() -> Self {
        Self { resolved_bytes: 8 * 1024 * 1024 }
    }
}
