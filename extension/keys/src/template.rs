//! Placeholders in the SQL under sql/, filled in by extension and driver alike.

/// Replaces each `{name}` of `values` in one pass: what is put in is not looked at again, whatever names it holds. A brace that
/// starts no such name stays.
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let (before, from_brace) = rest.split_at(open);
        filled.push_str(before);
        let known = from_brace.find('}').and_then(|close| {
            let name = &from_brace[1..close];
            values.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value, close + 1))
        });
        let (put, used) = known.unwrap_or(("{", 1));
        filled.push_str(put);
        rest = &from_brace[used..];
    }
    filled.push_str(rest);
    filled
}
