//! The three integer types that keys and values may have, and their way into and out of a Datum.
//!
//! Counterpart: src/include/postgres.h (`Int16GetDatum` …), src/include/catalog/pg_type.dat, pg_proc.dat.

use pgrx::pg_sys;

/// The discriminant is how many bits of a Datum the type leaves unused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Int {
    Two = 48,
    Four = 32,
    Eight = 0,
}

impl Int {
    pub fn of(type_oid: pg_sys::Oid) -> Option<Self> {
        match type_oid {
            pg_sys::INT2OID => Some(Self::Two),
            pg_sys::INT4OID => Some(Self::Four),
            pg_sys::INT8OID => Some(Self::Eight),
            _ => None,
        }
    }

    pub fn oid(self) -> pg_sys::Oid {
        match self {
            Self::Two => pg_sys::INT2OID,
            Self::Four => pg_sys::INT4OID,
            Self::Eight => pg_sys::INT8OID,
        }
    }

    /// As SQL writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Two => "smallint",
            Self::Four => "integer",
            Self::Eight => "bigint",
        }
    }

    /// The function behind `=`; integers of one width.
    pub fn equal(self) -> pg_sys::RegProcedure {
        let function = match self {
            Self::Two => pg_sys::F_INT2EQ,
            Self::Four => pg_sys::F_INT4EQ,
            Self::Eight => pg_sys::F_INT8EQ,
        };
        pg_sys::Oid::from(function)
    }

    /// `Int16GetDatum` and its like extend the sign, so a value of any width is the same Datum; keys lie between the smallest and
    /// the largest of the column, so nothing is lost.
    #[inline(always)]
    pub fn datum(self, value: i64) -> pg_sys::Datum {
        pg_sys::Datum::from(value)
    }

    /// `DatumGetInt16` and its like: what is above the type's width is not looked at.
    #[inline(always)]
    pub fn value(self, datum: pg_sys::Datum) -> i64 {
        narrow(datum, self as u32)
    }
}

/// A Datum without its `unused` upper bits; sign extended. One instruction where `unused` is a constant.
#[inline(always)]
pub fn narrow(datum: pg_sys::Datum, unused: u32) -> i64 {
    (datum.value() as i64).wrapping_shl(unused).wrapping_shr(unused)
}

/// `$body` with the constant `$unused`, how many bits of a Datum `$int` leaves unused: compiled once for each type.
macro_rules! with_int {
    ($int:expr, $unused:ident => $body:expr) => {{
        use $crate::pg::int::Int;
        match $int {
            Int::Two => {
                const $unused: u32 = Int::Two as u32;
                $body
            }
            Int::Four => {
                const $unused: u32 = Int::Four as u32;
                $body
            }
            Int::Eight => {
                const $unused: u32 = Int::Eight as u32;
                $body
            }
        }
    }};
}
pub(crate) use with_int;
