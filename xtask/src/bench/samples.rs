//! The arithmetic of samples.

/// Linear between the two nearest samples; not a number when there are none.
pub(crate) fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    values[below] + (values[above] - values[below]) * (place - below as f64)
}

/// The middle one.
pub(crate) fn median(values: Vec<f64>) -> f64 {
    quantile(values, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_samples() {
        assert_eq!(quantile(vec![4.0, 1.0, 3.0, 2.0], 0.5), 2.5);
        assert_eq!(quantile(vec![7.0], 0.25), 7.0);
        assert!(quantile(vec![], 0.5).is_nan());
    }
}
