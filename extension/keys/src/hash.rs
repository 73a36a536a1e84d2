//! `hashint8extended`, bit for bit.
//!
//! Source: src/backend/access/hash/hashfunc.c (`hashint8extended`) and src/common/hashfn.c
//! (`hash_bytes_uint32_extended`, after Bob Jenkins's lookup3, public domain, 2006).

/// Start value of lookup3 for a key of four bytes.
const INITIAL: u32 = 0x9e37_79b9_u32.wrapping_add(4).wrapping_add(3_923_095);

/// What `SELECT hashint8extended(value, seed)` returns, on every PostgreSQL since 11.
pub fn hashint8extended(value: i64, seed: i64) -> i64 {
    Seeded::new(seed).hash(value)
}

/// lookup3's state after a seed: the half of the work that many values with one seed share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeded {
    a: u32,
    b: u32,
    c: u32,
}

impl Seeded {
    pub fn new(seed: i64) -> Self {
        let (mut a, mut b, mut c) = (INITIAL, INITIAL, INITIAL);
        if seed != 0 {
            a = a.wrapping_add((seed >> 32) as u32);
            b = b.wrapping_add(seed as u32);
            (a, b, c) = stir(a, b, c);
        }
        Self { a, b, c }
    }

    /// The hash of one value.
    #[inline(always)]
    pub fn hash(self, value: i64) -> i64 {
        let (b, c) = finish(self.a.wrapping_add(folded(value)), self.b, self.c);
        join(b, c)
    }

    /// The hashes of `first`, `first + 1`, … as upper and lower halves. A loop over halves of one width becomes vector code as wide
    /// as the registers.
    #[inline(always)]
    pub fn halves<const N: usize>(self, first: i64, upper: &mut [u32; N], lower: &mut [u32; N]) {
        let same_high_half = (first as u32).checked_add(N as u32).is_some();
        if same_high_half {
            let high = folded(first) ^ first as u32;
            let mut low = first as u32;
            for (b, c) in upper.iter_mut().zip(lower) {
                (*b, *c) = finish(self.a.wrapping_add(low ^ high), self.b, self.c);
                low = low.wrapping_add(1);
            }
        } else {
            let mut value = first;
            for (b, c) in upper.iter_mut().zip(lower) {
                (*b, *c) = finish(self.a.wrapping_add(folded(value)), self.b, self.c);
                value = value.wrapping_add(1);
            }
        }
    }
}

/// Equal numbers hash alike as int2, int4 and int8: the high half is folded so that it vanishes for values that fit; of a negative
/// number it is all ones, and its complement is folded.
#[inline(always)]
fn folded(value: i64) -> u32 {
    value as u32 ^ (value >> 32) as u32 ^ (value >> 63) as u32
}

/// Upper and lower half as one.
#[inline(always)]
pub fn join(upper: u32, lower: u32) -> i64 {
    ((u64::from(upper) << 32) | u64::from(lower)) as i64
}

/// lookup3's `mix`.
fn stir(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32, u32) {
    a = a.wrapping_sub(c) ^ c.rotate_left(4);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(6);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(8);
    b = b.wrapping_add(a);
    a = a.wrapping_sub(c) ^ c.rotate_left(16);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(19);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(4);
    b = b.wrapping_add(a);
    (a, b, c)
}

/// lookup3's `final`; `a` is spent by it.
#[inline(always)]
fn finish(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32) {
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    c = (c ^ b).wrapping_sub(b.rotate_left(24));
    (b, c)
}
