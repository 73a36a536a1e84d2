//! `hashint8extended`, bit for bit.
//!
//! Source: src/backend/access/hash/hashfunc.c (`hashint8extended`) and src/common/hashfn.c
//! (`hash_bytes_uint32_extended`, after Bob Jenkins's lookup3, public domain, 2006).

/// Start value of lookup3 for a key of four bytes.
const INITIAL: u32 = 0x9e37_79b9_u32.wrapping_add(4).wrapping_add(3_923_095);

/// What `SELECT hashint8extended(value, seed)` returns, on every PostgreSQL since 11.
#[inline(always)]
pub fn hashint8extended(value: i64, seed: i64) -> i64 {
    // equal numbers hash alike as int2, int4 and int8: the high half is folded so that it vanishes for values that fit
    let low = value as u32;
    let high = (value >> 32) as u32;
    let folded = low ^ if value >= 0 { high } else { !high };
    hash_u32(folded, seed as u64) as i64
}

#[inline(always)]
fn hash_u32(key: u32, seed: u64) -> u64 {
    let (mut a, mut b, mut c) = (INITIAL, INITIAL, INITIAL);
    if seed != 0 {
        a = a.wrapping_add((seed >> 32) as u32);
        b = b.wrapping_add(seed as u32);
        (a, b, c) = stir(a, b, c);
    }
    a = a.wrapping_add(key);
    let (b, c) = finish(a, b, c);
    (u64::from(b) << 32) | u64::from(c)
}

/// lookup3's `mix`.
#[inline(always)]
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
