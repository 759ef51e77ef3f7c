//! The server as a client meets it: in-process through its router, over a loopback socket, and as the program itself.

mod app_files;
mod connections;
mod fixture;
mod packages;
mod program;
mod route_walk;
