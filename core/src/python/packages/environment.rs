//! The Python that runs in a cage, as packages ask about it. It is the one of the Pyodide that is shipped with the app.

/// The version, as `python_full_version` gives it.
pub const PYTHON: &str = "3.14.2";
/// The version without its last number, as Pyodide's lock files and tags compare it.
pub(super) const PYTHON_MINOR: u64 = 14;
/// The interface of compiled modules that this Pyodide has (PEP 783).
pub const ABI: &str = "2026_0";
/// The Emscripten it was built by.
pub const PLATFORM: &str = "emscripten_5_0_3";

/// A variable of a marker (PEP 508); empty where there is none of that name.
pub(super) fn variable(name: &str) -> &'static str {
    match name {
        "python_version" => "3.14",
        "python_full_version" | "implementation_version" => PYTHON,
        "os_name" => "posix",
        "sys_platform" => "emscripten",
        "platform_system" => "Emscripten",
        "platform_machine" => "wasm32",
        "platform_python_implementation" => "CPython",
        "implementation_name" => "cpython",
        _ => "",
    }
}
