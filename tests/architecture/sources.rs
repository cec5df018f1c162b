//! Reading the repository's sources: without comments and tests, and the names that they use.

use std::fs;
use std::path::{Path, PathBuf};

/// A source file of the library, without comments and without its tests.
pub struct Source {
    /// Below `src/`, with forward slashes.
    pub path: String,
    /// The module at the top of the crate that it belongs to.
    pub module: String,
    pub text: String,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Source {
        let top = path.split('/').next().unwrap_or(path);
        Source {
            path: path.into(),
            module: top.trim_end_matches(".rs").into(),
            text: without_tests(&without_comments(text)),
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below `folder` with one of these extensions, in a fixed order; none if there is no such folder.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.expect("a folder can be read").path()) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if !["node_modules", "target", "dist", "vendor"].contains(&name) && !name.starts_with('.') {
                found.extend(files(&path, extensions));
            }
        } else if path.extension().and_then(|end| end.to_str()).is_some_and(|end| extensions.contains(&end)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn below(folder: &Path, path: &Path) -> String {
    path.strip_prefix(folder).expect("a file below its folder").to_string_lossy().replace('\\', "/")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a source file is UTF-8")
}

/// The text of a file below `src/`, as it is.
pub fn library_text(path: &str) -> String {
    read(&root().join("src").join(path))
}

/// The library's files, without those that are compiled for tests only.
pub fn library() -> Vec<Source> {
    let src = root().join("src");
    let paths = files(&src, &["rs"]);
    let tests: Vec<PathBuf> = paths.iter().flat_map(|path| test_modules(path)).collect();
    let kept = paths
        .iter()
        .filter(|path| !tests.iter().any(|test| *path == test || path.starts_with(test.with_extension(""))));
    let sources: Vec<Source> = kept.map(|path| Source::new(&below(&src, path), &read(path))).collect();
    assert!(sources.len() > 10, "the sources were not found");
    sources
}

/// Every source file that people write, in any language, and its number of lines.
pub fn everything() -> Vec<(String, usize)> {
    let folders = ["src", "tests", "pkg", "www", "scripts", "bench", "fuzz"];
    let paths = folders
        .iter()
        .flat_map(|folder| files(&root().join(folder), &["rs", "ts", "tsx", "mjs", "js", "css"]));
    paths.map(|path| (below(root(), &path), read(&path).lines().count())).collect()
}

/// The files of modules that `path` declares for tests only: `#[cfg(test)] mod name;`.
fn test_modules(path: &Path) -> Vec<PathBuf> {
    let text = read(path);
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let folder = if ["mod", "lib"].contains(&stem) {
        path.parent().unwrap_or(path).to_path_buf()
    } else {
        path.with_extension("")
    };
    let mut found = Vec::new();
    for (at, mark) in text.match_indices("#[cfg(test)]") {
        let rest =
            text[at + mark.len()..].trim_start().trim_start_matches("pub(crate) ").trim_start_matches("pub ");
        if let Some(name) =
            rest.strip_prefix("mod ").and_then(|rest| rest.split_once(';')).map(|(name, _)| name)
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        {
            found.push(folder.join(format!("{name}.rs")));
            found.push(folder.join(name).join("mod.rs"));
        }
    }
    found
}

/// Line comments taken out; a `//` inside a string literal is no comment.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let mut quoted = false;
        let mut end = line.len();
        let bytes = line.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'\\' if quoted => at += 1,
                b'"' if at == 0 || !(bytes[at - 1] == b'\'' && bytes.get(at + 1) == Some(&b'\'')) => {
                    quoted = !quoted
                }
                b'/' if !quoted && bytes.get(at + 1) == Some(&b'/') => {
                    end = at;
                    break;
                }
                _ => {}
            }
            at += 1;
        }
        kept.push_str(&line[..end]);
        kept.push('\n');
    }
    kept
}

/// Test modules written inside a file taken out: from `#[cfg(test)] mod … {` to the brace in its own column that closes it.
fn without_tests(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim_end() != "#[cfg(test)]" {
            kept.push_str(line);
            kept.push('\n');
            continue;
        }
        let Some(item) = lines.next() else { break };
        if item.trim_end().ends_with('{') {
            for inner in lines.by_ref() {
                if inner.starts_with('}') {
                    break;
                }
            }
        }
    }
    kept
}

/// The names directly after `crate::`, also those in braces: `crate::{a::b, c}` gives a and c.
pub fn crate_uses(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, mark) in text.match_indices("crate::") {
        let rest = &text[at + mark.len()..];
        match rest.strip_prefix('{') {
            None => found.extend(first_name(rest)),
            Some(list) => found.extend(listed_names(list)),
        }
    }
    found
}

fn first_name(text: &str) -> Option<String> {
    let name: String = text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// The first names of the entries of a `use` list whose opening brace was read.
fn listed_names(list: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                found.extend(first_name(&list[start..at]));
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

/// Those of `wanted` that occur in the text as words of their own.
pub fn words<'a>(text: &'a str, wanted: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    wanted.iter().copied().filter(move |word| {
        text.match_indices(word).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + word.len()..].chars().next();
            let name = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            (!name(word.chars().next()) || !inside(before))
                && (!name(word.chars().next_back()) || !inside(after))
        })
    })
}
