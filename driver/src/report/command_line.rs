//! The command that made a record, as a shell takes it.

/// `words` quoted where a shell would take them apart.
pub fn command_line(words: &[String]) -> String {
    let quoted = |word: &String| {
        let plain = |letter: char| letter.is_alphanumeric() || "-_./@=:,%+#".contains(letter);
        if !word.is_empty() && word.chars().all(plain) && !word.starts_with('#') {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
