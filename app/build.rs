//! Lets the linker leave in the page what cutting it into chunks needs to know: which function and which data refers to which.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_CHUNKS").is_some() {
        println!("cargo::rustc-link-arg-bin=satchel-app=--emit-relocs");
    }
}
