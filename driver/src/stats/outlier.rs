//! Outliers are counted and told, never dropped.

/// How many values lie more than three interquartile ranges outside the quartiles.
///
/// Tukey: Exploratory data analysis (1977), section 2D: "far out". Quartiles by linear interpolation (Hyndman, Fan:
/// Sample quantiles in statistical packages. The American Statistician 50 (1996), 361–365, type 7).
pub fn count(values: &[f64]) -> usize {
    if values.len() < 4 {
        return 0;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (quantile(&sorted, 0.25), quantile(&sorted, 0.75));
    let fence = 3.0 * (high - low);
    values.iter().filter(|&&value| value < low - fence || value > high + fence).count()
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    let position = share * (sorted.len() - 1) as f64;
    let below = position as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (position - below as f64)
}
