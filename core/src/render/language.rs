//! Which language a text is written in, by the name of its file or by the word that somebody has put over it.

/// The language of a file, as the code view calls it; `text` where the name tells nothing.
#[must_use]
pub fn language_of(path: &str) -> &'static str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    match name.as_str() {
        "dockerfile" | "containerfile" => return "dockerfile",
        "makefile" | "gnumakefile" => return "makefile",
        "cargo.lock" | "pipfile" => return "toml",
        ".bashrc" | ".profile" | ".zshrc" => return "shell",
        _other => {}
    }
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "py" | "pyi" | "pyw" => "python",
        "js" | "mjs" | "cjs" => "javascript",
        "jsx" => "jsx",
        "ts" | "mts" | "cts" => "typescript",
        "tsx" => "tsx",
        "json" | "jsonl" | "ndjson" | "geojson" | "ipynb" | "webmanifest" => "json",
        "html" | "htm" | "xhtml" => "html",
        "css" => "css",
        "scss" => "scss",
        "less" => "less",
        "md" | "markdown" => "markdown",
        "rs" => "rust",
        "go" => "go",
        "java" => "java",
        "kt" | "kts" => "kotlin",
        "swift" => "swift",
        "c" | "h" => "c",
        "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" => "cpp",
        "cs" => "csharp",
        "php" => "php",
        "rb" => "ruby",
        "lua" => "lua",
        "r" => "r",
        "sh" | "bash" | "zsh" => "shell",
        "ps1" => "powershell",
        "sql" => "sql",
        "xml" | "svg" | "xsl" => "xml",
        "yaml" | "yml" => "yaml",
        "toml" => "toml",
        "ini" | "cfg" | "conf" | "properties" | "env" => "properties",
        "diff" | "patch" => "diff",
        "vue" => "vue",
        _unknown => "text",
    }
}

/// The language that a word means, as people write it over code in a document; `text` where it means none.
#[must_use]
pub fn language_named(word: &str) -> &'static str {
    let word = word.trim().to_ascii_lowercase();
    match word.as_str() {
        "python" | "python3" | "py3" => "python",
        "javascript" | "node" => "javascript",
        "typescript" => "typescript",
        "rust" => "rust",
        "shell" | "console" | "shellscript" | "fish" => "shell",
        "powershell" | "pwsh" => "powershell",
        "dockerfile" | "docker" => "dockerfile",
        "makefile" | "make" | "mk" => "makefile",
        "golang" => "go",
        "csharp" | "c#" => "csharp",
        "c++" => "cpp",
        "ruby" => "ruby",
        "kotlin" => "kotlin",
        "vuejs" => "vue",
        "jsonc" | "json5" => "json",
        "dotenv" => "properties",
        // The rest is called as its files are, or is not known.
        _extension if word.contains(['.', '/', '\\']) => "text",
        _extension => language_of(&format!("code.{word}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R213
    #[test]
    fn the_name_tells_the_language() {
        let check = |path, expected| assert_eq!(language_of(path), expected, "{path}");
        check("main.py", "python");
        check("src/App.TSX", "tsx");
        check("a.b/Dockerfile", "dockerfile");
        check("archive.tar.rs", "rust");
        check("notes", "text");
        check("py", "text");
        check(".env", "properties");
        check("folder.py/readme", "text");
        check("", "text");
    }

    #[test]
    fn a_word_over_code_tells_the_language() {
        let check = |word, expected| assert_eq!(language_named(word), expected, "{word}");
        check("python", "python");
        check("PY", "python");
        check("bash", "shell");
        check("yml", "yaml");
        check("golang", "go");
        check("C#", "csharp");
        check("c++", "cpp");
        check("pwsh", "powershell");
        // What a file's language is called means that language.
        for path in
            ["a.py", "a.kt", "a.cs", "a.cpp", "a.rb", "a.ps1", "Makefile", "a.rs", "a.ts", "a.sh", ".env", "a.r"]
        {
            check(language_of(path), language_of(path));
        }
        check("sql", "sql");
        check("toml", "toml");
        check("", "text");
        check("brainfuck", "text");
        check("../x.py", "text");
    }
}
