//! Short names for what the page's WebAssembly takes from its script.
//!
//! wasm-bindgen names each of some four hundred functions by what it does and a hash, once in the WebAssembly and once in the script. Hashes
//! do not compress, and nobody reads them.

use std::collections::HashMap;

/// The section of a WebAssembly module that lists what it imports.
const IMPORTS: u8 = 2;
/// What comes before the first section.
const HEADER: usize = 8;

/// WebAssembly that is not laid out as it should be.
#[derive(Debug, thiserror::Error)]
#[error("the main part's imports cannot be read at byte {0}")]
pub(crate) struct ImportsError(usize);

/// Renames what `wasm` imports from the module `from`, in it and in the script that gives it, and calls that module `to`.
pub(crate) fn shorten(wasm: &[u8], script: &str, from: &str, to: &str) -> Result<(Vec<u8>, String), ImportsError> {
    let mut short = HashMap::new();
    let mut renamed = wasm.get(..HEADER).ok_or(ImportsError(0))?.to_vec();
    let mut reader = Reader { bytes: wasm, at: HEADER };
    while reader.at < wasm.len() {
        let id = reader.byte()?;
        let length = reader.number()?;
        let section = reader.take(length)?;
        renamed.push(id);
        if id == IMPORTS {
            let section = imports(section, from, to, &mut short)?;
            write_number(&mut renamed, section.len());
            renamed.extend(section);
        } else {
            write_number(&mut renamed, length);
            renamed.extend_from_slice(section);
        }
    }
    let script = script.replace(&format!("\"{from}\""), &format!("\"{to}\""));
    Ok((renamed, with_names(&script, &short)))
}

/// The section again, with short names; each is noted in `short`.
fn imports<'wasm>(
    section: &'wasm [u8],
    from: &str,
    to: &str,
    short: &mut HashMap<&'wasm str, String>,
) -> Result<Vec<u8>, ImportsError> {
    let mut reader = Reader { bytes: section, at: 0 };
    let count = reader.number()?;
    let mut renamed = Vec::new();
    write_number(&mut renamed, count);
    for _ in 0..count {
        let module = reader.text()?;
        let name = reader.text()?;
        let start = reader.at;
        reader.skip_type()?;
        let kind = &section[start..reader.at];
        if module == from {
            let number = short.len();
            let name = short.entry(name).or_insert_with(|| short_name(number));
            write_text(&mut renamed, to);
            write_text(&mut renamed, name);
        } else {
            write_text(&mut renamed, module);
            write_text(&mut renamed, name);
        }
        renamed.extend_from_slice(kind);
    }
    Ok(renamed)
}

/// The text with every word that has a short name replaced by it.
fn with_names(text: &str, short: &HashMap<&str, String>) -> String {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$';
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (before, word_on) = rest.split_at(start);
        let (word, after) = word_on.split_at(word_on.find(|letter| !is_part(letter)).unwrap_or(word_on.len()));
        replaced.push_str(before);
        replaced.push_str(short.get(word).map_or(word, String::as_str));
        rest = after;
    }
    replaced.push_str(rest);
    replaced
}

/// `a` to `z`, then `a0`, `b0` and so on: names that are words of no language.
fn short_name(number: usize) -> String {
    let letter = char::from(b'a' + u8::try_from(number % 26).expect("it is below 26"));
    match number / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{}", round - 1),
    }
}

/// Reads WebAssembly from the front.
struct Reader<'wasm> {
    bytes: &'wasm [u8],
    at: usize,
}

impl<'wasm> Reader<'wasm> {
    fn byte(&mut self) -> Result<u8, ImportsError> {
        let byte = *self.bytes.get(self.at).ok_or(ImportsError(self.at))?;
        self.at += 1;
        Ok(byte)
    }

    /// An unsigned number in LEB128.
    fn number(&mut self) -> Result<usize, ImportsError> {
        let start = self.at;
        let mut number = 0;
        for shift in (0..usize::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(ImportsError(start))
    }

    fn take(&mut self, length: usize) -> Result<&'wasm [u8], ImportsError> {
        let end = self.at.checked_add(length).ok_or(ImportsError(self.at))?;
        let taken = self.bytes.get(self.at..end).ok_or(ImportsError(self.at))?;
        self.at = end;
        Ok(taken)
    }

    fn text(&mut self) -> Result<&'wasm str, ImportsError> {
        let length = self.number()?;
        let start = self.at;
        std::str::from_utf8(self.take(length)?).map_err(|_not_text| ImportsError(start))
    }

    /// Goes past what says what is imported: a function, table, memory, global or tag.
    fn skip_type(&mut self) -> Result<(), ImportsError> {
        let start = self.at;
        match self.byte()? {
            0 => self.number().map(drop),
            1 => self.byte().and_then(|_element| self.skip_limits()),
            2 => self.skip_limits(),
            3 => self.take(2).map(drop),
            4 => self.byte().and_then(|_attribute| self.number()).map(drop),
            _ => Err(ImportsError(start)),
        }
    }

    fn skip_limits(&mut self) -> Result<(), ImportsError> {
        let has_most = self.byte()? & 1 == 1;
        self.number()?;
        if has_most { self.number().map(drop) } else { Ok(()) }
    }
}

fn write_number(to: &mut Vec<u8>, mut number: usize) {
    loop {
        let seven = u8::try_from(number & 0x7f).expect("it is seven bits");
        number >>= 7;
        if number == 0 {
            to.push(seven);
            return;
        }
        to.push(seven | 0x80);
    }
}

fn write_text(to: &mut Vec<u8>, text: &str) {
    write_number(to, text.len());
    to.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module that imports these, each as a function of the first type, and has a section of another kind after that.
    fn module(imported: &[(&str, &str)]) -> Vec<u8> {
        let mut section = Vec::new();
        write_number(&mut section, imported.len());
        for (module, name) in imported {
            write_text(&mut section, module);
            write_text(&mut section, name);
            section.extend([0, 0]);
        }
        let mut wasm = b"\0asm\x01\0\0\0".to_vec();
        wasm.push(IMPORTS);
        write_number(&mut wasm, section.len());
        wasm.extend(section);
        wasm.extend([3, 2, 1, 0]);
        wasm
    }

    #[test]
    fn both_sides_have_the_same_short_names() {
        let wasm =
            module(&[("./a_bg.js", "__wbg_abort_1b9a"), ("./other.js", "load"), ("./a_bg.js", "__wbg_abort_1b9a2")]);
        let script =
            "return { \"./a_bg.js\": { __wbg_abort_1b9a: f, __wbg_abort_1b9a2: g }, \"./other.js\": { load } };";
        let (wasm, script) = shorten(&wasm, script, "./a_bg.js", "w").expect("it is a module");
        assert_eq!(wasm, module(&[("w", "a"), ("./other.js", "load"), ("w", "b")]));
        assert_eq!(script, "return { \"w\": { a: f, b: g }, \"./other.js\": { load } };");
    }

    #[test]
    fn names_are_told_apart_however_many_there_are() {
        let names: std::collections::HashSet<String> = (0..2000).map(short_name).collect();
        assert_eq!(names.len(), 2000);
        assert_eq!([0, 25, 26, 27, 52].map(short_name), ["a", "z", "a0", "b0", "a1"]);
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        let wasm = module(&[("./a_bg.js", "__wbg_abort_1b9a")]);
        shorten(&wasm[..wasm.len() - 6], "", "./a_bg.js", "w").expect_err("a section is not whole");
        shorten(b"\0asm", "", "./a_bg.js", "w").expect_err("it has no header");
    }
}
