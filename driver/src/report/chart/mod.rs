//! Charts as inline SVG for the pages of reports. A chart is one string to put into a page whose style sheet holds
//! [`STYLE`] once; nothing in it is fetched, run or named, so any number of charts fit on a page.
//!
//! Colours are variables of the style sheet, light and dark, and paper for print. They follow Okabe and Ito (Color
//! Universal Design, 2008), told apart by colour-blind readers; dashes and markers differ, too. Widths are the page's (a
//! view box), texts large enough for a phone. Every chart has a title and a description for who cannot see it; its
//! numbers belong into a table beside it, which is the caller's to write.
//!
//! Points that an axis cannot show (not finite, or not above 0 on a logarithmic one) are left out.

mod axis;
mod bar;
mod frame;
mod heat;
mod line;
mod mark;
mod paint;
mod scale;
mod tail;

pub use axis::Axis;
pub use bar::{Bar, bars};
pub use frame::Frame;
pub use heat::{Grid, heat};
pub use line::{Point, Series, lines, scatter};
pub use paint::STYLE;
pub use tail::{Curve, tails};

/// A chart: an `<svg>` element. It is safe to put into a page as it is: names in it are escaped.
pub type Svg = String;
