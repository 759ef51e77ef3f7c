//! Which hosts are not public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::address::Host;

/// Ends of names that no public host has.
const PRIVATE_ENDS: [&str; 10] =
    ["localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "home.arpa", "localdomain"];

/// Whether a host is on this machine, in a private network, or in a range that is no public service.
pub(super) fn is_private(host: &Host) -> bool {
    match host {
        Host::Name(name) => {
            let name = name.trim_end_matches('.');
            // A name without a dot is looked up in the local network.
            !name.contains('.') || PRIVATE_ENDS.iter().any(|end| is_below(name, end))
        }
        Host::V4(address) => is_private_v4(*address),
        Host::V6(address) => is_private_v6(*address),
    }
}

/// Whether an IP address is of this machine, of a private network, or in a range that is no public service.
///
/// For whoever connects: what a name leads to is known only then.
#[must_use]
pub fn is_private_ip(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

/// Whether a host is this machine.
pub(super) fn is_loopback(host: &Host) -> bool {
    match host {
        Host::Name(name) => is_below(name.trim_end_matches('.'), "localhost"),
        Host::V4(address) => address.is_loopback() || address.is_unspecified(),
        Host::V6(address) => {
            let inside = address.to_ipv4_mapped().is_some_and(|inside| is_loopback(&Host::V4(inside)));
            address.is_loopback() || address.is_unspecified() || inside
        }
    }
}

fn is_below(name: &str, end: &str) -> bool {
    name.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Everything that is not handed out as a public address (the registry of special-purpose addresses of the IANA).
fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
        || a >= 224
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let [a, b, c, _, _, _, g, h] = segments;
    let inner = |high: u16, low: u16| {
        let [one, two] = high.to_be_bytes();
        let [three, four] = low.to_be_bytes();
        is_private_v4(Ipv4Addr::new(one, two, three, four))
    };
    match segments {
        // Another way to write an IPv4 address: mapped, compatible, translated, 6to4.
        [0, 0, 0, 0, 0, 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] | [0, 0, 0, 0, 0, 0, ..] => inner(g, h),
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => inner(g, h),
        [0x2002, ..] => inner(b, c),
        // Teredo, and what is for documentation or to be thrown away.
        [0x2001, 0, ..] | [0x2001, 0xdb8, ..] | [0x100, 0, 0, 0, ..] => true,
        // An IPv4 address inside any network's own (ISATAP).
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] => true,
        // Only 2000::/3 is public at all.
        _ => (a & 0xe000) != 0x2000,
    }
}

/// Whether a browser takes a host for an IPv4 address: its last part is a number.
pub(super) fn looks_like_a_number(name: &str) -> bool {
    let last = name.strip_suffix('.').unwrap_or(name).rsplit('.').next().unwrap_or_default();
    let hexadecimal = last.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    !last.is_empty() && (last.bytes().all(|byte| byte.is_ascii_digit()) || hexadecimal)
}

/// Reads an IPv4 address in every spelling that a browser reads: one to four parts, each decimal, octal or hexadecimal.
pub(super) fn read_v4(name: &str) -> Option<Ipv4Addr> {
    let parts: Vec<&str> = name.strip_suffix('.').unwrap_or(name).split('.').collect();
    let number = |part: &&str| {
        let (digits, radix) = match part.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None if part.len() > 1 && part.starts_with('0') => (&part[1..], 8),
            None => (*part, 10),
        };
        if digits.is_empty() && radix == 16 { Some(0) } else { u32::from_str_radix(digits, radix).ok() }
    };
    let numbers: Vec<u32> = parts.iter().map(number).collect::<Option<_>>()?;
    let (last, before) = numbers.split_last()?;
    if before.len() > 3 || before.iter().any(|part| *part > 255) {
        return None;
    }
    let room = 256_u64.pow(4 - u32::try_from(before.len()).ok()?);
    let last = (u64::from(*last) < room).then_some(*last)?;
    let high = before.iter().zip([24, 16, 8]).map(|(part, shift)| part << shift).sum::<u32>();
    Some(Ipv4Addr::from(high + last))
}
