//! How high a frame is. What its page reports is a wish: a page that grows with its frame would grow for ever.

/// Follows what a page reports.
#[derive(Clone, Debug, Default)]
pub struct FrameHeight {
    shown: u32,
    grown: u32,
}

impl FrameHeight {
    /// The least that a frame has, in pixels.
    pub const LEAST: u32 = 48;
    /// The most; what is longer scrolls inside.
    pub const MOST: u32 = 1_200;
    /// So often a frame grows. An honest page grows when its content does, and that is not so often.
    const MOST_GROWTH: u32 = 30;

    /// The height to give the frame now, if it should change.
    pub fn follow(&mut self, reported: f64) -> Option<u32> {
        if !reported.is_finite() {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between two small numbers")]
        let wanted = reported.ceil().clamp(f64::from(Self::LEAST), f64::from(Self::MOST)) as u32;
        if wanted == self.shown || (wanted > self.shown && self.grown >= Self::MOST_GROWTH) {
            return None;
        }
        if wanted > self.shown {
            self.grown += 1;
        }
        self.shown = wanted;
        Some(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_follows_within_bounds() {
        let mut height = FrameHeight::default();
        assert_eq!(height.follow(99.2), Some(100));
        assert_eq!(height.follow(100.0), None);
        assert_eq!(height.follow(3.0), Some(FrameHeight::LEAST));
        assert_eq!(height.follow(1e12), Some(FrameHeight::MOST));
        for nonsense in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(height.follow(nonsense), None);
        }
        assert_eq!(height.follow(-7.0), Some(FrameHeight::LEAST));
    }

    #[test]
    fn a_page_that_grows_with_its_frame_is_let_be() {
        let (mut height, mut shown) = (FrameHeight::default(), 100);
        let changes = (0..1_000).filter(|_| match height.follow(f64::from(shown) + 1.0) {
            Some(now) => {
                shown = now;
                true
            }
            None => false,
        });
        assert_eq!(changes.count(), 30);
        // It may still become smaller.
        assert_eq!(height.follow(60.0), Some(60));
    }
}
