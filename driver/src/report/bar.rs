//! Bars of text, to eighths of a character where the locale has them.

/// Characters that bars are drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    Utf8,
    Ascii,
}

impl Charset {
    /// That of the environment's locale, by the variables' precedence in POSIX.
    pub fn of_locale() -> Self {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self::named(&["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default())
    }

    fn named(locale: &str) -> Self {
        let locale = locale.to_ascii_lowercase();
        if locale.contains("utf-8") || locale.contains("utf8") { Self::Utf8 } else { Self::Ascii }
    }

    /// A bar of `share` (0 to 1) of `width` characters.
    pub fn bar(self, share: f64, width: usize) -> String {
        const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
        let length = share.clamp(0.0, 1.0) * width as f64;
        match self {
            Self::Utf8 => {
                let eighths = (length * 8.0).round() as usize;
                format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
            }
            Self::Ascii => "#".repeat(length.round() as usize),
        }
    }
}

/// Bars of times that span several powers of ten: logarithmic, from a power of ten below the shortest to one above the
/// longest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// log10 of the ends.
    low: f64,
    high: f64,
}

impl Scale {
    /// None of nothing.
    pub fn of(times: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let shortest = times.clone().reduce(f64::min)?;
        let longest = times.reduce(f64::max)?;
        // a bar of no length would say nothing
        let low = (shortest.log10() - 0.05).floor();
        Some(Self { low, high: longest.log10().ceil().max(low + 1.0) })
    }

    pub fn ends(self) -> (f64, f64) {
        (10_f64.powf(self.low), 10_f64.powf(self.high))
    }

    /// How far up the scale `time` is, 0 to 1.
    pub fn share(self, time: f64) -> f64 {
        (time.log10() - self.low) / (self.high - self.low)
    }
}

#[cfg(test)]
mod tests {
    use super::{Charset, Scale};

    #[test]
    fn bars_have_the_length_of_their_share() {
        assert_eq!(Charset::Utf8.bar(0.5, 5), "██▌");
        assert_eq!(Charset::Utf8.bar(1.0, 3), "███");
        assert_eq!(Charset::Ascii.bar(0.5, 4), "##");
        assert_eq!((Charset::Utf8.bar(0.0, 4), Charset::Ascii.bar(-1.0, 4)), (String::new(), String::new()));
    }

    #[test]
    fn only_a_utf_8_locale_gets_blocks() {
        assert_eq!((Charset::named("C.UTF-8"), Charset::named("de_CH.utf8")), (Charset::Utf8, Charset::Utf8));
        assert_eq!((Charset::named("C"), Charset::named(""), Charset::named("de_CH.ISO-8859-1")), {
            (Charset::Ascii, Charset::Ascii, Charset::Ascii)
        });
    }

    #[test]
    fn a_power_of_ten_is_the_same_length_everywhere() {
        let scale = Scale::of([120.0, 5000.0, 90_000.0].into_iter()).unwrap();
        assert_eq!(scale.ends(), (100.0, 100_000.0));
        assert!((scale.share(1000.0) - 1.0 / 3.0).abs() < 1e-12 && (scale.share(10_000.0) - 2.0 / 3.0).abs() < 1e-12);
        assert!(Scale::of([100.0].into_iter()).unwrap().share(100.0) > 0.0);
        assert_eq!(Scale::of(std::iter::empty()), None);
    }
}
