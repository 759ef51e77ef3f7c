//! The server as a client meets it: in-process through its router, over a loopback socket, and as the program itself.

mod app_files;
mod backup;
mod bad_hosts;
mod chat;
mod connections;
mod fetch;
mod fixture;
mod http_tools;
mod hub;
mod hub_http;
#[cfg(feature = "real-mcp-servers")]
mod hub_real;
mod log;
mod mcp;
mod mcp_bundle;
mod mcp_calls;
mod mcp_hostile;
mod mcp_login;
mod mcp_page;
#[cfg(feature = "real-mcp-servers")]
mod mcp_real;
mod mcp_web;
mod outbound;
mod packages;
mod page_model;
mod program;
mod provider_faults;
mod providers;
mod route_walk;
mod secrets;
mod sockets;
mod sync;
mod sync_program;
mod vault;
